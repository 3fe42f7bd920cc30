//! Finds the session a caller means without naming it.

use hark_core::session::SessionStatus;
use hark_store::{ProjectNum, SessionFilter, StoredSession};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ops::scope::ReadScope;

/// A caller who names no session means one with activity this recent: people take breaks, so it need not be live.
const MEANT_MS: i64 = 6 * 60 * 60 * 1000;

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
