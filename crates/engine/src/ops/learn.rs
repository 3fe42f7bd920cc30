//! Stores what was learned from a mistake, as a lesson and as evidence for insights.

use clap::Args;
use hark_core::IdRef;
use hark_core::Kind;
use hark_core::guidance::{Evidence, Sort};
use hark_core::learning::{Context, Detail, corrections};
use hark_core::memory::one_line;
use hark_store::ProjectNum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember;
use super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::learning::insights;
use crate::operation::text::words;
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};
use crate::sessions;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// What went wrong, or what to do instead, in a full sentence
    #[arg(value_name = "TEXT")]
    pub text: String,
    /// What kind of mistake it was, such as `docker` or `wrong_assumption`
    #[arg(long, value_name = "C")]
    pub category: Option<String>,
    /// What fixed it
    #[arg(long, value_name = "F")]
    pub fix: Option<String>,
    /// Where and when it happened
    #[arg(long, value_name = "C")]
    pub context: Option<String>,
    /// Files it is about
    #[arg(long = "file", value_name = "F")]
    #[serde(default)]
    pub files: Vec<String>,
    /// low, medium, high or critical
    #[arg(long, value_name = "S")]
    pub severity: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The lesson.
    pub id: String,
    pub title: String,
    /// If the lesson was known already, how often it was confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<u32>,
    /// Insights that were proposed because of it, or that it was added to. They wait for the user.
    pub insights: Vec<Waiting>,
}

/// An insight that waits for the user.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Waiting {
    pub id: String,
    pub text: String,
    /// It is new.
    pub proposed: bool,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let importance = importance(request.severity.as_deref())?;
    let stored = remember::run(
        engine,
        caller,
        remember::Request {
            text: request.text.clone(),
            kind: Some(Kind::Lesson),
            why: request.context.clone(),
            learned: request.fix.clone(),
            tags: request.category.iter().cloned().collect(),
            files: request.files.clone(),
            importance,
            scope: request.scope.clone(),
            ..remember::Request::default()
        },
    )?;
    note(engine, caller, &stored.id, request)?;
    let made = insights::run(engine)?;
    let mut waiting: Vec<Waiting> = Vec::new();
    for memory in &made.proposed {
        waiting.push(Waiting { id: memory.id.short(), text: memory.body.to_string(), proposed: true });
    }
    for id in &made.extended {
        let memory = engine.store.find(&IdRef::Full(*id))?.memory;
        waiting.push(Waiting { id: id.short(), text: memory.body.to_string(), proposed: false });
    }
    Ok(Response { id: stored.id, title: stored.title, confirmed: stored.confirmed, insights: waiting })
}

fn importance(severity: Option<&str>) -> Result<Option<u8>, EngineError> {
    match severity.map(str::to_lowercase).as_deref() {
        None => Ok(None),
        Some("low") => Ok(Some(2)),
        Some("medium") => Ok(Some(3)),
        Some("high") => Ok(Some(4)),
        Some("critical") => Ok(Some(5)),
        Some(other) => Err(EngineError::invalid(
            format!("unknown severity `{}`", engine_safe(other)),
            "use low, medium, high or critical",
        )),
    }
}

fn engine_safe(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// Keeps it as evidence of the caller's session. Only what the user typed counts as the user's.
fn note(engine: &mut Engine, caller: &Caller, lesson: &str, request: &Request) -> Result<(), EngineError> {
    let memory = engine.store.find(&lesson.parse::<IdRef>()?)?.memory;
    let session = sessions::of_caller(engine, caller)?.map_or(0, |stored| stored.num);
    let project = match memory.scope.project() {
        Some(key) => engine.store.project_num(key)?,
        None => None,
    };
    let now = engine.now();
    let text = one_line(&engine.clean(request.text.trim()));
    let refused = Context { is_refusal: true, ..Context::default() };
    let read = corrections(&text, &refused).into_iter().next();
    let own = caller.is_user();
    let detail = Detail {
        wrong: read.as_ref().and_then(|one| one.wrong.clone()),
        right: read.as_ref().and_then(|one| one.right.clone()),
        entities: read.map(|one| one.entities).unwrap_or_default(),
        files: memory.files.iter().map(ToString::to_string).collect(),
        own,
        typed: own,
        lasting: true,
        ..Detail::default()
    };
    let doc = serde_json::to_string(&detail).unwrap_or_default();
    let mark = format!("learned-{lesson}-{}", now.as_millis());
    let evidence = Evidence { at: now, sort: Sort::Learned, session: None, text };
    engine.store.write(now, |writer| {
        writer.add_evidence(session, project.unwrap_or(ProjectNum::GLOBAL), &mark, &evidence, &doc)?;
        Ok(())
    })
}

pub const OPERATION: Operation = Operation {
    name: "learn",
    also: &[],
    summary: "Store what was learned from a mistake",
    help: "The lesson is also evidence: when three alike come together from two sessions, Hark proposes an insight, which waits in `hark inbox`.",
    examples: &[
        (
            "hark learn \"Integration tests need the database container\" --category docker --fix \"make db\"",
            "Store a lesson with its fix",
        ),
        (
            "hark learn \"Run the generator after editing the schema\" --file schema.graphql",
            "Name the file it is about",
        ),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_learn",
        family: Family::Learning,
        description: "Store what was learned from a mistake: what went wrong, its fix and context. Repeats become a proposed insight.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{ID}{}{ID:#} {} {DIM}· lesson{DIM:#}\n", self.id, words(&self.title)));
        for one in &self.insights {
            let what = if one.proposed { "proposed" } else { "more evidence for" };
            page.note(&format!("{what} insight {} {}; decide with `hark inbox`\n", one.id, words(&one.text)));
        }
    }
}
