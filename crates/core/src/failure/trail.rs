//! Follows one session through its failures: what was edited and run, in order, and what follows from it.
//!
//! A trail is small and can be stored between events, so a session can be followed one event at a time, by a
//! hook or by an import of old transcripts. What a person or an assistant *says* about success changes
//! nothing here; only runs do.

use serde::{Deserialize, Serialize};

use super::command::Step;
use super::region::Region;
use super::{Class, Finding, Ran, Verdict};

/// An edit of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    n: u64,
    pub path: String,
    /// What was changed, in a few words; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gist: String,
    /// Lines that it removed and added; few, and cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
}

/// A failure of this session that no run has settled yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Open {
    signature: String,
    class: Class,
    ran: Ran,
    /// Files, symbols and tests that it names.
    names: Vec<String>,
    /// When it was last seen, counted in edits and commands.
    at: u64,
    /// The edits after which it was gone although the run as a whole still failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    helped: Vec<Edit>,
}

/// What a session did, as far as later runs need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    #[serde(default)]
    n: u64,
    #[serde(default)]
    edits: Vec<Edit>,
    #[serde(default)]
    open: Vec<Open>,
    /// Commands that succeeded and may have changed the environment, with their time.
    #[serde(default)]
    acts: Vec<(u64, String)>,
    /// When each family last passed.
    #[serde(default)]
    passed: Vec<(String, u64)>,
}

/// The outcome of an attempt to fix something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FixOutcome {
    /// The run passed.
    Succeeded,
    /// The same failure occurred again.
    Failed,
    /// This failure is gone, but the run still fails.
    Partial,
}

impl FixOutcome {
    pub const fn name(self) -> &'static str {
        match self {
            FixOutcome::Succeeded => "succeeded",
            FixOutcome::Failed => "failed",
            FixOutcome::Partial => "partial",
        }
    }
}

/// What made a failure go away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    Edits(Vec<Edit>),
    /// Another command in between, an installation for example.
    Command(String),
    /// Another form of the same command works.
    Instead(String),
    /// It passed again although nothing was changed.
    Nothing,
}

/// How an event changes a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Seen {
        finding: Finding,
        ran: Ran,
        /// Files edited before it that may have caused it.
        suspects: Vec<String>,
        /// Whether the session already knew it.
        again: bool,
    },
    Tried {
        signature: String,
        outcome: FixOutcome,
        edits: Vec<Edit>,
    },
    Fixed {
        signature: String,
        by: Remedy,
    },
}

const MOST_EDITS: usize = 60;
const MOST_OPEN: usize = 24;
const MOST_ACTS: usize = 16;

impl Trail {
    pub fn edited(&mut self, path: &str, gist: &str, region: &Region) {
        self.n += 1;
        let (removed, added) = (Region::kept(&region.removed), Region::kept(&region.added));
        self.edits.push(Edit { n: self.n, path: path.to_owned(), gist: gist.to_owned(), removed, added });
        if self.edits.len() > MOST_EDITS {
            self.edits.remove(0);
        }
    }

    /// Files edited since this family last passed, newest first.
    pub fn edited_since_pass(&self, family: &str) -> Vec<String> {
        let since = self.passed.iter().find(|(f, _)| f == family).map_or(0, |(_, n)| *n);
        distinct(self.edits.iter().rev().filter(|e| e.n > since).map(|e| e.path.as_str()))
    }

    /// Edits in this session to one of these files, newest first; all edits if `files` is empty.
    pub fn edits_of(&self, files: &[String]) -> Vec<Edit> {
        let own: Vec<Edit> = self.edits.iter().rev().filter(|e| files.contains(&e.path)).cloned().collect();
        own.into_iter().take(MOST_TOLD).collect()
    }

