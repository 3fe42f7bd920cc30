//! One command of a procedure: what it is, whatever it is called with, and how much it says about what was done.

use super::value::{is_generated, is_message};
use crate::failure::Step as Checks;
use crate::failure::command::{chained, main_of};

/// What a command contributes to a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It only looks, or it is a throwaway script.
    None,
    /// Part of any work: version control, tests, installs, moving files.
    Common,
    /// It did something of this project's own.
    Own,
    /// A release, a deployment, a migration, generated code.
    Telling,
}

const LOOKS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "grep",
    "egrep",
    "rg",
    "ag",
    "fd",
    "find",
    "echo",
    "printf",
    "pwd",
    "which",
    "awk",
    "wc",
    "cd",
    "tree",
    "less",
    "more",
    "file",
    "stat",
    "du",
    "df",
    "env",
    "printenv",
    "date",
    "sleep",
    "true",
    "false",
    "test",
    "[",
    "read",
    "jq",
    "yq",
    "sort",
    "uniq",
    "cut",
    "tr",
    "diff",
    "cmp",
    "ps",
    "top",
    "lsof",
    "ss",
    "netstat",
    "whoami",
    "hostname",
    "uname",
    "type",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "tee",
    "wait",
    "kill",
    "pkill",
    "killall",
    "history",
    "clear",
    "export",
    "set",
    "unset",
    "source",
    ".",
    "pushd",
    "popd",
    "exit",
    "return",
    "alias",
    "man",
    "hark",
    "column",
    "xxd",
    "hexdump",
    "strings",
    "nl",
    "time",
    "ping",
    "dig",
    "nslookup",
    "seq",
    "tput",
    "id",
    "open",
    "claude",
    "codex",
    "gemini",
    "opencode",
    "shasum",
    "sha256sum",
    "md5sum",
    "pgrep",
    "local",
    "declare",
    "trap",
    "shift",
    "break",
    "continue",
    "eval",
    "ulimit",
    "nproc",
    "free",
    "base64",
];

/// Programs whose first words decide whether they only look.
const LOOKING: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "branch",
            "rev-parse",
            "remote",
            "ls-files",
            "ls-tree",
            "ls-remote",
            "blame",
            "describe",
            "config",
            "reflog",
            "fetch",
            "shortlog",
            "grep",
            "rev-list",
            "cat-file",
            "worktree",
            "merge-base",
            "symbolic-ref",
            "check-ignore",
            "whatchanged",
            "name-rev",
            "diff-tree",
        ],
    ),
    ("docker", &["ps", "logs", "images", "inspect", "version", "info", "stats", "context"]),
    ("podman", &["ps", "logs", "images", "inspect"]),
    ("kubectl", &["get", "describe", "logs", "config", "version", "top", "explain"]),
    ("gh", &["run", "api", "auth", "search", "browse", "status", "workflow"]),
    ("npm", &["ls", "list", "view", "outdated", "why", "config", "whoami", "root", "bin", "info"]),
    ("pnpm", &["ls", "list", "why", "outdated"]),
    ("yarn", &["why", "list", "info"]),
    ("cargo", &["tree", "metadata", "search", "info", "expand"]),
    ("go", &["list", "version", "env", "doc"]),
    ("pip", &["list", "show", "freeze"]),
    ("terraform", &["show", "output", "state", "version"]),
    ("helm", &["list", "status", "get", "history"]),
    ("rustup", &["show"]),
];

/// Programs that belong to any work.
const COMMON: &[&str] = &[
    "git",
    "mkdir",
    "rm",
    "cp",
    "mv",
    "touch",
    "chmod",
    "chown",
    "ln",
    "tar",
    "unzip",
    "zip",
    "curl",
    "wget",
    "sed",
    "perl",
    "patch",
    "gofmt",
    "rustfmt",
    "prettier",
    "black",
    "gh",
    "http",
    "apt",
    "apt-get",
    "brew",
    "rmdir",
    "truncate",
    "sqlite3",
    "psql",
    "mysql",
    "redis-cli",
    "ssh",
    "nc",
    "tmux",
    "screen",
    "playwright",
];

