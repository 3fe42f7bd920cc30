//! Lists the files that a session touched.

use schemars::JsonSchema;
use serde::Serialize;

use super::show::{ShowRequest, TouchView, show, touched_text};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::{Call, Code, EVERYWHERE, Effect, Group, Operate, Operation, Page, Reply, Tool, Who};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Files {
    pub session: String,
    pub files: Vec<TouchView>,
}

#[derive(Debug, Clone, Default, clap::Args, serde::Deserialize, schemars::JsonSchema)]
pub struct Request {
    #[command(flatten)]
    #[serde(flatten)]
    pub of: ShowRequest,
}

pub const OPERATION: Operation = Operation {
    name: "sessions files",
    also: &[],
    summary: "List the files a session touched",
    help: "",
    examples: &[("hark sessions files s-4h2k8m1v", "List created, changed and deleted files")],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_session lists them"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Files;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Files, EngineError> {
        let view = show(engine, call.caller, &self.of)?;
        Ok(Files { session: view.brief.id, files: view.touched })
    }
}

impl Reply for Files {
    fn print(&self, page: &mut Page) {
        page.print(&touched_text(&self.files));
    }
}
