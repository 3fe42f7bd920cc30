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

    /// Whether its message, with the place where it happened, says anything: at least three words, and not only
    /// those that every runner prints.
    pub fn tells_something(&self) -> bool {
        let in_symbol = self.symbols.first().map(String::as_str).unwrap_or_default();
        let own = words_in(&self.message).any(|word| !OF_RUNNERS.contains(&word.to_lowercase().as_str()));
        own && words_of_letters(&format!("{} {in_symbol}", self.message)) >= 3
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

/// `[test] ERROR task failed` is true of every failure.
const OF_RUNNERS: &[&str] = &[
    "build", "code", "command", "error", "errors", "exit", "exited", "fail", "failed", "failing", "failure",
    "failures", "fatal", "lint", "make", "recipe", "script", "status", "task", "test", "tests", "with",
];

/// Words of at least three letters.
fn words_of_letters(text: &str) -> usize {
    words_in(text).count()
}

fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= 3)
}

#[cfg(test)]
mod tests {
    use super::super::record::Sight;
    use super::super::trail::{FixOutcome, Remedy};
    use super::super::{Finding, read_for_tests};
    use super::*;
    use crate::time::Timestamp;

    const MINUTE: i64 = 60_000;

    fn new(message: &str) -> (Record, Finding) {
        let finding = read_for_tests(message);
        let ran = super::super::command::main_of("pytest").expect("a run");
        (Record::new(&finding, &ran, &[]), finding)
    }

    fn fail(record: &mut Record, finding: &Finding, minute: i64, elsewhere: bool) {
        let at = Timestamp::from_millis(minute * MINUTE);
        record.happened(finding, &[], Sight { at, again: record.runs > 0 && !elsewhere, elsewhere });
    }

    #[test]
    fn worth_is_what_it_cost() {
        let (mut record, finding) = new("ValueError: the total of the cart is wrong");
        fail(&mut record, &finding, 1, false);
        record.repaired(&Remedy::Nothing, Timestamp::from_millis(2 * MINUTE));
        assert!(!record.has_worth(), "gone with the next run");
        fail(&mut record, &finding, 3, false);
        record.attempt(FixOutcome::Failed, &[]);
        assert!(!record.has_worth(), "one attempt");
        fail(&mut record, &finding, 4, false);
        assert!(record.has_worth(), "three runs and an attempt in vain");
    }

    #[test]
    fn time_counts_with_runs() {
        let (mut record, finding) = new("ValueError: the total of the cart is wrong");
        for minute in [1, 10, 20] {
            fail(&mut record, &finding, minute, false);
        }
        assert!(!record.has_worth());
        record.repaired(&Remedy::Nothing, Timestamp::from_millis(40 * MINUTE));
        assert!(record.has_worth(), "it took {} ms", record.took_ms);
    }

    #[test]
    fn what_comes_back_in_another_session_has_worth() {
        let (mut record, finding) = new("ValueError: the total of the cart is wrong");
        fail(&mut record, &finding, 1, false);
        fail(&mut record, &finding, 90, true);
        assert!(record.has_worth());
        let short = Record { message: "+0x48".to_owned(), symbols: Vec::new(), ..record.clone() };
        assert!(!short.has_worth(), "it says nothing");
        let runner = Record { message: "[test] ERROR task failed".to_owned(), ..record.clone() };
        assert!(!runner.has_worth(), "every failure says so");
        let old = Record { sessions: 0, runs: 0, seen: 2, ..record };
        assert!(old.has_worth(), "written before sessions were counted");
    }
}
