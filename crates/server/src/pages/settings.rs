//! Every setting with its meaning, checked when it is saved.

use askama::Template;
use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hark_engine::operation::Effect;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::Reader;
use super::frame::Frame;
use super::{Desk, HEADERS, draw, html};
use crate::calls::Trouble;

#[derive(Template)]
#[template(path = "settings.html")]
struct Page {
    frame: Frame,
    sections: Vec<Section>,
    path: String,
    export: &'static [(&'static str, &'static str)],
}

struct Section {
    name: String,
    settings: Vec<Setting>,
}

#[derive(Deserialize)]
struct Explained {
    settings: Vec<Setting>,
    path: String,
}

#[derive(Deserialize)]
struct Setting {
    name: String,
    value: String,
    default: String,
    changed: bool,
    meaning: String,
}

impl Setting {
    fn key(&self) -> &str {
        self.name.split_once('.').map_or(&self.name, |(_, key)| key)
    }

    fn is_switch(&self) -> bool {
        matches!(self.default.as_str(), "true" | "false")
    }

    fn is_on(&self) -> bool {
        self.value == "true"
    }

    fn is_number(&self) -> bool {
        self.default.parse::<f64>().is_ok()
    }

    /// A text without its quotes.
    fn plain(&self) -> &str {
        self.value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(&self.value)
    }

    fn is_long(&self) -> bool {
        self.default.starts_with('[') || self.value.len() > 40
    }
}

const EXPORT: [(&str, &str); 4] = [
    ("hark export shop.jsonl --project shop", "write memories and sessions to a file"),
    ("hark import shop.jsonl", "read what export wrote"),
    ("hark migrate", "import from other memory tools"),
    ("hark backup", "back up the files of the store now"),
];

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Settings", |reader, frame| {
        let found: Explained = reader.ask("config explain", json!({}))?;
        let mut sections: Vec<Section> = Vec::new();
        for setting in found.settings {
            let name = setting.name.split('.').next().unwrap_or_default().to_owned();
            match sections.last_mut().filter(|section| section.name == name) {
                Some(section) => section.settings.push(setting),
                None => sections.push(Section { name, settings: vec![setting] }),
            }
        }
        html(&Page { sections, path: found.path, export: &EXPORT, frame })
    })
    .await
}

/// One setting, from a script of this page. It is no route of REST because it changes files of this machine.
pub(crate) async fn save(State(desk): State<Desk>, request: Request) -> Response {
    const MOST: usize = 64 * 1024;
    let Ok(body) = to_bytes(request.into_body(), MOST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let done =
        desk.calls.run(Effect::Write, move |pool| Reader::new(pool).ask::<Value>("config set", asked)).await;
    match done {
        Ok(data) => Json(data).into_response(),
        Err(Trouble::Failed(error)) => {
            let said = json!({ "error": error.to_string(), "hint": error.hint() });
            (super::status(&error), HEADERS, Json(said)).into_response()
        }
        Err(Trouble::Panicked) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
