//! Turns a hook's event into rows: redacts it, truncates it, files it under its session, and makes the
//! checkpoints that no agent asks for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hark_core::event::{Arrival, Event, EventKind, Touch, excerpt};
use hark_core::failure::Place;
use hark_core::memory::{one_line, title_from_body};
use hark_core::redact::Redactor;
use hark_core::session::asked::request_in;
use hark_core::session::{CheckpointBy, FileOp, FileTouch, SessionStatus, title_of_prompt};
use hark_core::time::parse_span;
use hark_core::{Clean, Raw, SessionId, Timestamp};
use hark_hosts::hook::tools::{FileTouched, ToolClass, ToolUse, class_of};
use hark_hosts::hook::{HookEvent, What};
use hark_store::{Beginning, FailureRow, Filed, StoredSession, Writer};

use crate::config::Config;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::{self, Trails};
use crate::project;
use crate::project::changes::{self, Uncommitted};
use crate::project_store::may_be_written_down;
use crate::{summary, turns};

/// How much of each kind of text to keep, in bytes.
const PROMPT: usize = 8_000;
const REPLY: usize = 4_000;
const OUTPUT: usize = 4_000;
const INPUT: usize = 4_000;
const TARGET: usize = 1_000;

/// How long to wait for git before continuing without it.
pub(crate) const GIT_PATIENCE: Duration = Duration::from_millis(700);

/// An event as it may be stored; `None` if there is nothing to store.
pub fn arrival(redactor: &Redactor, event: &HookEvent, now: Timestamp) -> Option<Arrival> {
    let root = event.cwd.as_deref().map(project::work_tree);
    arrival_in(redactor, event, root.as_deref(), now)
}

/// Like [`arrival`], for a caller that knows the project root of the folder.
pub(crate) fn arrival_in(
    redactor: &Redactor,
    event: &HookEvent,
    root: Option<&Path>,
    now: Timestamp,
) -> Option<Arrival> {
    arrival_to(redactor, Address::of(redactor, event)?, event, root, now)
}

/// Like [`arrival_in`], for a caller that has many events of one session.
pub(crate) fn arrival_to(
    redactor: &Redactor,
    address: Address,
    event: &HookEvent,
    root: Option<&Path>,
    now: Timestamp,
) -> Option<Arrival> {
    let clean = |text: &str| redactor.clean(Raw::new(text));
    let mut ours = false;
    let mut stored = Event {
        at: now,
        kind: EventKind::Other,
        tool: None,
        target: None,
        ok: None,
        body: Clean::default(),
        touches: Vec::new(),
    };
    match &event.what {
        What::Start { source } => {
            stored.kind = EventKind::Start;
            stored.body = one_line(&clean(source));
        }
        What::Prompt(text) => {
            stored.kind = EventKind::Prompt;
            stored.body = excerpt(redactor, text, PROMPT);
        }
        What::Task(text) => {
            stored.kind = EventKind::Task;
            stored.body = excerpt(redactor, text, PROMPT);
        }
        What::AfterTool { tool, output, ok } => {
            stored.kind = EventKind::Tool;
            ours = tool.ours;
            stored.tool = Some(one_line(&clean(&tool.name)));
            stored.target = target(redactor, tool, root);
            stored.ok = *ok;
            stored.body = tool_body(redactor, tool, output, *ok);
            if *ok != Some(false) {
                stored.touches = touches(redactor, &tool.touches, root);
            }
        }
        What::Reply(text) => {
            stored.kind = EventKind::Reply;
            stored.body = excerpt(redactor, text, REPLY);
        }
        What::Stop { reply } | What::Finish { reply, .. } => {
            stored.kind = EventKind::Reply;
            stored.target = Some(Clean::trusted_constant("stop"));
            stored.body = reply.as_ref().map(|text| excerpt(redactor, text, REPLY)).unwrap_or_default();
        }
        What::Compacting => stored.kind = EventKind::Compaction,
        What::Compacted(text) => {
            stored.kind = EventKind::Compaction;
            stored.body = excerpt(redactor, text, REPLY);
        }
        What::End { reason } => {
            stored.kind = EventKind::End;
            stored.body = one_line(&clean(reason));
        }
        What::BeforeTool(_) | What::Subagent | What::Other => return None,
    }
    Some(address.arrival(redactor, event, ours, stored))
}

