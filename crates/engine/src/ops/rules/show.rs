//! One rule: when it applies, what it rests on, and how it did, session by session.

use clap::Args;
use hark_core::{IdRef, Kind};
use hark_store::RuleCase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RuleView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{Code, DIM, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of a rule
    #[arg(value_name = "ID")]
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub rule: RuleView,
    /// Newest first.
    pub sessions: Vec<SessionCase>,
}

/// What the rule came to in one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionCase {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub at: String,
    pub age: String,
    /// open, upheld, broken, overruled, silent, or quiet if it was told and nothing matched.
    pub outcome: String,
    pub matched: u32,
    pub told: u32,
    pub denied: u32,
    pub asked: u32,
    pub broken: u32,
    pub overruled: u32,
}

const MOST: usize = 50;

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let rule = engine.store.find(&request.id.parse::<IdRef>()?)?.memory;
    if !matches!(rule.kind, Kind::Rule | Kind::Insight) {
        return Err(EngineError::invalid(
            format!("{} is a {}, not a rule", rule.id, rule.kind),
            "`hark rules --all` lists rules; `hark show` shows any memory",
        ));
    }
    let cases = engine.store.rule_cases(&rule.id)?;
    let sessions = cases.iter().rev().take(MOST).map(|case| SessionCase {
        session: engine.store.session_id(case.session).ok().filter(|id| id.len() > 2),
        at: case.at.to_string(),
        age: case.at.age(now),
        outcome: outcome(case).to_owned(),
        matched: case.matched,
        told: case.told,
        denied: case.denied,
        asked: case.asked,
        broken: case.broken,
        overruled: case.overruled,
    });
    let sessions = sessions.collect();
    Ok(Response { rule: RuleView::new(engine, &rule, now)?, sessions })
}

fn outcome(case: &RuleCase) -> &'static str {
    match () {
        () if case.silent => "silent",
        () if case.overruled > 0 => "overruled",
        () if case.broken > 0 => "broken",
        () if !case.closed => "open",
        () if case.matched == 0 => "quiet",
        () => "upheld",
    }
}

pub const OPERATION: Operation = Operation {
    name: "rules show",
    also: &[],
    summary: "Show what a rule rests on, and how it did in each session",
    help: "",
    examples: &[("hark rules show m-7k3q9x2d", "Show one rule with its sessions")],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_rules lists rules with their record, and memory_get shows one"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        self.rule.print(page);
        let mut text = String::new();
        if let Some(why) = &self.rule.why {
            text.push_str(&format!("  {DIM}why{DIM:#}     {}\n", words(why)));
        }
        if !self.rule.rests_on.is_empty() {
            text.push_str("\nRests on:\n");
        }
        for one in &self.rule.rests_on {
            text.push_str(&format!("  {} {DIM}{}{DIM:#} {}\n", one.sort, one.age, words(&one.text)));
        }
        if !self.sessions.is_empty() {
            text.push_str("\nSessions:\n");
        }
        for case in &self.sessions {
            let session = case.session.as_deref().unwrap_or("a session that is gone");
            text.push_str(&format!(
                "  {:<10} {DIM}{}, {}: matched {}, told {}, refused {}, asked {}{DIM:#}\n",
                case.outcome, session, case.age, case.matched, case.told, case.denied, case.asked
            ));
        }
        page.print(&text);
    }
}
