//! Keep something.

use clap::Args;
use hark_core::memory::{Importance, one_line, title_from_body};
use hark_core::{Clean, IdRef, Kind, Life, Link, Memory, MemoryId, Origin, Relation, Status, Timestamp};
use hark_store::{Passing, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::repeat::{self, Candidate, Known};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// What to remember, in full sentences
    #[arg(skip)]
    pub text: String,
    /// decision, constraint, convention, fact, procedure, lesson, solution, failure, fix, blocker, task, plan, idea, event, directive…
    #[arg(long, value_name = "K")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<Kind>,
    /// One line; taken from the text if absent
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// The reason behind it
    #[arg(long, value_name = "W")]
    pub why: Option<String>,
    /// What was learned
    #[arg(long, value_name = "L")]
    pub learned: Option<String>,
    /// Subject: replaces what has the same
    #[arg(long, value_name = "KEY")]
    pub topic: Option<String>,
    /// Labels
    #[arg(long = "tag", value_name = "T")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Files it is about
    #[arg(long = "file", value_name = "F")]
    #[serde(default)]
    pub files: Vec<String>,
    /// Things it is about: `#12`, `!7`, `@ann`, `library:axum`
    #[arg(long = "entity", value_name = "E")]
    #[serde(default)]
    pub entities: Vec<String>,
    /// 1 (minor) to 5 (vital)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub importance: Option<u8>,
    /// When it stops being true: `30d`, `2027-01-31`
    #[arg(long, value_name = "WHEN")]
    #[schemars(skip)]
    pub expires: Option<String>,
    /// Offered first and never aged out
    #[arg(long)]
    #[serde(default)]
    #[schemars(skip)]
    pub pin: bool,
    /// Id of the memory that this one replaces
    #[arg(long, value_name = "ID")]
    pub supersedes: Option<String>,
    /// Whose words these are, if not your own: user, assistant, tool, file, web
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
    /// Absent for what holds everywhere.
    pub project: Option<String>,
    /// How many secrets were taken out before storing.
    pub redacted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<String>,
    /// It was known already: how often it was confirmed by now. `id` is the one that said it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<u32>,
    /// Memories that this may be the newer state of. Say so with `--supersedes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub possibly_supersedes: Vec<Candidate>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: Request) -> Result<Response, EngineError> {
    check_size(&request.text)?;
    let now = engine.now();
    let scope = request.scope.resolve(engine, caller)?;
    let origin = claimed_origin(caller, request.origin)?;
    let kind = request.kind.unwrap_or(Kind::Fact);
    check_origin(origin, kind)?;
    let superseded = request.supersedes.map(|text| text.parse::<IdRef>()).transpose()?;

    let body = engine.clean(request.text.trim());
    let title = clean_title(engine, request.title.as_deref()).unwrap_or_else(|| title_from_body(&body));
    let memory = Memory {
        id: MemoryId::new(now, Engine::random()?),
        kind,
        status: Status::Active,
        scope,
        title,
        body,
        why: clean_optional(engine, request.why.as_deref()),
        learned: clean_optional(engine, request.learned.as_deref()),
        topic: clean_title(engine, request.topic.as_deref()),
        tags: clean_list(engine, &request.tags),
        files: clean_list(engine, &request.files),
        entities: clean_list(engine, &request.entities),
        links: Vec::new(),
        importance: request.importance.and_then(Importance::new).unwrap_or_default(),
        confidence: if origin == Origin::User { 0.9 } else { 0.7 },
        pinned: request.pin,
        origin,
        author: clean_optional(engine, caller.author.as_deref()),
        session: clean_optional(engine, caller.session.as_deref()),
        turn: None,
        created: now,
        updated: now,
        closed: None,
        expires: request.expires.as_deref().map(|text| expiry(text, now)).transpose()?,
        superseded_by: None,
        life: Life::default(),
        revision: 1,
        unknown: Vec::new(),
    };
    let redacted = placeholders(&memory);
    let kept = engine.store.write(now, |writer| store(writer, memory, superseded.as_ref(), now))?;
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
    })
}

