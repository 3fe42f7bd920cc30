//! Reminders: at the start of a session those whose date has come, and before an edit those that wait for this file. Each once
//! in a session, until it is resolved or moved.

use hark_core::budget::estimate_tokens;
use hark_core::rule::Deed;
use hark_core::{Memory, Origin, Timestamp};
use hark_store::ProjectNum;

use super::boot::Place;
use super::edit_site::Site;
use super::inject::{Part, Words, brief_frame};
use super::page::{Page, short};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::alert::Act;

/// The ledger's name for a reminder before an edit.
pub(crate) const SURFACE: &str = "due";
/// How many are told at the start of a session; `hark list --due` lists all.
const MOST_AT_START: usize = 5;
/// How many of those that are due are looked at.
const LOOKED_AT: usize = 100;
const MOST_AT_EDIT: usize = 2;
const TEXT_TOKENS: usize = 50;

/// Adds the reminders that are due, the longest overdue first. Steps that are due for review are told with the steps.
pub(crate) fn at_start(
    engine: &Engine,
    place: &Place,
    page: &mut Page,
    now: Timestamp,
) -> Result<(), EngineError> {
    let found = engine.store.due(place.visible.projects.as_deref(), now, LOOKED_AT)?;
    let mut told = 0;
    for memory in found.iter().map(|stored| &stored.memory) {
        let id = memory.id.short();
        if memory.kind.is_reviewed() || !may_be_told(memory, now) || !place.is_news(engine, &id)? {
            continue;
        }
        if told == MOST_AT_START || (told == 0 && !page.add("Reminders that are due:")) {
            break;
        }
        told += 1;
        let since = memory.guidance.remind.unwrap_or(now).day();
        if page.add(&format!(
            "- [{id}] {} (since {since}{})",
            short(&text(memory), TEXT_TOKENS),
            from(memory)
        )) {
            page.items.push(id);
        }
    }
    Ok(())
}

/// What waits for one of the files that are about to be edited. `said` is what is said anyway.
pub(crate) fn before_edit(
    engine: &Engine,
    site: &Site<'_>,
    act: &Act,
    said: &[Part],
) -> Result<Option<Words>, EngineError> {
    let budget = engine.config.inject.edit;
    let projects = [site.project, ProjectNum::GLOBAL];
    if budget == 0 || act.command.is_some() || !engine.store.has_triggers(&projects, 'f')? {
        return Ok(None);
    }
    let deed = Deed { files: act.files.clone(), ..Deed::default() };
    let heading = "Reminder for this file:".to_owned();
    let mut room = budget.saturating_sub(estimate_tokens(&brief_frame(&heading)));
    let (mut lines, mut items) = (vec![heading], Vec::new());
    for memory in engine.store.triggered(&projects, &deed)?.iter().map(|found| &found.stored.memory) {
        let id = memory.id.short();
        // With a date as well, it waits for both.
        let waits = memory.guidance.remind.is_some_and(|at| at > site.now) && !memory.kind.is_reviewed();
        let known = said.iter().any(|(words, _)| words.items.contains(&id));
        if waits || known || !may_be_told(memory, site.now) || is_told(engine, site, &id)? {
            continue;
        }
        let line =
            format!("- [{id}] {} ({}{})", short(&text(memory), TEXT_TOKENS), memory.kind, from(memory));
        let cost = estimate_tokens(&line) + 1;
        if cost > room || items.len() == MOST_AT_EDIT {
            break;
        }
        room -= cost;
        lines.push(line);
        items.push(id);
    }
    let why = "reminder for the edited file";
    Ok((!items.is_empty()).then(|| Words { text: brief_frame(&lines.join("\n")), items, why }))
}

fn may_be_told(memory: &Memory, now: Timestamp) -> bool {
    memory.may_remind() && memory.expires.is_none_or(|at| at > now)
}

fn is_told(engine: &Engine, site: &Site<'_>, id: &str) -> Result<bool, EngineError> {
    let Some(session) = site.session else { return Ok(false) };
    Ok(engine.store.was_told(session, id)?)
}

fn text(memory: &Memory) -> String {
    let body = memory.body.split_whitespace().collect::<Vec<_>>().join(" ");
    if body.is_empty() { memory.title.to_string() } else { body }
}

fn from(memory: &Memory) -> String {
    match memory.origin {
        Origin::User => String::new(),
        other => format!(", from {other}"),
    }
}
