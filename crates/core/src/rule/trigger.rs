//! Triggers: patterns over commands, files, prompts and tools.
//!
//! A store may hold hundreds of rules, and a tool call must not compare itself with each of them. So a trigger is filed
//! under a literal part of its pattern, its key, and a deed looks up the few keys that it can match.

use std::fmt;
use std::str::FromStr;

use crate::failure::command::simple_commands;
use crate::text::{fold, terms};

/// When a rule applies. Written `command:npm *`, `file:**/*.ts`, `prompt:release notes`, `tool:WebFetch`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A simple command of a shell line, by whole words. A single word is a program with any arguments, and a last word `*`
    /// stands for any number of words.
    Command(String),
    /// A path below the project. A pattern without a slash matches names in every folder.
    File(String),
    /// A prompt that contains all these words, in any order and form.
    Prompt(String),
    /// A tool, by the client's name for it.
    Tool(String),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("invalid trigger `{given}`: {reason}")]
pub struct TriggerError {
    pub given: String,
    pub reason: &'static str,
}

/// Something that a trigger can match.
#[derive(Debug, Clone, Default)]
pub struct Deed {
    /// The words of each simple command.
    pub commands: Vec<Vec<String>>,
    /// Paths relative to the project, with `/`.
    pub files: Vec<String>,
    /// The terms of a prompt.
    pub words: Vec<String>,
    pub tool: Option<String>,
}

impl Deed {
    /// A shell line.
    pub fn command(line: &str) -> Deed {
        Deed { commands: simple_commands(line), ..Deed::default() }
    }

    pub fn prompt(text: &str) -> Deed {
        let mut words = terms(text);
        words.sort_unstable();
        words.dedup();
        Deed { words, ..Deed::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.files.is_empty() && self.words.is_empty() && self.tool.is_none()
    }

    /// The keys under which triggers that may match are filed.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for words in &self.commands {
            keys.extend(
                (1..=words.len().min(MOST_KEY_WORDS)).map(|count| format!("c={}", words[..count].join(" "))),
            );
        }
        if !self.commands.is_empty() {
            keys.push("c*".to_owned());
        }
        for file in &self.files {
            let name = name_of(file);
            keys.push(format!("f={name}"));
            keys.extend(ending_of(name).map(|ending| format!("f.{ending}")));
        }
        if !self.files.is_empty() {
            keys.push("f*".to_owned());
        }
        keys.extend(self.words.iter().map(|word| format!("p={word}")));
        if let Some(tool) = &self.tool {
            keys.push(format!("t={}", tool.to_lowercase()));
            keys.push("t*".to_owned());
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

impl Trigger {
    pub const SORTS: &'static [&'static str] = &["command", "file", "prompt", "tool"];

    pub fn sort(&self) -> &'static str {
        match self {
            Trigger::Command(_) => "command",
            Trigger::File(_) => "file",
            Trigger::Prompt(_) => "prompt",
            Trigger::Tool(_) => "tool",
        }
    }

    pub fn pattern(&self) -> &str {
        match self {
            Trigger::Command(text) | Trigger::File(text) | Trigger::Prompt(text) | Trigger::Tool(text) => {
                text
            }
        }
    }

    /// Whether it is about a tool call rather than what the user asks for.
    pub fn is_about_tools(&self) -> bool {
        !matches!(self, Trigger::Prompt(_))
    }

    /// The key that it is filed under. A prompt is filed under its longest word, the most telling one.
    pub fn key(&self) -> String {
        match self {
            Trigger::Command(pattern) => {
                let words = pattern.split_whitespace().take(MOST_KEY_WORDS);
                let literal: Vec<&str> = words.take_while(|word| is_literal(word)).collect();
                if literal.is_empty() { "c*".to_owned() } else { format!("c={}", literal.join(" ")) }
            }
            Trigger::File(pattern) => {
                let name = name_of(pattern);
                match ending_of(name) {
                    _ if is_literal(name) => format!("f={name}"),
                    Some(ending) if is_literal(ending) => format!("f.{ending}"),
                    _ => "f*".to_owned(),
                }
            }
            Trigger::Prompt(words) => {
                let longest = terms(words).into_iter().max_by_key(String::len);
                format!("p={}", longest.unwrap_or_default())
            }
            Trigger::Tool(name) if is_literal(name) => format!("t={}", name.to_lowercase()),
            Trigger::Tool(_) => "t*".to_owned(),
        }
    }

