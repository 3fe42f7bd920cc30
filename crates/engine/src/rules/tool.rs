//! Before and after a tool call: which rules it triggers, and what they do.

use std::path::Path;

use hark_core::rule::Trigger;
use hark_core::{Action, Kind, Memory, Timestamp};
use hark_hosts::hook::tools::{ToolClass, ToolUse};
use hark_hosts::hook::{HookEvent, Say};
use hark_store::{Injection, RuleCase, RuleEvent, Triggered};

use super::deed::Call;
use super::{SURFACE, Scene, words};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::capture;
use crate::hooks::inject::Words;
use hark_core::budget::estimate_tokens;

/// A rule that refused so often in a session lets go: an agent that cannot go on, for whatever reason, must be able to.
const MOST_REFUSALS: u32 = 3;
/// A user who allowed it so often in a session is not asked again.
const MOST_QUESTIONS: u32 = 3;
/// A model that does not listen is not told more often.
const MOST_TOLD: u32 = 3;
/// More rules at one call would be a document.
const MOST_RULES: usize = 3;

/// What the rules say to a call.
pub(crate) enum Ruling {
    Nothing,
    /// Something to tell besides what else there is to say.
    Tell(Words),
    /// The call is refused, or the user is asked; this is in the ledger already.
    Stop(Say),
}

/// A rule, and what it has come to in this session.
struct Match {
    rule: Memory,
    case: Option<RuleCase>,
    /// The call itself is the mistake. Of other calls it is only known that the rule is about them.
    is_mistake: bool,
}

impl Match {
    fn action(&self) -> Action {
        self.rule.guidance.action.unwrap_or(Action::Warn)
    }

    fn count(&self, of: fn(&RuleCase) -> u32) -> u32 {
        self.case.as_ref().map_or(0, of)
    }

    fn is_silent(&self) -> bool {
        self.case.as_ref().is_some_and(|case| case.silent)
    }

    /// The mistake, by a model that was told before, or by one that would have been told before if it had not been drawn to
    /// hear nothing. Otherwise the first match would count on one side of the proof and not on the other.
    fn is_repeat(&self) -> bool {
        let was_told = self.count(|case| case.told) > 0;
        self.is_mistake && (was_told || (self.is_silent() && self.count(|case| case.matched) > 0))
    }
}

