//! Finished pieces of work, from the turns of past sessions, for the self-assessment.

use hark_core::Timestamp;
use hark_core::assess::{Assessment, Complaint, Piece, assess, task_of};
use hark_core::event::EventKind;
use hark_core::failure::command::main_of;
use hark_core::failure::{Place, Step, Verdict, judge};
use hark_core::session::Turn;
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{ProjectNum, SessionFilter};

use crate::engine::Engine;
use crate::error::EngineError;

/// More sessions than a few months bring.
const MOST_SESSIONS: usize = 5_000;
const MOST_EVENTS: usize = 20_000;

/// How the work since `since` went. Sessions of subagents are part of their parents' work.
pub(crate) fn assessed(
    engine: &Engine,
    projects: Option<&[ProjectNum]>,
    since: Timestamp,
    now: Timestamp,
) -> Result<Assessment, EngineError> {
    let complaints: Vec<Complaint> = super::complaints(engine, projects, since)?
        .iter()
        .map(|one| Complaint { session: one.session, at: one.evidence.at })
        .collect();
    Ok(assess(&pieces(engine, projects, since)?, &complaints, since, now))
}

fn pieces(
    engine: &Engine,
    projects: Option<&[ProjectNum]>,
    since: Timestamp,
) -> Result<Vec<Piece>, EngineError> {
    let filter = SessionFilter {
        projects: projects.map(<[ProjectNum]>::to_vec),
        since: Some(since),
        without_subagents: true,
        ..SessionFilter::default()
    };
    let mut pieces = Vec::new();
    for stored in engine.store.sessions(&filter, MOST_SESSIONS)? {
        let project = stored.session.project.as_ref().map(ToString::to_string);
        let turns = &stored.session.turns;
        let first = first_checks(engine, stored.num, turns)?;
        pieces.extend(turns.iter().zip(first).map(|(turn, first_try)| Piece {
            at: turn.at,
            session: stored.num,
            project: project.clone(),
            files: turn.files.iter().map(ToString::to_string).collect(),
            task: task_of(&turn.asked),
            check: turn.check.as_ref().map(|check| (family(&check.command), check.passed)),
            first_try,
        }));
    }
    Ok(pieces)
}

/// Whether the first check after each request passed, as far as the events are still there.
fn first_checks(engine: &Engine, session: i64, turns: &[Turn]) -> Result<Vec<Option<bool>>, EngineError> {
    let mut found = vec![None; turns.len()];
    if turns.iter().all(|turn| turn.check.is_none()) {
        return Ok(found);
    }
    let mut at = turns.iter().map(|turn| turn.at).collect::<Vec<_>>();
    at.sort_unstable();
    for event in engine.store.events(session, &[EventKind::Tool], MOST_EVENTS)? {
        let Some(begun) = at.partition_point(|at| *at <= event.at).checked_sub(1).map(|last| at[last]) else {
            continue;
        };
        let of = turns.iter().position(|turn| turn.at == begun);
        // Reading what a command printed takes time, so only the first check of a turn is read.
        let Some(of) = of.filter(|of| found[*of].is_none() && turns[*of].check.is_some()) else { continue };
        if class_of(&event.tool) != ToolClass::Shell
            || !main_of(&event.target).is_some_and(|ran| is_check(ran.step))
        {
            continue;
        }
        let judged = judge(&event.target, event.ok, &event.body, &Place::default());
        found[of] = match judged.map(|judged| judged.verdict) {
            Some(Verdict::Passed) => Some(true),
            Some(Verdict::Failed(_)) => Some(false),
            Some(Verdict::Unknown) | None => None,
        };
    }
    Ok(found)
}

fn is_check(step: Step) -> bool {
    !matches!(step, Step::Other | Step::Install)
}

/// `cargo test` of `cargo test -p core`.
fn family(command: &str) -> String {
    let first = || command.split_whitespace().next().unwrap_or(command).to_owned();
    main_of(command).map_or_else(first, |ran| ran.family)
}
