//! Rules: when each applies, what Hark does then, and how it did; and one rule with what it rests on.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::data::{Guidance, Record};
use super::frame::Frame;
use super::text::{Moment, count, line};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "rules.html")]
struct Page {
    frame: Frame,
    sentence: String,
    /// In force or paused.
    rules: Vec<Rule>,
    retired: Vec<Rule>,
    /// Proposals, which the inbox decides.
    waiting: usize,
}

#[derive(Template)]
#[template(path = "rule.html")]
struct OnePage {
    frame: Frame,
    rule: Rule,
    sessions: Vec<Case>,
    changes: Vec<Change>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Rule {
    id: String,
    text: String,
    why: Option<String>,
    project: Option<String>,
    status: String,
    confidence: f32,
    last_match: Option<Moment>,
    retire: Option<String>,
    created: Moment,
    #[serde(flatten)]
    guidance: Guidance,
}

impl Rule {
    fn line(&self) -> String {
        line(&self.text)
    }

    fn percent(&self) -> u32 {
        (self.confidence * 100.0).round() as u32
    }

    /// Of a bar that is 64 wide.
    fn width(&self) -> u32 {
        self.percent() * 64 / 100
    }

    fn is_retired(&self) -> bool {
        self.status == "archived"
    }

    fn record(&self) -> Record {
        self.guidance.record.unwrap_or_default()
    }
}

/// What the rule came to in a session.
#[derive(Debug, Clone, Deserialize)]
struct Case {
    session: Option<String>,
    at: Moment,
    outcome: String,
    matched: u32,
    told: u32,
    denied: u32,
    asked: u32,
}

impl Case {
    fn mark(&self) -> (&'static str, &'static str) {
        match self.outcome.as_str() {
            "upheld" => ("sure", "●"),
            "broken" => ("wrong", "×"),
            "overruled" => ("perhaps", "!"),
            _ => ("quiet", "◐"),
        }
    }

    fn words(&self) -> String {
        let times = |n: u32| count(n as usize, "time", "times");
        let mut parts = vec![format!("matched {}", times(self.matched))];
        for (word, n) in [("told", self.told), ("refused", self.denied), ("asked", self.asked)] {
            if n > 0 {
                parts.push(format!("{word} {}", times(n)));
            }
        }
        parts.join(" · ")
    }
}

#[derive(Deserialize)]
struct Listed {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
struct Shown {
    rule: Rule,
    sessions: Vec<Case>,
}

#[derive(Deserialize)]
struct History {
    revisions: Vec<Change>,
}

/// One change of the rule's file.
#[derive(Deserialize)]
struct Change {
    at: Moment,
    change: String,
    reason: Option<String>,
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Rules", |reader, frame| {
        let found: Listed = reader.ask("rules", frame.asking(json!({ "all": true })))?;
        let waiting = found.rules.iter().filter(|rule| rule.status == "proposed").count();
        let decided = found.rules.into_iter().filter(|rule| rule.status != "proposed");
        let (retired, rules): (Vec<Rule>, Vec<Rule>) = decided.partition(Rule::is_retired);
        html(&Page { sentence: sentence(&rules), rules, retired, waiting, frame })
    })
    .await
}

pub(crate) async fn one(State(desk): State<Desk>, Path(id): Path<String>, request: Request) -> Response {
    draw(desk, request, "Rules", move |reader, frame| {
        let Shown { rule, sessions } = reader.ask("rules show", json!({ "id": id }))?;
        let history: History = reader.ask("history", json!({ "id": rule.id }))?;
        let mut changes = history.revisions;
        changes.reverse();
        html(&OnePage { rule, sessions, changes, frame })
    })
    .await
}

fn sentence(rules: &[Rule]) -> String {
    let paused = rules.iter().filter(|rule| rule.guidance.paused).count();
    let sum = |of: fn(&Record) -> u32| rules.iter().map(|rule| of(&rule.record()) as usize).sum::<usize>();
    let (upheld, broken) = (sum(|record| record.upheld), sum(|record| record.broken));
    let mut text = count(rules.len(), "rule", "rules");
    if paused > 0 {
        text.push_str(&format!(", {paused} paused"));
    }
    if upheld + broken > 0 {
        text.push_str(&format!(
            ". Upheld in {} and broken in {}",
            count(upheld, "session", "sessions"),
            super::text::number(broken as i64)
        ));
    }
    text.push('.');
    text
}
