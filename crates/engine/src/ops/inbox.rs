//! Lists, accepts, rejects and rewords proposals that wait for the user.
//!
//! An assistant can only propose directives, and words that would count as the user's. Distilling proposes what the
//! user said and nobody stored. Only the user decides, so other callers may only list them.

use clap::Args;
use hark_core::memory::title_from_body;
use hark_core::{IdRef, Kind, Memory, Origin, Status, Timestamp};
use hark_store::{ListFilter, ListOrder, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EvidenceView;
use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::learning::insights;
use crate::operation::text::words;
use crate::operation::{
    Call, Code, DIM, EVERYWHERE, Effect, Group, ID, Operate, Operation, Page, Reply, Tool, Who, operate,
};
use crate::rules;
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only proposals of this project: name, key or folder
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// The proposals to decide.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct DecideRequest {
    /// Ids of proposals
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct EditRequest {
    /// Id of the proposal
    #[arg(value_name = "ID")]
    pub id: String,
    /// New text
    #[arg(long, value_name = "TEXT")]
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    pub id: String,
    /// The kind of memory it would become.
    #[serde(rename = "type")]
    pub kind: String,
    pub text: String,
    /// Who proposed it, where and why.
    pub evidence: String,
    /// Absent if it would apply to every project.
    pub project: Option<String>,
    pub status: String,
    /// Triggers: when it would apply.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// What it was concluded from, as it happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<EvidenceView>,
}

/// The decisions that can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Accept,
    Reject,
}

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 10_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let everywhere = request.project.is_none();
    let scope = ReadScope { project: request.project.clone(), all_projects: everywhere };
    let filter = ListFilter {
        projects: scope.resolve(engine, caller)?.projects,
        statuses: vec![Status::Proposed],
        ..ListFilter::default()
    };
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let found = engine.store.list(&filter, ListOrder::OldestFirst, limit)?;
    Ok(Response { items: found.iter().map(|stored| item(&stored.memory, now)).collect() })
}

/// How many proposals wait for the user.
pub(crate) fn waiting(engine: &Engine) -> Result<i64, EngineError> {
    let filter = ListFilter { statuses: vec![Status::Proposed], ..ListFilter::default() };
    Ok(engine.store.count(&filter)?)
}

/// The change that a rejected proposal has in its history.
pub(super) const REJECTED: &str = "rejected";

/// An accepted proposal counts as the user's own words. A rejected one is archived, and the same words are not
/// proposed again.
pub fn decide(
    engine: &mut Engine,
    caller: &Caller,
    request: &DecideRequest,
    decision: Decision,
) -> Result<Response, EngineError> {
    let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    only_the_user(caller)?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let items = engine.store.write(now, |writer| {
        let mut items = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = proposal(writer, id)?;
            let mut after = before.clone();
            let word = match decision {
                Decision::Accept => {
                    after.set_status(Status::Active, now);
                    after.origin = Origin::User;
                    after.confidence = after.confidence.max(0.9);
                    rules::accepted(&mut after);
                    "accepted"
                }
                Decision::Reject => {
                    after.set_status(Status::Archived, now);
                    REJECTED
                }
            };
            after.touch(now);
            writer.update(&before, &after, word)?;
            if before.kind == Kind::Insight && after.kind == Kind::Rule {
                insights::take_over(writer, &after, now)?;
            }
            items.push(item(&after, now));
        }
        Ok::<_, EngineError>(items)
    })?;
    engine.store.settle_tool_rules()?;
    Ok(Response { items })
}

/// Rewords a proposal; it stays a proposal.
pub fn edit(engine: &mut Engine, caller: &Caller, request: &EditRequest) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    only_the_user(caller)?;
    if request.text.trim().is_empty() {
        return Err(EngineError::invalid(
            "the new text is empty",
            "pass it with --text, or reject the proposal",
        ));
    }
    let now = engine.now();
    engine.store.refresh(now)?;
    let body = engine.clean(request.text.trim());
    let after = engine.store.write(now, |writer| {
        let before = proposal(writer, &id)?;
        let mut after = Memory { title: title_from_body(&body), body, ..before.clone() };
        // The reason was given for the previous words.
        (after.why, after.learned) = (None, None);
        after.touch(now);
        writer.update(&before, &after, "edited")?;
        Ok::<_, EngineError>(after)
    })?;
    Ok(Response { items: vec![item(&after, now)] })
}

fn only_the_user(caller: &Caller) -> Result<(), EngineError> {
    if caller.is_user() {
        return Ok(());
    }
    Err(EngineError::invalid("only the user may decide on proposals", ASK_USER))
}

