//! What followed the texts in the ledger: reads the events of their sessions and applies the arithmetic of
//! [`hark_core::hindsight`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hark_core::event::EventKind;
use hark_core::failure::{Place, Verdict, judge};
use hark_core::hindsight::{Deed, Future, Futures, Sign, Subject, followed};
use hark_core::session::SessionRef;
use hark_core::{IdRef, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{LedgerRow, PastEvent, ProjectNum};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::alert;

/// The most events of a session, and failures of a project, that are looked at.
const EVENTS: usize = 5_000;
const FAILURES: usize = 5_000;
const STORED: usize = 200;
/// A prompt leads to this many events at most.
const NEXT: usize = 60;
/// Events of one call have the same time, and clocks differ a little.
const CLOSE_MS: i64 = 1_000;

/// Looks back at texts, and reads each session once.
#[derive(Default)]
pub(crate) struct LookBack {
    sessions: HashMap<i64, Past>,
    failures: HashMap<ProjectNum, HashMap<String, Subject>>,
    futures: Option<Futures>,
}

/// What is known of one session.
struct Past {
    project: ProjectNum,
    events: Vec<PastEvent>,
    deeds: Vec<(Timestamp, Deed)>,
}

/// What an item of a text is, and what it says.
struct Item {
    subject: Subject,
    /// Empty if it is no memory.
    text: String,
    born: Timestamp,
}

impl LookBack {
    /// Also compares texts with what other prompts led to, in the sessions of these rows.
    pub(crate) fn with_futures(engine: &Engine, rows: &[LedgerRow]) -> Result<Self, EngineError> {
        let mut back = LookBack::default();
        let mut futures = Vec::new();
        for row in rows {
            if !back.sessions.contains_key(&row.session) {
                let past = back.past(engine, row.session)?;
                futures.extend(futures_of(row.session, &past.events));
            }
        }
        back.futures = Some(Futures::new(&futures));
        Ok(back)
    }

    /// What followed a text.
    pub(crate) fn signs(&mut self, engine: &Engine, row: &LedgerRow) -> Result<Vec<Sign>, EngineError> {
        self.past(engine, row.session)?;
        let mut items = Vec::new();
        for item in &row.items {
            items.extend(self.item(engine, row, item)?);
        }
        let subjects: Vec<Subject> = items.iter().map(|item| item.subject.clone()).collect();
        let later = self.sessions.get(&row.session).into_iter().flat_map(|past| &past.deeds);
        let deeds: Vec<Deed> = later.filter(|(at, _)| *at > row.at).map(|(_, deed)| deed.clone()).collect();
        let mut signs = followed(&subjects, &deeds);
        let is_specific = |item: &Item| {
            let futures = self.futures.as_ref().filter(|_| !item.text.is_empty());
            let at = row.at.plus_millis(CLOSE_MS);
            futures.and_then(|f| f.is_specific(&item.text, item.born, row.session, at)).unwrap_or(false)
        };
        if items.iter().any(is_specific) {
            signs.insert(0, Sign::Specific);
        }
        Ok(signs)
    }

    fn past(&mut self, engine: &Engine, session: i64) -> Result<&Past, EngineError> {
        match self.sessions.entry(session) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => Ok(unknown.insert(read_past(engine, session)?)),
        }
    }

    /// What an id in the ledger stands for; `None` if it is gone or says nothing that could be followed.
    fn item(&mut self, engine: &Engine, row: &LedgerRow, item: &str) -> Result<Option<Item>, EngineError> {
        let texts = |list: &[hark_core::Clean]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        if item.starts_with("m-") {
            let Some(stored) = item.parse::<IdRef>().ok().and_then(|id| engine.store.find(&id).ok()) else {
                return Ok(None);
            };
            let memory = stored.memory;
            let subject = Subject {
                files: texts(&memory.files),
                names: Vec::new(),
                wrong: memory.life.is_wrong(),
                helpful: memory.life.helpful > 0 && memory.life.confirmed.is_some_and(|at| at > row.at),
            };
            let text = format!("{}\n{}", memory.title, memory.body);
            return Ok(Some(Item { subject, text, born: memory.created }));
        }
        if let Some(tail) = item.strip_prefix("t-") {
            let Some(stored) = engine.store.turns_by_tail(tail)?.into_iter().next() else { return Ok(None) };
            let subject = Subject { files: texts(&stored.turn.files), ..Subject::default() };
            return Ok(Some(Item { subject, text: stored.turn.story(), born: stored.turn.at }));
        }
        let subject = if item.starts_with("f-") {
            let project = self.sessions.get(&row.session).map_or(ProjectNum::GLOBAL, |past| past.project);
            self.failure(engine, project, item)?
        } else {
            let session = item.parse::<SessionRef>().ok().and_then(|id| engine.store.session(&id).ok());
            session.map(|stored| Subject {
                files: stored.session.files.iter().map(|file| file.path.to_string()).collect(),
                ..Subject::default()
            })
        };
        Ok(subject.map(|subject| Item { subject, text: String::new(), born: row.at }))
    }

    fn failure(
        &mut self,
        engine: &Engine,
        project: ProjectNum,
        item: &str,
    ) -> Result<Option<Subject>, EngineError> {
        if let Entry::Vacant(unknown) = self.failures.entry(project) {
            let found = engine.store.failures(project, FAILURES)?;
            let subjects = found.iter().map(|hit| {
                let record = &hit.failure.record;
                let files = record.files.iter().chain(&record.suspects).chain(&record.fix_files).cloned();
                let names = record.symbols.iter().chain([&record.command]).cloned();
                let subject =
                    Subject { files: files.collect(), names: names.collect(), ..Subject::default() };
                (alert::item(&hit.failure), subject)
            });
            unknown.insert(subjects.collect());
        }
        Ok(self.failures[&project].get(item).cloned())
    }
}

