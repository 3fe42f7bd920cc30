//! Writes memories and sessions to a file that any hark can import.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use hark_core::session::SessionRef;
use hark_core::{IdRef, Kind, Timestamp};
use hark_files::regular;
use hark_store::{Departure, ProjectNum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, safe};
use crate::operation::{
    Call, Code, Effect, Family, GOOD, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};
use crate::reach;
use crate::transfer::Passphrase;
use crate::transfer::export::{self, Selection, Written};
use crate::transfer::format::{Chosen, Format, Header, NAME, VERSION};
use crate::transfer::seal::{self, Sealer};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// File to write, a folder to put it in, or a new folder for markdown; default: stdout
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, value_name = "F", default_value_t)]
    #[serde(default)]
    pub format: Format,
    /// Only this project: name, key or folder
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// Only these kinds
    #[arg(long = "kind", value_name = "K")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// Only what changed since `30d` or `2026-01-31`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Include archived memories; a full export always does
    #[arg(long)]
    #[serde(default)]
    pub archived: bool,
    /// Encrypt with a passphrase
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub encrypt: bool,
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
    /// Absent for stdout.
    pub path: Option<String>,
    #[serde(flatten)]
    pub written: Written,
    /// The number of unreadable files in the store, which were skipped.
    pub unreadable_files: i64,
    pub file_bytes: u64,
}

/// A request without a path writes to `stdout`.
pub fn run(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    stdout: &mut dyn Write,
) -> Result<Response, EngineError> {
    refuse_ids(request.path.as_deref())?;
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let selection = select(engine, caller, request, now)?;
    let seal = seal(request)?;
    let unreadable_files = engine.store.stats()?.unreadable_files;
    let named = request.path.as_deref().filter(|path| *path != Path::new("-"));
    let default = match request.format {
        Format::Markdown => "memories".to_owned(),
        Format::Json | Format::Ndjson => file_name(engine, request, &selection),
    };
    let named = reach::writable(engine, caller, named, &default)?;
    let in_folder = named.as_ref().filter(|path| path.is_dir() && request.format != Format::Markdown);
    let chosen = in_folder.map(|folder| folder.join(&default));
    let target = chosen.as_deref().or(named.as_deref());
    let (written, bytes) = match (target, request.format) {
        (Some(folder), Format::Markdown) => (export::to_folder(engine, &selection, folder)?, 0),
        (None, Format::Markdown) => {
            return Err(EngineError::invalid(
                "markdown is written into a folder",
                "pass a new folder: hark export --format markdown FOLDER",
            ));
        }
        (None, format) => {
            let mut out = Counted { to: BufWriter::new(stdout), bytes: 0 };
            let written = write_to(engine, &selection, format, Path::new("stdout"), seal, &mut out)?;
            (written, out.bytes)
        }
        (Some(path), format) => to_file(engine, &selection, format, path, seal)?,
    };
    Ok(Response {
        path: target.map(|p| p.display().to_string()),
        written,
        unreadable_files,
        file_bytes: bytes,
    })
}

/// A readable name: `hark-shop-2026-03-03.json`.
fn file_name(engine: &Engine, request: &Request, selection: &Selection) -> String {
    let project = selection.header.chosen.project.as_deref().map(crate::project::names::short);
    let about: String = project
        .unwrap_or("memories")
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .collect();
    let now = engine.now().to_string();
    let extension = match (request.encrypt, request.format) {
        (true, _) => "hark",
        (false, Format::Json) => "json",
        (false, _) => "jsonl",
    };
    format!("hark-{}-{}.{extension}", about.trim_matches('.'), now.get(..10).unwrap_or_default())
}

fn select(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    now: Timestamp,
) -> Result<Selection, EngineError> {
    let since = request.since.as_deref().map(|text| Timestamp::parse_since(text, now)).transpose()?;
    let mut chosen = Chosen { project: None, kinds: Vec::new(), since };
    chosen.kinds = request.kinds.iter().map(ToString::to_string).collect();
    let mut projects = None;
    if let Some(name) = &request.project {
        let scope = ReadScope { project: Some(name.clone()), all_projects: false };
        let visible = scope.resolve(engine, caller)?;
        let key = visible.current.ok_or_else(|| {
            EngineError::invalid("there is no such project", "`hark project list` lists projects")
        })?;
        let num = engine.store.project_num(&key)?.ok_or_else(|| {
            EngineError::invalid(
                format!("nothing is stored for the project {key}"),
                "`hark project list` lists projects",
            )
        })?;
        chosen.project = Some(key.to_string());
        projects = Some(vec![num]);
        debug_assert_ne!(num, ProjectNum::GLOBAL);
    }
    let everything = chosen.is_everything();
    Ok(Selection {
        memories: Departure {
            projects,
            kinds: request.kinds.clone(),
            since,
            without_archived: !everything && !request.archived,
        },
        sessions: request.kinds.is_empty(),
        header: Header { format: NAME.to_owned(), version: VERSION, chosen },
    })
}

