//! Today: what happened, and where to look, in one screen.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Failure, Failures, Ledger, Memories, Memory, Proposal, Proposals, Session, Sessions};
use super::frame::Frame;
use super::text::{count, number};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "today.html")]
struct Page {
    frame: Frame,
    since: &'static str,
    sentence: String,
    live: Vec<Session>,
    sessions: Vec<Session>,
    proposals: Vec<Proposal>,
    returned: Vec<Failure>,
    told: Ledger,
    memories: Vec<Memory>,
    blockers: Vec<Memory>,
}

const ROWS: usize = 8;

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Today", |reader, frame| {
        let since = frame.since().to_owned();
        let found: Sessions = reader.ask("sessions", frame.asking(json!({ "since": since, "limit": 50 })))?;
        let (live, sessions): (Vec<Session>, Vec<Session>) =
            found.sessions.into_iter().partition(|session| session.live);
        let memories: Memories = reader.ask("list", frame.asking(json!({ "since": since, "limit": 100 })))?;
        let blockers: Memories =
            reader.ask("list", frame.asking(json!({ "kinds": ["blocker", "task"], "limit": ROWS })))?;
        let failures: Failures =
            reader.ask("failures", frame.asking(json!({ "since": since, "limit": 100 })))?;
        let mut asked = json!({ "since": since, "limit": ROWS });
        let mut inbox = json!({ "limit": 200 });
        if let Some(project) = frame.query.get("project") {
            asked["project"] = json!(project);
            inbox["project"] = json!(project);
        }
        let told: Ledger = reader.ask("ledger", asked)?;
        let proposals: Proposals = reader.ask("inbox", inbox)?;
        let returned: Vec<Failure> = failures
            .failures
            .into_iter()
            .filter(|failure| failure.is_open() || failure.relapses > 0)
            .collect();
        let sentence = sentence(&live, &sessions, &memories, &returned, &told);
        let mut page = Page {
            since: beginning(frame.since()),
            sentence,
            live,
            sessions,
            proposals: proposals.items,
            returned,
            told,
            memories: memories.memories,
            blockers: blockers.memories,
            frame,
        };
        page.sessions.truncate(ROWS);
        page.memories.truncate(ROWS);
        page.returned.truncate(ROWS);
        html(&page)
    })
    .await
}

fn beginning(since: &str) -> &'static str {
    match since {
        "24h" => "Since yesterday",
        "7d" => "In the last week",
        "30d" => "In the last month",
        "90d" => "In the last quarter",
        _ => "In this time",
    }
}

/// What happened, as one would say it.
fn sentence(
    live: &[Session],
    sessions: &[Session],
    memories: &Memories,
    returned: &[Failure],
    told: &Ledger,
) -> String {
    let mut parts = Vec::new();
    let all = live.len() + sessions.len();
    if all > 0 {
        let now = if live.is_empty() { String::new() } else { format!(" ({} live)", live.len()) };
        parts.push(format!("{}{now}", count(all, "session", "sessions")));
    }
    let decisions = memories.memories.iter().filter(|memory| memory.kind == "decision").count();
    if decisions > 0 {
        parts.push(count(decisions, "decision", "decisions"));
    }
    let others = (memories.total.max(0) as usize).saturating_sub(decisions);
    if others > 0 {
        let other = if decisions > 0 { "other memory" } else { "memory" };
        let others_word = if decisions > 0 { "other memories" } else { "memories" };
        parts.push(count(others, other, others_word));
    }
    let back = returned.iter().filter(|failure| failure.is_back()).count();
    if back > 0 {
        parts.push(count(back, "check that failed again", "checks that failed again"));
    }
    if told.tokens > 0 {
        parts.push(format!("{} tokens told", number(told.tokens)));
    }
    match parts.len() {
        0 => "nothing happened yet.".to_owned(),
        1 => format!("{}.", parts[0]),
        _ => {
            let last = parts.pop().unwrap_or_default();
            format!("{} and {last}.", parts.join(", "))
        }
    }
}
