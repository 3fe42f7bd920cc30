//! Every text that was added to a session: when, why, at what cost, and what followed.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::json;

use super::data::{Ledger, Report, Sum, Told, surface_words};
use super::frame::{Frame, Paging, ROWS};
use super::text::number;
use super::{Desk, draw, html, svg};

#[derive(Template)]
#[template(path = "ledger.html")]
struct Page {
    frame: Frame,
    sentence: String,
    chart: String,
    entries: Vec<Told>,
    sums: Vec<Sum>,
    paging: Paging,
}

impl Sum {
    fn words(&self) -> &'static str {
        surface_words(&self.surface)
    }
}

pub(crate) async fn page(State(desk): State<Desk>, request: Request) -> Response {
    draw(desk, request, "Ledger", |reader, frame| {
        let mut asked = json!({ "limit": ROWS + 1, "offset": Paging::offset(&frame), "days": true });
        for name in ["since", "session", "memory", "project"] {
            if let Some(value) = frame.query.get(name) {
                asked[name] = json!(value);
            }
        }
        let mut found: Ledger = reader.ask("ledger", asked)?;
        let since = frame.query.get("since").unwrap_or("7d");
        let report: Report = reader.ask("report", json!({ "since": since }))?;
        let more = found.entries.len() > ROWS;
        found.entries.truncate(ROWS);
        let paging = Paging::new(&frame, found.entries.len(), Some(found.count), more);
        let share = match report.share {
            Some(share) if !frame.has_project() => format!(
                " Of the {} that can be judged, {} were of use ({:.0} %).",
                number(report.judged as i64),
                number(report.of_use as i64),
                share * 100.0
            ),
            _ => String::new(),
        };
        let sentence = format!(
            "{} tokens in {}, {}.{share}",
            number(found.tokens),
            super::text::count(found.count.max(0) as usize, "text", "texts"),
            frame.range()
        );
        let chart = svg::days(&found.days, &frame.now);
        html(&Page { sentence, chart, entries: found.entries, sums: found.sums, paging, frame })
    })
    .await
}
