//! Saves the goal, progress and pending work of a session, so that another session can continue.
//!
//! Each checkpoint adds to the lists and replaces the pending work. An empty checkpoint only stores the
//! files touched and does not count.

use std::path::Path;

use clap::Args;
use hark_core::memory::one_line;
use hark_core::session::{CheckpointBy, Pointer, Report, SessionRef, SessionStatus, Tidy};
use hark_core::{Clean, ProjectKey, Session, SessionId};
use hark_store::StoredSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::clean_optional;
use super::scope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::capture::{Baseline, Evidence};
use crate::operation::tell;
use crate::operation::text::safe;
use crate::operation::{
    Answer, Call, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operate, Operation, Page, Reply, Tool,
    Who,
};
use crate::{project, sessions};
use serde_json::{Value, json};
use std::io::Read;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Read the fields as JSON from standard input; flags add to it
    #[arg(long)]
    #[serde(skip)]
    #[schemars(skip)]
    pub from_stdin: bool,
    /// Session id; default: the current one
    #[schemars(description = "Default: current")]
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// What the session is for
    #[schemars(description = "Its purpose")]
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// Newly done
    #[arg(long = "done", visible_alias = "completed", value_name = "TEXT")]
    #[serde(default, alias = "work_completed", alias = "completed")]
    pub done: Vec<String>,
    /// Everything still to do
    #[schemars(description = "All that is left")]
    #[arg(long = "pending", value_name = "TEXT")]
    #[serde(default, alias = "work_pending")]
    pub pending: Vec<String>,
    /// Nothing is pending
    #[arg(long, conflicts_with = "pending")]
    #[serde(default)]
    #[schemars(skip)]
    pub nothing_pending: bool,
    /// Added to the work summary
    #[schemars(description = "Work so far")]
    #[arg(long = "summary", value_name = "TEXT")]
    #[serde(default, alias = "work_summary", deserialize_with = "one_or_many")]
    pub summary: Vec<String>,
    /// Newly decided, with reasons
    #[schemars(description = "New, with reasons")]
    #[arg(long = "decision", value_name = "TEXT")]
    #[serde(default)]
    pub decisions: Vec<String>,
    /// Plans it follows: PATH or PATH=WHAT
    #[schemars(description = "PATH or PATH=WHAT")]
    #[arg(long = "plan", visible_alias = "plan-file", value_name = "PATH")]
    #[serde(default, alias = "plan_files", deserialize_with = "pointers")]
    pub plans: Vec<String>,
    /// Pages it relies on: URL or URL=TITLE
    #[schemars(description = "URL or URL=TITLE")]
    #[arg(long = "reference", value_name = "URL")]
    #[serde(default, deserialize_with = "pointers")]
    pub references: Vec<String>,
    /// open or closed
    #[arg(long, value_name = "S")]
    pub status: Option<String>,
    /// A short name for the session; set once
    #[schemars(description = "Short name")]
    #[arg(long, visible_alias = "slug", value_name = "TEXT")]
    #[serde(alias = "slug")]
    pub title: Option<String>,
    /// Project name, key or folder; default: current
    #[schemars(description = "Name or folder; default: current")]
    #[arg(long, value_name = "P")]
    pub project: Option<String>,
    /// The assistant, for a session without hooks
    #[arg(long, visible_alias = "tool", value_name = "HOST")]
    #[serde(alias = "tool")]
    #[schemars(skip)]
    pub host: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub session: String,
    pub host: String,
    pub status: String,
    /// The session's file.
    pub path: String,
    /// False for an empty checkpoint.
    pub counted: bool,
    /// Absent if the session belongs to no project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let report = report(engine, request)?;
    let project = request.project.as_deref().map(|name| scope::named(engine, name)).transpose()?;
    let found = find(engine, caller, request, project.as_ref())?;
    let known = found.as_ref().map(|stored| stored.num);
    let fresh = match &found {
        Some(_) => None,
        None => Some(begin(engine, caller, request, project.as_ref())?),
    };
    let folder = here(engine, caller, project.as_ref());
    // What had changed before a new session is not its work.
    let baseline = folder.filter(|_| known.is_none()).and_then(Baseline::ask);
    let evidence = folder.map(|folder| Evidence::gather(engine, known, folder)).transpose()?;
    let counted = report.says_something();
    let (num, session, file) = engine.store.write(now, |writer| {
        let num = match (known, &fresh) {
            (Some(num), _) => num,
            (None, Some(fresh)) => writer.begin_session(fresh)?,
            (None, None) => return Err(EngineError::invalid("there is no session", "")),
        };
        let gone =
            || EngineError::invalid("the session no longer exists", "list sessions with `hark sessions`");
        let mut stored = writer.session(num)?.ok_or_else(gone)?;
        if let Some(evidence) = &evidence {
            evidence.apply(&mut stored);
        }
        if let Some(project) = &project {
            stored.session.project.get_or_insert_with(|| project.clone());
        }
        if counted || report.status.is_some() || report.title.is_some() {
            stored.session.apply(report, now);
        } else {
            stored.session.mark(CheckpointBy::Stop, Clean::trusted_constant("nothing said"), now);
        }
        if counted {
            writer.reported(num)?;
        }
        let file = writer.save_session(&stored)?;
        Ok((num, stored.session, file))
    })?;
    if let Some(baseline) = baseline {
        baseline.note(engine, num)?;
    }
    Ok(Response {
        session: session.id.short(),
        host: session.host.to_string(),
        status: session.status.to_string(),
        path: engine.store.layout().sessions().join(file).display().to_string(),
        counted,
        project: session.project.as_ref().map(ToString::to_string),
    })
}

