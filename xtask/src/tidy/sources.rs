//! Rules for source files.

use std::path::Path;

use crate::failure::Outcome;
use crate::workspace;

/// Nobody finds anything in a file longer than this.
const MOST_LINES: usize = 600;
/// Half of all files must have less: a limit alone is what files grow up to.
const MOST_LINES_USUALLY: usize = 200;

/// Leftovers of work, and folders of one machine. Spelled in halves, so that this file is clean.
const LEFTOVERS: &[(&str, &str)] = &[
    ("todo", "!("),
    ("dbg", "!("),
    ("unimplemented", "!("),
    ("/home", "/"),
    ("/Users", "/"),
    ("/root", "/"),
    ("/work", "/main"),
    ("/tmp/", "target"),
];

/// Placeholder paths that texts and examples may use.
const EXAMPLES: &[&str] = &["/home/ann", "/home/me", "/home/user", "/Users/ann", "/Users/me"];

pub(super) fn check() -> Outcome<Vec<String>> {
    let root = workspace::root();
    let mut complaints = Vec::new();
    let mut lengths = Vec::new();
    for folder in ["crates", "xtask"] {
        for path in workspace::files_below(&root.join(folder), "rs") {
            let text = workspace::read(&path)?;
            lengths.push(text.lines().count());
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string().replace('\\', "/");
            complaints.extend(complain(&name, &text));
        }
    }
    println!("{} source files, half of them with less than {} lines", lengths.len(), median(&mut lengths));
    complaints.extend(too_long_usually(&mut lengths));
    for path in pages(&root) {
        let text = workspace::read(&path)?;
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        complaints.extend(leftovers(&name, &text));
    }
    Ok(complaints)
}

fn pages(root: &Path) -> Vec<std::path::PathBuf> {
    let mut pages = workspace::files_below(&root.join("docs"), "md");
    let top = std::fs::read_dir(root).into_iter().flatten().flatten().map(|entry| entry.path());
    pages.extend(top.filter(|path| path.extension().is_some_and(|e| e == "md")));
    pages
}

fn complain(name: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        complaints
            .push(format!("{name}: {lines} lines; split it so that no file has more than {MOST_LINES}"));
    }
    if !text.starts_with("//!") {
        complaints.push(format!("{name}: does not begin with `//!` and why the file exists"));
    }
    // Tests contain samples that look like secrets and paths on purpose.
    let tests = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| text.find(mark)).min();
    let code = &text[..tests.unwrap_or(text.len())];
    if !name.contains("/tests/") {
        complaints.extend(leftovers(name, code));
    }
    complaints
}

fn median(lengths: &mut [usize]) -> usize {
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

fn too_long_usually(lengths: &mut [usize]) -> Option<String> {
    let median = median(lengths);
    (median >= MOST_LINES_USUALLY).then(|| {
        format!("half of the source files have {median} lines or more; keep that below {MOST_LINES_USUALLY}")
    })
}

fn leftovers(name: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let allowed = EXAMPLES.iter().any(|example| line.contains(example));
        for (a, b) in LEFTOVERS {
            let found = line.contains(&format!("{a}{b}"));
            if found && !allowed {
                complaints.push(format!("{name}:{}: contains `{a}{b}`", number + 1));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_file_is_left_alone() {
        assert_eq!(complain("crates/a/src/b.rs", "//! Why.\nfn f() {}\n"), Vec::<String>::new());
    }

    #[test]
    fn few_long_files_are_fine_and_many_are_not() {
        assert_eq!(too_long_usually(&mut [599, 10, 20, 30, 599]), None);
        assert!(too_long_usually(&mut [10, 200, 599]).is_some());
        assert_eq!(too_long_usually(&mut []), None);
    }

    #[test]
    fn each_rule_complains() {
        let long = format!("//! Why.\n{}", "x\n".repeat(MOST_LINES));
        let leftover = format!("//! Why.\nfn f() {{ {}{}) }}\n", "todo", "!(");
        assert_eq!(complain("crates/a/src/b.rs", &long).len(), 1);
        assert_eq!(complain("crates/a/tests/it/b.rs", &long).len(), 1);
        assert_eq!(complain("crates/a/src/b.rs", "fn f() {}\n").len(), 1);
        assert_eq!(complain("crates/a/src/b.rs", &leftover).len(), 1);
    }
}
