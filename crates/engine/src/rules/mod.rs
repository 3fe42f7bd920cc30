//! Rules at work: what a tool call or a prompt triggers, what is said or refused, and what came of it.
//!
//! A rule is a memory of kind `rule` and origin `user`. Telling a model is weak; the tool call is where a rule can bind. A
//! hook looks up the triggers of a call in the index ([`hark_store::Store::triggered`]), says or refuses something, and
//! counts. When the session is over, the worker adds the outcome to the record in the rule's file ([`close`]).
//!
//! Refusing fails open: without a store nothing is refused, and a rule that refused a session several times in a row lets
//! go, because an assistant that cannot go on is worse than a rule that is broken.

pub(crate) mod close;
mod deed;
pub(crate) mod draft;
mod prompt;
mod scene;
mod tool;
pub(crate) mod words;

pub(crate) use prompt::with_prompt;
pub(crate) use scene::Scene;
pub(crate) use tool::{Ruling, after_tool, before_tool};

use hark_core::rule::Trigger;
use hark_core::{Action, Kind, Memory};
use hark_hosts::hook::HookEvent;
use hark_hosts::hook::tools::{ToolClass, ToolUse};
use hark_store::{Layout, Role};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::machine::Machine;

/// Whether a rule may have something to say before this call; looks at no store.
pub(crate) fn may_apply(layout: &Layout, event: &HookEvent, tool: &ToolUse) -> bool {
    let acts = matches!(tool.class, ToolClass::Edit | ToolClass::Shell);
    let is_file = || std::fs::symlink_metadata(layout.tool_rules()).is_ok_and(|meta| meta.is_file());
    !tool.ours && (event.hears() || event.can_refuse()) && (acts || is_file())
}

/// Whether any rule refuses calls or asks about them. Some assistants have a hook for that only then.
pub(crate) fn any_binding(engine: &Engine) -> Result<bool, EngineError> {
    const MOST: usize = 2_000;
    let rules = engine.store.standing(Kind::Rule, None, MOST)?;
    let binds = |rule: &Memory| rule.guidance.action.is_some_and(Action::binds) && !rule.guidance.paused;
    Ok(rules.iter().any(|stored| binds(&stored.memory) && stored.memory.origin.may_become(Kind::Rule)))
}

/// The same for a machine whose store may not exist yet. Opened as a hook does, which neither makes nor migrates one: a dry
/// run changes nothing.
pub(crate) fn any_binding_here(machine: &Machine) -> bool {
    let (Ok(home), Ok(config)) = (machine.home(), machine.config()) else { return false };
    let exists = Layout::new(&home.path).database().exists();
    let open = || Engine::open_as(home, config, machine.clock, Role::Hook);
    exists && open().is_ok_and(|engine| any_binding(&engine).unwrap_or(false))
}

/// An accepted insight is a rule from now on. It tells or warns: what refuses or asks is for the user to set.
pub(crate) fn accepted(memory: &mut Memory) {
    if !matches!(memory.kind, Kind::Insight | Kind::Rule) {
        return;
    }
    memory.kind = Kind::Rule;
    let triggers = memory.guidance.when.iter().filter_map(|text| text.parse::<Trigger>().ok());
    let about_tools = triggers.into_iter().any(|trigger| trigger.is_about_tools());
    let usual = if about_tools { Action::Warn } else { Action::Tell };
    memory.guidance.action = Some(memory.guidance.action.filter(|action| !action.binds()).unwrap_or(usual));
}

/// The ledger's name for everything that rules say.
pub(crate) const SURFACE: &str = "rule";
