//! A rule as a caller describes it: triggers that can be read, and what to do when they match.

use hark_core::rule::Trigger;
use hark_core::{Action, Clean, Guidance};

use crate::engine::Engine;
use crate::error::EngineError;

/// More triggers or texts than this belong into several rules.
const MOST: usize = 12;

/// The triggers, the action and the signs of the mistake, checked and redacted.
pub(crate) fn guidance(
    engine: &Engine,
    when: &[String],
    action: Option<&str>,
    avoid: &[String],
) -> Result<Guidance, EngineError> {
    let mut triggers: Vec<Clean> = Vec::new();
    let mut tools = false;
    for text in when {
        let trigger: Trigger = text.parse().map_err(|error: hark_core::rule::TriggerError| {
            EngineError::invalid(error.to_string(), EXAMPLES)
        })?;
        tools |= trigger.is_about_tools();
        let clean = engine.clean(&trigger.to_string());
        if !triggers.contains(&clean) {
            triggers.push(clean);
        }
    }
    if triggers.len() > MOST || avoid.len() > MOST {
        return Err(EngineError::invalid(
            format!("a rule has at most {MOST} triggers and as many signs of its mistake"),
            "make several rules of it",
        ));
    }
    let action = match action {
        Some(word) => word.parse::<Action>().map_err(|hint| {
            EngineError::invalid(
                format!("invalid action `{}`", word.chars().take(40).collect::<String>()),
                hint,
            )
        })?,
        None if tools => Action::Warn,
        None => Action::Tell,
    };
    if action > Action::Tell && !tools {
        return Err(EngineError::invalid(
            format!("a rule that can {action} needs a trigger on a tool call"),
            EXAMPLES,
        ));
    }
    let avoid = avoid.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    Ok(Guidance {
        when: triggers,
        action: Some(action),
        avoid: avoid.map(|text| engine.clean(text)).collect(),
        ..Guidance::default()
    })
}

const EXAMPLES: &str = "use --when 'command:npm *', --when 'file:src/**/*.ts', --when 'prompt:release notes' or --when tool:WebFetch";