fn store(
    writer: &mut Writer<'_>,
    mut memory: Memory,
    superseded: Option<&IdRef>,
    now: Timestamp,
) -> Result<Kept, EngineError> {
    lift_or_refuse(writer, &memory)?;
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
            if memory.origin.may_supersede(of_topic.kind, of_topic.origin) {
                candidates.clear();
                old = Some(of_topic);
            } else if candidates.iter().all(|c| c.id != of_topic.id.short()) {
                let (id, title) = (of_topic.id.short(), of_topic.title.to_string());
                candidates.push(Candidate { id, title, differences: Vec::new() });
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
        retire(writer, old, &memory, now)?;
    }
    Ok(Kept { memory, superseded: old.map(|old| old.id), confirmed: false, candidates })
}

/// What became of a new memory.
struct Kept {
    memory: Memory,
    superseded: Option<MemoryId>,
    /// It was known already.
    confirmed: bool,
    candidates: Vec<Candidate>,
}

/// What was forgotten comes back only by the user's own word, which then counts again.
fn lift_or_refuse(writer: &mut Writer<'_>, memory: &Memory) -> Result<(), EngineError> {
    match writer.passing_of_text(&memory.body)? {
        Some(Passing::Forgotten) if memory.origin != Origin::User => Err(EngineError::invalid(
            "the user had this forgotten",
            "leave it so; only the user can bring it back, with: hark remember \"…\"",
        )),
        Some(_) => Ok(writer.lift(&memory.body)?),
        None => Ok(()),
    }
}

/// Whose words these are: whoever is no person may quote, but not speak as one.
fn claimed_origin(caller: &Caller, claimed: Option<Origin>) -> Result<Origin, EngineError> {
    let speaker = caller.origin.unwrap_or(Origin::Assistant);
    match claimed {
        Some(person @ (Origin::User | Origin::Teammate)) if speaker != Origin::User && speaker != person => {
            Err(EngineError::invalid(
                format!("words of origin `{speaker}` may not pass as the {person}'s"),
                "leave the origin out for your own words; quoted ones are tool, file, web or import; \
                 the user can say it with: hark remember \"…\"",
            ))
        }
        claimed => Ok(claimed.unwrap_or(speaker)),
    }
}

/// Marks `old` as replaced by `new`, if the origin of `new` may do that. What `old` itself replaced
/// stays so, unless that was `new`.
pub(super) fn retire(
    writer: &mut Writer<'_>,
    old: &Memory,
    new: &Memory,
    now: Timestamp,
) -> Result<(), EngineError> {
    if !new.origin.may_supersede(old.kind, old.origin) {
        return Err(EngineError::invalid(
            format!("words of origin `{}` may not replace the {}'s {}", new.origin, old.origin, old.kind),
            format!("let the user confirm it: hark remember … --supersedes {}", old.id),
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
        return Err(EngineError::invalid(
            "there is nothing to remember",
            "give the text: hark remember \"…\"",
        ));
    }
    if text.len() > Memory::MAX_BODY_BYTES {
        return Err(EngineError::invalid(
            format!(
                "the text is {} kB; a memory holds at most {} kB",
                text.len() / 1024,
                Memory::MAX_BODY_BYTES / 1024
            ),
            "keep what matters, and name the document with --file",
        ));
    }
    Ok(())
}

/// Quoted text may be kept, but not as an instruction.
pub(super) fn check_origin(origin: Origin, kind: Kind) -> Result<(), EngineError> {
    if origin.may_become(kind) {
        return Ok(());
    }
    Err(EngineError::invalid(
        format!("words of origin `{origin}` may not become a {kind}"),
        "ask the user to say it: only a user's words become directives and rules; or store it as a fact",
    ))
}

fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, EngineError> {
    match hark_core::time::parse_span(text.trim()) {
        Some(span) => Ok(now.plus_millis(span)),
        None => Ok(Timestamp::parse_absolute(text)?),
    }
}

/// Cleaned first and shortened afterwards: half a secret is still a secret.
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
    count(&body).max(count(&memory.title)) + count(&labels)
}
