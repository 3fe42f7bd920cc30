//! Finished pieces of work, from the turns of past sessions, for the self-assessment.

use hark_core::Timestamp;
use hark_core::assess::{Assessment, Complaint, Piece, assess, task_of};
use hark_core::failure::command::main_of;
use hark_store::{ProjectNum, SessionFilter};

use crate::engine::Engine;
use crate::error::EngineError;

/// More sessions than a few months bring.
const MOST_SESSIONS: usize = 5_000;

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
        pieces.extend(stored.session.turns.iter().map(|turn| Piece {
            at: turn.at,
            session: stored.num,
            project: project.clone(),
            files: turn.files.iter().map(ToString::to_string).collect(),
            task: task_of(&turn.asked),
            check: turn.check.as_ref().map(|check| (family(&check.command), check.passed)),
        }));
    }
    Ok(pieces)
}

/// `cargo test` of `cargo test -p core`.
fn family(command: &str) -> String {
    let first = || command.split_whitespace().next().unwrap_or(command).to_owned();
    main_of(command).map_or_else(first, |ran| ran.family)
}
