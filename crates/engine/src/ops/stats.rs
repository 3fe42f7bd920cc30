//! What the store holds and what it weighs.

use clap::Args;
use hark_store::Stats;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Compare what was told to sessions with reading up on what was done before them
    #[arg(long)]
    #[serde(default)]
    pub savings: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub home: String,
    /// The project of the folder the caller is in.
    pub project: Option<String>,
    pub embedding: String,
    #[serde(flatten)]
    pub stats: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings: Option<Savings>,
}

/// Tokens of what was said unasked, and of the history that it stands for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Savings {
    /// Sessions that were told something and followed another one in their project.
    pub sessions: i64,
    pub told_tokens: i64,
    /// What is kept of the session before each of them; whole transcripts are longer.
    pub history_tokens: i64,
    pub saved_tokens: i64,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    engine.store.refresh_fully(engine.now())?;
    let project = caller.cwd.clone().and_then(|folder| engine.project_of(&folder));
    let savings = if request.savings {
        let sum = engine.store.savings()?;
        Some(Savings {
            sessions: sum.sessions,
            told_tokens: sum.told,
            history_tokens: sum.history,
            saved_tokens: (sum.history - sum.told).max(0),
        })
    } else {
        None
    };
    Ok(Response {
        home: engine.home.path.display().to_string(),
        project: project.map(|key| key.to_string()),
        embedding: engine.embedder.id().to_owned(),
        stats: engine.store.stats()?,
        savings,
    })
}
