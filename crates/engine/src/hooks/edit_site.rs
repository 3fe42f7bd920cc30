//! Before an edit: what was decided or agreed about this very file or symbol, if the session does not know it yet.
//! Memories that are merely similar are not looked for.

use std::path::Path;

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::quote::quoted;
use hark_core::{Entity, EntityKind, Kind, Memory, Origin, Timestamp};
use hark_store::{ProjectNum, Stored, Whereabouts};

use super::inject::{Words, brief_frame};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::alert::Act;
use crate::ops::recall::{Freshness, freshness};

/// The ledger's name for it.
pub(crate) const SURFACE: &str = "edit";
const KINDS: &[Kind] = &[Kind::Constraint, Kind::Directive, Kind::Rule, Kind::Decision, Kind::Convention];
const MOST_TOLD: usize = 2;
/// How many names of an edit are looked up.
const MOST_NAMES: usize = 40;
const TEXT_TOKENS: usize = 40;
/// Without their folders, these names stand for many files.
const COMMON: &[&str] =
    &["mod", "main", "index", "lib", "__init__", "readme", "types", "utils", "test", "setup"];

/// Who edits where.
pub(crate) struct Site<'a> {
    pub(crate) project: ProjectNum,
    pub(crate) session: Option<i64>,
    pub(crate) root: Option<&'a Path>,
    pub(crate) now: Timestamp,
}

/// What is known about the files and symbols of an edit, the most important first.
pub(crate) fn before_edit(engine: &Engine, site: &Site<'_>, act: &Act) -> Result<Option<Words>, EngineError> {
    let budget = engine.config.inject.edit;
    if budget == 0 || act.command.is_some() {
        return Ok(None);
    }
    let at = site.session.map(|session| engine.store.whereabouts(session)).transpose()?.flatten();
    let mut found: Vec<(Memory, String)> = Vec::new();
    for (entity, name) in anchors(act) {
        for Stored { memory, .. } in engine.store.anchored(site.project, &entity, KINDS)? {
            let known = found.iter().any(|(other, _)| other.id == memory.id);
            if !known && may_be_told(&memory, site) && is_news(engine, site, at.as_ref(), &memory)? {
                found.push((memory, name.clone()));
            }
        }
        if found.len() >= MOST_TOLD {
            break;
        }
    }
    let Some((_, about)) = found.first() else { return Ok(None) };
    let heading = format!("About {}:", quoted(about));
    let mut room = budget.saturating_sub(estimate_tokens(&brief_frame(&heading)));
    let (mut lines, mut items) = (vec![heading], Vec::new());
    for (memory, _) in found.iter().take(MOST_TOLD) {
        let line = line(memory);
        let cost = estimate_tokens(&line) + 1;
        if cost > room {
            break;
        }
        room -= cost;
        lines.push(line);
        items.push(memory.id.short());
    }
    let why = "about the edited file";
    Ok((!items.is_empty()).then(|| Words { text: brief_frame(&lines.join("\n")), items, why }))
}

/// The files of an edit, by path and by the ends of it that are still names, then the symbols in its text.
fn anchors(act: &Act) -> Vec<(Entity, String)> {
    let mut found = Vec::new();
    for file in &act.files {
        found.push((Entity::new(EntityKind::File, file), file.clone()));
        let mut tail = file.as_str();
        while let Some((_, rest)) = tail.split_once('/') {
            tail = rest;
            let stem = tail.split('.').next().unwrap_or(tail).to_lowercase();
            if tail.contains('/') || !COMMON.contains(&stem.as_str()) {
                found.push((Entity::new(EntityKind::File, tail), file.clone()));
            }
        }
    }
    let symbols = act.region.names().filter(|name| is_own_name(name)).take(MOST_NAMES);
    found.extend(symbols.map(|name| (Entity::new(EntityKind::Symbol, name), name.to_owned())));
    found
}

/// `load_user` and `ErrNotFound` are names of something; `value` is a word.
fn is_own_name(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.len() >= 6
        && (inner.contains('_')
            || (inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)))
}

/// The rules of everything that Hark says by itself; only what somebody said counts at an edit.
fn may_be_told(memory: &Memory, site: &Site<'_>) -> bool {
    memory.expires.is_none_or(|at| at > site.now)
        && !memory.life.is_wrong()
        && memory.origin.is_spoken()
        && memory.origin.may_become(memory.kind)
        && freshness(memory, site.root) != Freshness::Stale
}

/// Whether the session neither was told it nor stored it itself, as far as its context goes back.
fn is_news(
    engine: &Engine,
    site: &Site<'_>,
    at: Option<&Whereabouts>,
    memory: &Memory,
) -> Result<bool, EngineError> {
    let Some(session) = site.session else { return Ok(true) };
    if engine.store.was_told(session, &memory.id.short())? {
        return Ok(false);
    }
    let by = memory.session.as_deref();
    let own = at.is_some_and(|at| by.is_some_and(|by| by == at.id || by == at.host_session));
    Ok(!own || engine.store.last_compaction(session)?.is_some_and(|at| memory.created <= at))
}

fn line(memory: &Memory) -> String {
    let body = memory.body.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if body.is_empty() { memory.title.to_string() } else { body };
    let from = match memory.origin {
        Origin::User => String::new(),
        other => format!(", from {other}"),
    };
    let text = truncate_to_tokens(&quoted(&text), TEXT_TOKENS);
    format!("- [{}] {text} ({}{from})", memory.id.short(), memory.kind)
}
