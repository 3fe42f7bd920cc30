//! Asks an assistant to store what its user just said, if that may be lasting.
//!
//! [`hark_core::distil::heard`] catches more than is lasting. The assistant reads the same prompt and knows what it is
//! about, so one line asks it to judge. What it does not store waits in the inbox once the session is over
//! ([`crate::distil`]).

use std::path::Path;

use hark_core::Clean;
use hark_core::distil::{self, Heard};
use hark_core::event::EventKind;
use hark_core::time::DAY_MS;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::boot::Place;
use crate::hooks::inject::Words;
use crate::hooks::page::{Page, short};
use crate::operation::text::count;
use crate::ops::inbox;

/// The surface of the ledger.
pub(crate) const ASK: &str = "ask";
/// Tokens of the statement in the line.
const QUOTE: usize = 17;
/// A session may be asked this often at once; after that, with one prompt in [`EVERY`] at most.
const AT_ONCE: i64 = 2;
const EVERY: i64 = 5;

/// The line that asks to store what a prompt says, once for each statement.
pub(crate) fn ask(
    engine: &mut Engine,
    session: i64,
    folder: Option<&Path>,
    prompt: &Clean,
) -> Result<Option<Words>, EngineError> {
    if !engine.config.distil.enabled || !engine.config.distil.ask {
        return Ok(None);
    }
    // Nothing is distilled outside a project.
    if folder.and_then(|folder| engine.project_of(folder)).is_none() {
        return Ok(None);
    }
    let reply = engine.store.events(session, &[EventKind::Reply], 1)?;
    let reply = reply.last().map(|event| event.body.as_str());
    for statement in distil::heard(prompt, reply).into_iter().filter(Heard::is_worth_asking) {
        let item = item_of(&statement);
        if engine.store.was_told(session, &item)? {
            continue;
        }
        if !has_room(engine, session)? {
            return Ok(None);
        }
        let said = short(&statement.text.replace('"', "'"), QUOTE);
        let text = format!("hark: if this holds beyond this task, store it with memory_remember: \"{said}\"");
        return Ok(Some(Words { text, items: vec![item], why: "may be lasting" }));
    }
    Ok(None)
}

/// A conversation about design consists of statements; asking about each would be in the way.
fn has_room(engine: &Engine, session: i64) -> Result<bool, EngineError> {
    let asked = engine.store.told_of(session, &format!("{ASK}-"))?;
    Ok(asked < AT_ONCE + engine.store.prompts_of(session)? / EVERY)
}

/// Identifies a statement in the list of what a session was told.
fn item_of(statement: &Heard) -> String {
    let hash = blake3::hash(statement.text.to_lowercase().as_bytes()).to_hex();
    format!("{ASK}-{}", &hash[..12])
}

/// One line of the start context about proposals that wait for the user: once a week in each project, and once a month
/// if there is nothing else to say.
pub(crate) fn add_waiting(engine: &Engine, place: &Place, page: &mut Page) -> Result<(), EngineError> {
    let waiting = inbox::waiting(engine)?;
    if waiting == 0 {
        return Ok(());
    }
    let quiet = if page.lines.is_empty() { 30 } else { 7 };
    let since = engine.now().minus_millis(quiet * DAY_MS);
    for project in place.here(engine)? {
        if engine.store.was_told_since(project, WAITING, since)? {
            return Ok(());
        }
    }
    let wait = count(waiting, "proposal waits", "proposals wait");
    if page.add(&format!("{wait} for the user in `hark inbox`.")) {
        page.items.push(WAITING.to_owned());
    }
    Ok(())
}

/// Identifies the line about the inbox in the list of what a session was told.
const WAITING: &str = "inbox";
