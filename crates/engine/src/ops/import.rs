//! Imports what `hark export` wrote, here or elsewhere.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    self, Call, Code, DIM, Effect, Family, GOOD, Group, Operate, Operation, Page, Reply, Surface, Surfaces,
    Tool, WARN, Who,
};
use crate::reach;
use crate::transfer::Passphrase;
use crate::transfer::import::{self, Progress, Tally, Trust};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// An export: a file, or a folder of markdown
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Another person's export: none of it counts as your own words
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub from_others: bool,
    /// File with the passphrase; default: HARK_PASSPHRASE
    #[arg(long, value_name = "FILE")]
    #[schemars(skip)]
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
    /// Memories and sessions per second.
    pub per_second: u64,
}

pub fn run(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    progress: Progress<'_>,
) -> Result<Response, EngineError> {
    let started = Instant::now();
    let by_tool = caller.connection.is_some();
    if !caller.is_user() && !request.from_others && !by_tool {
        return Err(EngineError::invalid(
            "only the user may import an export as their own words",
            "run it in your own terminal, or import it as another person's with --from-others",
        ));
    }
    let trust = if request.from_others || by_tool { Trust::Others } else { Trust::Own };
    let path = if by_tool { reach::readable(engine, caller, &request.path)? } else { request.path.clone() };
    let tally = import::read(engine, &path, request.passphrase.as_ref(), trust, request.dry_run, progress)?;
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

pub const OPERATION: Operation = Operation {
    name: "import",
    also: &[],
    summary: "Import what `hark export` wrote",
    help: "",
    examples: &[
        ("hark import memories.jsonl", "Import a file; what is already here is not duplicated"),
        ("hark import memories.jsonl --dry-run", "Show what would change"),
    ],
    group: Group::Transfer,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_import",
        family: Family::Admin,
        description: "Import an export from the project or the store's exports folder. None of it counts as the user's words.",
    },
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("reads files of this machine"),
        page: Surface::Off("reads files of this machine"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let progress = &mut *call.progress;
        run(engine, call.caller, self, &mut |done, total| {
            progress(operation::Progress { what: "importing", done: done as u64, total: total as u64 });
        })
    }

    fn typed(mut self, call: &mut Call<'_>) -> Result<Self, EngineError> {
        self.passphrase = call.machine.passphrase(self.passphrase_file.as_deref())?;
        Ok(self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        print_tally(page, &self.tally, self.dry_run);
        if self.dry_run {
            page.note(DRY);
        }
        page.note(&format!(
            "{DIM}{:.1} s, {} per second{DIM:#}\n",
            self.millis as f64 / 1000.0,
            self.per_second
        ));
    }

    fn problem(&self) -> Option<EngineError> {
        // The readable records were stored despite the errors.
        (self.tally.unreadable > 0).then(|| {
            EngineError::invalid(
                format!(
                    "{} could not be read; everything else was imported",
                    count(self.tally.unreadable, "record", "records")
                ),
                "fix them and import again: existing memories are not duplicated",
            )
        })
    }
}

pub(super) const DRY: &str = "nothing was changed; leave out --dry-run to import\n";

pub(super) fn print_tally(page: &mut Page, tally: &Tally, dry_run: bool) {
    let verb = if dry_run { "would import" } else { "imported" };
    page.print(&format!(
        "{GOOD}{verb}{GOOD:#} {} new, {} changed, {} unchanged\n",
        tally.added, tally.updated, tally.unchanged
    ));
    let more = [
        (tally.sessions_added + tally.sessions_updated, "sessions"),
        (tally.revisions, "earlier revisions"),
        (tally.redacted, "with secrets, which were redacted"),
        (tally.refused, "refused: forgotten here, or not allowed to replace your own words"),
    ];
    for (n, what) in more.iter().filter(|(n, _)| *n > 0) {
        page.print(&format!("  {n} {what}\n"));
    }
    for problem in &tally.problems {
        page.note(&format!("{WARN}not imported:{WARN:#} {}\n", safe(problem)));
    }
}
