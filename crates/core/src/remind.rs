//! Reminders and review dates: what people write, and when a memory waits for its moment.

use crate::kind::Kind;
use crate::memory::Memory;
use crate::origin::Origin;
use crate::rule::Trigger;
use crate::time::{DAY_MS, Timestamp, parse_span};

/// When to remind of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remind {
    At(Timestamp),
    /// Before a file is edited that this trigger matches.
    Touched(Trigger),
    Never,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is neither a time nor a file; write 2026-12-01, 2w, file:src/pay.py or never")]
pub struct RemindError {
    pub text: String,
}

/// What people write for a file, in front of its name and after it.
const BEFORE_FILE: &[&str] = &["when the file ", "when file ", "when "];
const AFTER_FILE: &[&str] = &[
    " is touched",
    " is edited",
    " is changed",
    " is modified",
    " was touched",
    " was edited",
    " was changed",
    " changes",
];

impl Remind {
    /// Reads a date (`2026-12-01`), a span from `now` (`2w`, `in 3 days`, `tomorrow`), a file (`file:src/*.py`,
    /// `when src/pay.py is touched`) or `never`.
    pub fn parse(text: &str, now: Timestamp) -> Result<Remind, RemindError> {
        let error = || RemindError { text: text.chars().take(60).collect() };
        let trimmed = text.trim();
        let lower = trimmed.to_ascii_lowercase();
        if matches!(lower.as_str(), "never" | "none" | "off") {
            return Ok(Remind::Never);
        }
        if let Some(pattern) = pattern_in(trimmed, &lower) {
            let pattern = pattern.trim().trim_matches(['`', '"', '\'']);
            return match format!("file:{pattern}").parse() {
                Ok(trigger) => Ok(Remind::Touched(trigger)),
                Err(_) => Err(error()),
            };
        }
        if let Some(span) = span(lower.strip_prefix("in ").unwrap_or(&lower)) {
            return Ok(Remind::At(now.plus_millis(span)));
        }
        Timestamp::parse_absolute(trimmed).map(Remind::At).map_err(|_| error())
    }
}

/// The file in `file:X` and in `when X is touched`. `lower` has the same length as `text`.
fn pattern_in<'t>(text: &'t str, lower: &str) -> Option<&'t str> {
    if lower.starts_with("file:") {
        return text.get("file:".len()..);
    }
    let start = BEFORE_FILE.iter().find(|words| lower.starts_with(**words))?.len();
    let end = AFTER_FILE.iter().find(|words| lower.ends_with(**words))?.len();
    text.get(start..text.len().checked_sub(end)?)
}

/// `2w`, `2 weeks`, `tomorrow`.
fn span(text: &str) -> Option<i64> {
    if text == "tomorrow" {
        return Some(DAY_MS);
    }
    if let Some(span) = parse_span(text) {
        return Some(span);
    }
    let (count, unit) = text.split_once(' ')?;
    let unit = match unit.trim().trim_end_matches('s') {
        "minute" => "m",
        "hour" => "h",
        "day" => "d",
        "week" => "w",
        "month" => "mo",
        "year" => "y",
        _ => return None,
    };
    parse_span(&format!("{}{unit}", if matches!(count, "a" | "an" | "one") { "1" } else { count }))
}

impl Memory {
    /// Whether its reminder, or its review, is due.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.guidance.remind.is_some_and(|at| at <= now)
    }

    /// Work that somebody wants to hear of later: at a date that has not come, or when a file is touched.
    pub fn is_for_later(&self, now: Timestamp) -> bool {
        let guidance = &self.guidance;
        let is_ahead = guidance.remind.is_some_and(|at| at > now);
        self.kind.is_work() && (is_ahead || (guidance.remind.is_none() && !guidance.when.is_empty()))
    }

    /// Whether Hark reminds of it unasked: of what the user stored, and of open work that somebody here spoke of. Pages,
    /// tools and repositories set no reminders.
    pub fn may_remind(&self) -> bool {
        self.kind.has_reminders()
            && !self.life.is_wrong()
            && (self.origin == Origin::User || (self.kind.is_work() && self.origin.is_spoken()))
    }

    /// Since when nobody has looked at steps whose review is due.
    pub fn unreviewed_since(&self, now: Timestamp) -> Option<Timestamp> {
        let seen = self.life.confirmed.map_or(self.updated, |at| at.max(self.updated));
        (self.kind.is_reviewed() && self.is_due(now)).then_some(seen)
    }
}

