//! One tool for all changes, to keep the tool list short.

use clap::Args;
use hark_core::{Feedback, Kind, Relation, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{edit, feedback, forget, relate, status};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{
    Answer, Call, Code, Effect, Family, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[schemars(description = "Their ids")]
    #[arg(long)]
    pub ids: Vec<String>,
    #[arg(long, value_enum)]
    pub action: Action,
    /// edit: new text
    #[arg(long)]
    pub text: Option<String>,
    /// edit: new title
    #[arg(long)]
    pub title: Option<String>,
    /// edit: new reason
    #[arg(long)]
    pub why: Option<String>,
    /// edit: new lesson
    #[arg(long)]
    #[schemars(skip)]
    pub learned: Option<String>,
    /// edit: tags to add
    #[serde(default)]
    #[arg(long)]
    pub tags: Vec<String>,
    /// edit: tags to remove
    #[serde(default)]
    #[arg(long)]
    #[schemars(skip)]
    pub untag: Vec<String>,
    /// edit: files to add
    #[serde(default)]
    #[arg(long)]
    #[schemars(skip)]
    pub files: Vec<String>,
    /// edit: questions it answers
    #[serde(default)]
    #[arg(long)]
    #[schemars(skip)]
    pub asked_as: Vec<String>,
    /// edit: rejected options to add, with reasons
    #[serde(default)]
    #[arg(long)]
    #[schemars(skip)]
    pub rejected: Vec<String>,
    /// edit: acceptance criteria to add
    #[serde(default)]
    #[arg(long)]
    #[schemars(skip)]
    pub criteria: Vec<String>,
    /// edit: when to remind of it, or to review a procedure
    #[arg(long)]
    #[schemars(skip)]
    pub remind: Option<String>,
    /// edit: new kind
    #[arg(long)]
    #[schemars(skip)]
    pub kind: Option<Kind>,
    /// edit: rank first and never age out
    #[arg(long)]
    #[schemars(skip)]
    pub pin: Option<bool>,
    /// edit: move to this project
    #[arg(long)]
    #[schemars(skip)]
    pub project: Option<String>,
    /// edit: 1 to 5
    #[arg(long)]
    pub importance: Option<u8>,
    /// supersede: newer id; relate: other id
    #[arg(long)]
    pub to: Option<String>,
    /// relate: extends, contradicts, fixes…
    #[arg(long)]
    pub relation: Option<String>,
    /// archive: why
    #[arg(long)]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Edit,
    Resolve,
    Reopen,
    Archive,
    Restore,
    Supersede,
    Relate,
    Forget,
    Helpful,
    Wrong,
    Stale,
}

/// The answer of the action that ran.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Response {
    data: Value,
    #[serde(skip)]
    text: String,
}

fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Answer, EngineError> {
    if request.ids.is_empty() {
        return Err(EngineError::invalid(
            "`ids` is empty, so nothing was changed",
            "pass the id of a memory",
        ));
    }
    let ids = status::Request { ids: request.ids.clone() };
    let mut set = |next, word| {
        status::run_because(engine, caller, &ids, next, word, request.reason.as_deref())?.answer()
    };
    match request.action {
        Action::Resolve => set(Status::Resolved, "resolve"),
        Action::Reopen => set(Status::Active, "reopen"),
        Action::Archive => set(Status::Archived, "archive"),
        Action::Restore => set(Status::Active, "restore"),
        Action::Forget => {
            let request = forget::Request { ids: ids.ids, yes: true, ..forget::Request::default() };
            forget::run(engine, caller, &request)?.answer()
        }
        Action::Helpful => rate(engine, caller, request, Feedback::Helpful),
        Action::Wrong => rate(engine, caller, request, Feedback::Wrong),
        Action::Stale => rate(engine, caller, request, Feedback::Stale),
        Action::Edit => edit_all(engine, caller, request),
        Action::Supersede => {
            // "Supersede X by Y" is a link from Y to X.
            let newer = other(request)?;
            let link =
                |id: &String| Link { from: newer.clone(), to: id.clone(), relation: Relation::Supersedes };
            Link::make_all(request.ids.iter().map(link).collect(), engine, caller)
        }
        Action::Relate => {
            let relation = match &request.relation {
                None => Relation::Related,
                Some(word) => word
                    .parse()
                    .map_err(|e: hark_core::link::RelationError| EngineError::invalid(e.to_string(), ""))?,
            };
            let to = other(request)?;
            let link = |id: &String| Link { from: id.clone(), to: to.clone(), relation };
            Link::make_all(request.ids.iter().map(link).collect(), engine, caller)
        }
    }
}

fn edit_all(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Answer, EngineError> {
    let change = edit::Request {
        id: String::new(),
        text: request.text.clone(),
        title: request.title.clone(),
        kind: request.kind,
        why: request.why.clone(),
        learned: request.learned.clone(),
        tags: request.tags.clone(),
        untag: request.untag.clone(),
        files: request.files.clone(),
        asked_as: request.asked_as.clone(),
        rejected: request.rejected.clone(),
        criteria: request.criteria.clone(),
        remind: request.remind.clone(),
        importance: request.importance,
        pin: request.pin,
        project: request.project.clone(),
        global: false,
    };
    together(edit::run_all(engine, caller, &request.ids, &change)?.iter().map(Reply::answer))
}

/// One answer as it is; several as lines, and as a list under `changes`.
fn together(answers: impl Iterator<Item = Result<Answer, EngineError>>) -> Result<Answer, EngineError> {
    let mut answers = answers.collect::<Result<Vec<_>, _>>()?;
    if answers.len() == 1 {
        return Ok(answers.remove(0));
    }
    let (texts, data): (Vec<String>, Vec<Value>) = answers.into_iter().map(|a| (a.text, a.data)).unzip();
    Ok(Answer { text: texts.join("\n"), data: json!({ "changes": data }) })
}

fn rate(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    feedback: Feedback,
) -> Result<Answer, EngineError> {
    let request = feedback::Request { ids: request.ids.clone(), feedback };
    feedback::run(engine, caller, &request)?.answer()
}

fn other(request: &Request) -> Result<String, EngineError> {
    let missing = || EngineError::invalid("`to` is missing", "pass the id of the other memory in `to`");
    request.to.clone().ok_or_else(missing)
}

struct Link {
    from: String,
    to: String,
    relation: Relation,
}

impl Link {
    fn make_all(links: Vec<Link>, engine: &mut Engine, caller: &Caller) -> Result<Answer, EngineError> {
        together(links.into_iter().map(|Link { from, to, relation }| {
            let request = relate::Request { from, to, relation, weight: 1.0, remove: false };
            relate::run(engine, caller, &request)?.answer()
        }))
    }
}

pub const OPERATION: Operation = Operation {
    name: "update",
    also: &[],
    summary: "Change memories in one of several ways",
    help: "",
    examples: &[],
    group: Group::Change,
    effect: Effect::Destroy,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_update",
        family: Family::Core,
        description: "Edit, close, replace, relate, rate or forget memories.",
    },
    surfaces: Surfaces {
        command: Surface::Off("each action is a command of its own"),
        route: Surface::Off("each action is a route of its own"),
        page: Surface::Off("each action is a button of its own"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let Answer { text, data } = run(engine, call.caller, self)?;
        Ok(Response { data, text })
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&self.text);
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        Ok(Answer { text: self.text.clone(), data: self.data.clone() })
    }
}
