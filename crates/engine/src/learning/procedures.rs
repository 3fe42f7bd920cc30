//! Reads finished sessions for procedures: keeps what each did as evidence, counts later runs of known skills, and
//! proposes a skill where the same steps worked often enough.
//!
//! Of a tool's output, only whether it failed is used: text of a tool never comes into a skill.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use hark_core::failure::{Verdict, judge};
use hark_core::guidance::{Evidence, Sort};
use hark_core::learning::procedure::{Act, Did, Run, Trace, acts_of, runs_of};
use hark_core::learning::skill;
use hark_core::session::asked::request_in;
use hark_core::text::is_stop_word;
use hark_core::{IdRef, ProjectKey, Status};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{HeldEvent, StoreError, StoredSession};
use serde::{Deserialize, Serialize};

use super::{BATCH, skills};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::place_of;

/// The name under which sessions are marked as read.
const WHAT: &str = "procedures";
const MOST_EVENTS: usize = 20_000;
/// A longer command was cut when it was stored.
const WHOLE: usize = 990;
const MOST_WORDS: usize = 80;

/// What a session did, as it is kept beside the evidence.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Doc {
    pub(super) acts: Vec<Act>,
    /// Words of the user's prompts.
    #[serde(default)]
    pub(super) asked: BTreeSet<String>,
}

/// Returns how many skills it proposed.
pub(super) fn in_background(
    engine: &mut Engine,
    started: Instant,
    limit: Duration,
) -> Result<usize, EngineError> {
    let mut touched: BTreeSet<ProjectKey> = BTreeSet::new();
    for num in engine.store.unlearned(WHAT, BATCH)? {
        if started.elapsed() > limit {
            break;
        }
        match read(engine, num) {
            Ok(project) => touched.extend(project),
            Err(e @ EngineError::Store(StoreError::Corrupt { .. })) => return Err(e),
            Err(_) => {}
        }
    }
    let mut proposed = 0;
    for project in touched {
        proposed += skills::propose(engine, &project)?;
    }
    Ok(proposed)
}

/// Reads what is new in a session. Returns its project if it did something there.
fn read(engine: &mut Engine, num: i64) -> Result<Option<ProjectKey>, EngineError> {
    let (now, last) = (engine.now(), engine.store.last_event_of(num)?);
    let since = engine.store.learned_until(num, WHAT)?;
    let stored = engine.store.session_at(num)?;
    let project = stored.as_ref().and_then(|stored| stored.session.project.clone());
    let (Some(stored), Some(key)) = (stored, project) else {
        engine.store.write(now, |writer| writer.set_learned(num, WHAT, last))?;
        return Ok(None);
    };
    let doc = doc_of(engine, &stored, since)?;
    let known = skills::known(engine, &key)?;
    let project = engine.store.project_num(&key)?;
    let name = stored.session.host_session;
    let trace = Trace { session: name.to_string(), acts: doc.acts.clone() };
    let words =
        format!("{} commands", doc.acts.iter().filter(|act| matches!(act.what, Did::Ran(..))).count());
    let text = engine.clean(&words);
    let json = serde_json::to_string(&doc).unwrap_or_default();
    let mut runs = Vec::new();
    for one in &known {
        let shapes = skill::shapes(&one.body);
        let found = if shapes.is_empty() { Vec::new() } else { runs_of(&shapes, &trace) };
        runs.extend(found.into_iter().map(|run| (one.id, run)));
    }
    let runs: Vec<_> = runs.into_iter().map(|(id, run)| (id, evidence(engine, &run), run.worked)).collect();
    let did = !doc.acts.is_empty();
    engine.store.write(now, |writer| {
        if let (true, Some(project)) = (did, project) {
            let at = doc.acts.first().map_or(now, |act| act.at);
            let evidence =
                Evidence { at, sort: Sort::Procedure, session: Some(name.clone()), text: text.clone() };
            if !writer.add_evidence(num, project, &format!("{WHAT}@{since}"), &evidence, &json)? {
                // Another process was faster.
                return Ok(());
            }
        }
        for (id, evidence, worked) in runs {
            let mut memory = writer.load(&IdRef::Full(id))?;
            if matches!(memory.status, Status::Active | Status::Proposed) {
                skill::count(&mut memory, evidence, worked);
                writer.amend(&memory)?;
            }
        }
        Ok::<_, EngineError>(writer.set_learned(num, WHAT, last)?)
    })?;
    Ok(did.then_some(key))
}

/// A run in a few words.
pub(super) fn evidence(engine: &Engine, run: &Run) -> Evidence {
    let steps: Vec<String> = run.steps.iter().map(|words| words.join(" ")).collect();
    let note = hark_core::failure::record::short(&steps.join("; "), 200);
    Evidence {
        at: run.at,
        sort: Sort::Procedure,
        session: Some(engine.clean(&run.session)),
        text: engine.clean(&skill::told_run(run.worked, &note)),
    }
}

fn doc_of(engine: &Engine, stored: &StoredSession, since: i64) -> Result<Doc, EngineError> {
    let place = place_of(stored.session.folder.as_deref().map(Path::new));
    let is_users = stored.session.parent.is_none();
    let mut doc = Doc::default();
    for event in engine.store.events_in_order(stored.num, MOST_EVENTS)? {
        if event.seq <= since {
            continue;
        }
        match event.kind.as_str() {
            "prompt" if is_users && doc.asked.len() < MOST_WORDS => {
                if let Some(request) = request_in(&event.body) {
                    doc.asked.extend(words(&request));
                }
            }
            "tool" => match class_of(&event.tool) {
                ToolClass::Shell if event.target.len() < WHOLE => {
                    doc.acts.extend(acts_of(&event.target, outcome(&event, &place), event.at));
                }
                ToolClass::Edit if event.ok != Some(false) && !event.target.is_empty() => {
                    doc.acts.push(Act { at: event.at, what: Did::Edited(event.target) });
                }
                _ => {}
            },
            _ => {}
        }
    }
    // Edits alone are no procedure.
    if !doc.acts.iter().any(|act| matches!(act.what, Did::Ran(..))) {
        doc.acts.clear();
    }
    Ok(doc)
}

/// Whether a command succeeded, also where a pipe hides it.
fn outcome(event: &HeldEvent, place: &hark_core::failure::Place) -> Option<bool> {
    match judge(&event.target, event.ok, &event.body, place).map(|judged| judged.verdict) {
        Some(Verdict::Passed) => Some(true),
        Some(Verdict::Failed(_)) => Some(false),
        Some(Verdict::Unknown) | None => event.ok,
    }
}

fn words(text: &str) -> Vec<String> {
    text.lines()
        .take(3)
        .flat_map(|line| line.split(|c: char| !c.is_alphabetic()))
        .map(str::to_lowercase)
        .filter(|word| (4..=20).contains(&word.chars().count()) && !is_stop_word(word))
        .take(40)
        .collect()
}
