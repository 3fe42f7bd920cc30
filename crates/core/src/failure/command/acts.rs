//! What a shell command does to files: edits made without an editing tool, and files that a command is about
//! to change or run.

use super::split::split;
use super::{essential, program_of};

/// Files that a line writes or changes in place, as written in it.
pub fn edits_by(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for command in split(line) {
        found.extend(command.writes.iter().filter(|w| is_source(w)).cloned());
        let Some((words, inner)) = essential(&command.words) else { continue };
        if let Some(script) = inner {
            found.extend(edits_by(&script));
            continue;
        }
        let program = program_of(&words[0]);
        let in_place = words.iter().any(|w| w.starts_with("-i") || w == "--in-place");
        let named = || words.iter().skip(1).filter(|w| !w.starts_with('-') && is_source(w)).cloned();
        match program.as_str() {
            "sed" | "perl" | "gawk" if in_place => found.extend(named()),
            "tee" | "ed" | "truncate" => found.extend(named()),
            "mv" | "cp" => found.extend(named().next_back()),
            "git"
                if words
                    .get(1)
                    .is_some_and(|sub| matches!(sub.as_str(), "checkout" | "restore" | "apply")) =>
            {
                found.extend(named());
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(16);
    found
}

/// Files that a line changes or runs, to warn about before it happens.
pub fn acts_on(line: &str) -> Vec<String> {
    let mut found = edits_by(line);
    for command in split(line) {
        let Some((words, None)) = essential(&command.words) else { continue };
        if words.is_empty() {
            continue;
        }
        let program = program_of(&words[0]);
        if words[0].starts_with("./") && is_source(&words[0]) {
            found.push(words[0].clone());
        }
        if matches!(
            program.as_str(),
            "python"
                | "python3"
                | "node"
                | "bash"
                | "sh"
                | "ruby"
                | "php"
                | "deno"
                | "bun"
                | "tsx"
                | "ts-node"
                | "perl"
        ) {
            found.extend(words.iter().skip(1).find(|w| !w.starts_with('-') && is_source(w)).cloned());
        }
    }
    found.dedup();
    found
}

fn is_source(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    word.len() < 300
        && !word.contains(['*', '$', '{', ' ', '=', '\n'])
        && !word.starts_with("s/")
        && name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty()
                && (1..=6).contains(&ending.len())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        })
        && !matches!(name.rsplit('.').next(), Some("log" | "out" | "tmp" | "txt"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_without_an_editing_tool() {
        assert_eq!(edits_by("sed -i 's/a/b/' src/a.rs src/b.rs"), ["src/a.rs", "src/b.rs"]);
        assert_eq!(edits_by("cat > src/new.py <<EOF\nx = 1\nEOF"), ["src/new.py"]);
        assert_eq!(edits_by("git checkout -- src/a.rs"), ["src/a.rs"]);
        assert_eq!(edits_by("cargo test > out.log 2>&1; sed -n 1p src/a.rs"), Vec::<String>::new());
    }

    #[test]
    fn what_is_about_to_run() {
        assert_eq!(acts_on("python scripts/seed.py --all"), ["scripts/seed.py"]);
        assert_eq!(acts_on("./run.sh"), ["./run.sh"]);
        assert_eq!(acts_on("cat src/a.rs"), Vec::<String>::new());
    }
}
