//! A block between two markers in a text that people edit, such as `AGENTS.md`.

use super::text::{gap, line_end, with_line_ends_of};
use serde::{Deserialize, Serialize};

use super::{Refusal, State, Trace};

/// Which of hark's blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Block {
    /// How to use hark; part of an installation.
    #[default]
    Instructions,
    /// The user's rules, exported on request.
    Rules,
}

impl Block {
    pub(super) fn is_usual(&self) -> bool {
        *self == Block::Instructions
    }

    /// What makes the place of this block in a file unlike others.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Block::Instructions => "block",
            Block::Rules => "rules block",
        }
    }

    const fn begin(self) -> &'static str {
        match self {
            Block::Instructions => "<!-- BEGIN hark",
            Block::Rules => "<!-- BEGIN rules from hark",
        }
    }

    const fn end(self) -> &'static str {
        match self {
            Block::Instructions => "<!-- END hark -->",
            Block::Rules => "<!-- END rules from hark -->",
        }
    }

    const fn kept_by(self) -> &'static str {
        match self {
            Block::Instructions => "hark install",
            Block::Rules => "hark rules export",
        }
    }
}

/// The range of the block: from the first marker to the end of the second marker's line.
fn find(text: &str, of: Block) -> Result<Option<(usize, usize)>, Refusal> {
    let broken = |at: usize, what: &str| {
        Err(Refusal::new(what, "remove the leftover marker line `hark` by hand").at(text, at))
    };
    let (opening, closing) = (of.begin(), of.end());
    let Some(begin) = line_starting(text, 0, opening) else {
        return match line_starting(text, 0, closing) {
            Some(at) => broken(at, "a hark block ends here but never begins"),
            None => Ok(None),
        };
    };
    let Some(end) = line_starting(text, begin, closing) else {
        return broken(begin, "a hark block begins here but never ends");
    };
    if let Some(second) = line_starting(text, begin + opening.len(), opening) {
        return broken(second, "a second hark block begins here");
    }
    let end = text[end..].find('\n').map_or(text.len(), |n| end + n + 1);
    Ok(Some((begin, end)))
}

fn line_starting(text: &str, from: usize, marker: &str) -> Option<usize> {
    let found = text[from..].match_indices(marker).map(|(at, _)| from + at);
    found.into_iter().find(|at| *at == 0 || text[..*at].ends_with('\n'))
}

/// The block with its markers and the line ends of `text`.
fn written(block: &str, text: &str, of: Block) -> String {
    let block = block.trim_end();
    let (begin, kept_by, end) = (of.begin(), of.kept_by(), of.end());
    with_line_ends_of(&format!("{begin}: kept by `{kept_by}` -->\n{block}\n{end}\n"), text)
}

pub(super) fn state(text: &str, block: &str, of: Block) -> Result<State, Refusal> {
    Ok(match find(text, of)? {
        None => State::Absent,
        Some((begin, end)) if text[begin..end].trim_end() == written(block, text, of).trim_end() => {
            State::Same
        }
        Some(_) => State::Differs,
    })
}

pub(super) fn insert(text: &str, block: &str, of: Block) -> (String, Trace) {
    let lead = gap(text);
    (format!("{text}{lead}{}", written(block, text, of)), Trace { lead, ..Trace::default() })
}

pub(super) fn replace(text: &str, block: &str, of: Block) -> String {
    match find(text, of) {
        Ok(Some((begin, end))) => {
            let new = written(block, text, of);
            let new = if text[..end].ends_with('\n') { &new } else { new.trim_end() };
            format!("{}{new}{}", &text[..begin], &text[end..])
        }
        _ => text.to_owned(),
    }
}

/// Removes the markers and the lines that hark wrote. Lines that somebody else wrote between them stay.
pub(super) fn remove(text: &str, block: &str, of: Block, trace: &Trace) -> Result<String, Refusal> {
    let Some((begin, end)) = find(text, of)? else { return Ok(text.to_owned()) };
    let after = &text[end..];
    let kept = foreign(&text[begin..end], block, of);
    if !kept.is_empty() {
        let last = if kept.ends_with('\n') || after.is_empty() { "" } else { line_end(text) };
        return Ok(format!("{}{kept}{last}{after}", &text[..begin]));
    }
    let before = text[..begin].strip_suffix(trace.lead.as_str()).unwrap_or(&text[..begin]);
    // Text added after the block must not run into the line before it.
    let joint =
        if before.is_empty() || before.ends_with('\n') || after.is_empty() { "" } else { line_end(text) };
    Ok(format!("{before}{joint}{after}"))
}

/// Whether somebody else wrote lines between the markers.
pub(super) fn has_foreign(text: &str, block: &str, of: Block) -> bool {
    matches!(find(text, of), Ok(Some((begin, end))) if !foreign(&text[begin..end], block, of).is_empty())
}

