//! What a stretch of time brought: work, decisions, lessons, failures and fixes, and what Hark cost.

use hark_core::failure::record::Record;
use hark_core::{Kind, Memory, Session, Status, Timestamp};
use hark_store::{FailureRow, ListFilter, ListOrder, ProjectNum, SessionFilter, StoredSession};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::times;
use crate::reflect::{all_of, complaints, head};

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Done {
    /// Sessions with something to tell.
    pub sessions: usize,
    /// Finished pieces of work.
    pub pieces: usize,
    /// Of those, how many were checked, and passed.
    pub checked: usize,
    pub passed: usize,
    /// Sessions that ended on another commit than they began with.
    pub committed: usize,
    /// The newest sessions.
    pub work: Vec<Work>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Work {
    /// The session.
    pub id: String,
    pub title: String,
    pub project: Option<String>,
    pub day: String,
    pub pieces: usize,
    /// What the agent reported as done.
    pub done: Vec<String>,
}

/// A memory of that time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stored {
    pub id: String,
    pub kind: String,
    pub title: String,
    pub project: Option<String>,
    /// Options that a decision rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
}

/// What failed and what was fixed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Broken {
    /// Failures that were met.
    pub failures: usize,
    /// Of all that were open, how many were fixed.
    pub fixed: usize,
    pub still_open: usize,
    /// How often the user corrected, refused or took back something.
    pub corrections: usize,
    /// The costliest.
    pub worst: Vec<Trouble>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trouble {
    /// The id of its memory, if it has one.
    pub id: Option<String>,
    pub command: String,
    pub message: String,
    /// `open` or `fixed`.
    pub status: String,
    pub runs: u32,
    pub fix: Option<String>,
}

/// What Hark cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Costs {
    /// Tokens of injected texts.
    pub tokens: i64,
    pub tokens_per_session: Option<f64>,
    /// Hooks whose time is known: those of the last months, not only of this stretch.
    pub hooks: u64,
    /// What they took on average, in milliseconds.
    pub hook_ms: Option<f64>,
}

const MOST_SESSIONS: usize = 5_000;
const MOST_MEMORIES: usize = 1_000;
const MOST_FAILURES: usize = 2_000;
const LISTED: usize = 20;
const MOST_DONE: usize = 5;
const CHARS: usize = 140;

const LESSONS: &[Kind] = &[
    Kind::Insight,
    Kind::Rule,
    Kind::Directive,
    Kind::Skill,
    Kind::Lesson,
    Kind::Constraint,
    Kind::Convention,
];

pub(super) struct Stretch<'e> {
    pub(super) engine: &'e Engine,
    pub(super) projects: Option<Vec<ProjectNum>>,
    pub(super) since: Timestamp,
}

