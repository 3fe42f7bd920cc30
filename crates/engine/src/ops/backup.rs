//! Makes snapshots of the files, and restores files from one.

use clap::Args;
use hark_core::Timestamp;
use hark_core::time::parse_span;
use hark_store::{Restored, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Call, Code, DIM, EVERYWHERE, Effect, Group, ID, Operate, Operation, Page, Reply, Tool, WARN, Who, operate,
};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub made: Snapshot,
    /// The number of snapshots kept.
    pub kept: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ListResponse {
    /// Newest first.
    pub snapshots: Vec<Snapshot>,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct RestoreRequest {
    /// Name of the snapshot; default: the newest
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Restore the exact state: replace changed files, remove newer ones
    #[arg(long)]
    #[serde(default)]
    pub exact: bool,
    /// Restore; without this, only show what would change
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RestoreResponse {
    pub applied: bool,
    #[serde(flatten)]
    pub files: Restored,
    /// The snapshot of the state before the restore.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub memories: usize,
}

pub fn run(engine: &mut Engine, _caller: &Caller) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let made = engine.store.back_up(engine.config.backup.keep, now, true)?;
    let kept = engine.store.snapshots().len();
    match made {
        Some(made) => Ok(Response { made, kept }),
        None => Err(EngineError::invalid("nothing was backed up", "try again")),
    }
}

pub fn list(engine: &mut Engine, _caller: &Caller) -> Result<ListResponse, EngineError> {
    Ok(ListResponse { snapshots: engine.store.snapshots() })
}

/// Restores missing or damaged files, or everything, after making a snapshot of the current state.
pub fn restore(
    engine: &mut Engine,
    _caller: &Caller,
    request: &RestoreRequest,
) -> Result<RestoreResponse, EngineError> {
    let now = engine.now();
    let Some(path) = engine.store.snapshot_path(request.name.as_deref()) else {
        return Err(match &request.name {
            Some(name) => EngineError::invalid(
                format!("there is no snapshot `{name}`"),
                "list snapshots with `hark backup list`",
            ),
            None => EngineError::invalid("there is no snapshot yet", "make one with `hark backup`"),
        });
    };
    let mut before = None;
    if request.yes {
        // Keep one more than usual, so that the requested one is not rotated away.
        let keep = engine.config.backup.keep.max(engine.store.snapshots().len()) + 1;
        before = engine.store.back_up(keep, now, true)?.map(|snapshot| snapshot.name);
    }
    let files = engine
        .store
        .write(now, |writer| writer.restore(&path, request.exact, request.yes).map_err(EngineError::from))?;
    let memories = if request.yes { engine.store.reindex(now)? } else { 0 };
    Ok(RestoreResponse { applied: request.yes, files, before, memories })
}

/// Makes a snapshot if the last one is old enough and something changed since.
pub(crate) fn in_background(engine: &mut Engine, now: Timestamp) -> Result<bool, EngineError> {
    let every = parse_span(&engine.config.backup.every).unwrap_or(0);
    // A snapshot from the future was made while the clock was ahead.
    let is_recent = |at: Timestamp| (0..every).contains(&(now.as_millis() - at.as_millis()));
    let due = !engine.store.last_backup().is_some_and(is_recent);
    if every <= 0 || !due {
        return Ok(false);
    }
    Ok(engine.store.back_up(engine.config.backup.keep, now, false)?.is_some())
}

pub const OPERATION: Operation = Operation {
    name: "backup",
    also: &[],
    summary: "Back up the files of the store",
    help: "",
    examples: &[
        ("hark backup", "Make a snapshot now"),
        ("hark backup list", "List snapshots, newest first"),
        ("hark backup restore --yes", "Restore missing or damaged files from the newest snapshot"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("backups are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Make>(),
};

pub const LIST: Operation = Operation {
    name: "backup list",
    also: &[],
    summary: "List snapshots, newest first",
    help: "",
    examples: &[("hark backup list", "List snapshots with their size")],
    group: Group::Store,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("backups are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<List>(),
};

pub const RESTORE: Operation = Operation {
    name: "backup restore",
    also: &[],
    summary: "Restore missing or damaged files from a snapshot",
    help: "",
    examples: &[
        ("hark backup restore", "Show what the newest snapshot would restore"),
        ("hark backup restore --exact --yes", "Restore the exact state of the snapshot"),
    ],
    group: Group::Store,
    effect: Effect::Destroy,
    who: Who::Anyone,
    tool: Tool::Off("backups are for the user to manage"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<RestoreRequest>(),
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Make {}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct List {}

impl Operate for Make {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller)
    }
}

impl Operate for List {
    type Response = ListResponse;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<ListResponse, EngineError> {
        list(engine, call.caller)
    }
}

operate!(RestoreRequest => RestoreResponse, restore);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let made = &self.made;
        page.print(&format!(
            "{ID}{}{ID:#} {}, {} kB\n",
            made.name,
            count(made.files, "file", "files"),
            made.bytes / 1024
        ));
        page.note(&format!(
            "keeping {}; restore files with: hark backup restore\n",
            count(self.kept, "snapshot", "snapshots")
        ));
    }
}

impl Reply for ListResponse {
    fn print(&self, page: &mut Page) {
        for snapshot in &self.snapshots {
            let damaged = if snapshot.whole { String::new() } else { format!(" {WARN}damaged{WARN:#}") };
            page.print(&format!(
                "{ID}{}{ID:#} {DIM}{}, {} kB{DIM:#}{damaged}\n",
                snapshot.name,
                count(snapshot.files, "file", "files"),
                snapshot.bytes / 1024
            ));
        }
        if self.snapshots.is_empty() {
            page.note("no snapshots yet; make one with `hark backup`\n");
        }
    }
}

impl Reply for RestoreResponse {
    fn print(&self, page: &mut Page) {
        let files = &self.files;
        let groups = if self.applied {
            [("restored", &files.missing), ("replaced", &files.replaced), ("removed", &files.removed)]
        } else {
            [
                ("would restore", &files.missing),
                ("would replace", &files.replaced),
                ("would remove", &files.removed),
            ]
        };
        for (verb, names) in groups {
            for name in names {
                page.print(&format!("{verb}: {}\n", safe(name)));
            }
        }
        page.note(&format!("{DIM}{} unchanged{DIM:#}\n", count(files.unchanged, "file", "files")));
        if files.forgotten > 0 {
            page.note(&format!(
                "{} forgotten since the snapshot and not restored\n",
                count(files.forgotten, "memory was", "memories were")
            ));
        }
        if !files.whole {
            page.note(&format!("{WARN}the snapshot is damaged:{WARN:#} restored what could be read\n"));
        }
        if !self.applied {
            page.note("nothing was changed; add --yes to do it\n");
        } else if let Some(before) = &self.before {
            page.note(&format!("to go back: hark backup restore {before} --exact --yes\n"));
        }
    }
}
