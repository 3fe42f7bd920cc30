//! What surrounds every page: where one is, which project and time it is about, and what waits.

use std::sync::{Mutex, PoisonError};

use hark_core::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::Reader;
use super::assets;
use super::query::{Query, encoded};
use super::text::Moment;

/// Filters that every link keeps.
const KEPT: [&str; 2] = ["project", "since"];
/// The list of projects in the frame may be this old.
const FRESH_MS: i64 = 20_000;
const RANGES: [(&str, &str); 5] = [
    ("24h", "last day"),
    ("7d", "last week"),
    ("30d", "last month"),
    ("90d", "last quarter"),
    ("", "all time"),
];

#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The page, as the navigation knows it.
    pub(crate) name: &'static str,
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) now: Timestamp,
    pub(crate) csrf: String,
    pub(crate) projects: Vec<Project>,
    pub(crate) waiting: usize,
    pub(crate) live: usize,
    /// Pages that are hidden while they would be empty.
    has_rules: bool,
    has_insights: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Project {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) memories: i64,
}

/// The projects, kept for a moment: counting them reads the whole index.
#[derive(Default)]
pub(crate) struct Projects(Mutex<Option<(Timestamp, Vec<Project>)>>);

impl Projects {
    fn read(&self, reader: &Reader<'_>) -> Vec<Project> {
        #[derive(Deserialize)]
        struct Response {
            projects: Vec<Project>,
        }
        let now = reader.now();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, projects)) = &*kept
            && *at > now.minus_millis(FRESH_MS)
        {
            return projects.clone();
        }
        let found = reader.ask::<Response>("project", json!({}));
        let projects = found.map(|found| found.projects).unwrap_or_default();
        *kept = Some((now, projects.clone()));
        projects
    }
}

impl Frame {
    pub(crate) fn new(
        reader: &Reader<'_>,
        projects: &Projects,
        name: &'static str,
        path: &str,
        query: Query,
        csrf: String,
    ) -> Self {
        #[derive(Deserialize)]
        struct Inbox {
            items: Vec<Value>,
        }
        #[derive(Deserialize)]
        struct Sessions {
            sessions: Vec<Recent>,
        }
        #[derive(Deserialize)]
        struct Recent {
            #[serde(default)]
            live: bool,
        }
        #[derive(Deserialize)]
        struct Total {
            total: i64,
        }
        let has = |kind: &str| {
            let asked = json!({
                "kinds": [kind],
                "statuses": ["active", "proposed", "archived"],
                "all_projects": true,
                "limit": 0,
            });
            reader.ask::<Total>("list", asked).is_ok_and(|found| found.total > 0)
        };
        let waiting = reader.ask::<Inbox>("inbox", json!({ "limit": 1000 }));
        let recent =
            reader.ask::<Sessions>("sessions", json!({ "all_projects": true, "since": "1h", "limit": 50 }));
        Frame {
            name,
            path: path.to_owned(),
            now: reader.now(),
            csrf,
            projects: projects.read(reader),
            waiting: waiting.map_or(0, |inbox| inbox.items.len()),
            live: recent.map_or(0, |found| found.sessions.iter().filter(|session| session.live).count()),
            has_rules: has("rule"),
            has_insights: has("insight"),
            query,
        }
    }

    pub(crate) fn assets(&self) -> String {
        format!("/assets/{}", assets::version())
    }

    /// A link to another page, about the same project and time.
    pub(crate) fn to(&self, path: impl AsRef<str>) -> String {
        self.query.only(&KEPT).after(path.as_ref())
    }

    pub(crate) fn memory(&self, id: impl AsRef<str>) -> String {
        self.to(format!("/memories/{}", encoded(id.as_ref())))
    }

    pub(crate) fn rule(&self, id: impl AsRef<str>) -> String {
        self.to(format!("/rules/{}", encoded(id.as_ref())))
    }

    pub(crate) fn session(&self, id: impl AsRef<str>) -> String {
        self.to(format!("/sessions/{}", encoded(id.as_ref())))
    }

    /// A session, and what it had been told by that moment.
    pub(crate) fn session_at(&self, id: impl AsRef<str>, at: impl AsRef<str>) -> String {
        self.to_with(format!("/sessions/{}", encoded(id.as_ref())), "at", at)
    }

    /// A link to another page with one filter more.
    pub(crate) fn to_with(&self, path: impl AsRef<str>, name: &str, value: impl AsRef<str>) -> String {
        self.query.only(&KEPT).with(name, value.as_ref()).after(path.as_ref())
    }

    /// This page with one filter changed, from its beginning.
    pub(crate) fn with(&self, name: &str, value: impl AsRef<str>) -> String {
        self.query.with("page", "").with(name, value.as_ref()).after(&self.path)
    }