/// Programs that start another one: what they start is part of what a step is.
const LAUNCHERS: &[(&str, &[&str])] = &[
    ("npm", &["run", "exec", "run-script"]),
    ("pnpm", &["run", "exec", "dlx", "-r"]),
    ("yarn", &["run", "workspace"]),
    ("bun", &["run", "x"]),
    ("cargo", &["xtask", "run", "release", "make"]),
    ("docker", &["compose", "buildx", "image"]),
    ("go", &["run", "tool", "generate", "mod"]),
    ("uv", &["run", "tool"]),
    ("poetry", &["run"]),
    ("python", &["-m"]),
    ("python3", &["-m"]),
    ("mise", &["run", "x", "exec"]),
    ("gh", &["release", "pr", "issue", "workflow"]),
    ("kubectl", &["rollout", "create"]),
    ("bundle", &["exec"]),
    ("rails", &["db"]),
    ("dotnet", &["ef", "tool"]),
    ("aws", &["s3", "ecs", "lambda", "cloudformation", "ecr"]),
    ("gcloud", &["run", "app", "functions", "builds"]),
    ("alembic", &["-c"]),
];

/// Parts of words that say what a step is for.
const TELLING: &[&str] = &[
    "release",
    "publish",
    "deploy",
    "migrate",
    "migration",
    "migrations",
    "generate",
    "codegen",
    "gen",
    "bump",
    "version",
    "upload",
    "rollout",
    "rollback",
    "provision",
    "seed",
    "changelog",
    "snapshot",
    "backup",
    "restore",
    "promote",
    "package",
    "bundle",
    "goreleaser",
    "makemigrations",
    "protoc",
    "buf",
    "sqlx",
    "prisma",
    "alembic",
    "terraform",
    "ansible",
    "playbook",
    "helm",
    "fly",
    "flyctl",
    "vercel",
    "wrangler",
    "netlify",
    "kustomize",
    "kubectl",
    "twine",
    "upgrade",
    "sign",
    "notarize",
    "schema",
    "openapi",
    "swagger",
    "docs",
    "regenerate",
    "sync",
];

/// Scripts that start something and leave it running.
const SERVERS: &[&str] =
    &["dev", "start", "serve", "watch", "up", "preview", "storybook", "logs", "down", "stop"];

/// The commands of a shell line that did something, as their words.
pub fn steps_of(line: &str) -> Vec<Vec<String>> {
    chained(line).into_iter().filter(|words| weight(words) > Weight::None).collect()
}

/// How many words name what runs; the rest are what it is called with.
fn named_by(words: &[String]) -> usize {
    let Some(program) = words.first() else { return 0 };
    let second = words.get(1).map_or("", String::as_str);
    let launches = LAUNCHERS.iter().any(|(name, verbs)| name == program && verbs.contains(&second));
    let is_name = |word: &String| {
        !word.starts_with('-') && !word.starts_with('{') && !is_generated(word) && !is_message(word)
    };
    let mut named = 1;
    if launches {
        named = 2;
    }
    if words.get(named).is_some_and(is_name) && !takes_only_values(program) {
        named += 1;
    }
    named
}

/// Programs without subcommands: every word is a value.
fn takes_only_values(program: &str) -> bool {
    matches!(
        program,
        "rm" | "cp" | "mv" | "mkdir" | "touch" | "chmod" | "chown" | "ln" | "curl" | "wget" | "ssh"
    )
}

