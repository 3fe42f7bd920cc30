//! What an edit takes away and brings, from the input of an editing tool, and the names it is about.

use std::collections::BTreeSet;

use super::record::short;

/// The changed part of one or several files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Region {
    /// Lines that go, without the space around them.
    pub removed: Vec<String>,
    /// Lines that come.
    pub added: Vec<String>,
    /// Names in the text that the edit replaces and in what it puts there.
    names: BTreeSet<String>,
    /// It writes a file anew, so nothing tells which part of it changes.
    is_whole: bool,
}

/// A shorter line (`t.Parallel()`) is written again for other reasons.
const TELLING_CHARS: usize = 14;
/// More lines than this of one edit are a rewrite.
const MOST_LINES: usize = 400;
/// How many lines of a fix are kept, and how much of each.
const KEPT_LINES: usize = 6;
const KEPT_CHARS: usize = 120;

impl Region {
    /// Reads the input of a tool: old and new text, a list of those, a patch, or a whole file.
    pub fn of(input: &str) -> Region {
        let mut region = Region::default();
        for (old, new) in pairs(input) {
            region.is_whole |= old.is_none();
            region.add(&old.unwrap_or_default(), &new);
        }
        region
    }

    fn add(&mut self, old: &str, new: &str) {
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(folded).filter(|line| is_telling(line)).take(MOST_LINES).collect()
        };
        let (before, after) = (lines(old), lines(new));
        self.removed.extend(before.iter().filter(|line| !after.contains(line)).cloned());
        self.added.extend(after.iter().filter(|line| !before.contains(line)).cloned());
        for name in names_in(old).chain(names_in(new)) {
            if !self.names.contains(name) {
                self.names.insert(name.to_owned());
            }
        }
    }

    /// The names in a text of which nothing else is known, a command for example.
    pub fn about(text: &str) -> Region {
        Region { names: names_in(text).map(str::to_owned).collect(), ..Region::default() }
    }

    /// Whether the edited text contains this name as a whole.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Whether this edit takes back another one: it brings what that removed, or removes most of what that added.
    pub fn undoes(&self, removed: &[String], added: &[String]) -> bool {
        let count = |these: &[String], of: &[String]| these.iter().filter(|line| of.contains(line)).count();
        let back = count(removed, &self.added);
        let gone = count(added, &self.removed);
        // Lines of a fix that merely move are in neither list. What a fix only added, an edit undoes by removing
        // all of it; a line that is changed again is not thereby undone.
        let is_telling = |these: &[String], of: &[String]| {
            let chars = |line: &String| line.chars().count();
            these.iter().filter(|line| of.contains(line)).map(chars).sum::<usize>() >= TELLING_CHARS
        };
        if !is_telling(removed, &self.added) && !is_telling(added, &self.removed) {
            return false;
        }
        // Similar code elsewhere in the file is not the place of the fix, unless the whole file is written anew.
        if !added.is_empty() && !self.is_whole && gone == 0 {
            return false;
        }
        match (removed.is_empty(), added.is_empty()) {
            (true, true) => false,
            (true, false) => gone == added.len() && self.added.is_empty(),
            (false, true) => back * 2 > removed.len(),
            (false, false) => back * 2 > removed.len() && count(added, &self.added) == 0,
        }
    }

    /// The lines as they are kept with a fix, few and short.
    pub fn kept(lines: &[String]) -> Vec<String> {
        lines.iter().take(KEPT_LINES).map(|line| short(line, KEPT_CHARS)).collect()
    }
}

/// A line as lines are compared: cut like those that are kept.
fn folded(line: &str) -> String {
    short(line, KEPT_CHARS)
}

/// A bracket or a keyword alone is in every edit.
fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 3
        && line.chars().count() >= 5
        && !matches!(
            line,
            "return" | "break" | "continue" | "} else {" | "else:" | "return nil" | "return err"
        )
}

/// Names of at least three characters: `load_user`, `ErrNotFound`.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| word.len() >= 3 && !word.starts_with(|c: char| c.is_ascii_digit()))
        .take(4_000)
}

