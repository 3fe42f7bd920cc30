//! A failure as it is stored: the text of its memory, and the same as data, so that the index can be rebuilt
//! from the file alone.

use serde::{Deserialize, Serialize};

use super::region::{self, Region};
use super::trail::{Edit, FixOutcome, Remedy};
use super::{Class, Finding, Ran, Step};
use crate::kind::Kind;
use crate::memory::{Memory, UnknownKey};
use crate::redact::Clean;
use crate::time::Timestamp;

/// The front-matter key of the data.
pub const KEY: &str = "failure";
const MOST_TRIED: usize = 4;

/// What is known about a failure in one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub signature: String,
    pub class: Class,
    pub message: String,
    /// What ran, by a name that stays the same.
    pub family: String,
    pub command: String,
    pub step: Step,
    /// Files named in the trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Files edited before it happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// Counts sessions and reopenings, not reruns within a session.
    pub seen: u32,
    /// Runs that it made fail, and sessions in which it did; 0 in records that are older than the count.
    #[serde(default)]
    pub runs: u32,
    #[serde(default)]
    pub sessions: u32,
    /// Attempts in vain; `tried` holds the newest.
    #[serde(default)]
    pub vain: u32,
    /// How long it was there before it was gone, all times together.
    #[serde(default)]
    pub took_ms: i64,
    /// When it was first seen since it was last gone; 0 while it is gone.
    #[serde(default)]
    pub since_ms: i64,
    /// How often it was fixed, and how often it came back after that.
    #[serde(default)]
    pub fixes: u32,
    #[serde(default)]
    pub relapses: u32,
    /// Attempts that failed, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// Files that the fix changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix_files: Vec<String>,
    /// Lines that the fix removed and added, as far as they tell whether an edit undoes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix_removed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fix_added: Vec<String>,
    /// Whether it has not happened again since the fix.
    #[serde(default)]
    pub fixed: bool,
}

/// The circumstances in which a failure was seen.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    pub at: Timestamp,
    /// This session has seen it since it was last fixed.
    pub again: bool,
    /// The last one to see or fix it was another session.
    pub elsewhere: bool,
}

impl Record {
    pub fn new(finding: &Finding, ran: &Ran, suspects: &[String]) -> Self {
        Record {
            signature: finding.signature.clone(),
            class: finding.class,
            message: finding.message.clone(),
            family: ran.family.clone(),
            command: ran.key.clone(),
            step: ran.step,
            files: finding.files.clone(),
            suspects: suspects.to_vec(),
            symbols: finding.symbols.clone(),
            seen: 0,
            runs: 0,
            sessions: 0,
            vain: 0,
            took_ms: 0,
            since_ms: 0,
            fixes: 0,
            relapses: 0,
            tried: Vec::new(),
            fix: String::new(),
            fix_files: Vec::new(),
            fix_removed: Vec::new(),
            fix_added: Vec::new(),
            fixed: false,
        }
    }

    /// Records that it made a run fail. Returns true if it had been fixed before.
    pub fn happened(&mut self, finding: &Finding, suspects: &[String], sight: Sight) -> bool {
        self.runs = self.runs.saturating_add(1);
        if self.sessions == 0 {
            // An older record says only how often it was seen.
            self.sessions = self.seen;
        }
        if sight.elsewhere || self.sessions == 0 {
            self.sessions = self.sessions.saturating_add(1);
        }
        if !sight.again {
            self.seen = self.seen.saturating_add(1);
        }
        if self.since_ms == 0 {
            self.since_ms = sight.at.as_millis();
        }
        for (own, new) in [
            (&mut self.files, &finding.files),
            (&mut self.suspects, &suspects.to_vec()),
            (&mut self.symbols, &finding.symbols),
        ] {
            for item in new.iter().filter(|item| !own.contains(item)).cloned().collect::<Vec<_>>() {
                own.push(item);
            }
            own.truncate(6);
        }
        let reopened = self.fixed;
        if reopened {
            self.relapses = self.relapses.saturating_add(1);
            self.fixed = false;
        }
        reopened
    }

    pub fn attempt(&mut self, outcome: FixOutcome, edits: &[Edit]) {
        if outcome == FixOutcome::Failed {
            self.vain = self.vain.saturating_add(1);
            let told = edits_told(edits);
            self.tried.retain(|known| *known != told);
            self.tried.push(told);
            let excess = self.tried.len().saturating_sub(MOST_TRIED);
            self.tried.drain(..excess);
        }
    }