pub fn weight(words: &[String]) -> Weight {
    let Some(program) = words.first().map(String::as_str) else { return Weight::None };
    let second = words.get(1).map_or("", String::as_str);
    let asks = words.iter().any(|word| matches!(word.as_str(), "--version" | "--help" | "-h" | "--dry-run"));
    let is_program = program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        && program.chars().any(|c| c.is_ascii_alphabetic());
    if LOOKS.contains(&program) || asks || !is_program || is_generated(program) {
        return Weight::None;
    }
    if LOOKING.iter().any(|(name, verbs)| *name == program && verbs.contains(&second)) {
        return Weight::None;
    }
    let third = words.get(2).map_or("", String::as_str);
    if program == "gh" && matches!(third, "view" | "list" | "checks" | "diff" | "status") {
        return Weight::None;
    }
    let interprets = matches!(
        program,
        "python"
            | "python3"
            | "node"
            | "ruby"
            | "perl"
            | "php"
            | "deno"
            | "bun"
            | "tsx"
            | "ts-node"
            | "sh"
            | "bash"
    );
    if interprets
        && (words.len() == 1
            || words[1..].iter().any(|w| matches!(w.as_str(), "-c" | "-e" | "-" | "-p" | "--eval")))
    {
        return Weight::None;
    }
    if program == "sed" && !words.iter().any(|word| word.starts_with("-i")) {
        return Weight::None;
    }
    if program == "git" {
        return if second == "tag" && words.len() > 2 { Weight::Telling } else { Weight::Common };
    }
    if program == "gh" {
        return if second == "release" { Weight::Telling } else { Weight::Common };
    }
    let named = &words[..named_by(words).min(words.len())];
    if named.iter().skip(1).any(|word| SERVERS.contains(&word.as_str())) {
        return Weight::Common;
    }
    let checks = main_of(&words.join(" ")).map_or(Checks::Other, |ran| ran.step);
    let is_image = matches!(program, "docker" | "podman") && matches!(second, "build" | "push" | "tag");
    let parts = named.iter().flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric()));
    let tells = parts.into_iter().any(|part| TELLING.contains(&part.to_ascii_lowercase().as_str()));
    if !matches!(checks, Checks::Test | Checks::Lint | Checks::Install) && (tells || is_image) {
        return Weight::Telling;
    }
    if checks != Checks::Other || COMMON.contains(&program) || matches!(program, "docker" | "podman") {
        return Weight::Common;
    }
    Weight::Own
}

/// A word, or words, of a command in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// The same in every run: the program, its subcommand, a flag.
    Fixed(String),
    /// What a flag is set to, behind `=`.
    Set(String, String),
    /// What it is called with.
    Values(Vec<String>),
}

pub(super) fn parts(words: &[String]) -> Vec<Part> {
    let named = named_by(words);
    let mut parts: Vec<Part> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if at < named {
            parts.push(Part::Fixed(word.clone()));
        } else if word.starts_with('-') && word.len() > 1 && !word.contains(' ') {
            match word.split_once('=') {
                Some((flag, value)) => parts.push(Part::Set(flag.to_owned(), value.to_owned())),
                None => parts.push(Part::Fixed(word.clone())),
            }
        } else if let Some(Part::Values(values)) = parts.last_mut() {
            values.push(word.clone());
        } else {
            parts.push(Part::Values(vec![word.clone()]));
        }
    }
    parts
}

/// The same for the same command, whatever it is called with.
pub fn shape(words: &[String]) -> String {
    let told = |part: Part| match part {
        Part::Fixed(word) => word,
        Part::Set(flag, _) => format!("{flag}=_"),
        Part::Values(_) => "_".to_owned(),
    };
    parts(words).into_iter().map(told).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn commands_are_weighed() {
        for (line, expected) in [
            ("git status", Weight::None),
            ("cat a", Weight::None),
            ("python3 -c print(1)", Weight::None),
            ("kubectl get pods", Weight::None),
            ("npm publish --dry-run", Weight::None),
            ("git push origin main", Weight::Common),
            ("cargo test", Weight::Common),
            ("npm run dev", Weight::Common),
            ("cargo fmt", Weight::Common),
            ("python scripts/collect.py", Weight::Own),
            ("git tag v1.0.0", Weight::Telling),
            ("npm publish", Weight::Telling),
            ("npm version patch", Weight::Telling),
            ("docker build -t app .", Weight::Telling),
            ("alembic upgrade head", Weight::Telling),
            ("./deploy.sh", Weight::Telling),
            ("make release", Weight::Telling),
        ] {
            let line = line.trim_start_matches("./");
            assert_eq!(weight(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn a_shape_leaves_out_what_a_command_is_called_with() {
        for (line, expected) in [
            ("git tag -a v1.2.0 -m x", "git tag -a _ -m _"),
            ("npm run build", "npm run build"),
            ("cargo publish -p hark-core", "cargo publish -p _"),
            ("docker build --tag=app:1 .", "docker build --tag=_ _"),
            ("git add a b c", "git add _"),
            ("kubectl apply -f k8s/app.yaml", "kubectl apply -f _"),
            ("git checkout {branch}", "git checkout _"),
        ] {
            assert_eq!(shape(&words(line)), expected, "{line}");
        }
    }
}