/// Writes a temporary file next to the target, and renames it when it is complete.
fn to_file(
    engine: &Engine,
    selection: &Selection,
    format: Format,
    path: &Path,
    seal: Option<&Passphrase>,
) -> Result<(Written, u64), EngineError> {
    refuse_to_overwrite(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let draft = path.with_file_name(name);
    let fail = |e| EngineError::from(hark_store::StoreError::io(&draft, e));
    let outcome = (|| {
        let file = regular::create_private(&draft).map_err(fail)?;
        let mut out = Counted { to: BufWriter::with_capacity(256 * 1024, file), bytes: 0 };
        let written = write_to(engine, selection, format, path, seal, &mut out)?;
        let bytes = out.bytes;
        let file = out.to.into_inner().map_err(|e| fail(e.into_error()))?;
        file.sync_all().map_err(fail)?;
        fs::rename(&draft, path).map_err(fail)?;
        Ok((written, bytes))
    })();
    if outcome.is_err() {
        let _ = fs::remove_file(&draft);
    }
    outcome
}

/// The passphrase, if the export is encrypted.
fn seal(request: &Request) -> Result<Option<&Passphrase>, EngineError> {
    match (request.encrypt, request.format, &request.passphrase) {
        (false, ..) => Ok(None),
        (true, Format::Markdown, _) => Err(EngineError::invalid(
            "a folder of files cannot be encrypted",
            "omit --encrypt, or export JSON",
        )),
        (true, _, None) => Err(EngineError::invalid(
            "no passphrase was given",
            "pass a file with --passphrase-file, or set HARK_PASSPHRASE",
        )),
        (true, _, Some(passphrase)) => Ok(Some(passphrase)),
    }
}

fn write_to(
    engine: &Engine,
    selection: &Selection,
    format: Format,
    to: &Path,
    seal: Option<&Passphrase>,
    out: &mut dyn Write,
) -> Result<Written, EngineError> {
    let Some(passphrase) = seal else { return export::write(engine, selection, format, to, out) };
    let mut sealer = Sealer::new(&mut *out, passphrase)?;
    let written = export::write(engine, selection, format, to, &mut sealer)?;
    sealer.finish().map_err(|e| EngineError::from(hark_store::StoreError::io(to, e)))?;
    Ok(written)
}

/// Someone who passes an id wants that memory or session, not everything in a file of that name.
fn refuse_ids(path: Option<&Path>) -> Result<(), EngineError> {
    let Some(text) = path.and_then(Path::to_str) else { return Ok(()) };
    let hint = if text.starts_with("s-") && text.parse::<SessionRef>().is_ok() {
        format!("print one session with `hark sessions show {text} --json`")
    } else if text.starts_with("m-") && text.parse::<IdRef>().is_ok() {
        format!("print one memory with `hark show {text} --json`")
    } else {
        return Ok(());
    };
    Err(EngineError::invalid(
        format!("`{text}` is an id, and an export contains everything"),
        format!("{hint}; for a file of that name write ./{text}"),
    ))
}

/// Only an earlier export may be replaced.
fn refuse_to_overwrite(path: &Path) -> Result<(), EngineError> {
    let mut head = [0; 64];
    let taken = match regular::open(path) {
        Ok(mut file) => {
            let read = file.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..read]);
            !head.is_empty() && !head.contains(NAME) && !head.as_bytes().starts_with(seal::MAGIC)
        }
        Err(e) => e.kind() != io::ErrorKind::NotFound,
    };
    if taken {
        return Err(EngineError::invalid(
            format!("{} already exists and is not an export", path.display()),
            "choose another file",
        ));
    }
    Ok(())
}

struct Counted<W> {
    to: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

pub const OPERATION: Operation = Operation {
    name: "export",
    also: &[],
    summary: "Export memories and sessions",
    help: "",
    examples: &[
        ("hark export memories.jsonl", "Export everything to a file"),
        ("hark export ~/exports --project shop", "Export one project to a file named after it"),
        ("hark export --encrypt backup.hark", "Export with a passphrase (HARK_PASSPHRASE)"),
    ],
    group: Group::Transfer,
    // It reads the store, but writes a file: a client may want to ask first.
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_export",
        family: Family::Admin,
        description: "Write memories and sessions to a file in the store's exports folder.",
    },
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("writes files of this machine"),
        page: Surface::Off("writes files of this machine"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self, call.stdout)
    }

    fn typed(mut self, call: &mut Call<'_>) -> Result<Self, EngineError> {
        self.passphrase = call.machine.passphrase(self.passphrase_file.as_deref())?;
        Ok(self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let written = &self.written;
        page.print(&format!(
            "{GOOD}exported{GOOD:#} {}, {} and {} to {}\n",
            count(written.memories, "memory", "memories"),
            count(written.sessions, "session", "sessions"),
            count(written.revisions, "earlier revision", "earlier revisions"),
            safe(self.path.as_deref().unwrap_or_default())
        ));
        if self.unreadable_files > 0 {
            page.note(&format!(
                "skipped {} that cannot be read; see `hark doctor`\n",
                count(self.unreadable_files, "file", "files")
            ));
        }
        page.note("import it elsewhere with `hark import`\n");
    }

    fn is_printed(&self) -> bool {
        self.path.is_none()
    }
}
