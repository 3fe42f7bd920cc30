//! Learn from transcripts that assistants left on this machine.

use std::path::PathBuf;

use clap::Args;
use hark_core::Timestamp;
use hark_hosts::Surroundings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ingest::{self, Progress, Report, Wanted};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only of this assistant
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Only files that changed since `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Transcripts, or folders of them; where assistants put them if absent
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    #[serde(flatten)]
    pub report: Report,
    /// Megabytes per second.
    pub rate: Option<f64>,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    around: &Surroundings,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Response, EngineError> {
    let now = engine.now();
    let host = match &request.host {
        Some(name) => {
            let id = crate::sessions::host_id(Some(name));
            let known = hark_hosts::transcript::TRANSCRIPTS.iter().any(|t| t.host == id);
            if !known {
                let mut all: Vec<&str> = hark_hosts::transcript::TRANSCRIPTS.iter().map(|t| t.host).collect();
                all.sort_unstable();
                all.dedup();
                let hint = format!("name one of {}", all.join(", "));
                return Err(EngineError::invalid(format!("transcripts of `{id}` cannot be read"), hint));
            }
            Some(id)
        }
        None => None,
    };
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let wanted = Wanted { host, since, paths: request.paths.clone() };
    let report = ingest::run(engine, &wanted, around, tell)?;
    let rate = report.rate().map(|rate| (rate * 10.0).round() / 10.0);
    Ok(Response { report, rate })
}