impl Stretch<'_> {
    /// Sessions that were active, newest first.
    pub(super) fn sessions(&self) -> Result<Vec<StoredSession>, EngineError> {
        let filter = SessionFilter {
            projects: self.projects.clone(),
            since: Some(self.since),
            ..SessionFilter::default()
        };
        Ok(self.engine.store.sessions(&filter, MOST_SESSIONS)?)
    }

    pub(super) fn done(&self, sessions: &[StoredSession]) -> Done {
        let mut done = Done::default();
        let told =
            sessions.iter().filter(|stored| stored.session.parent.is_none() && !stored.file.is_empty());
        for Session {
            id,
            turns,
            title,
            goal,
            head_start,
            head_end,
            project,
            updated,
            done: items,
            work,
            ..
        } in told.map(|stored| &stored.session)
        {
            let turns: Vec<_> = turns.iter().filter(|turn| turn.at >= self.since).collect();
            let checks = turns.iter().filter_map(|turn| turn.check.as_ref());
            done.sessions += 1;
            done.pieces += turns.len();
            done.checked += checks.clone().count();
            done.passed += checks.filter(|check| check.passed).count();
            done.committed +=
                usize::from(head_start.is_some() && head_end.is_some() && head_start != head_end);
            let first = turns.first().map(|turn| &turn.asked);
            let Some(about) = title.as_ref().or(goal.as_ref()).or(first) else { continue };
            if done.work.len() < LISTED {
                let reported = if items.is_empty() { work } else { items };
                done.work.push(Work {
                    id: id.short(),
                    title: head(about, CHARS),
                    project: project.as_ref().map(ToString::to_string),
                    day: updated.day(),
                    pieces: turns.len(),
                    done: reported.iter().rev().take(MOST_DONE).rev().map(|line| head(line, CHARS)).collect(),
                });
            }
        }
        done
    }

    pub(super) fn decided(&self) -> Result<Vec<Stored>, EngineError> {
        self.stored(&[Kind::Decision])
    }

    pub(super) fn learned(&self) -> Result<Vec<Stored>, EngineError> {
        self.stored(LESSONS)
    }

    /// Memories that were made in this time, oldest first.
    fn stored(&self, kinds: &[Kind]) -> Result<Vec<Stored>, EngineError> {
        let filter = ListFilter {
            projects: self.projects.clone(),
            kinds: kinds.to_vec(),
            statuses: vec![Status::Active, Status::Resolved],
            since: Some(self.since),
            ..ListFilter::default()
        };
        let found = self.engine.store.list(&filter, ListOrder::OldestFirst, MOST_MEMORIES)?;
        let made = found.iter().map(|stored| &stored.memory).filter(|memory| memory.created >= self.since);
        Ok(made.map(view).collect())
    }

    pub(super) fn broken(&self) -> Result<Broken, EngineError> {
        let engine = self.engine;
        let mut rows: Vec<FailureRow> = Vec::new();
        for project in all_of(engine, self.projects.as_deref())? {
            let found = engine.store.failures(project, MOST_FAILURES)?;
            rows.extend(found.into_iter().map(|hit| hit.failure));
        }
        rows.retain(|row| row.record.tells_something() && row.last_at.max(row.fixed_at) >= self.since);
        rows.sort_by_key(|row| std::cmp::Reverse((cost(&row.record), row.last_at, row.num)));
        Ok(Broken {
            failures: rows.iter().filter(|row| row.last_at >= self.since).count(),
            fixed: rows.iter().filter(|row| !row.open && row.fixed_at >= self.since).count(),
            still_open: rows.iter().filter(|row| row.open).count(),
            corrections: complaints(engine, self.projects.as_deref(), self.since)?.len(),
            worst: rows.iter().filter(|row| row.record.has_worth()).take(LISTED).map(trouble).collect(),
        })
    }

    pub(super) fn costs(&self, tokens: i64, sessions: usize) -> Costs {
        let known = times::read(self.engine.store.layout());
        let hooks: u64 = known.iter().map(|times| times.count).sum();
        let seconds: f64 = known.iter().map(|times| times.seconds).sum();
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        Costs {
            tokens,
            tokens_per_session: (sessions > 0).then(|| rounded(tokens as f64 / sessions as f64)),
            hooks,
            hook_ms: (hooks > 0).then(|| rounded(seconds * 1000.0 / hooks as f64)),
        }
    }
}

fn view(memory: &Memory) -> Stored {
    Stored {
        id: memory.id.short(),
        kind: memory.kind.to_string(),
        title: memory.title.to_string(),
        project: memory.scope.project().map(ToString::to_string),
        rejected: memory.guidance.rejected.iter().map(ToString::to_string).collect(),
    }
}

fn cost(record: &Record) -> (u32, u32) {
    (record.vain + record.relapses, record.runs)
}

fn trouble(row: &FailureRow) -> Trouble {
    let record = &row.record;
    Trouble {
        id: row.memory.map(|id| id.short()),
        command: head(&record.command, CHARS),
        message: head(&record.message, CHARS),
        status: if row.open { "open" } else { "fixed" }.to_owned(),
        runs: record.runs,
        fix: Some(head(&record.fix, CHARS)).filter(|fix| !fix.is_empty()),
    }
}
