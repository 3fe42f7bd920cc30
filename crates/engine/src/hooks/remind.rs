//! Reminders to save a checkpoint, and the gate that insists on one.
//!
//! By default hark judges when a checkpoint is worth its words: after edits that no checkpoint covers, and never
//! more than twice in a session. A number in `checkpoint.every` counts tool calls instead.

use std::path::Path;

use hark_core::budget::estimate_tokens;
use hark_hosts::hook::tools::{ToolClass, ToolUse, class_of};
use hark_hosts::hook::{HookEvent, Say};
use hark_store::Injection;

use crate::config::{CheckpointConfig, CheckpointPolicy};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::inject::Words;

/// The gate opens after this many refusals in a row: an agent that cannot make a checkpoint, for whatever
/// reason, must be able to continue.
const MOST_REFUSALS: u32 = 6;
/// The gate needs a number, even if nobody set one.
const GATE_EVERY: u32 = 5;
/// This many edits are work that the next session wants to know about …
const MANY_EDITS: u32 = 25;
/// … fewer suffice if a turn ended while a check failed …
const UNFINISHED_EDITS: u32 = 10;
/// … or if the conversation is so long that the client will soon compact it.
const LONG_CALLS: u32 = 120;
const LONG_EDITS: u32 = 5;
/// Ignored twice, a reminder is noise. The second one comes after twice as much work.
const MOST_REMINDERS: u32 = 2;

/// After how many tool calls the policy applies; `None` if hark judges.
fn every(config: &CheckpointConfig) -> Option<u32> {
    match (config.every, config.policy) {
        (0, CheckpointPolicy::Gate) => Some(GATE_EVERY),
        (0, _) => None,
        (every, _) => Some(every),
    }
}

/// A reminder after a tool call, if one is due. `unreported` counts the calls since the last checkpoint.
pub(crate) fn after_tool(
    engine: &mut Engine,
    session: i64,
    tool: &ToolUse,
    unreported: u32,
) -> Result<Option<Words>, EngineError> {
    let config = &engine.config.checkpoint;
    if config.policy == CheckpointPolicy::Off || unreported == 0 {
        return Ok(None);
    }
    let (count, what) = match every(config) {
        Some(every) if unreported.is_multiple_of(every) => (unreported, "tool calls"),
        Some(_) => return Ok(None),
        None => match edits_to_report(engine, session, tool, unreported)? {
            Some(edits) => (edits, "edits"),
            None => return Ok(None),
        },
    };
    let id = engine.store.session_id(session)?;
    let text = format!(
        "hark: {count} {what} since the last checkpoint. At the next good moment call memory_checkpoint (session {id}) \
         with goal, done, pending and decisions."
    );
    Ok(Some(Words { text, items: Vec::new(), why: "checkpoint due" }))
}

/// The edits that no checkpoint covers, if they are worth one now.
fn edits_to_report(
    engine: &Engine,
    session: i64,
    tool: &ToolUse,
    unreported: u32,
) -> Result<Option<u32>, EngineError> {
    // Only an edit adds to what a checkpoint could say; most calls end here, without a query.
    if tool.class != ToolClass::Edit || tool.ours || unreported < UNFINISHED_EDITS {
        return Ok(None);
    }
    let (reminders, last) = engine.store.reminders(session)?;
    if reminders >= MOST_REMINDERS {
        return Ok(None);
    }
    let reported = engine.store.last_report(session)?;
    let times = if reminders == 0 { 1 } else { 2 };
    let edits = edits_since(engine, session, reported.max(last))?;
    let is_due = edits >= MANY_EDITS * times
        || (unreported >= LONG_CALLS * times && edits >= LONG_EDITS)
        || (edits >= UNFINISHED_EDITS * times && engine.store.stopped_with_failures(session, reported)?);
    if !is_due {
        return Ok(None);
    }
    // What to report is everything since the checkpoint, whenever the last reminder was.
    if last > reported { edits_since(engine, session, reported).map(Some) } else { Ok(Some(edits)) }
}

fn edits_since(
    engine: &Engine,
    session: i64,
    since: Option<hark_core::Timestamp>,
) -> Result<u32, EngineError> {
    let calls = engine.store.calls_since(session, since)?;
    let edits = calls.iter().filter(|(tool, _)| class_of(tool) == ToolClass::Edit);
    Ok(edits.map(|(_, count)| count).sum())
}

/// Whether a command makes a checkpoint with this program, and nothing else.
fn only_checkpoints(tool: &ToolUse) -> bool {
    let same = |path: &str| {
        let real = |path: &Path| path.canonicalize().ok();
        std::env::current_exe().is_ok_and(|own| real(&own).is_some() && real(&own) == real(Path::new(path)))
    };
    tool.checkpoints_with.as_deref().is_some_and(|program| program == "hark" || same(program))
}

/// The gate: a tool's name decides, not its input. The exception is a command that only makes a checkpoint.
pub(crate) fn refusal(
    engine: &mut Engine,
    event: &HookEvent,
    tool: &ToolUse,
) -> Result<Option<Say>, EngineError> {
    let exempt = tool.ours || tool.class == ToolClass::Search || only_checkpoints(tool);
    if engine.config.checkpoint.policy != CheckpointPolicy::Gate || exempt || !event.can_deny() {
        return Ok(None);
    }
    let Some(host_session) = &event.session else { return Ok(None) };
    let host_session = engine.clean(host_session);
    let Some(num) = engine.store.knows_session(event.client, &host_session)? else {
        return Ok(None);
    };
    let (unreported, denied) = engine.store.unreported(num)?;
    let every = every(&engine.config.checkpoint).unwrap_or(GATE_EVERY);
    if unreported < every || denied >= MOST_REFUSALS {
        return Ok(None);
    }
    let id = engine.store.session_id(num)?;
    let text = format!(
        "hark: {unreported} tool calls since the last checkpoint. Call memory_checkpoint (session {id}) with goal, done, \
         pending and decisions first, then go on. Without that tool, run `hark checkpoint --session {id} --goal … \
         --done … --pending …` as a command of its own."
    );
    let injection = Injection {
        host: event.client,
        session: num,
        surface: "gate",
        items: &[],
        told: true,
        bytes: text.len(),
        tokens: estimate_tokens(&text),
        why: "checkpoint overdue",
    };
    let now = engine.now();
    engine.store.write(now, |writer| {
        writer.record_injection(&injection)?;
        writer.refused(num)?;
        Ok::<_, EngineError>(())
    })?;
    Ok(Some(Say::Deny(text)))
}
