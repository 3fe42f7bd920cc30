//! Programs by purpose: which ones check the project, and which ones only look around.

use super::Step;

/// Searching and looking: finding nothing is not a failure, and their output is not a verdict.
const LOOKING: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "cmp",
    "test",
    "[",
    "[[",
    "which",
    "whereis",
    "type",
    "pgrep",
    "pidof",
    "ps",
    "ls",
    "ll",
    "dir",
    "find",
    "fd",
    "cat",
    "bat",
    "head",
    "tail",
    "less",
    "more",
    "wc",
    "stat",
    "file",
    "du",
    "df",
    "tree",
    "true",
    "false",
    "kill",
    "pkill",
    "killall",
    "exit",
    "return",
    "sleep",
    "wait",
    "jq",
    "yq",
    "echo",
    "printf",
    "cd",
    "pushd",
    "popd",
    "pwd",
    "rm",
    "rmdir",
    "expr",
    "let",
    "read",
    "set",
    "unset",
    "export",
    "source",
    ".",
    "alias",
    "date",
    "whoami",
    "id",
    "env",
    "printenv",
    "uname",
    "hostname",
    "sort",
    "uniq",
    "cut",
    "tr",
    "awk",
    "sed",
    "tee",
    "xargs",
    "strings",
    "hexdump",
    "xxd",
    "md5sum",
    "sha256sum",
    "touch",
    "mkdir",
    "ln",
    "cp",
    "mv",
    "chmod",
    "chown",
    "man",
    "tldr",
    "history",
    "clear",
    "column",
    "seq",
    "yes",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "ping",
    "curl",
    "wget",
    "nc",
    "lsof",
    "netstat",
    "ss",
    "top",
    "htop",
    "free",
    "uptime",
    "hark",
    "gh",
    "if",
    "then",
    "else",
    "fi",
    "for",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    "function",
    "break",
    "continue",
    "trap",
    "shopt",
    "ulimit",
    "umask",
    "hash",
    "command",
    "patch",
    "open",
    "xdg-open",
    "code",
    "vim",
    "nano",
    "sqlite3",
    "psql",
    "mysql",
    "redis-cli",
    "screen",
    "tmux",
    "timeout",
];

/// Prefixes that do not change what a command does.
pub(super) const PREFIXES: &[&str] = &[
    "sudo",
    "time",
    "nohup",
    "exec",
    "command",
    "builtin",
    "env",
    "nice",
    "ionice",
    "stdbuf",
    "xvfb-run",
    "timeout",
    "caffeinate",
    "then",
    "do",
    "else",
    "!",
];