    pub fn matches(&self, deed: &Deed) -> bool {
        match self {
            Trigger::Command(pattern) => deed.commands.iter().any(|words| matches_words(pattern, words)),
            Trigger::File(pattern) => deed.files.iter().any(|file| matches_file(pattern, file)),
            Trigger::Prompt(words) => {
                let wanted = terms(words);
                !wanted.is_empty() && wanted.iter().all(|term| deed.words.binary_search(term).is_ok())
            }
            Trigger::Tool(pattern) => {
                let name = deed.tool.as_deref().unwrap_or_default().to_lowercase();
                !name.is_empty() && matches_word(&pattern.to_lowercase(), &name)
            }
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sort(), self.pattern())
    }
}

impl FromStr for Trigger {
    type Err = TriggerError;

    fn from_str(text: &str) -> Result<Self, TriggerError> {
        let error = |reason| TriggerError { given: text.chars().take(80).collect(), reason };
        let Some((sort, pattern)) = text.split_once(':') else {
            return Err(error("write command:GLOB, file:GLOB, prompt:WORDS or tool:NAME"));
        };
        let pattern = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
        if pattern.is_empty() {
            return Err(error("nothing follows the colon"));
        }
        if pattern.len() > MOST_BYTES {
            return Err(error("the pattern is too long"));
        }
        match sort.trim().to_ascii_lowercase().as_str() {
            "command" if matches!(pattern.as_str(), "*" | "* *") => {
                Err(error("it would match every command"))
            }
            "command" => Ok(Trigger::Command(pattern)),
            "file" if pattern.starts_with(['/', '~']) || pattern.split('/').any(|part| part == "..") => {
                Err(error("write the path relative to the project"))
            }
            "file" => Ok(Trigger::File(pattern.trim_start_matches("./").to_owned())),
            "prompt" if terms(&pattern).is_empty() => Err(error("these words are in every prompt")),
            "prompt" => Ok(Trigger::Prompt(pattern)),
            "tool" => Ok(Trigger::Tool(pattern)),
            _ => Err(error("write command:GLOB, file:GLOB, prompt:WORDS or tool:NAME")),
        }
    }
}

/// `git push` and `npm run build` are told apart, however many rules there are about one program.
const MOST_KEY_WORDS: usize = 3;
/// A longer pattern is a text.
const MOST_BYTES: usize = 300;

fn is_literal(text: &str) -> bool {
    !text.is_empty() && !text.contains(['*', '?', '[', '{', '!'])
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| !ending.is_empty())
}

fn matches_words(pattern: &str, words: &[String]) -> bool {
    let wanted: Vec<&str> = pattern.split(' ').collect();
    if let [program] = wanted.as_slice() {
        return words.first().is_some_and(|word| matches_word(program, word));
    }
    let fits = |wanted: &[&str], words: &[String]| {
        wanted.len() == words.len() && wanted.iter().zip(words).all(|(one, word)| matches_word(one, word))
    };
    match wanted.split_last() {
        Some((&"*", first)) => words.len() >= first.len() && fits(first, &words[..first.len()]),
        _ => fits(&wanted, words),
    }
}

