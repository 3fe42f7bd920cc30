//! Stores a memory.

use clap::Args;
use hark_core::likeness::Likeness;
use hark_core::memory::{Importance, one_line, title_from_body};
use hark_core::{
    Clean, Guidance, IdRef, Kind, Link, Memory, MemoryId, Origin, Relation, Scope, Status, Timestamp,
};
use hark_store::{Passing, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::text::{count, words};
use crate::operation::{
    Answer, Call, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operate, Operation, Page, Reply, Tool,
    WARN, Who,
};
use crate::particulars::Particulars;
use crate::paths;
use crate::phrases;
use crate::repeat::{self, Known, OlderState};
use crate::sessions;
use crate::voice::{ASK_USER, Voice};
use std::io::Read;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// What to remember, in full sentences
    #[schemars(description = "In full sentences")]
    #[arg(skip)]
    pub text: String,
    /// What to remember; `-` reads standard input
    #[arg(value_name = "TEXT", required = true)]
    #[serde(skip)]
    #[schemars(skip)]
    pub words: Vec<String>,
    /// decision, constraint, convention, fact, procedure, lesson, solution, failure, fix, blocker, task, plan, idea, event, directive…
    #[arg(long, value_name = "K")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<Kind>,
    /// One line; default: from the text
    #[schemars(description = "Default: from the text")]
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// The reason behind it
    #[schemars(description = "Its reason")]
    #[arg(long, value_name = "W")]
    pub why: Option<String>,
    /// What was learned
    #[schemars(description = "Lesson")]
    #[arg(long, value_name = "L")]
    pub learned: Option<String>,
    /// Subject; replaces the memory with the same one
    #[schemars(description = "Subject; replaces its earlier memory")]
    #[arg(long, value_name = "KEY")]
    pub topic: Option<String>,
    /// Labels
    #[arg(long = "tag", value_name = "T")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Files it is about
    #[schemars(description = "Its files")]
    #[arg(long = "file", value_name = "F")]
    #[serde(default)]
    pub files: Vec<String>,
    /// Things it is about: `#12`, `!7`, `@ann`, `library:axum`
    #[schemars(description = "#12, !7, @ann, library:axum")]
    #[arg(long = "entity", value_name = "E")]
    #[serde(default)]
    pub entities: Vec<String>,
    /// A short question, in other words, that it answers; never shown
    #[schemars(description = "2-3 short questions it answers, in other words; one in English")]
    #[arg(long = "asked-as", value_name = "PHRASE")]
    #[serde(default)]
    pub asked_as: Vec<String>,
    /// 1 (minor) to 5 (vital)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub importance: Option<u8>,
    /// When it expires: `30d`, `2027-01-31`
    #[arg(long, value_name = "WHEN")]
    #[schemars(skip)]
    pub expires: Option<String>,
    /// An option that was rejected, and why
    #[arg(long = "rejected", value_name = "OPTION: WHY")]
    #[serde(default)]
    #[schemars(skip)]
    pub rejected: Vec<String>,
    /// How to tell that a requirement is met
    #[arg(long = "criterion", value_name = "TEXT")]
    #[serde(default)]
    #[schemars(skip)]
    pub criteria: Vec<String>,
    /// When to remind of it, or to review a procedure: `2026-12-01`, `2w`, `file:src/pay.py`
    #[arg(long, value_name = "WHEN")]
    #[schemars(skip)]
    pub remind: Option<String>,
    /// Rank first and never age out
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub pin: bool,
    /// Id of the memory it replaces
    #[schemars(description = "Id it replaces")]
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// Source, if not you: user, assistant, tool, file, web
    #[schemars(description = "If not you: user, tool, file, web")]
    #[arg(long, value_name = "O")]
    #[schemars(with = "Option<String>")]
    pub origin: Option<Origin>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub id: String,
    pub title: String,
    pub kind: String,
    /// Absent if it applies to every project.
    pub project: Option<String>,
    /// The number of secrets redacted before storing.
    pub redacted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<String>,
    /// If it was already known, how often it was confirmed. `id` is the first memory that said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<u32>,
    /// Memories that this one may replace. Confirm with `--supersedes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possibly_supersedes: Vec<OlderState>,
    /// Not in effect until the user accepts it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub proposed: bool,
    /// It applies to every project only because the caller's project is unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub project_unknown: bool,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: Request) -> Result<Response, EngineError> {
    check_size(&request.text)?;
    let now = engine.now();
    let scope = request.scope.resolve(engine, caller)?;
    let project_unknown = request.scope.is_guess(&scope, caller);
    let session = session_name(engine, caller)?;
    let kind = request.kind.unwrap_or(Kind::Fact);
    let superseded = request.supersedes.map(|text| text.parse::<IdRef>()).transpose()?;

    let body = engine.clean(request.text.trim());
    let files = match request.scope.project {
        // Paths in another project are relative to its root already.
        Some(_) => request.files.clone(),
        None => request.files.iter().map(|file| paths::in_project(engine, caller, file)).collect(),
    };
    let voice = Voice::of(engine, caller, request.origin, kind, &body)?;
    let origin = voice.origin;
    let passed_on = voice.prompt.is_some();
    let said = |text: &Clean| voice.allows(text);
    let title = clean_title(engine, request.title.as_deref()).filter(said);
    let title = title.unwrap_or_else(|| title_from_body(&body));
    let given =
        Particulars::of(engine, &request.rejected, &request.criteria, request.remind.as_deref(), now)?;
    let given = Particulars {
        rejected: given.rejected.into_iter().filter(said).collect(),
        criteria: given.criteria.into_iter().filter(said).collect(),
        ..given
    };
    let mut guidance = Guidance::default();
    given.add_to(&mut guidance, kind)?;
    let memory = Memory {
        status: voice.status,
        scope,
        title,
        why: clean_optional(engine, request.why.as_deref()).filter(said),
        learned: clean_optional(engine, request.learned.as_deref()).filter(said),
        // A topic set by an assistant never replaces the user's memory.
        topic: clean_title(engine, request.topic.as_deref()).filter(|_| !passed_on),
        tags: clean_list(engine, &request.tags),
        files: clean_list(engine, &files),
        entities: clean_list(engine, &request.entities),
        asked_as: phrases::given(engine, &request.asked_as)?,
        importance: request.importance.and_then(Importance::new).unwrap_or_default(),
        confidence: if origin == Origin::User { 0.9 } else { 0.7 },
        pinned: request.pin && !passed_on,
        author: clean_optional(engine, caller.author.as_deref()),
        session,
        closed: (voice.status != Status::Active).then_some(now),
        expires: request.expires.as_deref().map(|text| expiry(text, now)).transpose()?,
        guidance,
        ..Memory::new(MemoryId::new(now, Engine::random()?), kind, origin, body, now)
    };
    let redacted = placeholders(&memory);
    let speaker = voice.speaker;
    let question = phrases::last_question(engine, caller);
    let kept = engine.store.write(now, |writer| {
        let kept = store(writer, memory, superseded.as_ref(), speaker, now)?;
        if kept.confirmed {
            phrases::learn(writer, question.as_ref(), &kept.memory.id)?;
        }
        Ok::<_, EngineError>(kept)
    })?;
    let memory = kept.memory;
    Ok(Response {
        id: memory.id.short(),
        title: memory.title.to_string(),
        kind: memory.kind.to_string(),
        project: memory.scope.project().map(ToString::to_string),
        redacted,
        superseded: kept.superseded.map(|id| id.short()),
        confirmed: kept.confirmed.then_some(memory.life.confirmations),
        possibly_supersedes: kept.candidates,
        proposed: memory.status == Status::Proposed,
        project_unknown: project_unknown && memory.scope == Scope::Global,
    })
}

