//! What is connected to what: around one memory or thing, or a project by groups. Never everything at once.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use hark_engine::EngineError;
use serde::Deserialize;
use serde_json::json;

use super::ask::Reader;
use super::data::{Memory, Named, Session};
use super::frame::Frame;
use super::svg::{self, Group, Node};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "graph.html")]
struct Page {
    frame: Frame,
    /// What the drawing is about; empty for the whole project.
    of: String,
    drawing: String,
    clusters: Vec<Cluster>,
    alone: usize,
    is_memory: bool,
}

#[derive(Deserialize)]
struct Links {
    id: String,
    title: String,
    links: Vec<LinkView>,
    entities: Vec<EntityView>,
}

#[derive(Deserialize)]
struct LinkView {
    relation: String,
    id: String,
    title: Option<String>,
    status: Option<String>,
}

#[derive(Deserialize)]
struct EntityView {
    kind: String,
    name: String,
    memories: i64,
}

#[derive(Deserialize)]
struct Context {
    entity: String,
    memories: Vec<Memory>,
    sessions: Vec<Session>,
}

#[derive(Deserialize)]
struct Clusters {
    clusters: Vec<Cluster>,
    links: Vec<Pair>,
    alone: usize,
}

#[derive(Deserialize)]
struct Cluster {
    name: String,
    kind: String,
    memories: usize,
    newest: Vec<Named>,
}

impl Cluster {
    fn reference(&self) -> String {
        reference(&self.kind, &self.name)
    }
}

#[derive(Deserialize)]
struct Pair {
    from: usize,
    to: usize,
    shared: usize,
}

/// What stands around a thing, at most.
const MOST: usize = 14;
const MOST_BELOW: usize = 6;

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Graph", |reader, frame| {
        let of = frame.value("of").trim().to_owned();
        if of.is_empty() {
            return project(reader, frame);
        }
        let is_memory = of.starts_with("m-");
        let open = frame.value("open").to_owned();
        let mut root =
            if is_memory { around_memory(reader, &frame, &of)? } else { around_thing(reader, &frame, &of)? };
        // One of the boxes, with what is around it.
        for child in &mut root.below {
            child.expand = opened(&frame, &of, child);
            if !open.is_empty() && child.link.contains(&format!("of={}", super::query::encoded(&open))) {
                let more = if open.starts_with("m-") {
                    around_memory(reader, &frame, &open)
                } else {
                    around_thing(reader, &frame, &open)
                };
                child.below = more.map(|node| node.below).unwrap_or_default();
                child.below.truncate(MOST_BELOW);
                child.class = "open";
            }
        }
        let drawing = svg::tree(&root);
        html(&Page { frame, of, drawing, clusters: Vec::new(), alone: 0, is_memory })
    })
    .await
}

/// The same drawing with one box opened. Sessions have a page of their own instead.
fn opened(frame: &Frame, of: &str, node: &Node) -> String {
    let what = node.link.split_once("of=").map(|(_, rest)| rest.split('&').next().unwrap_or_default());
    match what {
        Some(what) => format!("{}&open={what}", frame.to_with("/graph", "of", of)),
        None => String::new(),
    }
}

fn project(reader: &Reader<'_>, frame: Frame) -> Result<String, EngineError> {
    let found: Clusters = reader.ask("clusters", frame.asking(json!({ "limit": 12 })))?;
    let groups: Vec<Group> = found
        .clusters
        .iter()
        .map(|cluster| Group {
            name: cluster.name.clone(),
            memories: cluster.memories,
            link: frame.to_with("/graph", "of", cluster.reference()),
        })
        .collect();
    let links: Vec<_> = found.links.iter().map(|pair| (pair.from, pair.to, pair.shared)).collect();
    let drawing = if groups.is_empty() { String::new() } else { svg::ring(&groups, &links) };
    let of = String::new();
    html(&Page { frame, of, drawing, clusters: found.clusters, alone: found.alone, is_memory: false })
}

/// `file:src/auth.ts` is the same as `src/auth.ts`; a person is `@ann`.
fn reference(kind: &str, name: &str) -> String {
    match kind {
        "file" => name.to_owned(),
        "person" => format!("@{}", name.trim_start_matches('@')),
        _ => format!("{kind}:{name}"),
    }
}

fn around_memory(reader: &Reader<'_>, frame: &Frame, id: &str) -> Result<Node, EngineError> {
    let found: Links = reader.ask("links", json!({ "id": id }))?;
    let link = |link: &LinkView| Node {
        title: link.title.clone().unwrap_or_else(|| "(removed)".to_owned()),
        note: format!(
            "{} {}",
            link.id,
            link.status.as_deref().filter(|status| *status != "active").unwrap_or_default()
        ),
        link: frame.to_with("/graph", "of", &link.id),
        class: if link.status.as_deref() == Some("superseded") { "old" } else { "memory" },
        edge: link.relation.replace('_', " "),
        below: Vec::new(),
        expand: String::new(),
    };
    let entity = |entity: &EntityView| Node {
        title: entity.name.clone(),
        note: format!(
            "{} · in {}",
            entity.kind,
            super::text::count(entity.memories.max(0) as usize, "memory", "memories")
        ),
        link: frame.to_with("/graph", "of", reference(&entity.kind, &entity.name)),
        class: "entity",
        edge: "mentions".to_owned(),
        below: Vec::new(),
        expand: String::new(),
    };
    let mut entities: Vec<&EntityView> = found.entities.iter().collect();
    entities.sort_by_key(|entity| std::cmp::Reverse(entity.memories));
    let mut below: Vec<Node> = found.links.iter().map(link).collect();
    below.extend(entities.into_iter().map(entity));
    below.truncate(MOST);
    Ok(Node {
        title: found.title,
        note: found.id.clone(),
        link: frame.memory(&found.id),
        class: "root",
        edge: String::new(),
        below,
        expand: String::new(),
    })
}

fn around_thing(reader: &Reader<'_>, frame: &Frame, of: &str) -> Result<Node, EngineError> {
    let found: Context = reader.ask("context", frame.asking(json!({ "reference": of, "limit": MOST })))?;
    let memory = |memory: &Memory| Node {
        title: memory.title.clone(),
        note: format!("{} · {}", memory.id, memory.kind),
        link: frame.to_with("/graph", "of", &memory.id),
        class: if memory.status == "active" { "memory" } else { "old" },
        edge: "mentioned by".to_owned(),
        below: Vec::new(),
        expand: String::new(),
    };
    let session = |session: &Session| Node {
        title: session.line(),
        note: format!("{} · {}", session.id, session.host),
        link: frame.session(&session.id),
        class: "session",
        edge: "changed in".to_owned(),
        below: Vec::new(),
        expand: String::new(),
    };
    let mut below: Vec<Node> = found.memories.iter().map(memory).collect();
    below.extend(found.sessions.iter().map(session));
    below.truncate(MOST);
    let (kind, name) = found.entity.split_once(':').unwrap_or(("", &found.entity));
    Ok(Node {
        title: name.to_owned(),
        note: kind.to_owned(),
        link: frame.to_with("/search", "q", name),
        class: "root",
        edge: String::new(),
        below,
        expand: String::new(),
    })
}