/// The compaction that a start event follows. Some clients are not asked to report it before, because they would
/// show the hook.
pub(crate) fn compaction(redactor: &Redactor, event: &HookEvent, now: Timestamp) -> Option<Arrival> {
    let What::Start { source } = &event.what else { return None };
    (source == "compact").then(|| implied(redactor, event, EventKind::Compaction, "", now))?
}

/// The end of a session that an event reports together with its last turn.
pub(crate) fn ending(redactor: &Redactor, event: &HookEvent, now: Timestamp) -> Option<Arrival> {
    let What::Finish { reason, .. } = &event.what else { return None };
    implied(redactor, event, EventKind::End, reason, now)
}

fn implied(
    redactor: &Redactor,
    event: &HookEvent,
    kind: EventKind,
    text: &str,
    now: Timestamp,
) -> Option<Arrival> {
    let body = one_line(&redactor.clean(Raw::new(text)));
    let stored = Event { at: now, kind, tool: None, target: None, ok: None, body, touches: Vec::new() };
    let mut arrival = Address::of(redactor, event)?.arrival(redactor, event, false, stored);
    arrival.once = None;
    Some(arrival)
}

/// A tool that is about to run, in a session that is still unknown.
pub(crate) fn before(
    redactor: &Redactor,
    event: &HookEvent,
    tool: &ToolUse,
    now: Timestamp,
) -> Option<Arrival> {
    let address = Address::of(redactor, event)?;
    let root = event.cwd.as_deref().map(project::work_tree);
    let stored = Event {
        at: now,
        kind: EventKind::Before,
        tool: Some(one_line(&redactor.clean(Raw::new(&*tool.name)))),
        target: target(redactor, tool, root.as_deref()),
        ok: None,
        body: Clean::default(),
        touches: Vec::new(),
    };
    Some(address.arrival(redactor, event, tool.ours, stored))
}

/// Where an event belongs: the same for all events of a session from one source.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    host: Clean,
    via: Clean,
    session: Clean,
    parent: Option<Clean>,
    folder: Option<Clean>,
    transcript: Option<Clean>,
}

impl Address {
    /// `None` if the event names no session.
    pub(crate) fn of(redactor: &Redactor, event: &HookEvent) -> Option<Address> {
        let clean = |text: &str| redactor.clean(Raw::new(text));
        let transcript = event.transcript.as_deref();
        let transcript = transcript.filter(|path| may_be_written_down(Path::new(path), redactor));
        Some(Address {
            host: clean(event.client),
            via: clean(&event.via),
            session: event.session.as_deref().map(&clean)?,
            parent: event.parent.as_deref().map(&clean),
            folder: event.cwd.as_deref().map(|f| clean(&f.to_string_lossy())),
            transcript: transcript.map(&clean),
        })
    }

    fn arrival(self, redactor: &Redactor, event: &HookEvent, ours: bool, stored: Event) -> Arrival {
        Arrival {
            host: self.host,
            via: self.via,
            host_session: self.session,
            parent: self.parent,
            once: event.once.as_deref().map(|once| redactor.clean(Raw::new(once))),
            folder: self.folder,
            transcript: self.transcript,
            ours,
            recorded: None,
            process: event.process,
            event: stored,
        }
    }
}

fn tool_body(redactor: &Redactor, tool: &ToolUse, output: &Raw, ok: Option<bool>) -> Clean {
    if tool.echoes {
        return Clean::default();
    }
    match tool.class {
        // The content of a file is in the file.
        ToolClass::Read | ToolClass::Search if ok != Some(false) => Clean::default(),
        ToolClass::Edit if ok != Some(false) => excerpt(redactor, &tool.input, INPUT),
        ToolClass::Other if tool.ours => Clean::default(),
        ToolClass::Other if ok != Some(false) => excerpt(redactor, &tool.input, INPUT),
        _ => excerpt(redactor, output, OUTPUT),
    }
}

pub(crate) fn target(redactor: &Redactor, tool: &ToolUse, root: Option<&Path>) -> Option<Clean> {
    let text = excerpt(redactor, tool.target.as_ref()?, TARGET);
    let is_path = matches!(tool.class, ToolClass::Edit | ToolClass::Read);
    Some(if is_path { relative(text, root) } else { text })
}