/// The lines between the markers that are not hark's, without empty lines around them.
fn foreign<'t>(inside: &'t str, block: &str, of: Block) -> String {
    let rest = |line: &'t str| {
        // Text after a marker on the same line is not hark's either.
        let marked = [of.begin(), of.end()].iter().any(|marker| line.starts_with(marker));
        let line =
            if marked { line.split_once("-->").map_or("", |(_, rest)| rest.trim_start()) } else { line };
        let ours = block.lines().any(|ours| ours.trim_end() == line.trim_end());
        (!(ours || marked && line.is_empty())).then_some(line)
    };
    let lines: Vec<&str> = inside.split_inclusive('\n').filter_map(rest).collect();
    let is_text = |line: &&str| !line.trim().is_empty();
    match (lines.iter().position(is_text), lines.iter().rposition(is_text)) {
        (Some(first), Some(last)) => lines[first..=last].concat(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "## Memory\nAsk first.";
    const USUAL: Block = Block::Instructions;

    #[test]
    fn two_blocks_in_one_file_do_not_know_each_other() {
        let (with, trace) = insert("# Rules\n", BLOCK, USUAL);
        let (both, own) = insert(&with, "- Use pnpm", Block::Rules);
        assert_eq!(state(&both, BLOCK, USUAL), Ok(State::Same));
        assert_eq!(state(&both, "- Use pnpm", Block::Rules), Ok(State::Same));
        assert_eq!(remove(&both, "- Use pnpm", Block::Rules, &own).unwrap(), with);
        let other = remove(&both, BLOCK, USUAL, &trace).unwrap();
        assert_eq!(state(&other, "- Use pnpm", Block::Rules), Ok(State::Same), "{other}");
    }

    #[test]
    fn insert_and_remove_restore_the_text() {
        for text in ["", "# Rules", "# Rules\n", "# Rules\n\n", "# Rules\r\n\r\nTabs.\r\n", "\n\n"] {
            let (with, trace) = insert(text, BLOCK, USUAL);
            assert_eq!(state(&with, BLOCK, USUAL), Ok(State::Same), "{with:?}");
            assert_eq!(replace(&with, BLOCK, USUAL), with);
            assert_eq!(remove(&with, BLOCK, USUAL, &trace).unwrap(), text);
        }
    }

    #[test]
    fn text_around_stays() {
        let (with, trace) = insert("# Rules", BLOCK, USUAL);
        let edited = format!("# My{}\nMore.\n", &with[1..]);
        assert_eq!(remove(&edited, BLOCK, USUAL, &trace).unwrap(), "# My Rules\n\nMore.\n");
        let changed = with.replace("Ask first", "Ask twice");
        assert_eq!(state(&changed, BLOCK, USUAL), Ok(State::Differs));
        assert_eq!(remove(&changed, BLOCK, USUAL, &trace).unwrap(), "# Rules\n\nAsk twice.\n");
    }

    #[test]
    fn lines_that_somebody_wrote_inside_stay() {
        for (text, end) in [("# Rules\n", "\n"), ("# Rules\r\n", "\r\n"), ("", "\n")] {
            let (with, trace) = insert(text, BLOCK, USUAL);
            assert!(!has_foreign(&with, BLOCK, USUAL));
            let mine = format!("{end}Never push on Friday.{end}{end}- Nor on Sunday.{end}{end}");
            let edited = with.replace(&format!("## Memory{end}"), &format!("## Memory{end}{mine}"));
            assert!(has_foreign(&edited, BLOCK, USUAL));
            let left = remove(&edited, BLOCK, USUAL, &trace).unwrap();
            assert!(
                left.contains(&format!("Never push on Friday.{end}{end}- Nor on Sunday.{end}")),
                "{left:?}"
            );
            assert!(
                left.starts_with(text) && !left.contains("hark") && !left.contains("Ask first"),
                "{left:?}"
            );
            assert!(!left.ends_with(&format!("{end}{end}")), "{left:?}");
        }
        // Empty lines alone are not worth a change.
        let (with, trace) = insert("# Rules", BLOCK, USUAL);
        let spaced = with.replace("## Memory\n", "## Memory\n\n\n");
        assert_eq!(remove(&spaced, BLOCK, USUAL, &trace).unwrap(), "# Rules");
        // Hark's lines in another order are still hark's.
        let turned = with.replace("## Memory\nAsk first.", "Ask first.\n## Memory");
        assert_eq!(remove(&turned, BLOCK, USUAL, &trace).unwrap(), "# Rules");
    }

    #[test]
    fn half_a_block_is_refused() {
        let (with, trace) = insert("# Rules\n", BLOCK, USUAL);
        let broken = with.replace(USUAL.end(), "");
        assert_eq!(remove(&broken, BLOCK, USUAL, &trace).unwrap_err().line, Some(3));
        assert!(state(&format!("{with}{with}"), BLOCK, USUAL).is_err());
    }
}
