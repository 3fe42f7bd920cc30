//! Take in what `hark export` wrote, here or elsewhere.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::transfer::Passphrase;
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
    /// A file with the passphrase of an encrypted export; else HARK_PASSPHRASE
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    #[arg(skip)]
    #[serde(skip)]
    #[schemars(skip)]
    pub passphrase: Option<Passphrase>,
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
    caller: &Caller,
    request: &Request,
    progress: Progress<'_>,
) -> Result<Response, EngineError> {
    let started = Instant::now();
    if !caller.is_user() && !request.from_others {
        return Err(EngineError::invalid(
            "only the user may import an export as their own words",
            "run it in a terminal of your own, or take it in as somebody else's with --from-others",
        ));
    }
    let trust = if request.from_others { Trust::Others } else { Trust::Own };
    let tally =
        import::read(engine, &request.path, request.passphrase.as_ref(), trust, request.dry_run, progress)?;
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