impl Kind {
    /// Kinds whose reminder date means that somebody should check whether they still work.
    pub const fn is_reviewed(self) -> bool {
        matches!(self, Kind::Procedure | Kind::Skill)
    }

    /// Kinds that can remind. Rules, insights and skills have triggers of their own.
    pub const fn has_reminders(self) -> bool {
        !self.steers() && !matches!(self, Kind::Insight | Kind::Skill | Kind::Failure | Kind::Fix)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::MemoryId;
    use crate::redact::Clean;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn touched(pattern: &str) -> Remind {
        Remind::Touched(Trigger::File(pattern.to_owned()))
    }

    #[test]
    fn dates_spans_and_files_are_understood() {
        let days = |n: i64| Remind::At(NOW.plus_millis(n * DAY_MS));
        for (text, meant) in [
            ("2w", days(14)),
            ("in 2w", days(14)),
            ("in 3 days", days(3)),
            ("a week", days(7)),
            ("Tomorrow", days(1)),
            ("2026-12-01", Remind::At(Timestamp::parse_absolute("2026-12-01").unwrap())),
            ("file:src/*.py", touched("src/*.py")),
            ("when src/Pay.py is touched", touched("src/Pay.py")),
            ("when file `auth.rs` is edited", touched("auth.rs")),
            ("When the file docs/ is changed", touched("docs/")),
            ("never", Remind::Never),
        ] {
            assert_eq!(Remind::parse(text, NOW).unwrap(), meant, "{text}");
        }
        for text in ["", "soon", "file:", "file:/etc/passwd", "file:../other", "when it rains", "-3d"] {
            assert!(Remind::parse(text, NOW).is_err(), "{text}");
        }
    }

    fn memory(kind: Kind, origin: Origin, remind: Option<i64>, when: &[&str]) -> Memory {
        let body = Clean::already_redacted("Renew the certificate".to_owned());
        let mut memory = Memory::new(MemoryId::from_bytes([7; 16]), kind, origin, body, NOW);
        memory.guidance.remind = remind.map(|days| NOW.plus_millis(days * DAY_MS));
        memory.guidance.when = when.iter().map(|text| Clean::already_redacted((*text).to_owned())).collect();
        memory
    }

    #[test]
    fn work_waits_for_its_date_or_its_file() {
        for (kind, remind, when, waits) in [
            (Kind::Task, None, &[][..], false),
            (Kind::Task, Some(1), &[], true),
            (Kind::Task, Some(-1), &[], false),
            (Kind::Task, None, &["file:a.rs"], true),
            (Kind::Task, Some(-1), &["file:a.rs"], false),
            (Kind::Decision, Some(1), &[], false),
        ] {
            assert_eq!(
                memory(kind, Origin::User, remind, when).is_for_later(NOW),
                waits,
                "{kind} {remind:?}"
            );
        }
    }

    #[test]
    fn strangers_set_no_reminders_and_steps_are_reviewed() {
        assert!(memory(Kind::Fact, Origin::User, Some(-1), &[]).may_remind());
        assert!(memory(Kind::Task, Origin::Assistant, Some(-1), &[]).may_remind());
        assert!(!memory(Kind::Fact, Origin::Assistant, Some(-1), &[]).may_remind());
        for origin in [Origin::Tool, Origin::File, Origin::Web, Origin::Repository, Origin::Import] {
            assert!(!memory(Kind::Task, origin, Some(-1), &[]).may_remind(), "{origin}");
        }
        assert!(!memory(Kind::Rule, Origin::User, Some(-1), &[]).may_remind());
        let since = |kind, days| memory(kind, Origin::User, Some(days), &[]).unreviewed_since(NOW);
        assert_eq!(since(Kind::Procedure, -1), Some(NOW));
        assert_eq!((since(Kind::Procedure, 1), since(Kind::Task, -1)), (None, None));
    }

    proptest! {
        #[test]
        fn any_text_is_understood_or_refused(text in "\\PC{0,60}", millis in any::<i64>()) {
            let _ = Remind::parse(&text, Timestamp::from_millis(millis));
        }

        #[test]
        fn a_date_comes_back(day in 0i64..40_000) {
            let at = Timestamp::from_millis(day * DAY_MS);
            prop_assert_eq!(Remind::parse(&at.to_string(), NOW), Ok(Remind::At(at)));
        }
    }
}
