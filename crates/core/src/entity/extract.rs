//! Finds entities in text by their shape.

use super::{Entity, EntityKind};

/// A text with hundreds of names is a listing; the first ones show what it is about.
const MAX_PER_TEXT: usize = 64;

const FILE_ENDINGS: &[&str] = &[
    "astro",
    "bash",
    "bat",
    "c",
    "cc",
    "cfg",
    "cjs",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "dart",
    "env",
    "ex",
    "exs",
    "go",
    "gradle",
    "graphql",
    "h",
    "hcl",
    "hpp",
    "html",
    "ini",
    "ipynb",
    "java",
    "js",
    "json",
    "jsonc",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "lock",
    "log",
    "lua",
    "m",
    "md",
    "mdx",
    "mjs",
    "mk",
    "php",
    "pl",
    "properties",
    "proto",
    "ps1",
    "py",
    "rb",
    "rs",
    "rst",
    "sass",
    "scala",
    "scss",
    "sh",
    "sql",
    "svelte",
    "svg",
    "swift",
    "tf",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
];

const FILE_NAMES: &[&str] = &[
    "dockerfile",
    "makefile",
    "justfile",
    "gemfile",
    "procfile",
    "jenkinsfile",
    "vagrantfile",
    "codeowners",
];

const COMMANDS: &[&str] = &[
    "ansible",
    "apt",
    "apt-get",
    "aws",
    "az",
    "bash",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "cmake",
    "composer",
    "curl",
    "deno",
    "docker",
    "docker-compose",
    "dotnet",
    "eslint",
    "flutter",
    "gcloud",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "helm",
    "hark",
    "java",
    "jest",
    "just",
    "kubectl",
    "make",
    "mvn",
    "mypy",
    "node",
    "npm",
    "npx",
    "php",
    "pip",
    "pnpm",
    "poetry",
    "prisma",
    "psql",
    "pytest",
    "python",
    "python3",
    "rake",
    "redis-cli",
    "rsync",
    "ruff",
    "rustup",
    "sbt",
    "ssh",
    "sqlite3",
    "systemctl",
    "terraform",
    "tox",
    "tsc",
    "uv",
    "vite",
    "vitest",
    "yarn",
];

/// Every entity named in `text`, first mention first, without repeats.
pub fn extract(text: &str) -> Vec<Entity> {
    let mut found: Vec<Entity> = Vec::new();
    let mut add = |entity: Entity| {
        let fresh = !found.iter().any(|e| e.kind == entity.kind && e.norm == entity.norm);
        if fresh && found.len() < MAX_PER_TEXT {
            found.push(entity);
        }
    };
    for code in code_spans(text) {
        if let Some(command) = command(code) {
            add(command);
        } else if !code.contains(char::is_whitespace)
            && let Some(entity) = classify(code).or_else(|| plain_identifier(code))
        {
            add(entity);
        }
    }
    for line in text.lines() {
        if let Some(command) = line.trim().strip_prefix("$ ").and_then(command) {
            add(command);
        }
    }
    for word in
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '`' | '|' | '<' | '>' | '='))
    {
        if let Some(entity) = classify(trim_punctuation(word)) {
            add(entity);
        }
    }
    found
}

/// The entity that a single word denotes, if its shape shows it.
pub(super) fn classify(word: &str) -> Option<Entity> {
    if word.len() < 2 || word.len() > 300 {
        return None;
    }
    url(word)
        .or_else(|| reference(word))
        .or_else(|| person(word))
        .or_else(|| version(word))
        .or_else(|| file(word))
        .or_else(|| symbol(word))
}

fn trim_punctuation(word: &str) -> &str {
    let open = word.trim_start_matches(['(', '[', '{', '\'', '*', '“', '‘', '，', '。', '：', '（']);
    let close = open.trim_end_matches([
        '.', ',', ':', '!', '?', ']', '}', '\'', '*', '”', '’', '，', '。', '）', '；', '、',
    ]);
    match close.strip_suffix(')') {
        Some(rest) if !rest.ends_with('(') => rest,
        _ => close,
    }
}

fn url(word: &str) -> Option<Entity> {
    let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"))?;
    (rest.len() > 3 && rest.contains('.') || rest.starts_with("localhost"))
        .then(|| Entity::new(EntityKind::Url, word))
}