fn proposal(writer: &Writer<'_>, id: &IdRef) -> Result<Memory, EngineError> {
    let memory = writer.load(id)?;
    if memory.status == Status::Proposed {
        return Ok(memory);
    }
    Err(EngineError::invalid(
        format!("{} is {}, not a proposal", memory.id, memory.status),
        "`hark inbox` lists the proposals",
    ))
}

fn item(memory: &Memory, now: Timestamp) -> Item {
    // The user's own words, which nobody stored.
    let by = match memory.turn {
        Some(_) => "you said it".to_owned(),
        None if memory.kind == Kind::Insight && !memory.guidance.evidence.is_empty() => rests_on(memory),
        None => format!("proposed by {}", memory.author.as_deref().unwrap_or(memory.origin.name())),
    };
    let session = memory.session.as_deref().map(|id| format!(" in session {id}")).unwrap_or_default();
    let why = memory.why.as_deref().map(|why| format!("; why: {why}")).unwrap_or_default();
    Item {
        id: memory.id.short(),
        kind: memory.kind.to_string(),
        text: memory.body.to_string(),
        evidence: format!("{by}{session}, {}{why}", memory.created.ago(now)),
        project: memory.scope.project().map(ToString::to_string),
        status: memory.status.to_string(),
        when: memory.guidance.when.iter().map(ToString::to_string).collect(),
        rests_on: memory.guidance.evidence.iter().map(|one| EvidenceView::new(one, now)).collect(),
    }
}

/// What an insight was concluded from: the newest quotes.
fn rests_on(memory: &Memory) -> String {
    let quotes = memory.guidance.evidence.iter().rev().take(MOST_QUOTES);
    let quotes: Vec<String> = quotes.map(|one| format!("{} \"{}\"", one.sort, one.text)).collect();
    format!("concluded from {}", quotes.join(", "))
}

/// Quotes of one proposal in the list; `hark insights` has them all.
const MOST_QUOTES: usize = 3;

pub const OPERATION: Operation = Operation {
    name: "inbox",
    also: &["inbox list"],
    summary: "List proposals that wait for your decision",
    help: "",
    examples: &[
        ("hark inbox", "List proposals, oldest first"),
        ("hark inbox accept m-7k3q9x2d", "Accept a proposal as your own words"),
    ],
    group: Group::Change,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("proposals are for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

pub const ACCEPT: Operation = Operation {
    name: "inbox accept",
    also: &[],
    summary: "Accept proposals as your own words",
    help: "An accepted insight becomes a rule: it warns before a matching tool call if it has a trigger for commands, files or tools, and tells the assistant otherwise.",
    examples: &[("hark inbox accept m-7k3q9x2d", "Accept one proposal")],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("proposals are for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Accept>(),
};

pub const REJECT: Operation = Operation {
    name: "inbox reject",
    also: &[],
    summary: "Archive proposals; the same words are not proposed again",
    help: "",
    examples: &[("hark inbox reject m-7k3q9x2d", "Reject one proposal")],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("proposals are for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Reject>(),
};

pub const EDIT: Operation = Operation {
    name: "inbox edit",
    also: &[],
    summary: "Reword a proposal before you accept it",
    help: "",
    examples: &[("hark inbox edit m-7k3q9x2d --text \"Use pnpm in this repository\"", "Reword one proposal")],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("proposals are for the user to decide"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<EditRequest>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Accept {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: DecideRequest,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Reject {
    #[command(flatten)]
    #[serde(flatten)]
    pub request: DecideRequest,
}

impl Operate for Request {
    type Response = Listed;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Listed, EngineError> {
        Ok(Listed(run(engine, call.caller, self)?))
    }
}

impl Operate for Accept {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        decide(engine, call.caller, &self.request, Decision::Accept)
    }
}

impl Operate for Reject {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        decide(engine, call.caller, &self.request, Decision::Reject)
    }
}

operate!(EditRequest => Response, edit);

/// The list, which says what to do next.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Listed(Response);

impl Reply for Listed {
    fn print(&self, page: &mut Page) {
        self.0.print(page);
        if self.0.items.is_empty() {
            page.note("no proposals are waiting\n");
        } else {
            page.note(&format!("{DIM}decide with `hark inbox accept ID` or `hark inbox reject ID`{DIM:#}\n"));
        }
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for item in &self.items {
            page.print(&format!(
                "{ID}{}{ID:#}  {DIM}{} · {} · {}{DIM:#}\n  {}\n  {DIM}{}{DIM:#}\n",
                item.id,
                item.kind,
                item.status,
                words(&page.project(item.project.as_deref())),
                words(&item.text).replace('\n', "\n  "),
                words(&item.evidence),
            ));
        }
    }
}