/// Names that a text of an error is about: what is quoted, or written as only code is written.
pub fn names_of(message: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in names_in(message) {
        let inner: Vec<char> = word.chars().skip(1).collect();
        let coded = word.contains('_')
            || (inner.iter().any(|c| c.is_uppercase()) && word.chars().any(|c| c.is_lowercase()))
            || quotes(message, word);
        if coded && word.len() >= 4 && !is_name_of_errors(word) && !found.iter().any(|f| f == word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn quotes(message: &str, word: &str) -> bool {
    ['`', '\'', '"'].iter().any(|mark| message.contains(&format!("{mark}{word}{mark}")))
}

/// `KeyError` says what happened, not where.
fn is_name_of_errors(word: &str) -> bool {
    word.ends_with("Error") || word.ends_with("Exception") || word.ends_with("Warning")
}

/// Every line that an edit brings, however short.
pub fn added_by(input: &str) -> String {
    let mut added = String::new();
    for (old, new) in pairs(input) {
        let before: BTreeSet<&str> = old.iter().flat_map(|old| old.lines()).map(str::trim).collect();
        for line in new.lines().filter(|line| !before.contains(line.trim())) {
            added.push_str(line);
            added.push('\n');
        }
    }
    added
}

/// Old and new text of each part of an edit; no old text where a whole file is written.
type Pairs = Vec<(Option<String>, String)>;

pub(super) fn pairs(input: &str) -> Pairs {
    const OLD: &[&str] = &["old_string", "old_str", "oldString", "old"];
    const NEW: &[&str] = &["new_string", "new_str", "newString", "new", "content", "file_text"];
    let Ok(value) = serde_json::from_str::<serde_json::Value>(input) else {
        return patches(input).unwrap_or_else(|| of_torn(input, OLD, NEW));
    };
    let part = |part: &serde_json::Value| {
        let text = |names: &[&str]| names.iter().find_map(|n| part.get(n)?.as_str().map(str::to_owned));
        match (text(OLD), text(NEW)) {
            (None, None) => None,
            (old, new) => Some((old, new.unwrap_or_default())),
        }
    };
    if let Some(list) = value.get("edits").and_then(|edits| edits.as_array()) {
        return list.iter().filter_map(part).collect();
    }
    if let Some(pair) = part(&value) {
        return vec![pair];
    }
    let patch = ["command", "patch", "input", "patchText"].iter().find_map(|n| value.get(n)?.as_str());
    patch.and_then(patches).unwrap_or_default()
}

fn patches(patch: &str) -> Option<Pairs> {
    if !patch.contains("*** Begin Patch") && !patch.contains("@@") {
        return None;
    }
    let of = |sign: char| {
        let lines = patch
            .lines()
            .filter(|l| l.starts_with(sign) && !l.starts_with("+++") && !l.starts_with("---"))
            .map(|l| &l[1..]);
        lines.collect::<Vec<_>>().join("\n")
    };
    Some(vec![(Some(of('-')), of('+'))])
}

/// An input that was cut is no JSON any more. What remains of each text still names what it is about; what comes and
/// goes cannot be compared.
fn of_torn(input: &str, old: &[&str], new: &[&str]) -> Pairs {
    let start = |names: &[&str]| {
        names.iter().find_map(|name| {
            let key = format!("\"{name}\":");
            input.find(&key).map(|at| at + key.len())
        })
    };
    let (Some(from), Some(to)) = (start(old), start(new)) else { return Vec::new() };
    let part = &input[from.min(to)..];
    let plain = part.replace("\\n", " ").replace("\\t", " ").replace("\\\"", "\"");
    // The same text on both sides: nothing is added or removed, and its names count.
    vec![(Some(plain.clone()), plain)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str) -> Region {
        Region::of(&serde_json::json!({ "file_path": "a", "old_string": old, "new_string": new }).to_string())
    }

    #[test]
    fn an_edit_that_takes_back_a_fix() {
        let fix = edit("def f(u):\n    return u['id']\n", "def f(u):\n    return u.get('id')\n");
        assert_eq!(
            (&fix.removed[..], &fix.added[..]),
            (&["return u['id']".to_owned()][..], &["return u.get('id')".to_owned()][..])
        );
        let undoes = |other: &Region| other.undoes(&fix.removed, &fix.added);
        assert!(undoes(&edit("x = 1\nreturn u.get('id')", "x = 2\nreturn u['id']")));
        assert!(undoes(&Region::of(r#"{"path":"a","content":"def f(u):\n  return u['id']\n"}"#)));
        assert!(!undoes(&edit("return u.get('id')", "return u.get('id', 0)")), "changed again, not undone");
        assert!(!undoes(&edit("value = 1", "value = 2")));
        assert!(
            !undoes(&edit("def g(u):\n  pass", "def g(u):\n  return u['id']")),
            "the same line in another place"
        );
        let guard = edit("", "if user is None: raise Missing()");
        assert!(edit("if user is None: raise Missing()", "").undoes(&guard.removed, &guard.added));
    }

    #[test]
    fn patches_and_cut_inputs() {
        let patch = Region::of(
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-let x = one();\n+let x = two();\n*** End Patch",
        );
        assert_eq!(patch.added, ["let x = two();"]);
        let cut =
            Region::of("{\"file_path\":\"a\",\"old_string\":\"load_user()\\nx…y\",\"new_string\":\"save");
        assert!(cut.has("load_user") && cut.added.is_empty());
        assert_eq!(Region::of("{\"file_path\":\"a…"), Region::default());
    }

    #[test]
    fn names_that_a_message_is_about() {
        assert_eq!(names_of("undefined: ValidateSessionID"), ["ValidateSessionID"]);
        assert_eq!(names_of("KeyError: 'user_id' missing"), ["user_id"]);
        assert_eq!(names_of("'cost' undeclared (first use in this function)"), ["cost"]);
        assert!(names_of("Expected the value to be right").is_empty());
    }
}
