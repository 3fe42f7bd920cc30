//! Finds the session a caller means without naming it.
//!
//! A checkpoint in a session of somebody else replaces that session's goal, so a server takes only a session that its
//! own client reported: by the session id that the client says, or by the process that started the server and that
//! ran the hooks. If neither is known, the connection gets a session of its own.

use std::path::Path;

use hark_core::session::SessionStatus;
use hark_core::{Clean, ProjectKey};
use hark_store::{ProjectNum, SessionFilter, StoredSession};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::project;

/// A caller who names no session means one with activity this recent: people take breaks, so it need not be live.
const MEANT_MS: i64 = 6 * 60 * 60 * 1000;

/// How many open sessions of a project to consider.
const MOST_OPEN: usize = 20;

/// The session that the caller is known to be in.
pub(crate) fn of_caller(engine: &mut Engine, caller: &Caller) -> Result<Option<StoredSession>, EngineError> {
    let named = match &caller.session {
        Some(id) => engine.store.session_of_host(None, &engine.clean(id))?,
        None => None,
    };
    // A server outlives `/clear` and `/resume`, after which the id in its environment is that of a former session.
    if named.as_ref().is_some_and(|stored| stored.session.status == SessionStatus::Open) {
        return Ok(named);
    }
    if let Some(stored) = of_process(engine, caller)? {
        return Ok(Some(stored));
    }
    if named.is_some() || caller.session.is_some() {
        return Ok(named);
    }
    if let Some(key) = own_key(engine, caller)
        && let Some(stored) = engine.store.session_of_host(None, &key)?
    {
        return Ok(Some(stored));
    }
    match &caller.connection {
        Some(connection) if !connection.is_remote && caller.process.is_none() => only_one(engine, caller),
        _ => Ok(None),
    }
}

/// The newest open session that the caller's own process reported, preferably of the folder at hand.
fn of_process(engine: &mut Engine, caller: &Caller) -> Result<Option<StoredSession>, EngineError> {
    let Some(process) = &caller.process else { return Ok(None) };
    // Several assistants can run in one process, as extensions of an editor do.
    let host = host_id(caller.author.as_deref());
    let is_own = |stored: &StoredSession| {
        let session = &stored.session;
        session.status == SessionStatus::Open && *session.host == *host && session.parent.is_none()
    };
    let mut found = engine.store.sessions_of_process(process)?;
    found.retain(is_own);
    let here = found.iter().position(|stored| is_here(stored, caller.cwd.as_deref()));
    Ok(if found.is_empty() { None } else { Some(found.swap_remove(here.unwrap_or(0))) })
}

/// Where the system does not tell processes: the session of this assistant in this folder, if there is only one.
fn only_one(engine: &mut Engine, caller: &Caller) -> Result<Option<StoredSession>, EngineError> {
    let host = host_id(caller.author.as_deref());
    let mut open = open_here(engine, caller, Some(&host))?;
    Ok(if open.len() == 1 { open.pop() } else { None })
}

/// The newest open session in the caller's folder, of the given assistant if one is named: for a person, who sees
/// which one it is.
pub(crate) fn at_work(
    engine: &mut Engine,
    caller: &Caller,
    host: Option<&str>,
) -> Result<Option<StoredSession>, EngineError> {
    let host = host.map(|text| host_id(Some(text))).or_else(|| {
        let name = caller.author.as_deref()?;
        let id = host_id(Some(name));
        hark_hosts::find(&id).map(|host| host.id.to_owned())
    });
    Ok(open_here(engine, caller, host.as_deref())?.into_iter().next())
}