fn read_past(engine: &Engine, session: i64) -> Result<Past, EngineError> {
    let Some(stored) = engine.store.session_at(session)? else {
        return Ok(Past { project: ProjectNum::GLOBAL, events: Vec::new(), deeds: Vec::new() });
    };
    let kinds = [EventKind::Prompt, EventKind::Tool, EventKind::Reply];
    let events = engine.store.events(session, &kinds, EVENTS)?;
    let mut deeds: Vec<(Timestamp, Deed)> =
        events.iter().filter_map(|event| deed(event).map(|deed| (event.at, deed))).collect();
    let checkpoints = stored.session.checkpoints.iter();
    let saved = checkpoints.filter(|c| c.by == hark_core::session::CheckpointBy::Agent);
    deeds.extend(saved.map(|checkpoint| (checkpoint.at, Deed::Saved)));
    let (full, short) = (stored.session.id.full(), stored.session.id.short());
    let names = [full.as_str(), &short, &stored.session.host_session];
    let learned = engine.store.learned_in(&names, stored.session.started, STORED)?;
    // What hark distilled by itself, nobody stored.
    let learned = learned.iter().filter(|stored| stored.memory.turn.is_none());
    deeds.extend(learned.map(|stored| (stored.memory.created, Deed::Stored)));
    let project = engine.store.whereabouts(session)?.map_or(ProjectNum::GLOBAL, |at| at.project);
    Ok(Past { project, events, deeds })
}

fn deed(event: &PastEvent) -> Option<Deed> {
    if event.kind != EventKind::Tool.name() {
        return None;
    }
    match class_of(&event.tool) {
        ToolClass::Edit if event.ok != Some(false) => Some(Deed::Touched(event.target.clone())),
        ToolClass::Shell => {
            let judged = judge(&event.target, event.ok, &event.body, &Place::default());
            let failed = judged.is_some_and(|judged| matches!(judged.verdict, Verdict::Failed(_)));
            failed.then(|| Deed::Failed(format!("{}\n{}", event.target, event.body)))
        }
        _ => None,
    }
}

/// What each prompt of a session led to: files, commands, edits and the assistant's words, not output.
fn futures_of(session: i64, events: &[PastEvent]) -> impl Iterator<Item = Future> {
    let prompts = events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Prompt.name());
    prompts.map(move |(at, prompt)| {
        let mut text = String::new();
        for event in events.iter().skip(at + 1).take(NEXT).filter(|e| e.kind != EventKind::Prompt.name()) {
            text.push_str(&event.target);
            text.push(' ');
            if class_of(&event.tool) != ToolClass::Shell {
                text.push_str(&event.body);
                text.push(' ');
            }
        }
        Future { session, at: prompt.at, text }
    })
}
