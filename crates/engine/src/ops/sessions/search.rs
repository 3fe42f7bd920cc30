//! Finds sessions by what they contain.

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Request, Response, run};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::{Call, Code, Effect, Group, Operate, Operation, Surface, Surfaces, Tool, Who};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Search {
    /// A few words
    #[arg(value_name = "QUERY", required = true)]
    #[serde(rename = "query", default)]
    pub words: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    pub request: Request,
}

pub const OPERATION: Operation = Operation {
    name: "sessions search",
    also: &[],
    summary: "Find sessions by what they contain",
    help: "",
    examples: &[
        ("hark sessions search \"login bug\"", "Search the sessions of this project"),
        ("hark sessions search migration --all-projects", "Search every project"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_sessions searches too"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("`sessions` searches too"),
        page: Surface::Off("`sessions` searches too"),
    },
    code: Code::on_store::<Search>(),
};

impl Operate for Search {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let request = Request { query: Some(self.words.join(" ")), ..self.request.clone() };
        run(engine, call.caller, &request)
    }
}