pub(crate) fn touches(redactor: &Redactor, files: &[FileTouched], root: Option<&Path>) -> Vec<Touch> {
    let path = |raw: &Raw| relative(excerpt(redactor, raw, 4_096), root);
    files
        .iter()
        .map(|file| Touch { path: path(&file.path), op: file.op, from: file.from.as_ref().map(path) })
        .collect()
}

/// Makes a path relative to the project.
fn relative(path: Clean, root: Option<&Path>) -> Clean {
    let inside = root.and_then(|root| Path::new(path.as_str()).strip_prefix(root).ok());
    match inside.and_then(Path::to_str).filter(|p| !p.is_empty()) {
        // A part of a clean text is clean.
        Some(inside) => Clean::already_redacted(inside.to_owned()),
        None => path,
    }
}

/// The outcome of an event, and what it brought to mind.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) filed: Filed,
    /// Failures that are back after another session fixed them.
    pub(crate) back: Vec<FailureRow>,
    /// Not recorded yet: git is still running.
    pub(crate) baseline: Option<Baseline>,
}

/// Files an event together with its checkpoint. `None` if it belongs to no known session.
pub fn file(engine: &mut Engine, arrival: &Arrival) -> Result<Option<Filed>, EngineError> {
    let Some(captured) = take(engine, arrival)? else { return Ok(None) };
    if let Some(baseline) = captured.baseline {
        baseline.note(engine, captured.filed.num)?;
    }
    Ok(Some(captured.filed))
}

/// Like [`file`], and returns what was learned. The caller still has to record the baseline of a new session.
pub(crate) fn take(engine: &mut Engine, arrival: &Arrival) -> Result<Option<Captured>, EngineError> {
    let known = engine.store.knows_session(&arrival.host, &arrival.host_session)?;
    if known.is_none() && arrival.event.kind == EventKind::End {
        // `claude mcp list` ends a session that never started.
        return Ok(None);
    }
    let folder = arrival.folder.as_ref().map(|f| Path::new(f.as_str()).to_owned());
    let mut start = if known.is_none() { Some(Start::here(engine, folder.as_deref())?) } else { None };
    let baseline = start.as_mut().and_then(|start| start.baseline.take());
    let by = checkpoint_of(&arrival.event);
    let git = match by {
        Some(CheckpointBy::End | CheckpointBy::Compaction) => folder.as_deref(),
        _ => None,
    };
    let evidence = git.map(|folder| Evidence::gather(engine, known, folder)).transpose()?;
    let now = arrival.event.at;
    let today = engine.now();
    let explored = explored(&engine.config);
    let place = match arrival.event.kind {
        EventKind::Tool => failures::place_of(folder.as_deref()),
        _ => Place::default(),
    };
    engine.store.write(now, |writer| {
        let filed = writer.file_event(arrival, || match &start {
            Some(start) => Ok::<_, EngineError>(start.beginning()),
            None => Start::nowhere(now).map(|start| start.beginning()),
        })?;
        if filed.duplicate {
            return Ok(Some(Captured { filed, back: Vec::new(), baseline: None }));
        }
        discount_repeat(writer, filed.num, arrival, explored)?;
        if loses_context(arrival) {
            // A transcript may report it after the session was told everything again.
            let until = if arrival.recorded.is_some() { now } else { now.plus_millis(1) };
            writer.forget_told(filed.num, until, keeps_warnings(arrival))?;
        }
        if matches!(arrival.event.kind, EventKind::Prompt | EventKind::Task) {
            name_after_prompt(writer, filed.num, &arrival.event.body)?;
        }
        let mut trails = Trails::default();
        let back = failures::observe::observe(writer, &mut trails, filed.num, arrival, &place, today)?;
        trails.put(writer)?;
        if let Some(by) = by {
            machine_checkpoint(writer, filed.num, by, evidence.as_ref(), now)?;
        }
        let baseline = baseline.filter(|_| filed.is_new);
        Ok(Some(Captured { filed, back, baseline }))
    })
}

/// How long something counts as looked at.
pub(crate) fn explored(config: &Config) -> i64 {
    parse_span(&config.history.explored).unwrap_or(0)
}

/// Looking at the same thing again is not worth anything.
pub(crate) fn discount_repeat(
    writer: &mut Writer<'_>,
    session: i64,
    arrival: &Arrival,
    explored: i64,
) -> Result<(), EngineError> {
    let event = &arrival.event;
    let looks = event.tool.as_ref().is_some_and(|tool| {
        matches!(class_of(tool), ToolClass::Read | ToolClass::Search) && event.kind == EventKind::Tool
    });
    if looks && explored > 0 {
        writer.discount_repeat(session, event.at.minus_millis(explored))?;
    }
    Ok(())
}