    /// Whether a filter has this value.
    pub(crate) fn is(&self, name: &str, value: impl AsRef<str>) -> bool {
        self.value(name) == value.as_ref()
    }

    pub(crate) fn value(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_default()
    }

    /// The project that the page is about, as the arguments of an operation.
    pub(crate) fn scope(&self) -> Value {
        match self.query.get("project") {
            Some(project) => json!({ "project": project }),
            None => json!({ "all_projects": true }),
        }
    }

    /// The scope and more arguments. Those that are empty are left out.
    pub(crate) fn asking(&self, more: Value) -> Value {
        let mut all = self.scope();
        if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
            let is_empty = |value: &Value| value.is_null() || value.as_str() == Some("");
            all.extend(more.into_iter().filter(|(_, value)| !is_empty(value)));
        }
        all
    }

    pub(crate) fn project(&self) -> &str {
        match self.query.get("project") {
            Some(key) => self.name_of(key),
            None => "all projects",
        }
    }

    /// What people call a project.
    pub(crate) fn name_of<'a>(&'a self, key: &'a str) -> &'a str {
        self.projects.iter().find(|project| project.key == key).map_or(key, |project| project.name.as_str())
    }

    pub(crate) fn project_of(&self, key: &Option<String>) -> &str {
        match key {
            Some(key) => self.projects.iter().find(|p| p.key == *key).map_or("", |p| p.name.as_str()),
            None => "everywhere",
        }
    }

    pub(crate) fn has_project(&self) -> bool {
        self.query.get("project").is_some()
    }

    pub(crate) fn ranges(&self) -> &'static [(&'static str, &'static str)] {
        if self.is_about_now() { &RANGES[..4] } else { &RANGES }
    }

    /// Today has a time of its own if none is chosen.
    fn is_about_now(&self) -> bool {
        self.name == "Today"
    }

    pub(crate) fn since(&self) -> &str {
        match self.value("since") {
            "" if self.is_about_now() => "24h",
            since => since,
        }
    }

    pub(crate) fn range(&self) -> &str {
        let since = self.since();
        RANGES.iter().find(|(value, _)| *value == since).map_or(since, |(_, words)| words)
    }

    pub(crate) fn age(&self, moment: &Moment) -> String {
        moment.age(&self.now)
    }

    /// `5d ago`, `just now`
    pub(crate) fn ago(&self, moment: &Moment) -> String {
        moment.ago(&self.now)
    }

    pub(crate) fn nav(&self) -> Vec<Place> {
        let place = |name, path, glyph, key| Place {
            name,
            path: self.to(path),
            glyph,
            key,
            is_here: self.name == name,
        };
        let mut places = vec![
            place("Today", "/", "◷", "t"),
            place("Search", "/search", "⌕", "/"),
            place("Memories", "/memories", "▤", "m"),
            place("Inbox", "/inbox", "↓", "i"),
            place("Sessions", "/sessions", "▷", "s"),
            place("Failures", "/failures", "×", "f"),
            place("Rules", "/rules", "§", "u"),
            place("Insights", "/insights", "✦", "n"),
            place("Ledger", "/ledger", "≡", "l"),
            place("Graph", "/graph", "⌘", "r"),
            place("Health", "/doctor", "♥", "h"),
            place("Settings", "/settings", "⚙", "c"),
        ];
        let is_shown = |name: &str| match name {
            "Rules" => self.has_rules || self.name == name,
            "Insights" => self.has_insights || self.name == name,
            _ => true,
        };
        places.retain(|place| is_shown(place.name));
        places
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) path: String,
    pub(crate) glyph: &'static str,
    pub(crate) key: &'static str,
    pub(crate) is_here: bool,
}

/// Pages of a list.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) total: String,
    pub(crate) earlier: Option<String>,
    pub(crate) later: Option<String>,
}

/// The rows of one page.
pub(crate) const ROWS: usize = 50;

impl Paging {
    /// `total` is absent where nobody counts; `has_more` says whether there is another page.
    pub(crate) fn new(frame: &Frame, shown: usize, total: Option<i64>, has_more: bool) -> Self {
        let page = Self::number(frame);
        let link = |to: usize| {
            frame.query.with("page", &if to > 1 { to.to_string() } else { String::new() }).after(&frame.path)
        };
        let offset = (page - 1) * ROWS;
        Paging {
            first: if shown == 0 { 0 } else { offset + 1 },
            last: offset + shown,
            total: total.map(super::text::number).unwrap_or_default(),
            earlier: (page > 1).then(|| link(page - 1)),
            later: has_more.then(|| link(page + 1)),
        }
    }

    pub(crate) fn number(frame: &Frame) -> usize {
        frame.query.number("page").unwrap_or(1).clamp(1, 200)
    }

    pub(crate) fn offset(frame: &Frame) -> usize {
        (Self::number(frame) - 1) * ROWS
    }
}
