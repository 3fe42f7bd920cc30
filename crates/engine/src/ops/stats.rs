//! What the store holds and what it weighs.

use clap::Args;
use hark_store::Stats;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub home: String,
    /// The project of the folder the caller is in.
    pub project: Option<String>,
    pub embedding: String,
    #[serde(flatten)]
    pub stats: Stats,
}

pub fn run(engine: &mut Engine, caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    engine.store.refresh_fully(engine.now())?;
    let project = caller.cwd.clone().and_then(|folder| engine.project_of(&folder));
    Ok(Response {
        home: engine.home.path.display().to_string(),
        project: project.map(|key| key.to_string()),
        embedding: engine.embedder.id().to_owned(),
        stats: engine.store.stats()?,
    })
}
