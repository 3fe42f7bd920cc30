//! One session as a story, with what the agent had been told by each moment.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::data::{Named, surface_words};
use super::frame::Frame;
use super::text::{Moment, count, cut, line};
use super::{Desk, draw, html};

#[derive(Template)]
#[template(path = "story.html")]
struct Page {
    frame: Frame,
    session: Shown,
    steps: Vec<Step>,
    more: bool,
    told: ToldBy,
    /// The moment of the slider: a position among the steps.
    at: usize,
}

#[derive(Deserialize)]
struct Shown {
    id: String,
    host: String,
    status: String,
    about: Option<String>,
    project: Option<String>,
    branch: Option<String>,
    started: Moment,
    updated: Moment,
    #[serde(default)]
    live: bool,
    tool_calls: u32,
    touched: Vec<Touched>,
    #[serde(default)]
    pending: Vec<String>,
    #[serde(default)]
    decisions: Vec<String>,
    summary: Option<String>,
    head_start: Option<String>,
    head_end: Option<String>,
    #[serde(default)]
    learned: Vec<Named>,
}

impl Shown {
    fn calls(&self) -> String {
        count(self.tool_calls as usize, "call", "calls")
    }

    fn line(&self) -> String {
        self.about.as_deref().map_or_else(|| "A session without a goal".to_owned(), line)
    }

    fn commits(&self) -> Option<String> {
        let short = |commit: &str| commit.chars().take(8).collect::<String>();
        match (self.head_start.as_deref(), self.head_end.as_deref()) {
            (Some(from), Some(to)) if from != to => Some(format!("{}..{}", short(from), short(to))),
            (Some(from), _) => Some(format!("nothing committed after {}", short(from))),
            (None, Some(to)) => Some(format!("up to {}", short(to))),
            (None, None) => None,
        }
    }
}

#[derive(Deserialize)]
struct Touched {
    path: String,
    op: String,
    edits: u32,
}

#[derive(Deserialize)]
struct Story {
    steps: Vec<Step>,
    more: bool,
}

#[derive(Deserialize)]
struct Step {
    at: Moment,
    what: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    text: String,
    ok: Option<bool>,
    times: u32,
    #[serde(default)]
    until_passed: Vec<Step>,
}

impl Step {
    /// What stands in the line.
    fn line(&self) -> String {
        let text = if self.about.is_empty() { &self.text } else { &self.about };
        match self.what.as_str() {
            "prompt" | "reply" => cut(&self.text, 1_200),
            _ => line(text),
        }
    }

    /// Output that can be unfolded.
    fn details(&self) -> Option<&str> {
        let has_output = matches!(self.what.as_str(), "command" | "edit" | "tool");
        Some(self.text.as_str()).filter(|text| has_output && text.len() > 2 && *text != self.about)
    }

    fn failed(&self) -> bool {
        self.ok == Some(false)
    }

    fn glyph(&self) -> &'static str {
        match (self.what.as_str(), self.ok) {
            (_, Some(false)) => "×",
            ("prompt", _) => "❯",
            ("reply", _) => "‹",
            ("edit", _) => "±",
            ("command", _) => "$",
            ("look", _) => "◦",
            _ => "·",
        }
    }

    /// How a failure ended.
    fn end(&self) -> String {
        let Some(last) = self.until_passed.last() else { return String::new() };
        let minutes = (last.at.millis() - self.at.millis()) / 60_000;
        let edits = self.until_passed.iter().filter(|step| step.what == "edit").count();
        let edits = super::text::count(edits, "edit", "edits");
        format!("passed after {minutes} min and {edits}")
    }
}

#[derive(Deserialize)]
struct ToldBy {
    at: Moment,
    tokens: i64,
    told: Vec<Text>,
    untold: Vec<Named>,
    more: usize,
}

#[derive(Deserialize)]
struct Text {
    at: Moment,
    surface: String,
    tokens: i64,
    why: String,
    items: Vec<Named>,
}

impl Text {
    fn where_told(&self) -> &'static str {
        surface_words(&self.surface)
    }
}

pub(crate) async fn page(State(desk): State<Desk>, Path(id): Path<String>, request: Request) -> Response {
    draw(desk, request, "Sessions", move |reader, frame| {
        let session: Shown = reader.ask("sessions show", json!({ "id": id }))?;
        let story: Story = reader.ask("sessions story", json!({ "session": id }))?;
        let mut asked = json!({ "session": id });
        if let Some(at) = frame.query.get("at") {
            asked["at"] = json!(at);
        }
        let told: ToldBy = reader.ask("told", asked)?;
        let moment = told.at.millis();
        let at = story.steps.iter().rposition(|step| step.at.millis() <= moment).unwrap_or(0);
        html(&Page { session, steps: story.steps, more: story.more, told, at, frame })
    })
    .await
}