/// `#12`, `!12`, `&12`, optionally with a project before it.
fn reference(word: &str) -> Option<Entity> {
    let at = word.rfind(['#', '!', '&'])?;
    let (project, tail) = word.split_at(at);
    let digits = &tail[1..];
    let number = (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let path = project.is_empty()
        || (project.contains('/')
            && project.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.')));
    if !number || !path {
        return None;
    }
    let kind = match tail.as_bytes()[0] {
        b'#' => EntityKind::Issue,
        b'!' => EntityKind::MergeRequest,
        _ => EntityKind::Epic,
    };
    Some(Entity::new(kind, word))
}

fn person(word: &str) -> Option<Entity> {
    let name = word.strip_prefix('@')?;
    let shaped = name.len() >= 2
        && name.starts_with(|c: char| c.is_alphabetic())
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    shaped.then(|| Entity::new(EntityKind::Person, word))
}

fn version(word: &str) -> Option<Entity> {
    let bare = word.strip_prefix('v').unwrap_or(word);
    let parts: Vec<&str> = bare.split('.').collect();
    let numeric = parts.iter().all(|p| (1..=5).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()));
    let telling = parts.len() == 3 || (parts.len() == 2 && word.starts_with('v'));
    (numeric && telling).then(|| Entity::new(EntityKind::Version, word))
}

/// A path, or a name with a known extension; a trailing `:12` or `:12:5` is a position, not part of the name.
fn file(word: &str) -> Option<Entity> {
    let word = without_position(word);
    let allowed = word
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '-' | '_' | '@' | '+' | '~' | ':'));
    if !allowed || word.contains("://") {
        return None;
    }
    let name = word.rsplit(['/', '\\']).next()?;
    let ending = name.rsplit_once('.').map(|(stem, ending)| (stem, ending.to_ascii_lowercase()));
    let known_ending = ending.is_some_and(|(_, ending)| FILE_ENDINGS.contains(&ending.as_str()));
    let known_name = FILE_NAMES.contains(&name.to_ascii_lowercase().as_str());
    (known_ending || known_name).then(|| Entity::new(EntityKind::File, word))
}

fn without_position(word: &str) -> &str {
    let mut word = word;
    while let Some((rest, digits)) = word.rsplit_once(':') {
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || rest.len() < 2 {
            break;
        }
        word = rest;
    }
    word
}

/// `getUserById`, `user_id`, `Foo::bar`, `load()`, `MAX_RETRIES`.
fn symbol(word: &str) -> Option<Entity> {
    let name = word.strip_suffix("()").unwrap_or(word);
    let called = name.len() < word.len();
    let segments = name.split("::").flat_map(|part| part.split('.'));
    let mut telling = called || name.contains("::");
    for segment in segments {
        let identifier = segment.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !identifier {
            return None;
        }
        let letters = segment.as_bytes();
        let hump = letters.windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
        let snake = segment.trim_matches('_').contains('_');
        telling |= hump || snake;
    }
    (telling && name.len() >= 3).then(|| Entity::new(EntityKind::Symbol, name))
}

fn plain_identifier(code: &str) -> Option<Entity> {
    let identifier = code.len() >= 3
        && code.starts_with(|c: char| c.is_ascii_alphabetic())
        && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    identifier.then(|| Entity::new(EntityKind::Symbol, code))
}

/// `cargo test --workspace` → `cargo test`.
fn command(code: &str) -> Option<Entity> {
    let mut words = code.split_whitespace();
    let program = words.next()?;
    if !COMMANDS.contains(&program) {
        return None;
    }
    let verb = words.next()?;
    let name = if verb.starts_with('-') { program.to_owned() } else { format!("{program} {verb}") };
    Some(Entity::new(EntityKind::Command, &name))
}

/// Text between single backticks on one line.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .map(str::trim)
        .filter(|code| !code.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        extract(text).iter().map(Entity::label).collect()
    }

    #[test]
    fn the_shapes_people_write() {
        let text = "Run `cargo test --workspace` before !12 (see group/proj!57, #412 and &9). Ask @maria about \
                    src/auth/token.rs:42, getUserById() and MAX_RETRIES in v2.1.0; docs at https://example.com/a/.";
        let got = labels(text);
        for expected in [
            "command:cargo test",
            "mr:!12",
            "mr:group/proj!57",
            "issue:#412",
            "epic:&9",
            "person:@maria",
            "file:src/auth/token.rs",
            "symbol:getUserById",
            "symbol:MAX_RETRIES",
            "version:v2.1.0",
            "url:https://example.com/a/",
        ] {
            assert!(got.contains(&expected.to_owned()), "{expected} in {got:?}");
        }
    }

    #[test]
    fn prose_is_not_full_of_entities() {
        let text = "We met at 10.30 and agreed: it's fine! Costs 1,250 licences & 12 seats. E.g. the API, i.e. HTTP.";
        assert_eq!(labels(text), Vec::<String>::new());
        assert_eq!(labels("import @types/node and user@example"), Vec::<String>::new());
    }

    #[test]
    fn references_by_word() {
        let of = |text: &str| Entity::from_reference(text).unwrap().label();
        assert_eq!(of("!12"), "mr:!12");
        assert_eq!(of("library:axum"), "library:axum");
        assert_eq!(of("billing"), "concept:billing");
        assert_eq!(of("Dockerfile"), "file:Dockerfile");
        assert_eq!(Entity::from_reference("  "), None);
    }

    #[test]
    fn a_listing_is_bounded() {
        let text: String = (0..500).map(|i| format!("src/file{i}.rs ")).collect();
        assert_eq!(extract(&text).len(), MAX_PER_TEXT);
    }
}
