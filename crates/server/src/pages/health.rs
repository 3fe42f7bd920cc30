//! Health: what the doctor says, the assistants, the stores, backups and sizes.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::frame::Frame;
use super::text::{Moment, bytes, count};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "health.html")]
struct Page {
    frame: Frame,
    doctor: Doctor,
    stats: Stats,
    snapshots: Vec<Snapshot>,
}

#[derive(Deserialize)]
struct Doctor {
    healthy: bool,
    home: String,
    memories: i64,
    layers: Vec<Layer>,
    findings: Vec<Finding>,
    assistants: Vec<Assistant>,
    heard: Vec<Heard>,
    /// Absent if none runs.
    service: Option<Service>,
    /// Absent if nothing takes long.
    #[serde(default)]
    working: Vec<Working>,
}

/// The worker that a server hosts.
#[derive(Deserialize)]
struct Service {
    host: String,
    since: Moment,
    watches: String,
    folders: usize,
    restarts: u32,
    #[serde(default)]
    last_error: Option<String>,
    #[serde(default)]
    last_work: Option<Moment>,
}

impl Service {
    fn how(&self) -> String {
        match self.watches.as_str() {
            "inotify" => format!("watches {}", count(self.folders, "folder", "folders")),
            "polling" => "looks at transcripts every few seconds".to_owned(),
            _ => "reads no transcripts (ingest.watch is off)".to_owned(),
        }
    }
}

/// Long work under way, in whichever process.
#[derive(Deserialize)]
struct Working {
    what: String,
    done: u64,
    total: u64,
}

impl Doctor {
    fn knows(&self, host: &str) -> bool {
        self.assistants.iter().any(|known| known.host == host)
    }
}

#[derive(Deserialize)]
struct Layer {
    path: String,
    trusted: bool,
    memories: i64,
}

#[derive(Deserialize)]
struct Finding {
    severity: String,
    what: String,
    mend: Option<String>,
}

impl Finding {
    fn glyph(&self) -> &'static str {
        match self.severity.as_str() {
            "ok" => "●",
            "warning" => "!",
            _ => "×",
        }
    }

    fn mark(&self) -> &'static str {
        match self.severity.as_str() {
            "ok" => "sure",
            "warning" => "perhaps",
            _ => "wrong",
        }
    }
}

#[derive(Deserialize)]
struct Assistant {
    host: String,
    name: String,
    version: Option<String>,
    wired: String,
    last_event: Option<Moment>,
    last_injection: Option<Moment>,
    problems: Vec<String>,
    mend: Option<String>,
}

impl Assistant {
    fn mark(&self) -> &'static str {
        match self.wired.as_str() {
            "yes" if self.problems.is_empty() => "sure",
            "no" => "quiet",
            _ => "perhaps",
        }
    }

    fn word(&self) -> &'static str {
        match self.wired.as_str() {
            "yes" if self.problems.is_empty() => "connected",
            "yes" => "connected, but",
            "no" => "not connected",
            _ => "needs repair",
        }
    }
}

#[derive(Deserialize)]
struct Heard {
    host: String,
    sessions: i64,
    last_event: Moment,
    last_injection: Option<Moment>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Stats {
    embedding: String,
    by_kind: Vec<(String, i64)>,
    by_status: Vec<(String, i64)>,
    passages: i64,
    entities: i64,
    links: i64,
    sessions: i64,
    events: i64,
    index_bytes: i64,
    unreadable_files: i64,
}

impl Stats {
    fn size(&self) -> String {
        bytes(self.index_bytes)
    }
}

#[derive(Deserialize)]
struct Snapshots {
    snapshots: Vec<Snapshot>,
}

#[derive(Deserialize)]
struct Snapshot {
    name: String,
    files: i64,
    bytes: i64,
    whole: bool,
}

impl Snapshot {
    fn size(&self) -> String {
        bytes(self.bytes)
    }
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Health", |reader, frame| {
        let doctor: Doctor = reader.ask("doctor", json!({}))?;
        let stats: Stats = reader.ask("stats", json!({}))?;
        let backups: Snapshots = reader.ask("backup list", json!({}))?;
        html(&Page { doctor, stats, snapshots: backups.snapshots, frame })
    })
    .await
}