fn report(engine: &Engine, request: &Request) -> Result<Report, EngineError> {
    let list =
        |texts: &[String]| -> Vec<Clean> { texts.iter().filter_map(|t| engine.clean(t).tidy()).collect() };
    let pointers = |texts: &[String]| -> Vec<Pointer> {
        let parse = |text: &String| {
            // A URL may contain `=`; only a label with a space counts as its title.
            let (to, label) = match text.rsplit_once('=') {
                Some((to, label)) if label.contains(' ') || !text.contains("://") => (to, Some(label)),
                _ => (text.as_str(), None),
            };
            Pointer { to: engine.clean(to), label: label.map(|l| engine.clean(l)) }.tidy()
        };
        texts.iter().filter_map(parse).collect()
    };
    let status = match &request.status {
        Some(word) => Some(
            word.parse::<SessionStatus>()
                .map_err(|e| EngineError::invalid(e.to_string(), "use `open` or `closed`, or omit it"))?,
        ),
        None => None,
    };
    let pending = list(&request.pending);
    Ok(Report {
        title: request.title.as_deref().map(|t| one_line(&engine.clean(t))).filter(|t| !t.is_empty()),
        goal: clean_optional(engine, request.goal.as_deref()).and_then(Tidy::tidy),
        done: list(&request.done),
        pending: (!pending.is_empty() || request.nothing_pending).then_some(pending),
        work: list(&request.summary),
        decisions: list(&request.decisions),
        plans: pointers(&request.plans),
        references: pointers(&request.references),
        status,
    })
}

/// The requested session: by id, by the assistant's own id, or the one that the caller is in.
fn find(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    project: Option<&ProjectKey>,
) -> Result<Option<StoredSession>, EngineError> {
    if let Some(text) = &request.session {
        let stored = match by_host_session(engine, text)? {
            Some(stored) => stored,
            None => match text.parse::<SessionRef>() {
                Ok(id) => engine.store.session(&id)?,
                // The assistant's own id of a session that no hook has reported.
                Err(_) => return Ok(None),
            },
        };
        if let (Some(wanted), Some(known)) = (project, &stored.session.project)
            && wanted != known
        {
            return Err(EngineError::invalid(
                format!("session {} belongs to the project {known}, not {wanted}", stored.session.id.short()),
                "omit the project, or omit the session to start one",
            ));
        }
        return Ok(Some(stored));
    }
    let mut found = sessions::of_caller(engine, caller)?;
    if found.is_none() && caller.connection.is_none() && caller.session.is_none() {
        found = sessions::at_work(engine, caller, request.host.as_deref())?;
    }
    let elsewhere = |stored: &StoredSession| {
        project.is_some_and(|wanted| stored.session.project.as_ref().is_some_and(|known| known != wanted))
    };
    match found {
        Some(stored) if !elsewhere(&stored) => Ok(Some(stored)),
        _ => match own_name(engine, caller, project).filter(|_| project.is_some()) {
            Some(name) => Ok(engine.store.session_of_host(None, &name)?),
            None => Ok(None),
        },
    }
}

fn by_host_session(engine: &Engine, text: &str) -> Result<Option<StoredSession>, EngineError> {
    Ok(engine.store.session_of_host(None, &engine.clean(text))?)
}

/// The name of a session that the connection has to itself; one per project that it works on besides its own.
fn own_name(engine: &mut Engine, caller: &Caller, project: Option<&ProjectKey>) -> Option<Clean> {
    let key = sessions::own_key(engine, caller)?;
    match (project, scope::current(engine, caller)) {
        (Some(wanted), Some(current)) if *wanted != current => Some(engine.clean(&format!("{key} {wanted}"))),
        _ => Some(key),
    }
}

fn begin(
    engine: &mut Engine,
    caller: &Caller,
    request: &Request,
    project: Option<&ProjectKey>,
) -> Result<Session, EngineError> {
    let now = engine.now();
    let id = SessionId::new(now, Engine::random()?);
    let host = request.host.clone().or_else(|| caller.author.clone());
    let host = one_line(&engine.clean(&sessions::host_id(host.as_deref())));
    let mut said = request.session.clone().or_else(|| caller.session.clone());
    if let Some(text) = &said
        && by_host_session(engine, text)?.is_some()
    {
        // Known, and of another project.
        said = None;
    }
    let own = match said {
        Some(text) => engine.clean(&text),
        None => own_name(engine, caller, project).unwrap_or_else(|| engine.clean(&id.full())),
    };
    let mut session = Session::new(id, host, one_line(&own), now);
    if let Some(folder) = here(engine, caller, project) {
        place(engine, &mut session, folder);
    }
    if let Some(project) = project {
        session.project = Some(project.clone());
    }
    Ok(session)
}