/// `*` is any run of characters and `?` is one, also across slashes: words of a command are not paths.
fn matches_word(pattern: &str, word: &str) -> bool {
    let (pattern, word): (Vec<char>, Vec<char>) = (pattern.chars().collect(), word.chars().collect());
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < word.len() {
        match pattern.get(next) {
            Some('*') => {
                star = Some((next, at));
                next += 1;
            }
            Some(c) if *c == '?' || *c == word[at] => {
                next += 1;
                at += 1;
            }
            _ => match star {
                Some((from, taken)) => {
                    star = Some((from, taken + 1));
                    (next, at) = (from + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[next..].iter().all(|c| *c == '*')
}

fn matches_file(pattern: &str, file: &str) -> bool {
    let file = fold(file.trim_start_matches("./"));
    let pattern = fold(pattern);
    if pattern.contains('/') {
        // `src/` and `src` in front of a slash mean everything below.
        let whole = pattern.strip_suffix('/').map(|folder| format!("{folder}/**"));
        fast_glob::glob_match(whole.as_deref().unwrap_or(&pattern), &file)
    } else {
        fast_glob::glob_match(&pattern, name_of(&file))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trigger(text: &str) -> Trigger {
        text.parse().unwrap()
    }

    fn file(path: &str) -> Deed {
        Deed { files: vec![path.to_owned()], ..Deed::default() }
    }

    #[test]
    fn commands_match_by_whole_words() {
        for (pattern, line, expected) in [
            ("npm *", "npm install", true),
            ("npm *", "npm", true),
            ("npm", "npm run build --watch", true),
            ("npm *", "cd web && npm ci", true),
            ("npm *", "pnpm install", false),
            ("npm *", "echo npm install", false),
            ("npm *", "git commit -m 'npm install'", false),
            ("npm install", "npm install left-pad", false),
            ("npm install *", "npm install left-pad", true),
            ("git push * --force", "git push origin --force", true),
            ("git push * --force", "git push origin main", false),
            ("rm -rf */node_modules", "rm -rf packages/a/node_modules", true),
            ("npm *", "bash -c \"npm test\"", true),
        ] {
            assert_eq!(
                trigger(&format!("command:{pattern}")).matches(&Deed::command(line)),
                expected,
                "{pattern} on {line}"
            );
        }
    }

    #[test]
    fn files_match_by_name_or_path() {
        for (pattern, path, expected) in [
            ("*.ts", "src/a/b.ts", true),
            ("*.{ts,tsx}", "src/b.tsx", true),
            ("src/*.ts", "src/a/b.ts", false),
            ("src/**/*.ts", "src/a/b.ts", true),
            ("src/", "src/a/b.ts", true),
            ("Cargo.toml", "crates/x/Cargo.toml", true),
            ("migrations/**", "migrations/0001.sql", true),
            ("*.ts", "a.rs", false),
        ] {
            assert_eq!(
                trigger(&format!("file:{pattern}")).matches(&file(path)),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn prompts_and_tools_match() {
        let release = trigger("prompt:release notes");
        assert!(release.matches(&Deed::prompt("please write the notes for the releases")));
        assert!(!release.matches(&Deed::prompt("please release it")));
        let tool = Deed { tool: Some("mcp__github__create_issue".to_owned()), ..Deed::default() };
        assert!(trigger("tool:mcp__github__*").matches(&tool) && !trigger("tool:WebFetch").matches(&tool));
    }

    #[test]
    fn what_is_no_trigger_says_what_to_write() {
        for text in
            ["npm *", "command:", "command:*", "file:/etc/passwd", "file:../x", "prompt:the", "when:x"]
        {
            let error = text.parse::<Trigger>().unwrap_err();
            assert!(error.to_string().contains(text) && !error.reason.is_empty(), "{error}");
        }
    }

    proptest! {
        /// A key must never hide a trigger that matches.
        #[test]
        fn whatever_matches_is_filed_under_a_key_of_the_deed(
            pattern in "(command:[a-c*?]{1,3}( [a-c*?]{1,2}){0,4}|file:(\\*\\*/|[ab]/){0,2}[ab*?]{1,3}(\\.[ab*]{1,2})?|tool:[A-C*?]{1,3}|prompt:(alpha|beta|gamma)( delta)?)",
            line in "[a-c]{1,3}( [a-c]{1,2}){0,4}( && [a-c]{1,3})?",
            path in "([ab]/){0,2}[ab]{1,3}(\\.[ab]{1,2})?",
            tool in "[A-C]{1,3}",
            prompt in "(alpha |beta |delta |gamma ){0,4}",
        ) {
            let Ok(trigger) = pattern.parse::<Trigger>() else { return Ok(()) };
            let deed = Deed { files: vec![path], tool: Some(tool), words: Deed::prompt(&prompt).words, ..Deed::command(&line) };
            if trigger.matches(&deed) {
                prop_assert!(deed.keys().contains(&trigger.key()), "{trigger} {:?}", deed.keys());
            }
        }

        #[test]
        fn triggers_read_back_as_written(text in "(command|file|prompt|tool):\\PC{1,40}") {
            if let Ok(trigger) = text.parse::<Trigger>() {
                prop_assert_eq!(trigger.to_string().parse::<Trigger>().unwrap(), trigger);
            }
        }
    }
}