/// Two words that only run what follows.
pub(super) const RUNNERS: &[(&str, &str)] = &[
    ("npx", ""),
    ("bunx", ""),
    ("pnpx", ""),
    ("uvx", ""),
    ("pipx", "run"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("npm", "exec"),
    ("poetry", "run"),
    ("uv", "run"),
    ("pipenv", "run"),
    ("rye", "run"),
    ("hatch", "run"),
    ("pdm", "run"),
    ("bundle", "exec"),
    ("rustup", "run"),
    ("mise", "exec"),
    ("mise", "x"),
    ("dotenv", ""),
    ("cross-env", ""),
];

pub(super) fn is_looking(program: &str, words: &[String]) -> bool {
    let sub = words.get(1).map_or("", String::as_str);
    match program {
        "sed" => !words.iter().any(|w| w.starts_with("-i") || w == "--in-place"),
        "git" => {
            !matches!(sub, "commit" | "push" | "merge" | "rebase" | "cherry-pick" | "pull" | "apply" | "am")
        }
        "docker" | "podman" => !matches!(sub, "build" | "run" | "compose" | "buildx"),
        "kubectl" | "helm" => !matches!(sub, "apply" | "create" | "install" | "upgrade" | "lint" | "rollout"),
        _ => LOOKING.contains(&program),
    }
}

/// The family of a command, and what it checks.
pub(super) fn known(program: &str, words: &[String]) -> Option<(String, Step)> {
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).filter(|w| !w.starts_with('-')).collect();
    let sub = rest.first().copied().unwrap_or("");
    let any = |wanted: &[&str]| rest.iter().any(|word| wanted.iter().any(|w| word.contains(w)));
    let found = |family: &str, step| Some((family.to_owned(), step));
    match program {
        "cargo" => match sub {
            "test" | "t" | "nextest" => found("cargo test", Step::Test),
            "build" | "b" | "check" | "c" | "rustc" | "doc" => found("cargo build", Step::Compile),
            "clippy" => found("cargo clippy", Step::Lint),
            "fmt" => found("cargo fmt", Step::Lint),
            "add" | "install" | "update" | "fetch" => found("cargo add", Step::Install),
            "deny" | "audit" => found(&format!("cargo {sub}"), Step::Lint),
            _ => None,
        },
        "rustc" => found("rustc", Step::Compile),
        "pytest" | "py.test" => found("pytest", Step::Test),
        "unittest" | "tox" | "nox" | "nosetests" | "behave" => found(program, Step::Test),
        "manage.py" if sub == "test" => found("manage.py test", Step::Test),
        "mypy" | "pyright" | "ruff" | "flake8" | "pylint" | "black" | "isort" | "bandit" | "pre-commit" => {
            found(program, Step::Lint)
        }
        "npm" | "yarn" | "pnpm" | "bun" => node(program, &rest),
        "jest" | "vitest" | "mocha" | "ava" | "tap" | "karma" => found("js test", Step::Test),
        "playwright" | "cypress" => found(program, Step::Test),
        "node" if words.iter().any(|w| w == "--test") => found("js test", Step::Test),
        "deno" => match sub {
            "test" => found("deno test", Step::Test),
            "check" => found("deno check", Step::Compile),
            "lint" => found("deno lint", Step::Lint),
            _ => None,
        },
        "tsc" | "vue-tsc" | "svelte-check" => found("tsc", Step::Compile),
        "webpack" | "rollup" | "esbuild" | "parcel" | "turbo" | "nx" => found("js build", Step::Compile),
        "vite" | "next" | "nuxt" | "astro" if sub == "build" => found("js build", Step::Compile),
        "eslint" | "prettier" | "biome" | "stylelint" | "oxlint" | "standard" => found(program, Step::Lint),
        "go" => match sub {
            "test" => found("go test", Step::Test),
            "build" | "install" | "run" => found("go build", Step::Compile),
            "vet" => found("go vet", Step::Lint),
            "get" | "mod" => found("go get", Step::Install),
            _ => None,
        },
        "golangci-lint" | "staticcheck" | "gofmt" | "shellcheck" | "hadolint" | "yamllint"
        | "ansible-lint" | "clang-tidy" | "cppcheck" | "rubocop" | "phpstan" | "psalm" | "ktlint"
        | "detekt" | "checkstyle" | "swiftlint" | "actionlint" | "markdownlint" | "tflint" => {
            found(program, Step::Lint)
        }
        "mvn" | "gradle" | "sbt" | "ant" => {
            if any(&["test", "verify", "check"]) {
                found(&format!("{program} test"), Step::Test)
            } else {
                found(&format!("{program} build"), Step::Compile)
            }
        }
        "javac" | "kotlinc" | "scalac" => found(program, Step::Compile),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => found("cc", Step::Compile),
        "make" | "just" | "ninja" | "bazel" | "meson" | "cmake" | "rake" => {
            if any(&["test", "check", "spec"]) {
                found(&format!("{program} test"), Step::Test)
            } else if any(&["lint"]) {
                found(&format!("{program} lint"), Step::Lint)
            } else if any(&["fmt", "format"]) {
                found(&format!("{program} fmt"), Step::Lint)
            } else {
                found(program, Step::Compile)
            }
        }
        "ctest" => found("ctest", Step::Test),
        "rspec" | "phpunit" | "pest" | "busted" | "bats" => found(program, Step::Test),
        "rails" if sub == "test" => found("rails test", Step::Test),
        "mise" | "task" | "rtx" => task(program, &rest),
        "mix" => match sub {
            "test" => found("mix test", Step::Test),
            "compile" => found("mix build", Step::Compile),
            "credo" | "dialyzer" | "format" | "sobelow" => found(&format!("mix {sub}"), Step::Lint),
            "deps.get" => found("mix deps.get", Step::Install),
            _ => None,
        },
        "dotnet" | "swift" | "flutter" | "dart" | "zig" => match sub {
            "test" => found(&format!("{program} test"), Step::Test),
            "build" | "compile" | "publish" => found(&format!("{program} build"), Step::Compile),
            "analyze" | "format" => found(&format!("{program} {sub}"), Step::Lint),
            _ => None,
        },
        "pip" | "pip3" | "uv" | "poetry" | "conda" | "gem" | "bundle" | "composer" | "apt" | "apt-get"
        | "brew" | "dnf" | "yum" | "apk" | "pacman"
            if any(&["install", "add", "sync", "update", "require", "lock"]) =>
        {
            let base = if program == "pip3" || program == "uv" { "pip" } else { program };
            found(&format!("{base} install"), Step::Install)
        }
        "terraform" | "tofu" if matches!(sub, "validate" | "plan" | "apply") => {
            found(&format!("{program} {sub}"), Step::Compile)
        }
        _ => None,
    }
}

/// `mise run lint:go`, `task test`: the name of the task says what it checks.
fn task(program: &str, rest: &[&str]) -> Option<(String, Step)> {
    let name = match rest {
        ["run" | "r", name, ..] => name,
        [name, ..] if program == "task" => name,
        _ => return None,
    };
    let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let (kind, step) = match () {
        () if is(&["test", "spec", "e2e"]) => ("test", Step::Test),
        () if is(&["lint", "vet"]) => ("lint", Step::Lint),
        () if is(&["fmt", "format"]) => ("fmt", Step::Lint),
        () if is(&["build", "compile", "typecheck"]) => ("build", Step::Compile),
        () => return Some((format!("{program} {name}"), Step::Other)),
    };
    Some((format!("{program} {kind}"), step))
}

/// Whether the family is that of a task runner, which may stand for any program.
pub(super) fn is_task(family: &str) -> bool {
    ["mise ", "task ", "make", "just", "rtx "].iter().any(|runner| family.starts_with(runner))
}

/// JavaScript package managers and the scripts they run.
fn node(program: &str, rest: &[&str]) -> Option<(String, Step)> {
    let script = match rest.first().copied()? {
        "run" | "run-script" => rest.get(1).copied()?,
        "install" | "i" | "ci" | "add" | "update" | "up" => {
            return Some(("npm install".to_owned(), Step::Install));
        }
        "t" => "test",
        first => first,
    };
    let is = |words: &[&str]| words.iter().any(|w| script.contains(w));
    let family = match () {
        () if is(&["typecheck", "type-check", "tsc", "types"]) => ("tsc", Step::Compile),
        () if is(&["test", "jest", "vitest", "spec", "e2e"]) => ("js test", Step::Test),
        () if is(&["lint", "eslint"]) => ("js lint", Step::Lint),
        () if is(&["format", "prettier"]) => ("js format", Step::Lint),
        () if is(&["build", "compile"]) => ("js build", Step::Compile),
        () => return Some((format!("{program} {script}"), Step::Other)),
    };
    Some((family.0.to_owned(), family.1))
}