/// Open sessions of the caller's project and work tree, newest first.
fn open_here(
    engine: &mut Engine,
    caller: &Caller,
    host: Option<&str>,
) -> Result<Vec<StoredSession>, EngineError> {
    let projects = match caller.cwd.as_deref().and_then(|folder| engine.project_of(folder)) {
        Some(key) => engine.store.project_num(&key)?.into_iter().collect(),
        None => vec![ProjectNum::GLOBAL],
    };
    let filter = SessionFilter {
        projects: Some(projects),
        host: host.map(str::to_owned),
        status: Some(SessionStatus::Open),
        since: Some(engine.now().minus_millis(MEANT_MS)),
        without_subagents: true,
        ..SessionFilter::default()
    };
    let mut found = engine.store.sessions(&filter, MOST_OPEN)?;
    // Worktrees of a repository are one project, and work in each is separate.
    found.retain(|stored| is_here(stored, caller.cwd.as_deref()));
    if let Some(own) = &caller.process {
        let mut others = Vec::new();
        for stored in &found {
            if engine.store.session_process(stored.num)?.is_some_and(|known| known.process != *own) {
                others.push(stored.num);
            }
        }
        found.retain(|stored| !others.contains(&stored.num));
    }
    Ok(found)
}

/// Whether a session works in the work tree of this folder; a session or caller without a folder is anywhere.
fn is_here(stored: &StoredSession, folder: Option<&Path>) -> bool {
    let (Some(theirs), Some(folder)) = (&stored.session.folder, folder) else { return true };
    let tree = |folder: &Path| {
        let tree = project::work_tree(folder);
        std::fs::canonicalize(&tree).unwrap_or(tree)
    };
    let theirs = Path::new(theirs.as_str());
    theirs == folder || tree(theirs) == tree(folder)
}

/// The name of the session that a connection has to itself, while its client's session is unknown. Where requests
/// stand alone, those of one client about one folder share a session for a day.
pub(crate) fn own_key(engine: &Engine, caller: &Caller) -> Option<Clean> {
    let connection = caller.connection.as_ref()?;
    let key = connection.key.clone().unwrap_or_else(|| {
        let mut hash = blake3::Hasher::new();
        for part in [caller.author.as_deref(), caller.cwd.as_deref().and_then(Path::to_str)] {
            hash.update(part.unwrap_or_default().as_bytes());
            hash.update(&[0]);
        }
        let day = engine.now().as_millis() / (24 * 60 * 60 * 1000);
        format!("http-{day}-{}", &hash.finalize().to_hex()[..16])
    });
    Some(engine.clean(&key))
}

/// The project of the session that the caller is in.
pub(crate) fn project_of_caller(engine: &mut Engine, caller: &Caller) -> Option<ProjectKey> {
    caller.connection.as_ref()?;
    of_caller(engine, caller).ok().flatten()?.session.project
}

/// The session id in the environment of a server whose client introduced itself with this name.
pub fn session_in(environment: hark_hosts::hook::Environment<'_>, client: Option<&str>) -> Option<String> {
    hark_hosts::session_in(environment, client.map(|name| host_id(Some(name))).as_deref())
}

/// Names by which clients introduce themselves and that their ids do not contain.
const NAMES: &[(&str, &str)] =
    &[("claude-ai", "claude-desktop"), ("visual-studio-code", "vscode"), ("factory", "droid")];

/// The assistant's id by any of its names; its own name if it is unknown; `cli` for a person at a terminal.
pub(crate) fn host_id(name: Option<&str>) -> String {
    let Some(name) = name.map(str::trim).filter(|n| !n.is_empty()) else { return "cli".to_owned() };
    let folded: String =
        name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    if hark_hosts::find(&folded).is_some() {
        return folded;
    }
    if let Some((_, id)) = NAMES.iter().find(|(known, _)| folded.starts_with(known)) {
        return (*id).to_owned();
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
            ("claude-ai", "claude-desktop"),
            ("codex-mcp-client", "codex"),
            ("gemini-cli-mcp-client", "gemini-cli"),
            ("Cursor", "cursor"),
            ("Visual Studio Code", "vscode"),
            ("factory-cli", "droid"),
            ("something else", "something-else"),
        ] {
            assert_eq!(host_id(Some(name)), id);
        }
        assert_eq!(host_id(None), "cli");
    }
}
