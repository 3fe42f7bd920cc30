//! Rules: what the user wants to hold, when it applies, and what Hark does then.
//!
//! `add` and `accept` make rules, `pause`, `resume`, `reject` and `retire` take them out of force, `show` explains one, and
//! `test` says what triggers would have matched. A rule is a memory: `hark edit`, `hark history` and `hark undo` work too.

pub mod accept;
pub mod add;
pub mod change;
pub mod show;
pub mod test;
mod view;

use clap::Args;
use hark_core::{Kind, Status};
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate};

pub use accept::OPERATION as ACCEPT;
pub use add::OPERATION as ADD;
pub use change::{PAUSE, REJECT, RESUME, RETIRE};
pub use show::OPERATION as SHOW;
pub use test::OPERATION as TEST;
pub use view::RuleView;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Also proposed and retired rules
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub rules: Vec<RuleView>,
}

const MOST: usize = 500;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let statuses = if request.all {
        vec![Status::Active, Status::Proposed, Status::Archived]
    } else {
        vec![Status::Active]
    };
    let filter = ListFilter {
        projects: request.scope.resolve(engine, caller)?.projects,
        kinds: vec![Kind::Rule],
        statuses,
        ..ListFilter::default()
    };
    let found =
        engine.store.list(&filter, ListOrder::NewestChange, request.limit.unwrap_or(MOST).min(MOST))?;
    let rules = found.iter().map(|stored| RuleView::new(engine, &stored.memory, now));
    Ok(Response { rules: rules.collect::<Result<_, _>>()? })
}

pub const OPERATION: Operation = Operation {
    name: "rules",
    also: &["rules list"],
    summary: "List your rules, when they apply and how they did",
    help: "A rule has a text, triggers and an action. `tell` tells the assistant at the trigger, or at the start of a session if \
           there is none. `warn` tells it before a matching tool call, and again if it goes ahead. `ask` lets you decide, where \
           the assistant can ask, and `deny` refuses the call with the reason; elsewhere both warn. A rule that refused three \
           times in a session lets go. Only you can make a rule: what assistants and Hark propose waits in `hark inbox`.",
    examples: &[
        ("hark rules", "List the rules of this project and those for every project"),
        ("hark rules add \"Use pnpm, not npm\" --when 'command:npm *' --action deny", "Refuse npm"),
        ("hark rules test --when 'file:migrations/**'", "Show what a trigger would have matched"),
    ],
    group: Group::Learning,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_rules",
        family: Family::Learning,
        description: "The user's rules here: text, triggers, action, and how often each was upheld or broken.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.rules.is_empty() {
            page.note(
                "no rules here; add one with `hark rules add TEXT --when 'command:npm *' --action warn`\n",
            );
            return;
        }
        for rule in &self.rules {
            rule.print(page);
        }
    }
}
