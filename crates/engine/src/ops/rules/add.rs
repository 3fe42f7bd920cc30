//! Adds a rule.

use clap::Args;
use hark_core::memory::{Importance, title_from_body};
use hark_core::{Action, Guidance, Kind, Memory, MemoryId, Origin, Status, Timestamp};
use hark_hosts::Owner;
use hark_store::Writer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::remember::{self, clean_optional};
use super::super::scope::WriteScope;
use super::RuleView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{
    Call, Code, EVERYWHERE, Effect, Family, Group, Operate, Operation, Page, Reply, Tool, WARN, Who,
};
use crate::rules::draft;
use crate::voice::Voice;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// The rule, in a sentence that stands alone
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// When it applies: `command:npm *`, `file:*.ts`, `prompt:release notes`, `tool:WebFetch`
    #[arg(long = "when", value_name = "TRIGGER")]
    #[serde(default)]
    pub when: Vec<String>,
    /// What to do then: tell, warn, ask or deny
    #[arg(long, value_name = "ACTION")]
    pub action: Option<String>,
    /// What the mistake looks like in a command or an edit, such as `npm` or `unwrap()`
    #[arg(long = "avoid", value_name = "TEXT")]
    #[serde(default)]
    pub avoid: Vec<String>,
    /// The reason behind it
    #[arg(long, value_name = "W")]
    pub why: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub id: String,
    /// Not in force until the user accepts it.
    pub proposed: bool,
    /// It was known already; its triggers and action are those of this call now.
    pub known: bool,
    /// An assistant obeys it only after another `hark install`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<String>,
    pub rule: RuleView,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let text = request.text.trim();
    if text.is_empty() {
        return Err(EngineError::invalid(
            "the text is empty",
            "pass the rule: hark rules add \"Use pnpm, not npm\"",
        ));
    }
    let now = engine.now();
    engine.store.refresh(now)?;
    let guidance = draft::guidance(engine, &request.when, request.action.as_deref(), &request.avoid)?;
    let scope = request.scope.resolve(engine, caller)?;
    let body = engine.clean(text);
    let voice = Voice::of(engine, caller, None, Kind::Rule, &body)?;
    // An assistant can pass on the user's words, but not decide when they bind.
    let is_user = caller.is_user();
    let status = if is_user { voice.status } else { Status::Proposed };
    let origin = if is_user { voice.origin } else { caller.origin.unwrap_or(Origin::Assistant) };
    let memory = Memory {
        status,
        scope,
        title: title_from_body(&body),
        why: clean_optional(engine, request.why.as_deref()),
        importance: Importance::clamped(5),
        confidence: crate::rules::close::INITIAL,
        author: clean_optional(engine, caller.author.as_deref()),
        session: clean_optional(engine, caller.session.as_deref()),
        closed: (status != Status::Active).then_some(now),
        guidance: guidance.clone(),
        ..Memory::new(MemoryId::new(now, Engine::random()?), Kind::Rule, origin, body, now)
    };
    let kept = engine.store.write(now, |writer| {
        let kept = remember::store(writer, memory, None, voice.speaker, now)?;
        if !kept.confirmed || !is_user {
            return Ok::<_, EngineError>((kept.memory, kept.confirmed));
        }
        Ok((set_guidance(writer, &kept.memory, guidance, now)?, true))
    })?;
    engine.store.settle_tool_rules()?;
    let (memory, known) = kept;
    Ok(Response {
        id: memory.id.short(),
        proposed: memory.status == Status::Proposed,
        known,
        install: install_again(engine, &memory),
        rule: RuleView::new(engine, &memory, now)?,
    })
}

/// An assistant that has a hook for such rules only while there is one, and was set up before.
fn install_again(engine: &Engine, rule: &Memory) -> Option<String> {
    const HOST: &str = "gemini-cli";
    let binds = rule.status == Status::Active && rule.guidance.action.is_some_and(Action::binds);
    let manifest = binds.then(|| hark_hosts::look(engine.store.layout().home()).ok()).flatten()?;
    let setup = manifest.setup(&Owner { host: HOST.to_owned(), project: None })?;
    (!setup.binding_rules).then(|| HOST.to_owned())
}

/// A rule that is stated again gets the triggers and the action of the new statement; its record stays.
fn set_guidance(
    writer: &mut Writer<'_>,
    known: &Memory,
    guidance: Guidance,
    now: Timestamp,
) -> Result<Memory, EngineError> {
    let mut after = known.clone();
    after.guidance =
        Guidance { evidence: known.guidance.evidence.clone(), record: known.guidance.record, ..guidance };
    if after.guidance != known.guidance {
        after.touch(now);
        writer.update(known, &after, "edited")?;
    }
    Ok(after)
}

pub const OPERATION: Operation = Operation {
    name: "rules add",
    also: &[],
    summary: "Add a rule, and say when it applies and what to do then",
    help: "Without a trigger, the rule is told at the start of each session. With a trigger on tool calls, the default action is \
           `warn`. A pattern of a command is compared with each simple command of a shell line, by whole words.",
    examples: &[
        (
            "hark rules add \"Use pnpm, not npm\" --when 'command:npm *' --action deny",
            "Refuse npm in this project",
        ),
        (
            "hark rules add \"Handlers stay thin\" --when 'file:src/handlers/**' --global",
            "Warn before edits of handlers in every project",
        ),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_rule_add",
        family: Family::Learning,
        description: "Propose a rule with triggers. It takes effect when the user accepts it.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        self.rule.print(page);
        if self.known {
            page.note("already known; its triggers and action are up to date\n");
        }
        if self.proposed {
            page.note(&format!(
                "{WARN}proposed:{WARN:#} it takes effect when you accept it with `hark inbox`\n"
            ));
        }
        if let Some(host) = &self.install {
            page.note(&format!(
                "run `hark install {host}` once more: it needs a hook for rules that refuse or ask\n"
            ));
        }
    }
}