/// Rules before a call. `scene` is the session as the store knows it; a call that matches makes the session known.
pub(crate) fn before_tool(
    engine: &mut Engine,
    event: &HookEvent,
    tool: &ToolUse,
    scene: &Scene,
    root: Option<&Path>,
) -> Result<Ruling, EngineError> {
    let Some((call, mut found)) = matches(engine, event, tool, scene, root)? else {
        return Ok(Ruling::Nothing);
    };
    let Some(session) = known_session(engine, event, tool, scene)? else { return Ok(Ruling::Nothing) };
    let now = engine.now();
    draw(engine, &mut found, session, now)?;
    if let Some(stop) = stop(event, &found) {
        return refuse(engine, event, session, &found[stop.at], &call, &stop, now).map(Ruling::Stop);
    }
    let hears = event.hears();
    let mut told: Vec<usize> = Vec::new();
    engine.store.write(now, |writer| {
        for (at, one) in found.iter().enumerate() {
            let rule = &one.rule.id;
            writer.note_rule(rule, session, RuleEvent::Matched, now)?;
            writer.set_rule_call(rule, session, &call.key)?;
            // The mistake is about to be made again.
            if one.is_repeat() {
                writer.note_rule(rule, session, RuleEvent::Broken, now)?;
            }
            if hears && may_tell(one) {
                writer.note_rule(rule, session, RuleEvent::Told, now)?;
                told.push(at);
            }
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(tell(&found, &told, true))
}

/// Rules after a call: the whole of it where the client reports nothing before, and whether the user let it happen.
pub(crate) fn after_tool(
    engine: &mut Engine,
    event: &HookEvent,
    (tool, ok): (&ToolUse, Option<bool>),
    scene: &Scene,
    root: Option<&Path>,
) -> Result<Option<Words>, EngineError> {
    let Some(session) = scene.session else { return Ok(None) };
    let Some((call, mut found)) = matches(engine, event, tool, scene, root)? else { return Ok(None) };
    let now = engine.now();
    draw(engine, &mut found, session, now)?;
    let (hears, mut told) = (event.hears(), Vec::new());
    engine.store.write(now, |writer| {
        for (at, one) in found.iter().enumerate() {
            let rule = &one.rule.id;
            if one.case.as_ref().is_some_and(|case| case.call == call.key) {
                // It was seen before it ran.
                writer.set_rule_call(rule, session, "")?;
                let was_asked = one.action() == Action::Ask && one.count(|c| c.asked) > 0;
                if was_asked && ok != Some(false) {
                    writer.note_rule(rule, session, RuleEvent::Overruled, now)?;
                }
                continue;
            }
            writer.note_rule(rule, session, RuleEvent::Matched, now)?;
            if one.is_repeat() {
                writer.note_rule(rule, session, RuleEvent::Broken, now)?;
            }
            if hears && may_tell(one) {
                writer.note_rule(rule, session, RuleEvent::Told, now)?;
                told.push(at);
            }
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(match tell(&found, &told, false) {
        Ruling::Tell(words) => Some(words),
        Ruling::Nothing | Ruling::Stop(_) => None,
    })
}

/// Rules that a call triggers, the strictest first; `None` without any. Most projects have no rule about a tool, and then
/// the call is not even read.
fn matches(
    engine: &Engine,
    event: &HookEvent,
    tool: &ToolUse,
    scene: &Scene,
    root: Option<&Path>,
) -> Result<Option<(Call, Vec<Match>)>, EngineError> {
    let projects = scene.projects();
    let sorts: &[char] = match tool.class {
        ToolClass::Shell => &['c', 'f', 't'],
        ToolClass::Edit => &['f', 't'],
        ToolClass::Read | ToolClass::Search | ToolClass::Other => &['t'],
    };
    let mut may_match = false;
    for sort in sorts {
        may_match = may_match || engine.store.has_triggers(&projects, *sort)?;
    }
    if tool.ours || !may_match {
        return Ok(None);
    }
    let call = Call::of(tool, event.once.as_deref(), &engine.redactor(), root);
    let now = engine.now();
    let mut found = Vec::new();
    for Triggered { stored, trigger } in engine.store.triggered(&projects, &call.deed)? {
        let rule = stored.memory;
        if !is_in_force(&rule, now) || !trigger.is_about_tools() {
            continue;
        }
        let case = match scene.session {
            Some(session) => engine.store.rule_case(&rule.id, session)?,
            None => None,
        };
        let avoid = &rule.guidance.avoid;
        // A rule about commands or tools names what not to run; one about files says where it applies.
        let is_mistake = match &trigger {
            _ if !avoid.is_empty() => call.contains_any(avoid.iter().map(|text| text.as_str())),
            Trigger::Command(_) | Trigger::Tool(_) => true,
            Trigger::File(_) | Trigger::Prompt(_) => false,
        };
        found.push(Match { rule, case, is_mistake });
    }
    found.truncate(MOST_RULES);
    Ok((!found.is_empty()).then_some((call, found)))
}

/// Only rules and directives of the user bind; other memories have triggers for other purposes.
pub(super) fn is_in_force(rule: &Memory, now: Timestamp) -> bool {
    rule.kind.steers()
        && rule.kind != Kind::Directive
        && rule.origin.may_become(rule.kind)
        && rule.expires.is_none_or(|at| at > now)
        && !rule.life.is_wrong()
}

/// Decides which rules stay silent in this session, for the proof of help.
fn draw(engine: &mut Engine, found: &mut [Match], session: i64, now: Timestamp) -> Result<(), EngineError> {
    let share = engine.config.proof.silent;
    if share <= 0.0 {
        return Ok(());
    }
    let Some(id) = engine.store.full_session_id(session)? else { return Ok(()) };
    let key = engine.key()?;
    for one in found.iter_mut().filter(|one| one.case.is_none() && !one.action().binds()) {
        if !hark_core::proof::is_silent(&one.rule.id, &id, &key, share) {
            continue;
        }
        let rule = one.rule.id;
        engine.store.write(now, |writer| writer.note_rule(&rule, session, RuleEvent::Silenced, now))?;
        one.case = engine.store.rule_case(&rule, session)?;
    }
    Ok(())
}

/// Whether to tell the model of it now: once, and again when it makes the mistake that a rule warns of.
fn may_tell(one: &Match) -> bool {
    let told = one.count(|case| case.told);
    !one.is_silent() && (told == 0 || (one.is_mistake && one.action() >= Action::Warn && told < MOST_TOLD))
}

fn tell(found: &[Match], told: &[usize], before: bool) -> Ruling {
    let rules: Vec<&Memory> = told.iter().map(|at| &found[*at].rule).collect();
    if rules.is_empty() {
        return Ruling::Nothing;
    }
    Ruling::Tell(Words {
        text: words::told(&rules, before),
        items: rules.iter().map(|rule| rule.id.short()).collect(),
        why: "a rule about this call",
    })
}

/// A match that stops the call.
struct Stop {
    at: usize,
    action: Action,
}

/// The first rule that refuses the call or asks about it. One that has an `avoid` does so only for the mistake.
fn stop(event: &HookEvent, found: &[Match]) -> Option<Stop> {
    found.iter().enumerate().find_map(|(at, one)| {
        let applies = one.is_mistake || one.rule.guidance.avoid.is_empty();
        let action = one.action();
        let stops = match action {
            Action::Deny => event.can_refuse() && one.count(|case| case.denied) < MOST_REFUSALS,
            Action::Ask => event.can_ask() && one.count(|case| case.asked) < MOST_QUESTIONS,
            Action::Tell | Action::Warn => false,
        };
        (applies && stops).then_some(Stop { at, action })
    })
}

fn refuse(
    engine: &mut Engine,
    event: &HookEvent,
    session: i64,
    one: &Match,
    call: &Call,
    stop: &Stop,
    now: Timestamp,
) -> Result<Say, EngineError> {
    let (text, noted, why) = match stop.action {
        Action::Ask => (words::question(&one.rule), RuleEvent::Asked, "the user is asked about this call"),
        _ => (words::refused(&one.rule), RuleEvent::Denied, "a rule refuses this call"),
    };
    let items = vec![one.rule.id.short()];
    engine.store.write(now, |writer| {
        writer.note_rule(&one.rule.id, session, RuleEvent::Matched, now)?;
        writer.note_rule(&one.rule.id, session, noted, now)?;
        // The reason of a refusal is read by the model, a question by the user.
        if noted == RuleEvent::Denied {
            writer.note_rule(&one.rule.id, session, RuleEvent::Told, now)?;
        }
        writer.set_rule_call(&one.rule.id, session, &call.key)?;
        writer.record_injection(&Injection {
            host: event.client,
            session,
            surface: SURFACE,
            items: &items,
            told: true,
            bytes: text.len(),
            tokens: estimate_tokens(&text),
            why,
        })
    })?;
    Ok(if stop.action == Action::Ask { Say::Ask(text) } else { Say::Deny(text) })
}

/// The session of a call; its first sign of life makes it known.
fn known_session(
    engine: &mut Engine,
    event: &HookEvent,
    tool: &ToolUse,
    scene: &Scene,
) -> Result<Option<i64>, EngineError> {
    if scene.session.is_some() {
        return Ok(scene.session);
    }
    let arrival = capture::before(&engine.redactor(), event, tool, engine.now());
    let filed = arrival.map(|arrival| capture::file(engine, &arrival)).transpose()?.flatten();
    Ok(filed.map(|filed| filed.num))
}