/// The assistant's own id of the session in which a memory was made.
fn session_name(engine: &mut Engine, caller: &Caller) -> Result<Option<Clean>, EngineError> {
    if caller.process.is_some()
        && let Some(stored) = sessions::of_caller(engine, caller)?
    {
        return Ok(Some(stored.session.host_session));
    }
    Ok(clean_optional(engine, caller.session.as_deref()))
}

pub(super) fn store(
    writer: &mut Writer<'_>,
    mut memory: Memory,
    superseded: Option<&IdRef>,
    speaker: Origin,
    now: Timestamp,
) -> Result<Kept, EngineError> {
    lift_or_refuse(writer, &memory)?;
    if let Some(known) = settle_proposals(writer, &memory, superseded, now)? {
        return Ok(Kept { memory: known, superseded: None, confirmed: false, candidates: Vec::new() });
    }
    let mut old = superseded.map(|id| writer.load(id)).transpose()?;
    let mut candidates = Vec::new();
    if old.is_none() {
        match repeat::meet(writer, &memory, now)? {
            Known::Confirmed(memory) => {
                return Ok(Kept { memory: *memory, superseded: None, confirmed: true, candidates });
            }
            Known::New(found) => candidates = found,
        }
        if let Some(topic) = &memory.topic
            && let Some(of_topic) = writer.of_topic(&memory, topic)?
        {
            let may = speaker.may_supersede(of_topic.kind, of_topic.origin);
            if may && memory.status == Status::Active {
                candidates.clear();
                old = Some(of_topic);
            } else if candidates.iter().all(|c| c.id != of_topic.id.short()) {
                let (id, title) = (of_topic.id.short(), of_topic.title.to_string());
                candidates.push(OlderState { id, title, differences: Vec::new() });
            }
        }
    }
    while !writer.is_free(&memory.id)? {
        memory.id = MemoryId::new(now, Engine::random()?);
    }
    if let Some(old) = &old {
        memory.links.push(Link {
            to: old.id,
            relation: Relation::Supersedes,
            weight: 1.0,
            origin: memory.origin,
        });
    }
    writer.create(&memory)?;
    if let Some(old) = &old {
        retire(writer, old, &Memory { origin: speaker, ..memory.clone() }, now)?;
    }
    Ok(Kept { memory, superseded: old.map(|old| old.id), confirmed: false, candidates })
}

