//! A skill as text: what it is called, when to use it, its steps and pitfalls; and what its runs say about it.

use std::fmt;

use crate::guidance::{Evidence, Record, Sort};
use crate::learning::procedure::{Weight, shape, steps_of, weight};
use crate::memory::Memory;
use crate::time::Timestamp;

const STEPS: &str = "## Steps";
const PITFALLS: &str = "## Pitfalls";
/// Evidence of older runs is in the counts.
pub const MOST_RUNS: usize = 12;
/// Longer names are cut where a client reads skills.
const MOST_NAME: usize = 60;

/// The body of a skill.
pub fn body(steps: &[String], pitfalls: &[String]) -> String {
    let mut text = STEPS.to_owned();
    for (place, step) in steps.iter().enumerate() {
        text.push_str(&format!("\n{}. {}", place + 1, step.trim()));
    }
    if !pitfalls.is_empty() {
        text.push_str(&format!("\n\n{PITFALLS}"));
        for pitfall in pitfalls {
            text.push_str(&format!("\n- {}", pitfall.trim()));
        }
    }
    text
}

/// A step that is a command, as it stands in a body.
pub fn command_step(command: &str) -> String {
    if command.contains('`') { command.to_owned() } else { format!("`{command}`") }
}

/// The steps in a body, whoever wrote it: the numbered lines below the heading, or all numbered lines.
pub fn steps(body: &str) -> Vec<String> {
    let below = body.split_once(STEPS).map_or(body, |(_, rest)| rest);
    let own = below.split("\n## ").next().unwrap_or(below);
    own.lines().filter_map(numbered).map(str::to_owned).collect()
}

/// The pitfalls in a body.
pub fn pitfalls(body: &str) -> Vec<String> {
    let Some((_, below)) = body.split_once(PITFALLS) else { return Vec::new() };
    let own = below.split("\n## ").next().unwrap_or(below);
    own.lines().filter_map(|line| line.trim().strip_prefix("- ")).map(|line| line.trim().to_owned()).collect()
}

fn numbered(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?;
    (rest.len() < line.len()).then(|| rest.trim()).filter(|step| !step.is_empty())
}

/// The shapes of the commands among the steps, to recognise later runs. Steps in prose say nothing about commands.
pub fn shapes(body: &str) -> Vec<String> {
    let mut shapes = Vec::new();
    for step in steps(body) {
        let command = match step.split('`').nth(1) {
            Some(code) if !code.trim().is_empty() => code.to_owned(),
            _ => continue,
        };
        // Braces would be taken for a group.
        let command = command.replace(['{', '}'], "_");
        shapes.extend(steps_of(&command).iter().map(|words| shape(words)));
    }
    shapes
}

/// A name for a folder: lower-case words with hyphens, as clients demand.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= MOST_NAME {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// What to call a procedure: after its most telling step, and the one before it.
pub fn name_of(steps: &[String]) -> String {
    let words: Vec<Vec<String>> =
        steps.iter().flat_map(|step| steps_of(&step.replace(['{', '}'], "_"))).collect();
    let telling: Vec<&Vec<String>> = words.iter().filter(|w| weight(w) == Weight::Telling).collect();
    let own: Vec<&Vec<String>> = words.iter().filter(|w| weight(w) >= Weight::Own).collect();
    let chosen = telling.last().or(own.last()).copied().or(words.last());
    let Some(chosen) = chosen else { return "procedure".to_owned() };
    let first = telling.first().filter(|first| **first != chosen);
    let title = |words: &[String]| {
        let plain = words.iter().enumerate().filter(|(at, word)| {
            *at == 0 || (*at < 3 && !word.starts_with('-') && !word.contains(['_', '/', '.', ':', ' ', '"']))
        });
        slug(&plain.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" "))
    };
    match first {
        Some(first) => slug(&format!("{} and {}", title(first), title(chosen))),
        None => title(chosen),
    }
}