/// Whether the conversation no longer contains what it was told before this event.
pub(crate) fn loses_context(arrival: &Arrival) -> bool {
    match arrival.event.kind {
        EventKind::Compaction => true,
        EventKind::Start => match arrival.event.body.as_str() {
            "compact" | "clear" => true,
            "resume" => hark_hosts::hook::forgets_on_resume(&arrival.host),
            _ => false,
        },
        _ => false,
    }
}

/// A session that is resumed still has what was added to the results of its tools.
pub(crate) fn keeps_warnings(arrival: &Arrival) -> bool {
    arrival.event.kind == EventKind::Start && arrival.event.body.as_str() == "resume"
}

fn checkpoint_of(event: &Event) -> Option<CheckpointBy> {
    match event.kind {
        EventKind::Reply if event.target.as_deref() == Some("stop") => Some(CheckpointBy::Stop),
        EventKind::Compaction => Some(CheckpointBy::Compaction),
        EventKind::End => Some(CheckpointBy::End),
        _ => None,
    }
}

/// What is known about the folder when a session starts.
struct Start {
    beginning: Beginning,
    baseline: Option<Baseline>,
}

/// Files that had already changed when a session started, as reported by git. Even in a small repository, git
/// takes as long as everything else a hook does then.
#[derive(Debug)]
pub(crate) struct Baseline {
    root: PathBuf,
    asked: Uncommitted,
}

impl Baseline {
    /// Starts to ask; `None` if the folder has no commits.
    pub(crate) fn ask(folder: &Path) -> Option<Self> {
        let root = project::work_tree(folder);
        project::head(folder).1?;
        Uncommitted::ask(&root, GIT_PATIENCE).map(|asked| Baseline { root, asked })
    }

    pub(crate) fn note(self, engine: &mut Engine, session: i64) -> Result<(), EngineError> {
        // Without an answer, nobody knows what had changed before.
        let Some(dirty) = self.asked.answer() else { return Ok(()) };
        let marked = changes::baseline(&self.root, &dirty).into_iter();
        let marked = marked.map(|(path, mark)| (engine.clean(&path).into_string(), mark));
        let marked: Vec<(String, String)> =
            marked.chain([(changes::ASKED.to_owned(), String::new())]).collect();
        let now = engine.now();
        engine.store.write(now, |writer| Ok(writer.set_baseline(session, &marked)?))
    }
}

impl Start {
    fn here(engine: &mut Engine, folder: Option<&Path>) -> Result<Self, EngineError> {
        let mut start = Self::nowhere(engine.now())?;
        let Some(folder) = folder else { return Ok(start) };
        start.baseline = Baseline::ask(folder);
        let (branch, head) = project::head(folder);
        start.beginning.project = engine.project_of(folder);
        start.beginning.branch = branch.map(|text| one_line(&engine.clean(&text)));
        start.beginning.head = head.map(|text| engine.clean(&text));
        Ok(start)
    }

    fn nowhere(now: Timestamp) -> Result<Self, EngineError> {
        let beginning =
            Beginning { id: SessionId::new(now, Engine::random()?), project: None, branch: None, head: None };
        Ok(Start { beginning, baseline: None })
    }

    fn beginning(&self) -> Beginning {
        self.beginning.clone()
    }
}

/// What git says about a session's work.
pub(crate) struct Evidence {
    changes: Vec<FileTouch>,
    branch: Option<Clean>,
    head: Option<Clean>,
}

impl Evidence {
    pub(crate) fn gather(
        engine: &mut Engine,
        session: Option<i64>,
        folder: &Path,
    ) -> Result<Self, EngineError> {
        let (branch, head) = project::head(folder);
        let clean = |text: &str| one_line(&engine.clean(text));
        let mut evidence = Evidence {
            changes: Vec::new(),
            branch: branch.as_deref().map(clean),
            head: head.as_deref().map(clean),
        };
        let Some(num) = session else { return Ok(evidence) };
        let now = engine.now();
        let (start, baseline) = engine.store.session_start(num)?;
        if start.is_none() {
            return Ok(evidence);
        }
        let root = project::work_tree(folder);
        let found = if baseline.iter().any(|(path, _)| path == changes::ASKED) {
            changes::since(&root, start.as_deref(), GIT_PATIENCE)
        } else {
            // Uncommitted changes may be older than the session.
            changes::committed(&root, start.as_deref(), GIT_PATIENCE)
        };
        let found = changes::without_baseline(&root, found.unwrap_or_default(), &baseline);
        let touched = found.into_iter().map(|change| FileTouch {
            path: engine.clean(&change.path),
            op: change.op,
            from: change.from.map(|from| engine.clean(&from)),
            edits: 1,
            first: now,
            last: now,
        });
        evidence.changes = touched.collect();
        Ok(evidence)
    }