    pub fn repaired(&mut self, by: &Remedy, at: Timestamp) {
        self.fixed = !matches!(by, Remedy::Instead(_));
        if self.fixed && self.since_ms > 0 {
            let took = at.as_millis().saturating_sub(self.since_ms).max(0);
            (self.took_ms, self.since_ms) = (self.took_ms.saturating_add(took), 0);
        }
        let told = match by {
            Remedy::Edits(edits) => {
                self.fix_files = distinct(edits);
                let all = |lines: fn(&Edit) -> &Vec<String>| -> Vec<String> {
                    Region::kept(&edits.iter().flat_map(lines).cloned().collect::<Vec<_>>())
                };
                (self.fix_removed, self.fix_added) = (all(|e| &e.removed), all(|e| &e.added));
                edits_told(edits)
            }
            Remedy::Command(command) => format!("ran `{}`", short(command, 100)),
            Remedy::Instead(command) => format!("`{}` works instead", short(command, 100)),
            Remedy::Nothing => {
                // It passed without a change, so it may fail again: that is not a fix, and an older fix is
                // worth more.
                return;
            }
        };
        self.fixes = self.fixes.saturating_add(1);
        self.tried.retain(|tried| *tried != told);
        self.fix = told;
    }

    /// How far the fix can be trusted: more each time it helps, less each time the failure comes back.
    pub fn confidence(&self) -> f32 {
        let (good, bad) = (self.fixes as f32, self.relapses as f32);
        if self.fix.is_empty() {
            (0.5 + 0.1 * self.seen as f32).min(0.9)
        } else {
            (good + 1.0) / (good + bad + 2.0)
        }
    }

    pub fn title(&self) -> String {
        let place =
            self.files.first().or(self.suspects.first()).map(|f| format!(" in {f}")).unwrap_or_default();
        format!("{}{place}", short(&self.message, 110))
    }

    pub fn body(&self) -> String {
        let mut text = format!("`{}` failed: {}", self.command, self.message);
        let mut line = |label: &str, parts: &[String]| {
            if !parts.is_empty() {
                text.push_str(&format!("\n{label}: {}", parts.join("; ")));
            }
        };
        line("Files", &self.files);
        line("Edited before", &self.suspects);
        line("In", &self.symbols);
        line("Tried without success", &self.tried);
        line("Fixed by", &Some(self.fix.clone()).filter(|f| !f.is_empty()).into_iter().collect::<Vec<_>>());
        text.push_str(&format!("\nSeen: {}", self.seen));
        if self.runs > self.seen {
            text.push_str(&format!(", failed runs: {}", self.runs));
        }
        if self.relapses > 0 {
            text.push_str(&format!(", back after a fix: {}", self.relapses));
        }
        text
    }

    /// Writes it into a memory. All of its text comes from clean text.
    pub fn put_into(&self, memory: &mut Memory) {
        let clean = |text: String| Clean::already_redacted(text);
        let list = |items: &mut dyn Iterator<Item = String>| -> Vec<Clean> { items.map(clean).collect() };
        memory.kind = Kind::Failure;
        memory.title = clean(self.title());
        memory.body = clean(self.body());
        memory.files = list(&mut self.files.iter().chain(&self.suspects).cloned());
        memory.tags = list(&mut [self.class.name().to_owned()].into_iter());
        let symbols = self.symbols.iter().map(|s| format!("symbol:{s}"));
        memory.entities = list(&mut [format!("command:{}", self.command)].into_iter().chain(symbols));
        memory.confidence = self.confidence();
        memory.unknown.retain(|entry| *entry.key != *KEY);
        let data = serde_json::to_string(self).unwrap_or_default();
        memory
            .unknown
            .push(UnknownKey { key: Clean::trusted_constant(KEY), raw: clean(format!("{KEY}: {data}")) });
    }

    /// The record that Hark itself keeps in a memory's file.
    pub fn tracked(memory: &Memory) -> Option<Record> {
        let raw = memory.unknown.iter().find(|entry| *entry.key == *KEY)?;
        let data = raw.raw.strip_prefix(KEY)?.strip_prefix(':')?;
        serde_json::from_str(data.trim()).ok()
    }