/// How far a skill can be trusted, from its runs alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Fewer than three runs say little.
    New,
    /// It failed at least as often as it worked.
    Doubtful,
    /// It works more often than not.
    Practised,
    /// With 95 % confidence it works in at least three of five runs.
    Reliable,
}

impl Level {
    pub fn of(record: Record) -> Level {
        let (worked, failed) = (record.upheld, record.broken);
        let runs = worked.saturating_add(failed);
        if runs < 3 {
            Level::New
        } else if failed >= worked {
            Level::Doubtful
        } else if lower_bound(worked, runs) >= 0.6 {
            Level::Reliable
        } else {
            Level::Practised
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Level::New => "new",
            Level::Doubtful => "doubtful",
            Level::Practised => "practised",
            Level::Reliable => "reliable",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The lower end of Wilson's 95 % interval.
pub fn lower_bound(hits: u32, of: u32) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let (n, z) = (f64::from(of), 1.96_f64);
    let p = f64::from(hits) / n;
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    ((middle - spread) / (1.0 + z * z / n)).clamp(0.0, 1.0)
}

/// `3 of 4 runs worked`.
pub fn rate(record: Record) -> String {
    match record.upheld + record.broken {
        0 => "no runs yet".to_owned(),
        1 if record.upheld == 1 => "1 run, it worked".to_owned(),
        1 => "1 run, it failed".to_owned(),
        runs => format!("{} of {runs} runs worked", record.upheld),
    }
}

const WORKED: &str = "worked";
const FAILED: &str = "failed";

/// A run as evidence begins with its outcome.
pub fn told_run(worked: bool, note: &str) -> String {
    let word = if worked { WORKED } else { FAILED };
    if note.is_empty() { word.to_owned() } else { format!("{word}: {note}") }
}

/// What the newest runs say against the earlier ones.
pub fn trend(evidence: &[Evidence]) -> String {
    const EACH: usize = 3;
    let runs: Vec<bool> = evidence
        .iter()
        .filter(|one| one.sort == Sort::Procedure)
        .filter_map(|one| match one.text.split(':').next() {
            Some(WORKED) => Some(true),
            Some(FAILED) => Some(false),
            _ => None,
        })
        .collect();
    if runs.len() < 2 * EACH {
        return "not enough yet".to_owned();
    }
    let (earlier, recent) = runs.split_at(runs.len() / 2);
    let worked = |runs: &[bool]| runs.iter().filter(|worked| **worked).count();
    let (then, now) = (worked(earlier), worked(recent));
    let share = |hits: usize, of: usize| hits as f64 / of as f64;
    let difference = share(now, recent.len()) - share(then, earlier.len());
    let word = match difference {
        d if d > 0.2 => "better",
        d if d < -0.2 => "worse",
        _ => "steady",
    };
    format!("{word}: {now} of the last {} worked, {then} of the {} before", recent.len(), earlier.len())
}

/// Adds a run to the record of a skill.
pub fn count(memory: &mut Memory, run: Evidence, worked: bool) {
    let record = &mut memory.guidance.record;
    let at = run.at;
    if worked {
        record.upheld = record.upheld.saturating_add(1);
    } else {
        record.broken = record.broken.saturating_add(1);
    }
    record.last = Some(record.last.map_or(at, |last: Timestamp| last.max(at)));
    let evidence = &mut memory.guidance.evidence;
    evidence.push(run);
    evidence.sort_by_key(|one| one.at);
    let excess = evidence.len().saturating_sub(MOST_RUNS);
    evidence.drain(..excess);
}

/// A skill as the file that clients read.
pub fn file(memory: &Memory, name: &str) -> String {
    let description = description(memory);
    let record = memory.guidance.record;
    let mut text = format!("---\nname: {name}\ndescription: {}\n---\n\n", yaml(&description));
    text.push_str(&format!("# {}\n\n{}\n", memory.title, memory.body.trim_end()));
    if record.upheld + record.broken > 0 {
        text.push_str(&format!("\n## Record\n{}", rate(record)));
        if let Some(last) = record.last {
            text.push_str(&format!("; last run {}", &last.to_string()[..10.min(last.to_string().len())]));
        }
        text.push_str(".\n");
    }
    text.push_str(&format!("\n<!-- hark skill {} -->\n", memory.id.short()));
    text
}

/// The memory behind an exported file.
pub fn id_in(file: &str) -> Option<&str> {
    file.rsplit_once("<!-- hark skill ")?.1.split(' ').next()
}

fn description(memory: &Memory) -> String {
    const MOST: usize = 900;
    let why = memory.why.as_deref().filter(|why| !why.trim().is_empty());
    crate::failure::record::short(why.unwrap_or(&memory.title), MOST)
}

/// As a quoted YAML string on one line.
fn yaml(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::MemoryId;
    use crate::kind::Kind;
    use crate::origin::Origin;
    use crate::redact::Clean;

    fn record(upheld: u32, broken: u32) -> Record {
        Record { upheld, broken, ..Record::default() }
    }

    #[test]
    fn a_body_is_read_back() {
        let made = body(
            &[command_step("npm run build"), command_step("npm publish --tag {tag}")],
            &["Log in first.".to_owned()],
        );
        assert_eq!(steps(&made), ["`npm run build`", "`npm publish --tag {tag}`"]);
        assert_eq!(pitfalls(&made), ["Log in first."]);
        assert_eq!(shapes(&made), ["npm run build", "npm publish --tag _"]);
        assert_eq!(steps("Do this:\n1) first\n2) second\n"), ["first", "second"]);
        assert_eq!(shapes("1. run `npm publish`, then look"), ["npm publish"]);
    }

    #[test]
    fn names_come_from_the_telling_steps() {
        let name = |steps: &[&str]| name_of(&steps.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["npm run build", "npm publish"]), "npm-publish");
        assert_eq!(
            name(&["git tag -a {version} -m x", "cargo publish -p shop"]),
            "git-tag-and-cargo-publish"
        );
        assert_eq!(name(&["make a", "python scripts/collect.py"]), "python");
    }

    #[test]
    fn levels_are_counts() {
        for (worked, failed, level) in [
            (0, 0, Level::New),
            (2, 0, Level::New),
            (3, 0, Level::Practised),
            (6, 0, Level::Reliable),
            (5, 1, Level::Practised),
            (2, 2, Level::Doubtful),
            (0, 3, Level::Doubtful),
        ] {
            assert_eq!(Level::of(record(worked, failed)), level, "{worked} {failed}");
        }
        assert_eq!(rate(record(3, 1)), "3 of 4 runs worked");
    }

    #[test]
    fn a_trend_needs_runs() {
        let run = |worked, at| Evidence {
            at: Timestamp::from_millis(at),
            sort: Sort::Procedure,
            session: None,
            text: Clean::already_redacted(told_run(worked, "x")),
        };
        let runs =
            |all: &[bool]| all.iter().enumerate().map(|(at, w)| run(*w, at as i64)).collect::<Vec<_>>();
        assert_eq!(trend(&runs(&[true; 5])), "not enough yet");
        assert!(trend(&runs(&[false, false, true, true, true, true])).starts_with("better"));
        assert!(trend(&runs(&[true; 6])).starts_with("steady"));
    }

    #[test]
    fn the_file_for_clients_has_front_matter() {
        let at = Timestamp::from_millis(0);
        let clean = |text: &str| Clean::already_redacted(text.to_owned());
        let body = body(&[command_step("npm publish")], &[]);
        let mut memory = Memory::new(MemoryId::new(at, [7; 10]), Kind::Skill, Origin::User, clean(&body), at);
        memory.title = clean("npm-publish");
        memory.why = Some(clean("When you \"publish\" a package"));
        let text = file(&memory, "npm-publish");
        assert!(
            text.starts_with(
                "---\nname: npm-publish\ndescription: \"When you \\\"publish\\\" a package\"\n---\n"
            ),
            "{text}"
        );
        assert_eq!(id_in(&text), Some(memory.id.short().as_str()));
    }
}