    /// Records a run and returns what follows from it.
    pub fn ran(&mut self, ran: &Ran, verdict: &Verdict) -> Vec<Change> {
        match verdict {
            Verdict::Unknown => Vec::new(),
            Verdict::Passed => self.run_passed(ran),
            Verdict::Failed(findings) => self.run_failed(ran, findings),
        }
    }

    fn run_passed(&mut self, ran: &Ran) -> Vec<Change> {
        let mut changes = Vec::new();
        let open = std::mem::take(&mut self.open);
        for failure in open {
            let answered =
                ran.answers_for(&failure.ran.family, &failure.ran.key, failure.ran.step, &failure.names);
            let instead = !answered
                && ran.family == failure.ran.family
                && matches!(ran.step, Step::Install | Step::Other)
                && ran.key != failure.ran.key;
            if answered {
                changes
                    .push(Change::Fixed { signature: failure.signature.clone(), by: self.remedy(&failure) });
            } else if instead && !self.edits.iter().any(|e| e.n > failure.at) {
                let by = Remedy::Instead(ran.key.clone());
                changes.push(Change::Fixed { signature: failure.signature.clone(), by });
            } else {
                self.open.push(failure);
            }
        }
        self.passed.retain(|(family, _)| *family != ran.family);
        self.passed.push((ran.family.clone(), self.n));
        if self.passed.len() > MOST_ACTS {
            self.passed.remove(0);
        }
        if matches!(ran.step, Step::Install | Step::Other) {
            self.n += 1;
            self.acts.push((self.n, ran.key.clone()));
            if self.acts.len() > MOST_ACTS {
                self.acts.remove(0);
            }
        }
        changes
    }

    fn run_failed(&mut self, ran: &Ran, findings: &[Finding]) -> Vec<Change> {
        let mut changes = Vec::new();
        let now = self.n;
        for finding in findings {
            let mut finding = finding.clone();
            for file in &mut finding.files {
                *file = self.whole_path(file);
            }
            let known = self.open.iter().position(|open| open.signature == finding.signature);
            let suspects = match known {
                Some(_) => Vec::new(),
                None => self.suspects(ran, &finding),
            };
            if let Some(at) = known {
                let edits = self.edits_since(&self.open[at].clone());
                if !edits.is_empty() {
                    let signature = finding.signature.clone();
                    changes.push(Change::Tried { signature, outcome: FixOutcome::Failed, edits });
                }
                let open = &mut self.open[at];
                (open.at, open.helped) = (now, Vec::new());
            } else {
                self.open.push(Open {
                    signature: finding.signature.clone(),
                    class: finding.class,
                    ran: ran.clone(),
                    names: finding.files.iter().chain(&finding.symbols).chain(&suspects).cloned().collect(),
                    at: now,
                    helped: Vec::new(),
                });
            }
            changes.push(Change::Seen { finding, ran: ran.clone(), suspects, again: known.is_some() });
        }
        let builds = findings.iter().all(|f| is_before_tests(f.class));
        for at in 0..self.open.len() {
            let open = self.open[at].clone();
            let is_here = findings.iter().any(|f| f.signature == open.signature);
            let hidden = builds && !is_before_tests(open.class);
            let same = ran.answers_for(&open.ran.family, &open.ran.key, open.ran.step, &open.names);
            if is_here || hidden || !same || !open.helped.is_empty() || findings.is_empty() {
                continue;
            }
            let edits = self.edits_since(&open);
            if !edits.is_empty() {
                self.open[at].helped.clone_from(&edits);
                changes.push(Change::Tried {
                    signature: open.signature,
                    outcome: FixOutcome::Partial,
                    edits,
                });
            }
        }
        let excess = self.open.len().saturating_sub(MOST_OPEN);
        self.open.drain(..excess);
        changes
    }

    fn remedy(&self, open: &Open) -> Remedy {
        if !open.helped.is_empty() {
            return Remedy::Edits(open.helped.clone());
        }
        let edits = self.edits_since(open);
        if !edits.is_empty() {
            return Remedy::Edits(edits);
        }
        match self.acts.iter().rev().find(|(n, _)| *n > open.at) {
            Some((_, command)) => Remedy::Command(command.clone()),
            None => Remedy::Nothing,
        }
    }