    /// The record in a memory's file; for a failure written by hand, whatever its text says.
    pub fn of(memory: &Memory) -> Option<Record> {
        if memory.kind != Kind::Failure {
            return None;
        }
        if let Some(record) = Record::tracked(memory) {
            return Some(record);
        }
        Some(Record {
            signature: format!("memory {}", memory.id.short()),
            class: Class::of(&memory.body),
            message: short(&memory.title, 180),
            family: String::new(),
            command: String::new(),
            step: Step::Other,
            files: memory.files.iter().map(|f| f.trim_start_matches("./").to_owned()).collect(),
            suspects: Vec::new(),
            symbols: Vec::new(),
            seen: 1,
            runs: 1,
            sessions: 1,
            vain: 0,
            took_ms: 0,
            since_ms: 0,
            fixes: 0,
            relapses: 0,
            tried: Vec::new(),
            fix: memory.learned.as_ref().map(|l| short(l, 180)).unwrap_or_default(),
            fix_files: Vec::new(),
            fix_removed: Vec::new(),
            fix_added: Vec::new(),
            fixed: false,
        })
    }
}

/// `src/a.py: \`old\` → \`new\``, once per file.
fn edits_told(edits: &[Edit]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for edit in edits {
        let part =
            if edit.gist.is_empty() { edit.path.clone() } else { format!("{}: {}", edit.path, edit.gist) };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    short(&parts.join("; "), 300)
}

fn distinct(edits: &[Edit]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for edit in edits {
        if !files.contains(&edit.path) {
            files.push(edit.path.clone());
        }
    }
    files
}

/// On one line, with an ellipsis if truncated.
pub fn short(text: &str, chars: usize) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match folded.char_indices().nth(chars) {
        Some((end, _)) => {
            let end = crate::redact::cut_at(&folded, end);
            format!("{}…", folded[..end].trim_end())
        }
        None => folded,
    }
}

/// An edit in a few words, from the input of an editing tool. Empty if that is not JSON of a known form or a whole
/// file; then the file name must suffice.
pub fn gist(input: &str) -> String {
    match region::pairs(input).first() {
        Some((Some(old), new)) => changed(old, new),
        _ => String::new(),
    }
}

/// The lines that differ, without the unchanged lines around them.
fn changed(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[&str]| {
        lines[head..lines.len() - tail].iter().map(|l| l.trim()).collect::<Vec<_>>().join(" ")
    };
    arrow(&middle(&old), &middle(&new))
}

fn arrow(old: &str, new: &str) -> String {
    let quoted = |text: &str| format!("`{}`", short(&text.replace('`', "'"), 80));
    match (old.trim().is_empty(), new.trim().is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("added {}", quoted(new)),
        (false, true) => format!("removed {}", quoted(old)),
        (false, false) => format!("{} → {}", quoted(old), quoted(new)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_in_a_few_words() {
        let edit = r#"{"file_path":"a.py","old_string":"def f(u):\n    return u['id']\n","new_string":"def f(u):\n    return u.get('id')\n"}"#;
        assert_eq!(gist(edit), "`return u['id']` → `return u.get('id')`");
        let patch = r#"{"command":"*** Begin Patch\n*** Update File: a.rs\n@@\n-let x = 1;\n+let x = 2;\n*** End Patch"}"#;
        assert_eq!(gist(patch), "`let x = 1;` → `let x = 2;`");
        assert_eq!(gist(r#"{"file_path":"a.py","content":"x"}"#), "");
        assert_eq!(gist("{\"file_path\":\"a…"), "");
    }

    fn sight(at: i64) -> Sight {
        Sight { at: Timestamp::from_millis(at), again: false, elsewhere: false }
    }

    #[test]
    fn confidence_moves_with_outcomes() {
        let finding = super::super::read_for_tests("KeyError: 'x'");
        let ran = super::super::command::main_of("pytest").unwrap();
        let mut record = Record::new(&finding, &ran, &[]);
        record.happened(&finding, &[], sight(1));
        record.repaired(&Remedy::Command("pip install x".to_owned()), Timestamp::from_millis(2));
        let fixed = record.confidence();
        assert!(record.happened(&finding, &[], sight(3)), "it came back");
        assert!(record.confidence() < fixed && !record.fixed);
        record.repaired(&Remedy::Command("pip install x".to_owned()), Timestamp::from_millis(2));
        record.repaired(&Remedy::Nothing, Timestamp::from_millis(5));
        assert!(record.confidence() > 0.5 && record.fix == "ran `pip install x`");
    }
}
