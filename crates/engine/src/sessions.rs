//! Which sessions are at work: the one a caller means without naming it, and the others in its project.

use hark_core::Timestamp;
use hark_core::session::{LIVE_MS, SessionStatus};
use hark_store::{ProjectNum, SessionFilter, StoredSession};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ops::scope::ReadScope;

/// A caller who names no session means one with activity this recent: people take breaks, so it need not be live.
const MEANT_MS: i64 = 6 * 60 * 60 * 1000;

/// Whether an assistant is still working in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    /// It ended, its process is gone, or nothing happened in it for long.
    Over,
    /// It was active lately, and nothing is known about its process.
    Likely,
    /// It was active lately, and its process is running.
    Running,
}

impl Liveness {
    pub(crate) fn of(
        engine: &Engine,
        stored: &StoredSession,
        now: Timestamp,
    ) -> Result<Liveness, EngineError> {
        if !stored.session.is_live(now) {
            return Ok(Liveness::Over);
        }
        Ok(match is_running(engine, stored.num)? {
            Some(true) => Liveness::Running,
            Some(false) => Liveness::Over,
            None => Liveness::Likely,
        })
    }
}

/// Whether the process of the assistant that reported a session is running; `None` if that cannot be known.
pub(crate) fn is_running(engine: &Engine, session: i64) -> Result<Option<bool>, EngineError> {
    let Some(known) = engine.store.session_process(session)? else { return Ok(None) };
    Ok(match hark_hosts::process::is_alive(&known.process) {
        // Perhaps a wrapper that lived for one event.
        Some(false) if !known.confirmed => None,
        known => known,
    })
}

/// Open sessions that are over: their process is gone, or the session that started them has ended.
pub(crate) fn gone(engine: &Engine) -> Result<Vec<i64>, EngineError> {
    let mut found = engine.store.orphans()?;
    for num in engine.store.open_with_process()? {
        if !found.contains(&num) && is_running(engine, num)? == Some(false) {
            found.push(num);
        }
    }
    Ok(found)
}

/// Other sessions of these projects in which an assistant is working now, newest first. Subagents belong to the
/// session that started them, and of a session that is known only from a transcript nobody knows when it ends.
pub(crate) fn others_at_work(
    engine: &Engine,
    projects: Vec<ProjectNum>,
    own: Option<i64>,
    now: Timestamp,
) -> Result<Vec<StoredSession>, EngineError> {
    let filter = SessionFilter {
        projects: Some(projects),
        status: Some(SessionStatus::Open),
        since: Some(now.minus_millis(LIVE_MS)),
        without_subagents: true,
        reported: true,
        except: own,
        ..SessionFilter::default()
    };
    let mut found = Vec::new();
    for stored in engine.store.sessions(&filter, MOST_OTHERS)? {
        if Liveness::of(engine, &stored, now)? != Liveness::Over {
            found.push(stored);
        }
    }
    Ok(found)
}

/// More at once are not a list for anybody to read.
const MOST_OTHERS: usize = 20;

/// The newest open session of the caller's project, of the given assistant if one is named.
pub(crate) fn at_work(
    engine: &mut Engine,
    caller: &Caller,
    host: Option<&str>,
) -> Result<Option<StoredSession>, EngineError> {
    let visible = ReadScope::default().resolve(engine, caller)?;
    let projects = match &visible.current {
        Some(key) => engine.store.project_num(key)?.into_iter().collect(),
        None => vec![ProjectNum::GLOBAL],
    };
    let host = host.map(|text| host_id(Some(text))).or_else(|| {
        let name = caller.author.as_deref()?;
        let id = host_id(Some(name));
        hark_hosts::find(&id).map(|host| host.id.to_owned())
    });
    let filter = SessionFilter {
        projects: Some(projects),
        host,
        status: Some(SessionStatus::Open),
        since: Some(engine.now().minus_millis(MEANT_MS)),
        without_subagents: true,
        ..SessionFilter::default()
    };
    Ok(engine.store.sessions(&filter, 1)?.into_iter().next())
}

/// The assistant's id by any of its names; its own name if it is unknown; `cli` for a person at a terminal.
pub(crate) fn host_id(name: Option<&str>) -> String {
    let Some(name) = name.map(str::trim).filter(|n| !n.is_empty()) else { return "cli".to_owned() };
    let folded: String =
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    if hark_hosts::find(&folded).is_some() {
        return folded;
    }
    let known = hark_hosts::HOSTS.iter().find(|host| {
        let stem = host.id.split('-').next().unwrap_or(host.id);
        host.name.eq_ignore_ascii_case(name) || (stem.len() > 3 && folded.contains(stem))
    });
    known.map_or(folded, |host| host.id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::host_id;

    #[test]
    fn clients_are_recognised_by_their_own_names() {
        for (name, id) in [
            ("claude-code", "claude-code"),
            ("codex-mcp-client", "codex"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("Cursor", "cursor"),
            ("something else", "something-else"),
        ] {
            assert_eq!(host_id(Some(name)), id);
        }
        assert_eq!(host_id(None), "cli");
    }
}
