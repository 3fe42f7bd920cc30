//! Pauses hooks for a while, and ends a pause.

use clap::Args;
use hark_core::Timestamp;
use hark_core::time::parse_span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{
    Call, Code, Effect, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who, operate,
};
use crate::pause::{Pause, Pauses, Place};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// How long: `30m`, `2h`, `1d`; default: until `hark unpause`
    #[arg(long = "for", value_name = "TIME", conflicts_with = "end")]
    #[serde(rename = "for")]
    pub span: Option<String>,
    /// Only in this project
    #[arg(long)]
    #[serde(default)]
    pub project: bool,
    /// End the pause instead
    #[arg(long)]
    #[serde(default)]
    pub end: bool,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Unpause {
    /// Only the pause of this project
    #[arg(long)]
    #[serde(default)]
    pub project: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Whether hooks are paused in this folder now.
    pub paused: bool,
    /// Until when, if there is an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Whether this call ended a pause.
    pub ended: bool,
    /// The pause in words.
    #[serde(skip)]
    words: String,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    if request.end {
        return unpause(engine, caller, &Unpause { project: request.project });
    }
    let now = engine.now();
    let until = match request.span.as_deref() {
        Some(text) => {
            let span = parse_span(text).filter(|span| *span > 0);
            let span = span.ok_or_else(|| {
                EngineError::invalid(format!("invalid duration `{text}`"), "use 30m, 2h or 1d")
            })?;
            Some(now.plus_millis(span).as_millis())
        }
        None => None,
    };
    let place = if request.project { Some(wanted(engine, caller)?) } else { None };
    let mut pauses = Pauses::read(engine.store.layout());
    let pause = Pause { place, session: None, from: now.as_millis(), until };
    pauses.begin(pause, engine.store.layout())?;
    answer(engine, caller, &pauses, false)
}

pub fn unpause(engine: &mut Engine, caller: &Caller, request: &Unpause) -> Result<Response, EngineError> {
    let now = engine.now();
    let place = if request.project { Some(wanted(engine, caller)?) } else { None };
    let mut pauses = Pauses::read(engine.store.layout());
    // Without a project: everything that is paused goes on.
    let ended = pauses.end(place.as_ref(), place.is_none(), now, engine.store.layout())?;
    answer(engine, caller, &pauses, ended > 0)
}

/// The project around the caller.
fn wanted(engine: &mut Engine, caller: &Caller) -> Result<Place, EngineError> {
    here(engine, caller)
        .ok_or_else(|| EngineError::invalid("not inside a folder", "run it in the project's folder"))
}

pub(crate) fn here(engine: &mut Engine, caller: &Caller) -> Option<Place> {
    let folder = caller.cwd.clone()?;
    let key = engine.project_of(&folder);
    Some(Place::of(&folder, key.as_ref()))
}

fn answer(
    engine: &mut Engine,
    caller: &Caller,
    pauses: &Pauses,
    ended: bool,
) -> Result<Response, EngineError> {
    let now = engine.now();
    let place = here(engine, caller);
    let pause = pauses.in_force(place.as_ref(), None, now);
    Ok(Response {
        paused: pause.is_some(),
        until: pause.and_then(|p| p.until).map(|at| Timestamp::from_millis(at).to_string()),
        ended,
        words: pause.map(Pause::words).unwrap_or_default(),
    })
}

const SURFACES: Surfaces = Surfaces {
    command: Surface::On,
    route: Surface::Off("the user decides it in a terminal"),
    page: Surface::Off("the user decides it in a terminal"),
};

pub const OPERATION: Operation = Operation {
    name: "pause",
    also: &[],
    summary: "Pause hooks: record nothing and add nothing for a while",
    help: "While hooks are paused, Hark stores no events of sessions and adds nothing to them, except for one line at \
           the start of a session which says that it is paused. Transcripts of that time are not read later either. \
           Commands and tools that are called explicitly work as usual. `hark doctor` shows a pause. To leave out a \
           single session, start the assistant with HARK_ENABLED=0.",
    examples: &[
        ("hark pause --for 2h", "Pause everywhere for two hours"),
        ("hark pause --project", "Pause in this project until `hark unpause`"),
        ("hark pause --end", "End the pause"),
    ],
    group: Group::Service,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("the user decides whether hark listens"),
    surfaces: SURFACES,
    code: Code::on_store::<Request>(),
};

pub const UNPAUSE: Operation = Operation {
    name: "unpause",
    also: &[],
    summary: "End a pause of hooks",
    help: "",
    examples: &[
        ("hark unpause", "End every pause"),
        ("hark unpause --project", "End only the pause of this project"),
    ],
    group: Group::Service,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("the user decides whether hark listens"),
    surfaces: SURFACES,
    code: Code::on_store::<Unpause>(),
};

operate!(Request => Response, run);

impl Operate for Unpause {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        unpause(engine, call.caller, self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        match (self.paused, self.ended) {
            (true, false) => page.note(&format!("paused {}\n", self.words)),
            (true, true) => page.note(&format!("ended one pause; still paused {}\n", self.words)),
            (false, true) => page.note("hooks are no longer paused\n"),
            (false, false) => page.note("hooks are not paused\n"),
        }
    }
}
