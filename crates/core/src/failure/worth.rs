//! What a failure is worth: what it cost, and whether it came back. Only those that cost something teach something;
//! a compile error that the next edit removed does not.

use super::Class;
use super::record::Record;

/// Attempts in vain after which a failure was costly.
const MANY_ATTEMPTS: u32 = 2;
/// Failed runs after which one attempt in vain, or a long time, makes it costly.
const MANY_RUNS: u32 = 3;
const LONG_MS: i64 = 20 * 60 * 1000;

impl Record {
    /// Whether it earned a memory: it came back in another session, or it was costly to be rid of.
    pub fn has_worth(&self) -> bool {
        self.tells_something() && !self.is_a_conflict() && (self.came_back() || self.was_costly())
    }

    /// Whether another session met it again: after a fix, or because nobody had fixed it.
    pub fn came_back(&self) -> bool {
        match self.sessions {
            // Written before sessions were counted.
            0 => self.seen > 1,
            sessions => sessions > 1,
        }
    }

    /// Whether it took several attempts, or many runs and a long time.
    pub fn was_costly(&self) -> bool {
        let vain = self.vain.max(self.tried.len() as u32);
        let many = self.runs >= MANY_RUNS;
        vain >= MANY_ATTEMPTS || (many && (vain > 0 || self.took_ms >= LONG_MS))
    }

    /// Whether its message, with the place where it happened, says anything: at least three words.
    pub fn tells_something(&self) -> bool {
        let in_symbol = self.symbols.first().map(String::as_str).unwrap_or_default();
        words_of_letters(&self.message) >= 1
            && words_of_letters(&format!("{} {in_symbol}", self.message)) >= 3
    }

    /// A merge conflict is over with its merge.
    pub fn is_a_conflict(&self) -> bool {
        self.command.starts_with("git ") && self.message.to_lowercase().contains("conflict")
    }
}

impl Class {
    /// Code that does not compile says so at the next run.
    pub fn is_of_a_compiler(self) -> bool {
        matches!(self, Class::Syntax | Class::Type | Class::Name | Class::Import | Class::Link)
    }
}

/// Words of at least three letters.
pub fn words_of_letters(text: &str) -> usize {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 3).count()
}
