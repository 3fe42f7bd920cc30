//! Analyses commands: which command of a line is the run that says something about the project, a name for it
//! that stays the same, and what its exit code means.

mod acts;
mod line;
mod scope;
mod simple;
mod split;
mod tools;

use serde::{Deserialize, Serialize};

pub use acts::{acts_on, edits_by};
pub(super) use line::line_of;
pub use simple::{chained, simple_commands};

/// What a run checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Anything that is not known to check something.
    Other,
    Install,
    Lint,
    Compile,
    Test,
}

impl Step {
    /// Prints nothing if there is nothing to complain about.
    pub(super) fn is_silent_when_well(self) -> bool {
        matches!(self, Step::Compile | Step::Lint)
    }

    /// Whether a run of this kind can end with such a failure.
    fn reports(self, class: super::Class) -> bool {
        use super::Class;
        match self {
            Step::Lint => !matches!(class, Class::Test | Class::Crash | Class::Link),
            Step::Compile => !matches!(class, Class::Test),
            Step::Test => true,
            Step::Install | Step::Other => {
                matches!(class, Class::Dependency | Class::Network | Class::Environment)
            }
        }
    }
}

/// A run, under names that stay the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// `cargo test`, `pytest`, `js test`: a run can supersede another of the same family.
    pub family: String,
    /// The command without variables, pipes and redirections.
    pub key: String,
    pub step: Step,
    /// The folder where it ran, if the line says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The exit code of the line is not that of this command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// More commands depend on it and may be what failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
    /// Other checks of the same line: if the line passed, so did they.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<Ran>,
}

/// The main run of a line; `None` for lines that only look around.
pub fn main_of(line: &str) -> Option<Ran> {
    Some(line_of(line)?.main())
}

impl Ran {
    /// Whether a success of `self` shows that a failure of another run is gone. `names` are the files and tests that
    /// failed: a narrower run covers only what it names.
    pub fn answers_for(&self, family: &str, key: &str, step: Step, names: &[String]) -> bool {
        std::iter::once(self).chain(&self.with).any(|ran| ran.covers(family, key, step, names))
    }

    fn covers(&self, family: &str, key: &str, step: Step, names: &[String]) -> bool {
        if self.key == key {
            return true;
        }
        // An installation with other flags is a different installation.
        if matches!(self.step, Step::Install | Step::Other) {
            return false;
        }
        // A task runner hides which program it runs.
        let runs_tasks = tools::is_task(&self.family) || tools::is_task(family);
        let same = self.family == family || (runs_tasks && self.step == step);
        // Whatever compiles for its tests compiles.
        let later = step == Step::Compile
            && self.step == Step::Test
            && (runs_tasks || family.split(' ').next() == self.family.split(' ').next());
        if !(same || later) || !scope::includes(&self.key, key) {
            return false;
        }
        let own: Vec<&str> = selectors(&self.key);
        if own.is_empty() {
            return true;
        }
        let theirs: Vec<&str> = selectors(key);
        let wider = own.iter().all(|word| theirs.contains(word));
        let names_it = own.iter().any(|word| {
            let word = word.trim_start_matches("./");
            let file = word.split("::").next().unwrap_or(word);
            names.iter().any(|name| {
                name == word
                    || name == file
                    || word.ends_with(&format!("::{name}"))
                    || name.starts_with(&format!("{file}/"))
                    || scope::matches(word, name)
            }) || theirs.iter().any(|other| scope::matches(word, other))
        });
        (wider && !theirs.is_empty()) || names_it
    }
}

/// What a run was narrowed to: words that are neither the program nor a flag.
fn selectors(key: &str) -> Vec<&str> {
    let takes_value =
        |flag: &str| matches!(flag, "-p" | "--package" | "-k" | "-t" | "--test" | "-run" | "--filter" | "-w");
    let words: Vec<&str> = key.split(' ').collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().skip(1) {
        let narrowed = at > 0 && takes_value(words[at - 1]);
        let is_value =
            matches!(words[at - 1], "-tags" | "-o" | "-timeout" | "--timeout" | "--config" | "--reporter");
        let is_verb = at == 1 || (at == 2 && matches!(words[1], "run" | "nextest"));
        let is_script = is_verb && !word.contains(['/', '.']);
        let everything = matches!(*word, "./..." | "." | "--workspace" | "--all" | "run" | "test" | "tests");
        if (narrowed || !word.starts_with('-')) && !everything && !is_script && !is_value {
            found.push(*word);
        }
    }
    found
}

