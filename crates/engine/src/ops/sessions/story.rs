//! Tells a session as a story: what was asked, done and said, with repetitions folded and each failure told together with
//! the attempts to fix it.

use clap::Args;
use hark_core::budget::truncate_to_tokens;
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::HeldEvent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::one;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Session id, from hark or the assistant
    #[arg(value_name = "SESSION")]
    pub session: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub session: String,
    /// In order.
    pub steps: Vec<Step>,
    /// Events that were left out at the end of a very long session.
    pub more: bool,
}

/// One thing that happened, or several of the same.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    pub id: String,
    pub at: String,
    /// prompt, edit, command, look, reply, or the kind of event
    pub what: String,
    /// The file or command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// How often in a row.
    pub times: u32,
    /// After a failure: what was done until it passed, the passing run last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub until_passed: Vec<Step>,
}

const EVENTS: usize = 5_000;
/// The tokens of one text.
const TEXT: usize = 220;
/// A failure and its fix are this many steps apart at most.
const REACH: usize = 60;

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let stored = one(engine, &request.session)?;
    let mut events = engine.store.events_in_order(stored.num, EVENTS + 1)?;
    let more = events.len() > EVENTS;
    events.truncate(EVENTS);
    let steps = with_fixes(folded(events.iter().map(step).collect()));
    Ok(Response { session: stored.session.id.short(), steps, more })
}

fn step(event: &HeldEvent) -> Step {
    let what = match (event.kind.as_str(), class_of(&event.tool)) {
        ("tool", ToolClass::Edit) => "edit",
        ("tool", ToolClass::Shell) => "command",
        ("tool", ToolClass::Read | ToolClass::Search) => "look",
        ("tool", ToolClass::Other) => "tool",
        (other, _) => other,
    };
    let about = if event.target.is_empty() { &event.tool } else { &event.target };
    Step {
        id: format!("e-{}", event.seq),
        at: event.at.to_string(),
        what: what.to_owned(),
        about: about.clone(),
        text: truncate_to_tokens(&event.body, TEXT),
        ok: event.ok,
        times: 1,
        until_passed: Vec::new(),
    }
}

/// Looks in a row become one step, and so do edits of one file and repeated commands with the same outcome.
fn folded(steps: Vec<Step>) -> Vec<Step> {
    let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        match kept.last_mut() {
            Some(last) if last.what == "look" && step.what == "look" => {
                last.times += 1;
                if !last.about.split(", ").any(|known| known == step.about) && last.about.len() < 200 {
                    last.about = format!("{}, {}", last.about, step.about);
                }
                last.text.clear();
            }
            Some(last) if is_repeat(last, &step) => last.times += 1,
            _ => kept.push(step),
        }
    }
    kept
}

fn is_repeat(last: &Step, step: &Step) -> bool {
    let same = last.what == step.what && last.about == step.about && last.ok == step.ok;
    same && matches!(step.what.as_str(), "edit" | "command") && !step.about.is_empty()
}

/// Puts what happened between a failed command and its next success below the failure, unless the user spoke in between.
fn with_fixes(steps: Vec<Step>) -> Vec<Step> {
    let mut left = steps.into_iter().peekable();
    let mut told = Vec::new();
    while let Some(mut step) = left.next() {
        if step.what == "command" && step.ok == Some(false) {
            let rest: Vec<Step> = left.by_ref().collect();
            let reach = rest.iter().take(REACH).take_while(|next| next.what != "prompt");
            let passed = reach.enumerate().find(|(_, next)| {
                next.what == "command" && next.about == step.about && next.ok == Some(true)
            });
            let cut = passed.map_or(0, |(at, _)| at + 1);
            let mut rest = rest.into_iter();
            step.until_passed = rest.by_ref().take(cut).collect();
            told.push(step);
            left = rest.collect::<Vec<_>>().into_iter().peekable();
            continue;
        }
        told.push(step);
    }
    told
}

pub const OPERATION: Operation = Operation {
    name: "sessions story",
    also: &[],
    summary: "Tell a session as a story",
    help: "Repeated steps are folded, and a failure is told with what was done until it passed.",
    examples: &[("hark sessions story s-4h2k8m1v", "Tell what happened in a session")],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_expand tells the same within a budget"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for step in &self.steps {
            page.print(&line(step, ""));
            for inner in &step.until_passed {
                page.print(&line(inner, "  "));
            }
        }
        if self.steps.is_empty() {
            page.note("the session has no events; see `hark sessions show`\n");
        }
        if self.more {
            page.note("the rest of the session is longer than what is shown; see `hark expand`\n");
        }
    }
}

fn line(step: &Step, indent: &str) -> String {
    const WIDTH: usize = 120;
    let text = if step.about.is_empty() { &step.text } else { &step.about };
    let text: String = words(text).lines().next().unwrap_or_default().chars().take(WIDTH).collect();
    let times = if step.times > 1 { format!(" × {}", step.times) } else { String::new() };
    let failed = if step.ok == Some(false) { " (failed)" } else { "" };
    let time = step.at.get(11..19).unwrap_or(&step.at);
    format!("{DIM}{time}{DIM:#}  {indent}{BOLD}{:<8}{BOLD:#} {text}{times}{failed}\n", step.what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(what: &str, about: &str, ok: Option<bool>) -> Step {
        Step {
            id: String::new(),
            at: String::new(),
            what: what.to_owned(),
            about: about.to_owned(),
            text: String::new(),
            ok,
            times: 1,
            until_passed: Vec::new(),
        }
    }

    #[test]
    fn looks_and_repeated_edits_are_one_step() {
        let told = folded(vec![
            step("look", "a.rs", None),
            step("look", "b.rs", None),
            step("edit", "a.rs", Some(true)),
            step("edit", "a.rs", Some(true)),
            step("edit", "b.rs", Some(true)),
        ]);
        let short: Vec<_> = told.iter().map(|s| (s.about.as_str(), s.times)).collect();
        assert_eq!(short, [("a.rs, b.rs", 2), ("a.rs", 2), ("b.rs", 1)]);
    }

    #[test]
    fn a_failure_holds_what_was_done_until_it_passed() {
        let told = with_fixes(vec![
            step("command", "cargo test", Some(false)),
            step("edit", "a.rs", Some(true)),
            step("command", "cargo test", Some(true)),
            step("command", "git push", Some(false)),
            step("prompt", "", None),
            step("command", "git push", Some(true)),
        ]);
        assert_eq!(told.len(), 4);
        assert_eq!(told[0].until_passed.len(), 2);
        assert!(told[1].until_passed.is_empty(), "the user spoke in between");
    }
}
