//! Markdown → memory.

use uuid::Uuid;

use super::front_matter::{FrontMatter, KNOWN_KEYS, raw_entries};
use super::guidance;
use crate::id::MemoryId;
use crate::kind::Kind;
use crate::life::Life;
use crate::lifecycle::Status;
use crate::link::{Link, Relation};
use crate::memory::{Importance, Memory, Scope, UnknownKey, phrases, title_from_body};
use crate::origin::Origin;
use crate::project::ProjectKey;
use crate::redact::{Clean, Raw};
use crate::time::Timestamp;

/// Why a file is not a valid memory, for the person who edited it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ParseError {
    #[error("missing front matter: the file must start with a line `---`")]
    NoFrontMatter,
    #[error("the front matter is never closed: add a line `---` after its last key")]
    Unclosed,
    #[error("the front matter is not valid YAML: {0}")]
    Yaml(String),
    #[error("`{key}` has an invalid value: {reason}")]
    Value { key: &'static str, reason: String },
}

/// Reads one file. `clean` is the redactor: the only way for text to get into a [`Memory`].
pub fn parse(text: &str, clean: &dyn Fn(Raw) -> Clean) -> Result<Memory, ParseError> {
    let (yaml, body) = split(text)?;
    let front: FrontMatter =
        serde_saphyr::from_str(&yaml).map_err(|e| ParseError::Yaml(first_line(&quoting(&e, clean))))?;

    let id = parse_id("id", &front.id, clean)?;
    let born = Timestamp::from_millis(uuid_millis(&id));
    let created = time("created", front.created.as_deref(), clean)?.unwrap_or(born);
    let status = field("status", front.status.as_deref(), clean)?.unwrap_or(Status::Active);
    let text_field = |value: Option<String>| value.filter(|v| !v.is_empty()).map(|v| clean(Raw::new(v)));
    let list = |values: Vec<String>| -> Vec<Clean> {
        let kept = values.into_iter().filter(|v| !v.trim().is_empty());
        kept.map(|v| clean(Raw::new(v))).collect()
    };
    let project = front.project.and_then(|key| ProjectKey::new(&clean(Raw::new(key))));
    let body = clean(Raw::new(body));
    let title = match text_field(front.title) {
        Some(title) => title,
        None => title_from_body(&body),
    };
    let links = front.links.unwrap_or_default().into_iter().map(|entry| {
        Ok(Link {
            to: parse_id("links", &entry.to, clean)?,
            relation: checked("links", &entry.relation, clean, |text| text.parse::<Relation>())?,
            weight: entry.weight.unwrap_or(1.0).clamp(0.0, 1.0) as f32,
            origin: field("links", entry.origin.as_deref(), clean)?.unwrap_or(Origin::User),
        })
    });
    let unknown = raw_entries(&yaml).into_iter().filter(|(key, _)| !KNOWN_KEYS.contains(&key.as_str()));

    Ok(Memory {
        id,
        kind: field("kind", front.kind.as_deref(), clean)?.unwrap_or(Kind::Fact),
        status,
        scope: project.map_or(Scope::Global, Scope::Project),
        title,
        body,
        why: text_field(front.why),
        learned: text_field(front.learned),
        topic: text_field(front.topic),
        tags: list(front.tags.into_vec()),
        files: list(front.files.into_vec()),
        entities: list(front.entities.into_vec()),
        asked_as: phrases(list(front.asked_as.into_sentences())),
        guidance: guidance::Entries {
            when: front.when,
            action: front.action,
            avoid: front.avoid,
            paused: front.paused,
            evidence: front.evidence,
            record: front.record,
            rejected: front.rejected,
            criteria: front.criteria,
            remind: front.remind,
        }
        .read(clean)?,
        links: links.collect::<Result<_, ParseError>>()?,
        importance: Importance::clamped(front.importance.unwrap_or(3)),
        confidence: front.confidence.filter(|c| c.is_finite()).unwrap_or(0.8).clamp(0.0, 1.0) as f32,
        pinned: front.pinned.unwrap_or(false),
        origin: field("origin", front.origin.as_deref(), clean)?.unwrap_or(Origin::User),
        author: text_field(front.author),
        session: text_field(front.session),
        turn: text_field(front.turn),
        created,
        updated: time("updated", front.updated.as_deref(), clean)?.unwrap_or(created),
        closed: time("closed", front.closed.as_deref(), clean)?.filter(|_| status != Status::Active),
        expires: time("expires", front.expires.as_deref(), clean)?,
        superseded_by: front
            .superseded_by
            .as_deref()
            .map(|id| parse_id("superseded_by", id, clean))
            .transpose()?,
        life: Life {
            confirmations: front.confirmations.unwrap_or(0),
            confirmed: time("confirmed", front.confirmed.as_deref(), clean)?,
            helpful: front.helpful.unwrap_or(0),
            verdict: field("verdict", front.verdict.as_deref(), clean)?,
        },
        revision: front.revision.unwrap_or(1).max(1),
        unknown: unknown
            .map(|(key, raw)| UnknownKey { key: clean(Raw::new(key)), raw: clean(Raw::new(raw)) })
            .collect(),
    })
}

