//! Rules about what the user asks for, told with the prompt, once in a conversation.

use hark_core::Clean;
use hark_core::rule::{Deed, Trigger};
use hark_store::{RuleEvent, Triggered};

use super::{Scene, tool, words};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::hooks::inject::Words;

const MOST_RULES: usize = 3;

pub(crate) fn with_prompt(
    engine: &mut Engine,
    scene: &Scene,
    prompt: &Clean,
) -> Result<Option<Words>, EngineError> {
    let Some(session) = scene.session else { return Ok(None) };
    let projects = scene.projects();
    if !engine.store.has_triggers(&projects, 'p')? {
        return Ok(None);
    }
    let now = engine.now();
    let mut rules = Vec::new();
    for Triggered { stored, trigger } in engine.store.triggered(&projects, &Deed::prompt(prompt))? {
        let rule = stored.memory;
        let is_about_prompts = matches!(trigger, Trigger::Prompt(_));
        if is_about_prompts
            && tool::is_in_force(&rule, now)
            && !engine.store.was_told(session, &rule.id.short())?
        {
            rules.push(rule);
        }
    }
    rules.truncate(MOST_RULES);
    if rules.is_empty() {
        return Ok(None);
    }
    engine.store.write(now, |writer| {
        for rule in &rules {
            writer.note_rule(&rule.id, session, RuleEvent::Matched, now)?;
            writer.note_rule(&rule.id, session, RuleEvent::Told, now)?;
        }
        Ok::<_, EngineError>(())
    })?;
    let told: Vec<_> = rules.iter().collect();
    Ok(Some(Words {
        text: words::with_prompt(&told),
        items: rules.iter().map(|rule| rule.id.short()).collect(),
        why: "a rule about this request",
    }))
}