/// The essential words, without variables and wrappers; or the line inside `bash -c`.
fn essential(words: &[String]) -> Option<(Vec<String>, Option<String>)> {
    let mut words = words.to_vec();
    loop {
        let first = words.first()?.as_str();
        if is_assignment(first) {
            words.remove(0);
        } else if tools::PREFIXES.contains(&first) {
            words.remove(0);
            // Their own flags and durations.
            while words.first().is_some_and(|w| {
                w.starts_with('-') || w.trim_end_matches(['s', 'm', 'h']).parse::<f64>().is_ok()
            }) {
                words.remove(0);
            }
        } else if matches!(program_of(first).as_str(), "bash" | "sh" | "zsh")
            && words
                .get(1)
                .is_some_and(|flag| flag.starts_with('-') && flag.contains('c') && !flag.starts_with("--"))
        {
            return Some((Vec::new(), Some(words.get(2)?.clone())));
        } else if let Some(skip) = wrapper(&words) {
            words.drain(..skip);
            while words.first().is_some_and(|w| w.starts_with('-')) {
                words.remove(0);
            }
        } else {
            return Some((words, None));
        }
    }
}

/// How many leading words only run the rest.
fn wrapper(words: &[String]) -> Option<usize> {
    let program = program_of(&words[0]);
    let second = words.get(1).map_or("", String::as_str);
    if matches!(program.as_str(), "python" | "python3" | "py") && second == "-m" && words.len() > 2 {
        return Some(2);
    }
    if matches!(program.as_str(), "python" | "python3") && second.ends_with("manage.py") {
        return Some(1);
    }
    if program == "yarn"
        && tools::known(second, &words[1..]).is_some()
        && second != "install"
        && second != "add"
    {
        return Some(1);
    }
    tools::RUNNERS
        .iter()
        .find(|(first, next)| program == *first && (next.is_empty() || second == *next))
        .and_then(|(_, next)| {
            let skip = if next.is_empty() { 1 } else { 2 };
            (words.len() > skip).then_some(skip)
        })
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// `.venv/bin/pytest` is pytest, `./gradlew` is gradle.
fn program_of(word: &str) -> String {
    let name = word.rsplit('/').next().unwrap_or(word);
    match name {
        "gradlew" => "gradle".to_owned(),
        "mvnw" => "mvn".to_owned(),
        "pip3" => "pip".to_owned(),
        "make" | "gmake" => "make".to_owned(),
        _ if name.starts_with("python3.") => "python3".to_owned(),
        _ if word.starts_with("./") && !word.contains("/bin/") => word.to_owned(),
        _ => name.to_owned(),
    }
}

fn unknown_family(program: &str, words: &[String]) -> String {
    match words.get(1).filter(|w| !w.starts_with('-') && w.len() < 60) {
        Some(word) => format!("{program} {word}"),
        None => program.to_owned(),
    }
}

const MOST_KEY_CHARS: usize = 160;

/// The command on one line, without flags that only control how much it prints.
fn key_of(program: &str, words: &[String]) -> String {
    const LOUDNESS: &[&str] = &[
        "-v",
        "-vv",
        "-q",
        "--verbose",
        "--quiet",
        "--color=always",
        "--color=never",
        "--no-color",
        "--colors",
        "-s",
        "-x",
        "--nocapture",
        "--",
        "--tb=short",
        "--tb=line",
        "--tb=long",
        "--no-header",
        "--silent",
        "-count=1",
        "--offline",
        "--locked",
        "--no-progress",
        "--plain",
        "--console=plain",
        "-B",
    ];
    // The message of a commit is another one each time.
    if program == "git" && words.get(1).is_some_and(|sub| sub == "commit") {
        return "git commit".to_owned();
    }
    let mut key = program.to_owned();
    for word in words.iter().skip(1).filter(|w| !LOUDNESS.contains(&w.as_str())) {
        key.push(' ');
        key.extend(word.chars().map(|c| if c.is_control() { ' ' } else { c }));
        if key.len() > MOST_KEY_CHARS * 4 {
            break;
        }
    }
    key.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MOST_KEY_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_run_of_a_line() {
        for (line, family, key, masked) in [
            ("cargo test", "cargo test", "cargo test", false),
            (
                "cd api && RUST_BACKTRACE=1 cargo test -p core 2>&1 | tail -20",
                "cargo test",
                "cargo test -p core",
                true,
            ),
            ("set -o pipefail; cargo test 2>&1 | tail", "cargo test", "cargo test", false),
            (".venv/bin/python -m pytest -q tests/test_a.py", "pytest", "pytest tests/test_a.py", false),
            ("poetry run pytest tests || true", "pytest", "pytest tests", true),
            ("mise run lint && mise run test:ci 2>&1 | tail", "mise test", "mise run test:ci", true),
            ("mise run test && mise run lint 2>&1 | tail", "mise test", "mise run test", false),
            ("npm run test:unit -- src/a.test.ts", "js test", "npm run test:unit src/a.test.ts", false),
            ("npx tsc --noEmit", "tsc", "tsc --noEmit", false),
            ("bash -lc 'go test ./... | head'", "go test", "go test ./...", true),
            ("timeout 60 ./gradlew test --console=plain", "gradle test", "gradle test", false),
            ("git add -A && git commit -m x && cargo test", "cargo test", "cargo test", false),
            ("python scripts/seed.py --all", "python scripts/seed.py", "python scripts/seed.py --all", false),
            ("make -j4; echo done $?", "make", "make -j4", true),
            ("pip install -r requirements.txt", "pip install", "pip install -r requirements.txt", false),
        ] {
            let ran = main_of(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((ran.family.as_str(), ran.key.as_str(), ran.masked), (family, key, masked), "{line}");
        }
        assert_eq!(main_of("cd api && cargo test").unwrap().folder.as_deref(), Some("api"));
        assert!(main_of("cargo test && git push").unwrap().followed);
    }

    #[test]
    fn looking_around_is_not_a_run() {
        for line in [
            "grep -rn error src",
            "rg panic",
            "ls -la && cat x.log",
            "test -f a.txt",
            "[ -d b ]",
            "diff a b",
            "git status",
            "git diff --exit-code",
            "which cargo",
            "exit 3",
            "echo BUILD FAILED",
            "cd x",
            "tail -50 build.log | grep FAILED",
            "curl -s localhost:1",
            "sed -n 1,5p a.rs",
            "",
            "# nothing",
            "find . -name '*.rs' | xargs grep x",
        ] {
            assert_eq!(main_of(line), None, "{line}");
        }
    }

    #[test]
    fn which_runs_supersede_which_failures() {
        let answers = |line: &str, failed: &str, names: &[&str]| {
            let failed = main_of(failed).unwrap();
            let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
            main_of(line).unwrap().answers_for(&failed.family, &failed.key, failed.step, &names)
        };
        assert!(answers("cargo test", "cargo test -p core", &[]), "all of them, so that one too");
        assert!(answers("cargo test -p core", "cargo test -p core -- --nocapture", &[]));
        assert!(!answers("cargo test -p cli", "cargo test -p core", &[]));
        assert!(!answers("cargo test other", "cargo test", &["tests::parse"]));
        assert!(answers("pytest tests/test_a.py", "pytest", &["tests/test_a.py"]), "the one that failed");
        assert!(!answers("pytest tests/test_b.py", "pytest", &["tests/test_a.py"]));
        assert!(answers("pytest tests/test_a.py::test_x", "pytest tests", &["tests/test_a.py", "test_x"]));
        assert!(answers("cargo test", "cargo build", &[]), "what is tested compiles");
        assert!(!answers("cargo build", "cargo test", &[]));
        assert!(!answers("npm install", "npm test", &[]));
        assert!(answers("npx jest", "npm test", &[]));
        assert!(answers("mise run test", "go test ./core -run TestX", &[]), "the task runs everything");
        assert!(!answers("mise run test", "go test -tags=integration ./it", &[]), "except what needs a tag");
        assert!(answers("mise run test:ci", "go test -tags=integration ./it", &[]));
        assert!(answers("go test ./core -run 'TestX|TestY'", "mise run test", &["TestX"]));
        assert!(answers(
            "go test ./core -run TestAdd",
            "go test ./core -run TestAdd_Twice",
            &["TestAdd_Twice"]
        ));
        assert!(!answers("go test ./core -run TestSub", "go test ./core -run TestAdd", &["TestAdd"]));
        assert!(answers("mise run test && mise run lint", "mise run lint", &[]), "both passed");
        assert!(!answers("npm run test:unit", "npm run test:e2e", &[]));
    }
}