/// Front matter and body. The body loses one newline at each end, which [`super::render`] adds.
pub(super) fn split(text: &str) -> Result<(String, String), ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let windows_ends = text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
    let text = if windows_ends { text.replace("\r\n", "\n") } else { text.to_owned() };
    let rest = text.strip_prefix("---\n").ok_or(ParseError::NoFrontMatter)?;
    let (yaml, body) = match rest.strip_prefix("---\n") {
        Some(body) => ("", body),
        None => match rest.split_once("\n---\n") {
            Some(halves) => halves,
            None => (rest.strip_suffix("\n---").ok_or(ParseError::Unclosed)?, ""),
        },
    };
    let body = body.strip_prefix('\n').unwrap_or(body);
    let body = body.strip_suffix('\n').unwrap_or(body);
    Ok((yaml.to_owned(), body.to_owned()))
}

fn parse_id(key: &'static str, text: &str, clean: &dyn Fn(Raw) -> Clean) -> Result<MemoryId, ParseError> {
    let uuid = checked(key, text.trim(), clean, Uuid::parse_str)?;
    Ok(MemoryId::from_bytes(*uuid.as_bytes()))
}

fn uuid_millis(id: &MemoryId) -> i64 {
    let b = id.as_bytes();
    i64::from_be_bytes([0, 0, b[0], b[1], b[2], b[3], b[4], b[5]])
}

pub(super) fn field<T>(
    key: &'static str,
    text: Option<&str>,
    clean: &dyn Fn(Raw) -> Clean,
) -> Result<Option<T>, ParseError>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    text.map(|text| checked(key, text, clean, str::parse)).transpose()
}

pub(super) fn time(
    key: &'static str,
    text: Option<&str>,
    clean: &dyn Fn(Raw) -> Clean,
) -> Result<Option<Timestamp>, ParseError> {
    text.map(|text| checked(key, text, clean, Timestamp::parse_absolute)).transpose()
}

/// Reads a value. The error quotes the beginning of it, so the quote is cleaned first: no rule recognises
/// half a secret.
pub(super) fn checked<T, E: std::fmt::Display>(
    key: &'static str,
    text: &str,
    clean: &dyn Fn(Raw) -> Clean,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<T, ParseError> {
    read(text).or_else(|_| read(&clean(Raw::new(text)))).map_err(|e| value(key, &e))
}

/// The error message about the whole front matter, which may quote it.
pub(super) fn quoting(error: &dyn std::fmt::Display, clean: &dyn Fn(Raw) -> Clean) -> Clean {
    clean(Raw::new(error.to_string()))
}

fn value(key: &'static str, reason: &dyn std::fmt::Display) -> ParseError {
    ParseError::Value { key, reason: reason.to_string() }
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