/// The caller's folder, unless the checkpoint is about another project.
fn here<'a>(engine: &mut Engine, caller: &'a Caller, project: Option<&ProjectKey>) -> Option<&'a Path> {
    let folder = caller.cwd.as_deref()?;
    let is_here = project.is_none_or(|wanted| engine.project_of(folder).as_ref() == Some(wanted));
    is_here.then_some(folder)
}

fn place(engine: &mut Engine, session: &mut Session, folder: &Path) {
    session.project = engine.project_of(folder);
    session.folder = Some(engine.clean(&folder.to_string_lossy()));
    let (branch, head) = project::head(folder);
    session.branch = branch.map(|text| one_line(&engine.clean(&text)));
    session.head_start = head.map(|text| engine.clean(&text));
}

/// Models often write one sentence where a list is expected.
fn one_or_many<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Either::deserialize(d)? {
        Either::One(one) => vec![one],
        Either::Many(many) => many,
    })
}

/// Accepts text, or openCodeMemory's objects.
fn pointers<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Plan { path: String, header: Option<String> },
        Page { url: String, title: Option<String> },
    }
    let joined = |to: String, label: Option<String>| match label {
        Some(label) if !label.is_empty() => format!("{to}={label} "),
        _ => to,
    };
    let found = Vec::<Either>::deserialize(d)?.into_iter().map(|either| match either {
        Either::Text(text) => text,
        Either::Plan { path, header } => joined(path, header),
        Either::Page { url, title } => joined(url, title),
    });
    Ok(found.collect())
}

pub const OPERATION: Operation = Operation {
    name: "checkpoint",
    also: &[],
    summary: "Save the goal, progress and open work of a session",
    help: "",
    examples: &[
        (
            "hark checkpoint --goal \"Move auth to OAuth\" --done \"login page\" --pending \"token refresh\"",
            "Save progress by hand",
        ),
        (
            "echo '{\"goal\":\"…\",\"pending\":[\"…\"]}' | hark checkpoint --from-stdin",
            "Read the fields as JSON",
        ),
    ],
    group: Group::Sessions,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_checkpoint",
        family: Family::Core,
        description: "Save this session's progress so that another session or assistant can continue.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self)
    }

    fn typed(mut self, call: &mut Call<'_>) -> Result<Self, EngineError> {
        if self.from_stdin {
            let read = read_json(call.stdin)?;
            self = self.joined(read);
        }
        Ok(self)
    }
}

/// The fields, or the same under `checkpoint`.
fn read_json(stdin: &mut dyn Read) -> Result<Request, EngineError> {
    let text = std::io::read_to_string(stdin)
        .map_err(|e| EngineError::invalid(format!("standard input: {e}"), "pass the fields as JSON"))?;
    let bad = |e: serde_json::Error| {
        EngineError::invalid(
            format!("standard input is not a checkpoint: {e}"),
            "see `hark checkpoint --help`",
        )
    };
    let mut value: Value = serde_json::from_str(&text).map_err(bad)?;
    if let Some(object) = value.as_object_mut() {
        if let Some(Value::Object(inner)) = object.remove("checkpoint") {
            object.extend(inner);
        }
        for name in ["session_id", "conversation_id"] {
            if let Some(id) = object.remove(name) {
                object.entry("session").or_insert(id);
            }
        }
    }
    serde_json::from_value(value).map_err(bad)
}

impl Request {
    /// Flags override the fields from standard input; lists are joined.
    fn joined(self, read: Request) -> Request {
        let list = |mut a: Vec<String>, b: Vec<String>| {
            a.extend(b);
            a
        };
        Request {
            from_stdin: false,
            session: self.session.or(read.session),
            goal: self.goal.or(read.goal),
            done: list(read.done, self.done),
            pending: list(read.pending, self.pending),
            nothing_pending: self.nothing_pending || read.nothing_pending,
            summary: list(read.summary, self.summary),
            decisions: list(read.decisions, self.decisions),
            plans: list(read.plans, self.plans),
            references: list(read.references, self.references),
            status: self.status.or(read.status),
            title: self.title.or(read.title),
            project: self.project.or(read.project),
            host: self.host.or(read.host),
        }
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{ID}{}{ID:#} saved {DIM}{}{DIM:#}\n", self.session, safe(&self.path)));
        if !self.counted {
            page.note("the checkpoint is empty; give --goal, --done, --pending or --decision\n");
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let text = if self.counted {
            format!("Checkpoint of session {} saved.", self.session)
        } else {
            format!(
                "Session {} saved, but the checkpoint is empty: give goal, done, pending or decisions.",
                self.session
            )
        };
        let text = match &self.project {
            Some(_) => text,
            None => format!("{text} It belongs to no project; pass `project` (a name or folder)."),
        };
        tell::answer(
            &text,
            json!({ "session": self.session, "status": self.status, "counted": self.counted,
                "project": self.project }),
        )
    }
}
