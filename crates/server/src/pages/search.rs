//! Search as you type, with how sure each hit is and why it is there.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::frame::Frame;
use super::memories::KINDS;
use super::text::{Moment, line};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "search.html")]
struct Page {
    frame: Frame,
    found: Option<Found>,
    kinds: &'static [&'static str],
}

#[derive(Deserialize)]
struct Found {
    hits: Vec<Hit>,
    micros: u64,
    hidden: Option<Hidden>,
    #[serde(default)]
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Hidden {
    count: usize,
    project: Option<String>,
}

#[derive(Deserialize)]
struct Turn {
    id: String,
    text: String,
}

#[derive(Deserialize)]
struct Hit {
    id: String,
    kind: String,
    title: String,
    text: String,
    project: Option<String>,
    created: Moment,
    age: String,
    status: String,
    certainty: String,
    before: Option<Former>,
    verdict: Option<String>,
    freshness: String,
    origin: String,
    #[serde(default)]
    explain: Vec<Reason>,
}

#[derive(Deserialize)]
struct Former {
    id: String,
    text: String,
    until: Moment,
}

#[derive(Deserialize)]
struct Reason {
    source: String,
    rank: Option<usize>,
    effect: f32,
}

/// One piece of evidence as it is drawn.
struct Bar {
    words: &'static str,
    /// Of 100.
    width: u32,
    note: String,
    lowers: bool,
}

impl Hit {
    fn line(&self) -> String {
        line(&self.title)
    }

    fn says_more(&self) -> bool {
        !self.text.is_empty() && self.text.trim_end_matches('.') != self.title
    }

    /// How many of four steps are filled.
    fn steps(&self) -> u8 {
        match self.certainty.as_str() {
            "sure" => 4,
            "likely" => 3,
            _ => 1,
        }
    }

    /// The longest bar first, then what raised or lowered it.
    fn bars(&self) -> Vec<Bar> {
        let total: f32 = self.explain.iter().filter(|r| r.is_added()).map(|r| r.effect.max(0.0)).sum();
        let mut bars: Vec<Bar> = self.explain.iter().map(|reason| reason.bar(total)).collect();
        bars.sort_by_key(|bar| std::cmp::Reverse(bar.width));
        bars
    }
}

impl Reason {
    /// As `hark recall --explain` divides them.
    fn is_added(&self) -> bool {
        self.rank.is_some() || ["sentence", "time", "coverage", "judged"].contains(&self.source.as_str())
    }

    fn bar(&self, total: f32) -> Bar {
        if self.is_added() {
            let share = if total > 0.0 { (self.effect / total).clamp(0.0, 1.0) } else { 0.0 };
            let width = (share * 100.0).round() as u32;
            let rank = self.rank.map(|rank| format!(", rank {rank}")).unwrap_or_default();
            return Bar {
                words: meaning(&self.source),
                width,
                note: format!("{width} %{rank}"),
                lowers: false,
            };
        }
        let percent = (self.effect - 1.0) * 100.0;
        let sign = if percent < 0.0 { "−" } else { "+" };
        let note = format!("{sign}{:.0} %", percent.abs());
        Bar { words: meaning(&self.source), width: 0, note, lowers: percent < 0.0 }
    }
}

fn meaning(source: &str) -> &'static str {
    match source {
        "lexical" => "the same words",
        "vector" => "similar words",
        "encoder" => "similar meaning",
        "fuzzy" => "similar spelling",
        "graph" => "linked to other hits",
        "sentence" => "one sentence matches closely",
        "time" => "from the time asked about",
        "coverage" => "adds what others do not say",
        "judged" => "all evidence together",
        "newest" => "newest on its subject",
        "age" => "its age",
        "trust" => "how far it is trusted",
        "importance" => "its importance",
        "status" => "its status",
        "scope" => "its project",
        "pinned" => "pinned",
        "repeat" => "repeats another hit",
        "successor" => "replaced by a newer memory",
        _ => "other evidence",
    }
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Search", |reader, frame| {
        let list =
            |name: &str| -> Vec<String> { frame.query.get(name).map(str::to_owned).into_iter().collect() };
        let question = frame.value("q").trim();
        let found = match question.is_empty() {
            true => None,
            false => Some(reader.ask(
                "recall",
                frame.asking(json!({
                    "query": question,
                    "kinds": list("kind"),
                    "tags": list("tag"),
                    "since": frame.value("since"),
                    "as_of": frame.value("as_of"),
                    "limit": 20,
                    "budget": 6000,
                    "explain": true,
                })),
            )?),
        };
        html(&Page { found, kinds: &KINDS, frame })
    })
    .await
}
