//! Looks over what is stored and says what deserves attention, each finding with the command that acts on it. Nothing here
//! writes.

mod care;
mod corrections;
mod repeats;
mod trouble;
pub(crate) mod work;

use hark_core::guidance::Sort as EvidenceSort;
use hark_core::{Kind, Memory, Origin, Status, Timestamp};
use hark_store::{FailureRow, ListFilter, ListOrder, ProjectNum, StoredEvidence};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::EngineError;

/// What was found, the most pressing first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A failure that comes back.
    RecurringFailure,
    /// The user corrected the same thing several times.
    RepeatedCorrection,
    /// Two memories that cannot both be true.
    Contradiction,
    /// A kind of failure that no rule or skill covers.
    BlindSpot,
    /// A rule that its record speaks against.
    StaleRule,
    /// A memory that was rated wrong or stale.
    RatedDown,
    /// A procedure whose review is due.
    ReviewDue,
    /// A reminder whose date has come.
    ReminderDue,
    /// A memory that may be the newer state of another.
    PossibleUpdate,
    /// Two memories that say the same.
    Duplicate,
}

impl Sort {
    pub const fn heading(self) -> &'static str {
        match self {
            Sort::RecurringFailure => "Failures that come back",
            Sort::RepeatedCorrection => "Corrections that repeat",
            Sort::Contradiction => "Memories that contradict each other",
            Sort::BlindSpot => "Failures that no rule or skill covers",
            Sort::StaleRule => "Rules to retire",
            Sort::RatedDown => "Memories that were rated wrong or stale",
            Sort::ReviewDue => "Procedures to review",
            Sort::ReminderDue => "Reminders that are due",
            Sort::PossibleUpdate => "Memories that a newer one may replace",
            Sort::Duplicate => "Memories that say the same",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    pub sort: Sort,
    /// What was found, in words.
    pub text: String,
    /// The memories that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// How often it happened, or how many it is about.
    pub count: u32,
    /// The command that acts on it. `…` stands for words that only the user has.
    pub command: String,
}

/// Everything that is looked over.
pub(crate) struct Ground<'e> {
    pub(crate) engine: &'e Engine,
    /// Active memories, oldest first, without those of a repository.
    pub(crate) memories: Vec<Memory>,
    pub(crate) failures: Vec<FailureRow>,
    /// What the user corrected, refused or took back.
    pub(crate) complaints: Vec<StoredEvidence>,
    pub(crate) now: Timestamp,
}

/// More memories than anybody reads about.
const MOST_MEMORIES: usize = 20_000;
const MOST_FAILURES: usize = 2_000;
const MOST_EVIDENCE: usize = 10_000;

impl<'e> Ground<'e> {
    /// Failures and corrections are those since `since`; memories are all.
    pub(crate) fn of(
        engine: &'e Engine,
        projects: Option<&[ProjectNum]>,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let filter = ListFilter {
            projects: projects.map(<[ProjectNum]>::to_vec),
            statuses: vec![Status::Active],
            ..ListFilter::default()
        };
        let memories = engine.store.list(&filter, ListOrder::OldestFirst, MOST_MEMORIES)?;
        let memories = memories.into_iter().map(|stored| stored.memory);
        let mut failures: Vec<FailureRow> = Vec::new();
        for project in all_of(engine, projects)? {
            let rows = engine.store.failures(project, MOST_FAILURES)?.into_iter().map(|hit| hit.failure);
            failures.extend(rows.filter(|row| row.last_at >= since));
        }
        Ok(Ground {
            engine,
            memories: memories.filter(|memory| memory.origin != Origin::Repository).collect(),
            failures,
            complaints: complaints(engine, projects, since)?,
            now,
        })
    }

    /// Every finding, the most pressing sort first, the most frequent of a sort first.
    pub(crate) fn findings(&self) -> Result<Vec<Finding>, EngineError> {
        let mut found = trouble::recurring(self);
        found.extend(trouble::blind_spots(self));
        found.extend(corrections::repeated(self)?);
        found.extend(repeats::pairs(self));
        found.extend(care::rules(self));
        found.extend(care::rated(self));
        found.extend(care::due(self));
        found.sort_by(|a, b| (a.sort, b.count, &a.text, &a.ids).cmp(&(b.sort, a.count, &b.text, &b.ids)));
        Ok(found)
    }

    /// Rules and skills: what can keep a failure from coming back.
    fn covering(&self) -> impl Iterator<Item = &Memory> {
        self.memories.iter().filter(|memory| memory.kind.steers() || memory.kind == Kind::Skill)
    }
}

/// What the user corrected, refused or took back since `since`, oldest first.
pub(crate) fn complaints(
    engine: &Engine,
    projects: Option<&[ProjectNum]>,
    since: Timestamp,
) -> Result<Vec<StoredEvidence>, EngineError> {
    let mut found = Vec::new();
    for sort in [EvidenceSort::Correction, EvidenceSort::Rejection, EvidenceSort::Undone] {
        match projects {
            None => found.extend(engine.store.evidence(None, Some(sort), MOST_EVIDENCE)?),
            Some(projects) => {
                for project in projects {
                    found.extend(engine.store.evidence(Some(*project), Some(sort), MOST_EVIDENCE)?);
                }
            }
        }
    }
    found.retain(|one| one.evidence.at >= since);
    found.sort_by_key(|one| (one.evidence.at, one.seq));
    Ok(found)
}

/// The numbers of these projects, or of all, with what belongs to none.
pub(crate) fn all_of(
    engine: &Engine,
    projects: Option<&[ProjectNum]>,
) -> Result<Vec<ProjectNum>, EngineError> {
    if let Some(projects) = projects {
        return Ok(projects.to_vec());
    }
    let mut all = vec![ProjectNum::GLOBAL];
    for key in engine.store.project_keys()? {
        all.extend(engine.store.project_num(&key)?.filter(|num| !all.contains(num)));
    }
    Ok(all)
}

/// A text as one word of a shell line, so that a command can be copied as it is.
pub(crate) fn shell_word(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '=');
    if !one_line.is_empty() && one_line.chars().all(plain) {
        return one_line;
    }
    format!("'{}'", one_line.replace('\'', r"'\''"))
}

/// The beginning of a text, on one line.
pub(crate) fn head(text: &str, chars: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", one_line[..end].trim_end()),
        None => one_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_survives_the_shell() {
        assert_eq!(shell_word("src/pay.py"), "src/pay.py");
        assert_eq!(shell_word("use pnpm"), "'use pnpm'");
        assert_eq!(shell_word("don't $(rm)\nnow"), r"'don'\''t $(rm) now'");
        assert_eq!(shell_word(""), "''");
    }
}
