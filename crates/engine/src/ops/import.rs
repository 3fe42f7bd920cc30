//! Take in what `hark export` wrote, here or elsewhere.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::transfer::import::{self, Progress, Tally, Trust};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// An export: a file, or a folder of markdown
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Only say what would happen
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Somebody else's export: nothing in it counts as your own words
    #[arg(long)]
    #[serde(default)]
    pub from_others: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub path: String,
    pub dry_run: bool,
    #[serde(flatten)]
    pub tally: Tally,
    pub millis: u64,
    /// Memories and sessions a second.
    pub per_second: u64,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    progress: Progress<'_>,
) -> Result<Response, EngineError> {
    let started = Instant::now();
    let trust = if request.from_others { Trust::Others } else { Trust::Own };
    let tally = import::read(engine, &request.path, trust, request.dry_run, progress)?;
    let millis = started.elapsed().as_millis() as u64;
    let per_second = tally.handled() as u64 * 1_000 / millis.max(1);
    Ok(Response {
        path: request.path.display().to_string(),
        dry_run: request.dry_run,
        tally,
        millis,
        per_second,
    })
}