    /// Adds changes that the assistant's own tools did not report.
    pub(crate) fn apply(&self, stored: &mut StoredSession) {
        let session = &mut stored.session;
        if self.head.is_some() {
            session.head_end = self.head.clone();
        }
        if self.branch.is_some() {
            session.branch = self.branch.clone();
        }
        for change in &self.changes {
            match session.files.iter_mut().find(|file| file.path == change.path) {
                None => session.files.push(change.clone()),
                // It exists after all.
                Some(known) if known.op == FileOp::Deleted && change.op != FileOp::Deleted => {
                    (known.op, known.from) = (FileOp::Modified, None);
                }
                Some(_) if change.op == FileOp::Modified => {}
                // A file that seemed only modified may have been created, moved or deleted.
                Some(known) => (known.op, known.from) = (change.op, change.from.clone()),
            }
        }
    }
}

/// Names a session after the first prompt that says what it is about; until then, after the first one that says
/// anything. True if it has a name that stays.
pub(crate) fn name_after_prompt(
    writer: &mut Writer<'_>,
    num: i64,
    prompt: &Clean,
) -> Result<bool, EngineError> {
    // A command to the client says nothing about the work.
    let Some(request) = request_in(prompt) else { return Ok(false) };
    if crate::recall::gate::is_trivial(&request) {
        return Ok(false);
    }
    let Some(mut stored) = writer.session(num)? else { return Ok(true) };
    let telling = |title: &Clean| title_of_prompt(title).is_some();
    if stored.session.title.as_ref().is_some_and(telling) {
        return Ok(true);
    }
    let found = title_of_prompt(&request);
    let stays = found.is_some();
    let title = one_line(&found.unwrap_or_else(|| title_from_body(&request)));
    if !title.is_empty() && (stays || stored.session.title.is_none()) {
        stored.session.title = Some(title);
        writer.note_session(&stored)?;
    }
    Ok(stays)
}

/// A checkpoint made by a hook: it records how far the session is, not why.
pub(crate) fn machine_checkpoint(
    writer: &mut Writer<'_>,
    num: i64,
    by: CheckpointBy,
    evidence: Option<&Evidence>,
    now: Timestamp,
) -> Result<(), EngineError> {
    let mut stored = match writer.session(num) {
        Ok(Some(stored)) => stored,
        Ok(None) => return Ok(()),
        // Never overwrite a hand-edited file that cannot be parsed; the rows keep counting.
        Err(hark_store::StoreError::Unreadable { .. }) => return Ok(()),
        Err(e) => return Err(e.into()),
    };
    if let Some(evidence) = evidence {
        evidence.apply(&mut stored);
    }
    if let Some(turn) = turns::latest(writer, num)? {
        stored.session.add_turn(turn);
    }
    let session = &mut stored.session;
    let (calls, files) = (session.tool_calls, session.files.len());
    let note = format!("{calls} tool calls, {files} files");
    session.mark(by, Clean::already_redacted(note), now);
    let is_over = matches!(by, CheckpointBy::End | CheckpointBy::Expiry);
    let subagents = if is_over { writer.open_subagents(num)? } else { Vec::new() };
    if is_over {
        let status = if by == CheckpointBy::End { SessionStatus::Closed } else { SessionStatus::Expired };
        session.close(status, now);
        let text = summary::extract(writer, num, session)?;
        session.summarise(text);
    }
    if stored.session.has_substance() || stored.session.title.is_some() {
        writer.save_session(&stored)?;
    } else if is_over {
        writer.forget_empty_session(&stored)?;
    } else {
        writer.note_session(&stored)?;
    }
    // They belong to it and end with it. Each is closed before its own are looked up.
    subagents.into_iter().try_for_each(|subagent| machine_checkpoint(writer, subagent, by, None, now))
}