/// The outcome for a new memory.
pub(super) struct Kept {
    pub(super) memory: Memory,
    superseded: Option<MemoryId>,
    /// It was already known.
    pub(super) confirmed: bool,
    candidates: Vec<OlderState>,
}

/// Only the user can store forgotten text again; that clears the tombstone.
fn lift_or_refuse(writer: &mut Writer<'_>, memory: &Memory) -> Result<(), EngineError> {
    match writer.passing_of_text(&memory.body)? {
        Some(Passing::Forgotten) if memory.origin != Origin::User => Err(EngineError::invalid(
            "the user has asked to forget this",
            "do not store it again; only the user can bring it back",
        )),
        Some(_) => Ok(writer.lift(&memory.body)?),
        None => Ok(()),
    }
}

/// Applies a new memory to proposals with the same words; `Some` if it is already proposed.
fn settle_proposals(
    writer: &mut Writer<'_>,
    memory: &Memory,
    superseded: Option<&IdRef>,
    now: Timestamp,
) -> Result<Option<Memory>, EngineError> {
    let is_proposal = memory.status == Status::Proposed;
    if is_proposal && superseded.is_some() {
        return Err(EngineError::invalid(
            "a proposal replaces nothing until the user accepts it",
            "omit `supersedes`",
        ));
    }
    let is_order = memory.kind.steers() && memory.origin == Origin::User;
    if !is_proposal && !is_order {
        return Ok(None);
    }
    for other in writer.alike_of_any_status(memory)? {
        let same = matches!(
            repeat::likeness(writer, &other, memory),
            Likeness::Same | Likeness::Less | Likeness::More
        );
        match other.status {
            Status::Proposed if same && is_proposal => return Ok(Some(other)),
            // The user has said it, so there is nothing left to decide.
            Status::Proposed if same => {
                let mut after = other.clone();
                after.set_status(Status::Archived, now);
                after.touch(now);
                writer.update(&other, &after, "said by the user")?;
            }
            Status::Archived if same && is_proposal => {
                return Err(EngineError::invalid(
                    format!("the user has rejected or archived this ({})", other.id),
                    "do not propose it again",
                ));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Marks `old` as replaced by `new`, if the origin of `new` permits it. Memories that `old` replaced
/// stay replaced, except `new` itself.
pub(super) fn retire(
    writer: &mut Writer<'_>,
    old: &Memory,
    new: &Memory,
    now: Timestamp,
) -> Result<(), EngineError> {
    if !new.origin.may_supersede(old.kind, old.origin) {
        return Err(EngineError::invalid(
            format!("text of origin `{}` may not replace the {}'s {}", new.origin, old.origin, old.kind),
            ASK_USER,
        ));
    }
    let mut after = old.clone();
    after.set_status(Status::Superseded, now);
    after.superseded_by = Some(new.id);
    after.links.retain(|link| !(link.relation == Relation::Supersedes && link.to == new.id));
    after.touch(now);
    writer.update(old, &after, "superseded")?;
    Ok(())
}

fn check_size(text: &str) -> Result<(), EngineError> {
    if text.trim().is_empty() {
        return Err(EngineError::invalid("the text is empty", "pass the text: hark remember \"…\""));
    }
    if text.len() > Memory::MAX_BODY_BYTES {
        return Err(EngineError::invalid(
            format!(
                "the text is {} kB; the limit is {} kB",
                text.len() / 1024,
                Memory::MAX_BODY_BYTES / 1024
            ),
            "shorten it, and name the document with --file",
        ));
    }
    Ok(())
}

fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, EngineError> {
    match hark_core::time::parse_span(text.trim()) {
        Some(span) => Ok(now.plus_millis(span)),
        None => Ok(Timestamp::parse_absolute(text)?),
    }
}

/// Redacts first and shortens afterwards: half a secret is still a secret.
pub(super) fn clean_title(engine: &Engine, text: Option<&str>) -> Option<Clean> {
    text.map(|t| one_line(&engine.clean(t))).filter(|t| !t.is_empty())
}

pub(super) fn clean_optional(engine: &Engine, text: Option<&str>) -> Option<Clean> {
    text.map(str::trim).filter(|t| !t.is_empty()).map(|t| engine.clean(t))
}

pub(super) fn clean_list(engine: &Engine, texts: &[String]) -> Vec<Clean> {
    let mut kept: Vec<Clean> = Vec::new();
    for clean in texts.iter().filter_map(|t| clean_title(engine, Some(t))) {
        if !kept.contains(&clean) {
            kept.push(clean);
        }
    }
    kept
}

fn placeholders(memory: &Memory) -> usize {
    let body = memory.searchable_body();
    let labels = memory.searchable_labels();
    let count = |text: &str| text.matches("[REDACTED:").count() + text.matches("[PRIVATE]").count();
    // A title taken from the body repeats its placeholders; count the text they came from.
    count(&body).max(count(&memory.title))
        + count(&labels)
        + memory.asked_as.iter().map(|phrase| count(phrase)).sum::<usize>()
}

pub const OPERATION: Operation = Operation {
    name: "remember",
    also: &[],
    summary: "Store something worth knowing",
    help: "",
    examples: &[
        ("hark remember \"We use pnpm, never npm\"", "Remember a convention of this project"),
        (
            "hark remember \"Deploys go out on Tuesdays\" --kind fact --global",
            "Remember a fact for every project",
        ),
        ("git log -1 --format=%B | hark remember - --kind decision", "Read the text from standard input"),
    ],
    group: Group::Memories,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_remember",
        family: Family::Core,
        description: "Store one durable, self-contained piece of knowledge for future sessions. Secrets are redacted.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self.clone())
    }

    fn typed(mut self, call: &mut Call<'_>) -> Result<Self, EngineError> {
        self.text = match self.words.as_slice() {
            [only] if only == "-" => read_text(call.stdin)?,
            words => words.join(" "),
        };
        Ok(self)
    }
}

fn read_text(stdin: &mut dyn Read) -> Result<String, EngineError> {
    const LONGEST: u64 = 8 * 1024 * 1024;
    let mut bytes = Vec::new();
    stdin.take(LONGEST).read_to_end(&mut bytes).map_err(|e| {
        EngineError::invalid(format!("standard input: {e}"), "pipe the text in, or pass it as an argument")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        EngineError::invalid("standard input is not UTF-8 text", "convert it first, for example with iconv")
    })
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!(
            "{ID}{}{ID:#} {} {DIM}· {} · {}{DIM:#}\n",
            self.id,
            words(&self.title),
            self.kind,
            words(&page.project(self.project.as_deref()))
        ));
        if self.redacted > 0 {
            page.note(&format!(
                "{WARN}redacted:{WARN:#} replaced {} before writing anything\n",
                count(self.redacted, "secret", "secrets")
            ));
        }
        if self.proposed {
            page.note(&format!(
                "{WARN}proposed:{WARN:#} it takes effect when the user accepts it with `hark inbox`\n"
            ));
        }
        if self.project_unknown {
            page.note("it applies to every project, because this folder belongs to none; see --project\n");
        }
        if let Some(times) = self.confirmed {
            page.note(&format!("already known; confirmed {}\n", count(times, "time", "times")));
        }
        for old in &self.possibly_supersedes {
            let what: Vec<String> = old
                .differences
                .iter()
                .map(|d| format!("{} → {}", or_dash(&d.before), or_dash(&d.after)))
                .collect();
            page.note(&format!(
                "{WARN}possibly supersedes{WARN:#} {} {} ({})\n  if so: hark relate {} {} --as supersedes\n",
                old.id,
                words(&old.title),
                words(&what.join(", ")),
                self.id,
                old.id
            ));
        }
        if let Some(old) = &self.superseded {
            page.note(&format!("supersedes {old}, which stays in the history\n"));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let redacted = match self.redacted {
            0 => String::new(),
            n => format!(" ({} redacted)", count(n, "secret", "secrets")),
        };
        let mut text = match self.confirmed {
            _ if self.proposed => format!(
                "Stored as a proposal, {}{redacted}. It has no effect yet: these words are in none of the user's prompts, so \
                 they do not count as the user's. Only the user decides about proposals; tell them that this one is waiting.",
                self.id
            ),
            Some(_) => format!("Already known as {}; confirmed{redacted}.", self.id),
            None => format!("Remembered as {}{redacted}.", self.id),
        };
        let mut data = tell::value(self)?;
        if self.project_unknown {
            let note = format!(
                "It applies to every project, because it is unknown which project you work in. If it is about one, \
                 move it there: memory_update ids [\"{}\"] action edit project NAME_OR_FOLDER. Pass `project` or \
                 `global` from now on.",
                self.id
            );
            text.push_str(&format!("\n{note}"));
            data["note"] = note.into();
        }
        for old in &self.possibly_supersedes {
            text.push_str(&format!(
                "\nPossibly supersedes {} ({}): if so, memory_update {} supersede to {}.",
                old.id, old.title, old.id, self.id
            ));
        }
        tell::answer(&text, data)
    }
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
