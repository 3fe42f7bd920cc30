//! Was what hark said unasked of use? Judged by what happened next in the session that received it.
//!
//! `hark ledger`, `hark report` and the lab share this arithmetic. It shows direction: a warning can prevent the
//! failure that would have confirmed it, and a file may be edited for another reason.

mod specific;

use schemars::JsonSchema;
use serde::Serialize;

pub use specific::{Future, Futures};

/// What a text named: a memory, a failure, an earlier session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Relative to the project.
    pub files: Vec<String>,
    /// Commands and symbols.
    pub names: Vec<String>,
    /// Rated as wrong.
    pub wrong: bool,
    /// Rated as helpful since.
    pub helpful: bool,
}

/// What the session did afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Changed a file.
    Touched(String),
    /// Ran something that failed: the command and its output.
    Failed(String),
    /// Stored a memory.
    Stored,
    /// Made a checkpoint.
    Saved,
}

/// A sign of what a text led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// The work that followed resembles it more than other work does.
    Specific,
    /// A file that it names was changed.
    Touched,
    /// A later run failed and names its file, command or symbol.
    FailedAgain,
    /// The session stored a memory.
    Stored,
    /// The session made a checkpoint.
    Saved,
    /// Rated as helpful.
    Helpful,
    /// Rated as wrong.
    Wrong,
}

impl Sign {
    pub const ALL: &'static [Sign] = &[
        Sign::Specific,
        Sign::Touched,
        Sign::FailedAgain,
        Sign::Stored,
        Sign::Saved,
        Sign::Helpful,
        Sign::Wrong,
    ];

    pub const fn words(self) -> &'static str {
        match self {
            Sign::Specific => "the work was about it",
            Sign::Touched => "touched the file",
            Sign::FailedAgain => "failed again",
            Sign::Stored => "stored a memory",
            Sign::Saved => "saved a checkpoint",
            Sign::Helpful => "marked helpful",
            Sign::Wrong => "marked wrong",
        }
    }
}

/// What followed a text about `subjects`, each sign once.
pub fn followed(subjects: &[Subject], deeds: &[Deed]) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut see = |sign: Sign| {
        if !signs.contains(&sign) {
            signs.push(sign);
        }
    };
    for deed in deeds {
        match deed {
            Deed::Touched(path) if subjects.iter().any(|s| s.files.iter().any(|f| is_same(f, path))) => {
                see(Sign::Touched);
            }
            Deed::Failed(output) if subjects.iter().any(|subject| names(subject, output)) => {
                see(Sign::FailedAgain);
            }
            Deed::Touched(_) | Deed::Failed(_) => {}
            Deed::Stored => see(Sign::Stored),
            Deed::Saved => see(Sign::Saved),
        }
    }
    if subjects.iter().any(|subject| subject.helpful) {
        see(Sign::Helpful);
    }
    if subjects.iter().any(|subject| subject.wrong) {
        see(Sign::Wrong);
    }
    signs.sort_unstable();
    signs
}

/// Whether a text on this surface was of use; `None` if that cannot be said, as of a notice for the user.
pub fn is_of_use(surface: &str, signs: &[Sign]) -> Option<bool> {
    let has = |wanted: &[Sign]| signs.iter().any(|sign| wanted.contains(sign));
    match surface {
        "notice" | "gate" => None,
        "remind" => Some(has(&[Sign::Saved])),
        "ask" => Some(has(&[Sign::Stored])),
        _ if has(&[Sign::Wrong]) => Some(false),
        // Any prompt is followed by edits, so a file alone says little there.
        "prompt" | "subagent" => Some(has(&[Sign::Specific, Sign::FailedAgain, Sign::Helpful])),
        "alert" => Some(has(&[Sign::FailedAgain, Sign::Helpful])),
        _ => Some(has(&[Sign::Touched, Sign::FailedAgain, Sign::Specific, Sign::Helpful])),
    }
}

/// The same file, if one of the two paths is a part of the other.
fn is_same(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !one.is_empty() && !other.is_empty() && (ends(one, other) || ends(other, one))
}

/// Whether an output names what this is about. Shorter names occur by chance.
fn names(subject: &Subject, output: &str) -> bool {
    const SHORTEST: usize = 4;
    let files = subject.files.iter().filter_map(|file| file.rsplit('/').next());
    let mut names = files.chain(subject.names.iter().map(String::as_str));
    names.any(|name| name.len() >= SHORTEST && output.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(files: &[&str], names: &[&str]) -> Subject {
        let all = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Subject { files: all(files), names: all(names), ..Subject::default() }
    }

    #[test]
    fn a_file_is_touched_by_its_path_and_a_failure_names_it() {
        let subjects = [about(&["src/cart.go"], &["TestCart"])];
        let touched = Deed::Touched("src/cart.go".to_owned());
        let other = Deed::Touched("src/bigcart.go".to_owned());
        let failed = Deed::Failed("go test ./...\n--- FAIL: TestCart".to_owned());
        assert_eq!(followed(&subjects, &[other, Deed::Failed("make: error".to_owned())]), []);
        assert_eq!(followed(&subjects, &[failed, touched]), [Sign::Touched, Sign::FailedAgain]);
    }

    #[test]
    fn use_is_judged_by_surface() {
        assert_eq!(is_of_use("notice", &[]), None);
        assert_eq!(is_of_use("remind", &[Sign::Touched]), Some(false));
        assert_eq!(is_of_use("remind", &[Sign::Saved]), Some(true));
        assert_eq!(is_of_use("ask", &[Sign::Stored]), Some(true));
        assert_eq!(is_of_use("alert", &[Sign::FailedAgain]), Some(true));
        assert_eq!(is_of_use("prompt", &[Sign::Touched]), Some(false));
        assert_eq!(is_of_use("prompt", &[Sign::Specific]), Some(true));
        assert_eq!(is_of_use("prompt", &[Sign::Specific, Sign::Wrong]), Some(false));
        assert_eq!(is_of_use("boot", &[Sign::Touched]), Some(true));
    }
}