    /// Edits since a failure was last seen: those to files it names, if any, else the newest.
    fn edits_since(&self, open: &Open) -> Vec<Edit> {
        let since: Vec<&Edit> = self.edits.iter().filter(|e| e.n > open.at).collect();
        let own: Vec<&Edit> = since.iter().copied().filter(|e| open.names.contains(&e.path)).collect();
        let chosen = if own.is_empty() { since } else { own };
        chosen.into_iter().rev().take(MOST_TOLD).rev().cloned().collect()
    }

    /// Files that the trace names; if none of those was edited, the newest edits.
    fn suspects(&self, ran: &Ran, finding: &Finding) -> Vec<String> {
        if is_about_surroundings(ran, finding.class) {
            return Vec::new();
        }
        let edited: Vec<String> =
            self.edited_since_pass(&ran.family).into_iter().filter(|p| !is_prose(p)).collect();
        if edited.iter().any(|path| finding.files.contains(path) && !is_test(path)) {
            return Vec::new();
        }
        let mut edited: Vec<String> = edited.into_iter().filter(|p| !finding.files.contains(p)).collect();
        edited.truncate(2);
        edited
    }

    /// Some runners print a path relative to a folder inside the project: `src/a.ts` for `web/src/a.ts`.
    fn whole_path(&self, printed: &str) -> String {
        let ending = format!("/{printed}");
        let mut longer = self.edits.iter().map(|e| &e.path).filter(|path| path.ends_with(&ending));
        let exact = self.edits.iter().any(|e| e.path == printed);
        match longer.next() {
            Some(path) if !exact && longer.all(|other| other == path) => path.clone(),
            _ => printed.to_owned(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0 && self.open.is_empty() && self.passed.is_empty()
    }
}

/// A push without an upstream or a missing program says nothing about the edited files.
fn is_about_surroundings(ran: &Ran, class: Class) -> bool {
    let by_git = ran.family == "git" || ran.family.starts_with("git ");
    by_git || class == Class::Permission || class.is_about_surroundings()
}

/// How many edits to report for one attempt.
const MOST_TOLD: usize = 3;

fn is_before_tests(class: Class) -> bool {
    class.is_of_a_compiler() || class == Class::Dependency
}

fn is_prose(path: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc"].iter().any(|ending| path.ends_with(ending))
}

fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    lower.starts_with("test")
        || lower.contains("/test")
        || lower.contains("__tests__")
        || lower.contains("/spec")
        || name.starts_with("test_")
        || name.contains("_test.")
        || name.contains(".test.")
        || name.contains(".spec.")
}

fn distinct<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for path in paths {
        if !kept.iter().any(|k| k == path) {
            kept.push(path.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::{Place, judge};
    use super::*;

    struct Walk(Trail);

    impl Walk {
        fn run(&mut self, line: &str, ok: bool, output: &str) -> Vec<String> {
            let judged = judge(line, Some(ok), output, &Place::new("/p", "/p")).expect("a run");
            let told = self.0.ran(&judged.ran, &judged.verdict);
            // Goes through the stored form each time.
            self.0 = serde_json::from_str(&serde_json::to_string(&self.0).unwrap()).unwrap();
            told.iter()
                .map(|change| match change {
                    Change::Seen { finding, suspects, again, .. } => {
                        format!("seen {} {} {again}", finding.files.join("+"), suspects.join("+"))
                    }
                    Change::Tried { outcome, edits, .. } => {
                        format!("tried {} {}", outcome.name(), edits[0].path)
                    }
                    Change::Fixed { by: Remedy::Edits(edits), .. } => format!("fixed by {}", edits[0].path),
                    Change::Fixed { by, .. } => format!("fixed {by:?}"),
                })
                .collect()
        }
    }

    const KEY: &str =
        "Traceback (most recent call last):\n  File \"/p/src/a.py\", line 3, in load\n    x\nKeyError: 'id'";
    const OTHER: &str =
        "Traceback (most recent call last):\n  File \"/p/src/b.py\", line 3, in save\n    x\nValueError: no";

    #[test]
    fn tried_without_success_then_fixed() {
        let mut walk = Walk(Trail::default());
        walk.0.edited("src/a.py", "", &Region::default());
        assert_eq!(walk.run("pytest", false, KEY), ["seen src/a.py  false"]);
        walk.0.edited("src/a.py", "", &Region::default());
        assert_eq!(walk.run("pytest -q", false, KEY), ["tried failed src/a.py", "seen src/a.py  true"]);
        walk.0.edited("src/c.py", "", &Region::default());
        assert_eq!(walk.run("pytest", true, ""), ["fixed by src/c.py"]);
        assert_eq!(walk.run("pytest", true, ""), Vec::<String>::new(), "fixed once");
    }

    #[test]
    fn edits_are_not_blamed_for_environment_failures() {
        let mut walk = Walk(Trail::default());
        walk.0.edited("src/a.py", "", &Region::default());
        let push = "fatal: The current branch topic has no upstream branch.";
        assert_eq!(walk.run("git push", false, push), ["seen   false"]);
        let mut walk = Walk(Trail::default());
        walk.0.edited("src/a.py", "", &Region::default());
        assert_eq!(walk.run("pytest", false, "bash: pytest: command not found"), ["seen   false"]);
    }

    #[test]
    fn a_fix_counts_although_another_failure_remains() {
        let mut walk = Walk(Trail::default());
        walk.run("pytest", false, &format!("{KEY}\n\n{OTHER}"));
        walk.0.edited("src/a.py", "", &Region::default());
        assert_eq!(walk.run("pytest", false, OTHER)[0..2], ["tried failed src/a.py", "seen src/b.py  true"]);
        walk.0.edited("src/b.py", "", &Region::default());
        assert_eq!(walk.run("pytest", true, ""), ["fixed by src/a.py", "fixed by src/b.py"]);
    }

    #[test]
    fn an_edit_is_suspected_although_no_trace_names_it() {
        let mut walk = Walk(Trail::default());
        walk.0.edited("README.md", "", &Region::default());
        walk.0.edited("src/calc.py", "", &Region::default());
        let output = "____ test_sum ____\nE   assert 3 == 4\n\ntests/test_calc.py:5: AssertionError\n===== 1 failed in 0.1s =====";
        assert_eq!(walk.run("pytest", false, output), ["seen tests/test_calc.py src/calc.py false"]);
    }

    #[test]
    fn commands_can_be_fixes() {
        let mut walk = Walk(Trail::default());
        walk.run("python app.py", false, "Traceback\n  File \"/p/app.py\", line 1, in <module>\nModuleNotFoundError: No module named 'flask'");
        walk.run("pip install flask", true, "Successfully installed flask");
        assert_eq!(walk.run("python app.py", true, ""), ["fixed Command(\"pip install flask\")"]);
        walk.run(
            "npm install",
            false,
            "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree",
        );
        assert_eq!(
            walk.run("npm install --legacy-peer-deps", true, ""),
            ["fixed Instead(\"npm install --legacy-peer-deps\")"]
        );
    }

    #[test]
    fn an_unrelated_run_settles_nothing() {
        let mut walk = Walk(Trail::default());
        walk.run("pytest tests/test_a.py", false, KEY);
        walk.0.edited("src/a.py", "", &Region::default());
        assert!(walk.run("pytest tests/test_b.py", true, "").is_empty());
        assert!(walk.run("ruff check .", true, "").is_empty());
        assert_eq!(walk.run("pytest tests/test_a.py", true, "").len(), 1);
    }
}
