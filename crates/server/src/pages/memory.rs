//! One memory: what it says, where it comes from, how it changed, and every time it was told.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use hark_engine::EngineError;
use serde::Deserialize;
use serde_json::json;

use super::ask::Reader;
use super::data::{CheckedFile, Ledger, Memories, Memory};
use super::frame::Frame;
use super::text::Moment;
use super::{Desk, diff, draw, html};

#[derive(Template)]
#[template(path = "memory.html")]
struct Page {
    frame: Frame,
    memory: Memory,
    checked: Vec<CheckedFile>,
    rail: Vec<Version>,
    links: Vec<LinkView>,
    entities: Vec<EntityView>,
    successor: Option<Memory>,
    /// The turn of the conversation that it was taken from.
    turn: Option<Memory>,
    told: Ledger,
}

/// One dot on the rail.
struct Version {
    at: Moment,
    what: String,
    why: String,
    /// The older memory that this one replaced, if it is another.
    id: String,
    /// What changed, as HTML with `<ins>` and `<del>`.
    changed: String,
}

#[derive(Deserialize)]
struct History {
    revisions: Vec<Revision>,
}

#[derive(Deserialize)]
struct Revision {
    at: Moment,
    change: String,
    reason: Option<String>,
    before: Memory,
}

#[derive(Deserialize)]
struct Links {
    links: Vec<LinkView>,
    #[serde(default)]
    entities: Vec<EntityView>,
}

#[derive(Deserialize)]
struct LinkView {
    relation: String,
    id: String,
    title: Option<String>,
    status: Option<String>,
}

impl LinkView {
    fn words(&self) -> String {
        self.relation.replace('_', " ")
    }
}

#[derive(Deserialize)]
struct EntityView {
    kind: String,
    name: String,
    memories: i64,
}

/// How far back a chain of replacements is followed.
const LONGEST_CHAIN: usize = 12;

pub(crate) async fn page(State(desk): State<Desk>, Path(id): Path<String>, request: Request) -> Response {
    draw(desk, request, "Memories", move |reader, frame| {
        let found: Memories = reader.ask("show", json!({ "ids": [id] }))?;
        let memory = found.memories.into_iter().next().unwrap_or_default();
        if memory.kind == "turn" {
            let (rail, links, entities) = (Vec::new(), Vec::new(), Vec::new());
            let told =
                Ledger { count: 0, tokens: 0, entries: Vec::new(), days: Vec::new(), sums: Vec::new() };
            let (successor, turn, checked) = (None, None, Vec::new());
            return html(&Page { frame, memory, checked, rail, links, entities, successor, turn, told });
        }
        let links: Links = reader.ask("links", json!({ "id": memory.id }))?;
        let one = |id: &Option<String>| -> Option<Memory> {
            let id = id.as_ref()?;
            reader.ask::<Memories>("show", json!({ "ids": [id] })).ok()?.memories.into_iter().next()
        };
        html(&Page {
            rail: rail(reader, &memory)?,
            successor: one(&memory.superseded_by),
            turn: one(&memory.turn),
            told: reader.ask("ledger", json!({ "memory": memory.id, "limit": 50 }))?,
            checked: found.checked,
            links: links.links,
            entities: links.entities,
            memory,
            frame,
        })
    })
    .await
}

/// Its own changes, then what it replaced, newest first.
fn rail(reader: &Reader<'_>, memory: &Memory) -> Result<Vec<Version>, EngineError> {
    let (mut rail, first) = changes(reader, memory)?;
    // What the memory said at first; what it replaced is compared with that.
    let mut newer = first.unwrap_or_else(|| memory.clone());
    for _ in 0..LONGEST_CHAIN {
        let links: Links = reader.ask("links", json!({ "id": newer.id, "relations": ["supersedes"] }))?;
        let Some(older) = links.links.into_iter().find(|link| link.relation == "supersedes") else { break };
        let Ok(found) = reader.ask::<Memories>("show", json!({ "ids": [older.id] })) else { break };
        let Some(older) = found.memories.into_iter().next() else { break };
        rail.push(Version {
            at: newer.created.clone(),
            what: "replaced".to_owned(),
            why: newer.why.clone().unwrap_or_default(),
            id: older.id.clone(),
            changed: diff::inline(&older.body, &newer.body),
        });
        newer = older;
    }
    rail.push(Version {
        at: newer.created.clone(),
        what: "stored".to_owned(),
        why: String::new(),
        id: if newer.id == memory.id { String::new() } else { newer.id.clone() },
        changed: super::text::escaped(&super::text::cut(&newer.body, 2_000)),
    });
    Ok(rail)
}

/// Its changes, newest first, and how it was before them.
fn changes(reader: &Reader<'_>, memory: &Memory) -> Result<(Vec<Version>, Option<Memory>), EngineError> {
    let history: History = reader.ask("history", json!({ "id": memory.id }))?;
    let mut after: Vec<&Memory> = history.revisions.iter().skip(1).map(|revision| &revision.before).collect();
    after.push(memory);
    let version = |(revision, after): (&Revision, &Memory)| {
        let before = &revision.before;
        let mut changed = Vec::new();
        if before.title != after.title && before.body == after.body {
            changed.push(diff::inline(&before.title, &after.title));
        }
        if before.body != after.body {
            changed.push(diff::inline(&before.body, &after.body));
        }
        if before.status != after.status {
            changed.push(diff::inline(&before.status, &after.status));
        }
        let tags = (before.tags.join(", "), after.tags.join(", "));
        if tags.0 != tags.1 {
            changed.push(diff::inline(&tags.0, &tags.1));
        }
        Version {
            at: revision.at.clone(),
            what: revision.change.clone(),
            why: revision.reason.clone().unwrap_or_default(),
            id: String::new(),
            changed: changed.join("\n"),
        }
    };
    let mut rail: Vec<Version> = history.revisions.iter().zip(after).map(version).collect();
    rail.reverse();
    Ok((rail, history.revisions.first().map(|revision| revision.before.clone())))
}
