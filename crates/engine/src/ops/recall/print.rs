//! Formats hits for people and models.

use hark_core::rank::Contribution;
use serde_json::{Value, json};

use super::find::Hidden;
use super::{Former, Freshness, Hit, Response};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{Answer, BOLD, DIM, ID, Page, Reply, WARN, tell};
use crate::ops::view::old;
use crate::recall::Certainty;

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        if self.hits.is_empty() && !self.turns.is_empty() {
            self.print_turns(page);
            return;
        }
        if self.hits.is_empty() {
            match &self.hidden {
                Some(hidden) => {
                    page.note(&format!(
                        "{}\n",
                        hidden_text(hidden, &page.project(hidden.project.as_deref()))
                    ));
                }
                None => page.note(&format!("{}\n", self.why_empty())),
            }
            return;
        }
        for (hit, section) in self.hits.iter().zip(self.sections()) {
            if let Some(section) = section {
                page.print(&format!("{WARN}{section}{WARN:#}\n"));
            }
            page.print(&self.hit_text(hit, page));
        }
        self.print_turns(page);
        if let Some(hidden) = &self.hidden {
            page.note(&format!("{}\n", hidden_text(hidden, &page.project(hidden.project.as_deref()))));
        }
        if self.omitted > 0 {
            page.note(&format!("{}\n", self.more()));
        }
        page.note(&format!(
            "{DIM}{}, {} tokens, {:.1} ms{DIM:#}\n",
            count(self.hits.len(), "memory", "memories"),
            self.tokens,
            self.micros as f64 / 1000.0
        ));
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        if self.hits.is_empty() && self.omitted > 0 {
            let data = json!({ "hits": [], "omitted": self.omitted, "budget_for_all": self.budget_for_all });
            return tell::answer(&format!("{}.", self.more()), data);
        }
        let elsewhere = self
            .hidden
            .as_ref()
            .map(|hidden| hidden_text(hidden, hidden.project.as_deref().unwrap_or_default()));
        if self.hits.is_empty() && self.turns.is_empty() {
            let text = elsewhere.map(|text| format!(" {text}.")).unwrap_or_default();
            return tell::answer(&format!("Nothing relevant is remembered.{text}"), json!({ "hits": [] }));
        }
        let mut text = String::new();
        let mut hits = Vec::new();
        for (hit, section) in self.hits.iter().zip(self.sections()) {
            if let Some(section) = section {
                text.push_str(section);
                text.push('\n');
            }
            text.push_str(&for_model(hit));
            hits.push(json!({
                "id": hit.id, "kind": hit.kind, "title": hit.title, "text": hit.text, "age": hit.age,
                "status": hit.status, "certainty": hit.certainty, "freshness": hit.freshness,
                "origin": hit.origin,
            }));
            if let (Some(verdict), Some(Value::Object(hit))) = (&hit.verdict, hits.last_mut()) {
                hit.insert("verdict".to_owned(), json!(verdict));
            }
            if let (Some(before), Some(Value::Object(hit))) = (&hit.before, hits.last_mut()) {
                hit.insert("before".to_owned(), json!(before));
            }
        }
        if let Some(elsewhere) = elsewhere {
            text.push_str(&format!("{elsewhere}.\n"));
        }
        let mut data = json!({ "hits": hits, "tokens": self.tokens });
        if !self.turns.is_empty() {
            text.push_str(&format!("{DONE_BEFORE}\n"));
            self.turns.iter().for_each(|turn| text.push_str(&format!("- {}\n", turn.text)));
            data["turns"] = tell::value(&self.turns)?;
        }
        tell::answer(&text, data)
    }
}

/// The heading above similar turns.
const DONE_BEFORE: &str = "Not remembered on purpose, but done before:";

impl Response {
    fn print_turns(&self, page: &mut Page) {
        if !self.turns.is_empty() {
            page.print(&format!("{WARN}{DONE_BEFORE}{WARN:#}\n"));
            self.turns.iter().for_each(|turn| page.print(&format!("    {}\n", words(&turn.text))));
        }
    }

    /// The heading above each hit, if one begins there: what is uncertain stands visibly apart.
    fn sections(&self) -> impl Iterator<Item = Option<&'static str>> {
        let is_perhaps = |hit: &Hit| hit.certainty == Certainty::Perhaps && hit.status != "archived";
        let first = self.hits.iter().position(is_perhaps);
        let heading = match first {
            Some(0) => "No certain match. Perhaps:",
            _ => "Less certain:",
        };
        (0..self.hits.len()).map(move |at| (Some(at) == first).then_some(heading))
    }

    fn why_empty(&self) -> String {
        if self.omitted > 0 {
            self.more()
        } else if self.filtered {
            "no memory here matches this query with these filters; remove one, or add --all-projects"
                .to_owned()
        } else {
            "nothing relevant is remembered here; try other words, or add --all-projects".to_owned()
        }
    }

    /// What did not fit, and what would make it fit.
    fn more(&self) -> String {
        let more = if self.hits.is_empty() { "" } else { "more " };
        let (noun, verb) = if self.omitted == 1 { ("memory", "matches") } else { ("memories", "match") };
        let budget = self.budget_for_all.unwrap_or_default();
        format!(
            "{} {more}{noun} {verb} but {} not fit the token budget; `--budget {budget}` shows everything",
            self.omitted,
            if self.omitted == 1 { "does" } else { "do" },
        )
    }

    fn hit_text(&self, hit: &Hit, page: &Page) -> String {
        let mut text = format!("{ID}{}{ID:#}  {BOLD}{}{BOLD:#}\n", hit.id, words(&hit.title));
        let facts = [
            hit.kind.clone(),
            old(&hit.age),
            format!("from {}", hit.origin),
            words(&page.project(hit.project.as_deref())),
        ];
        text.push_str(&format!("    {DIM}{}{DIM:#}", facts.join(" · ")));
        let mut warnings = Vec::new();
        if hit.status != "active" {
            warnings.push(hit.status.as_str());
        }
        match hit.verdict.as_deref() {
            Some("wrong") => warnings.push("rated wrong"),
            Some(_) => warnings.push("rated stale"),
            None => {}
        }
        if hit.freshness == Freshness::Stale {
            warnings.push("names files that no longer exist");
        }
        let review = hit.unreviewed.as_ref().map(|at| format!("not reviewed since {at}"));
        warnings.extend(review.as_deref());
        if !warnings.is_empty() {
            text.push_str(&format!(" {WARN}{}{WARN:#}", warnings.join(", ")));
        }
        text.push('\n');
        if let Some(before) = &hit.before {
            text.push_str(&format!("    {DIM}{}{DIM:#}\n", words(&since(before))));
        }
        if !self.titles_only && !hit.text.is_empty() && hit.text != hit.title {
            for line in words(&hit.text).lines() {
                text.push_str(&format!("    {line}\n"));
            }
        }
        text.push_str(&explanation(hit.explain.as_deref().unwrap_or_default()));
        text.push('\n');
        text
    }
}

/// "since 2026-09, before: we deployed on Tuesdays (m-abc)".
fn since(before: &Former) -> String {
    let month = before.until.get(..7).unwrap_or(&before.until);
    format!("since {month}, before: {} ({})", before.text, before.id)
}

/// What the request cannot see, and how to see it.
fn hidden_text(hidden: &Hidden, project: &str) -> String {
    let matches = count(hidden.count, "better match", "better matches");
    match hidden.project {
        Some(_) => format!("{matches} in project {}; add --all-projects", words(project)),
        None => format!("{matches} without these filters; remove one"),
    }
}

/// Prints the title only if the text does not begin with it.
fn for_model(hit: &Hit) -> String {
    let status = if hit.status == "active" { String::new() } else { format!(", {}", hit.status) };
    let stale = if hit.freshness == Freshness::Stale { ", names files that no longer exist" } else { "" };
    let verdict = hit.verdict.as_ref().map(|verdict| format!(", rated {verdict}")).unwrap_or_default();
    let before = hit.before.as_ref().map(|before| format!("; {}", since(before))).unwrap_or_default();
    let review = hit.unreviewed.as_ref().map(|at| format!(", not reviewed since {at}")).unwrap_or_default();
    let facts = format!(
        "({}, {}, from {}{status}{verdict}{stale}{review}{before})",
        hit.kind,
        old(&hit.age),
        hit.origin
    );
    let text = hit.text.replace('\n', "\n  ");
    if hit.text.is_empty() || hit.text == hit.title {
        format!("[{}] {} {facts}\n", hit.id, hit.title)
    } else if tell::says_twice(&hit.title, &hit.text) {
        format!("[{}] {facts}\n  {text}\n", hit.id)
    } else {
        format!("[{}] {} {facts}\n  {text}\n", hit.id, hit.title)
    }
}

const BAR: usize = 12;

/// Why a hit ranks where it does: a bar for what was found, a percentage for what raised or lowered it.
fn explanation(reasons: &[Contribution]) -> String {
    let total: f32 = reasons.iter().filter(|r| r.is_added()).map(|r| r.effect.max(0.0)).sum();
    let mut text = String::new();
    for reason in reasons {
        let what = meaning(&reason.source);
        if reason.is_added() {
            let share = if total > 0.0 { (reason.effect / total).clamp(0.0, 1.0) } else { 0.0 };
            let full = (share * BAR as f32).round() as usize;
            let bar = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full));
            let rank =
                reason.rank.map(|rank| format!(", {} by this measure", ordinal(rank))).unwrap_or_default();
            text.push_str(&format!("    {DIM}{bar} {:>3.0} %  {what}{rank}{DIM:#}\n", share * 100.0));
        } else {
            let percent = (reason.effect - 1.0) * 100.0;
            let verb = if percent < 0.0 { "lowered" } else { "raised" };
            text.push_str(&format!("    {DIM}{verb} by {:.0} %: {what}{DIM:#}\n", percent.abs()));
        }
    }
    text
}

fn meaning(source: &str) -> &str {
    match source {
        "lexical" => "the same words",
        "vector" => "similar words",
        "encoder" => "similar meaning",
        "fuzzy" => "similar spelling",
        "graph" => "linked to other hits",
        "sentence" => "one sentence matches closely",
        "time" => "from the time that was asked about",
        "coverage" => "adds what other hits do not say",
        "judged" => "all evidence taken together",
        "newest" => "newer than another hit on the same subject",
        "age" => "its age",
        "trust" => "how far it is trusted",
        "importance" => "its importance",
        "status" => "its status",
        "scope" => "its project",
        "pinned" => "pinned",
        "repeat" => "repeats another hit",
        "successor" => "replaced by a newer memory",
        other => other,
    }
}

fn ordinal(n: usize) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(source: &str, rank: Option<usize>, effect: f32) -> Contribution {
        Contribution { source: source.to_owned(), rank, value: effect, effect }
    }

    #[test]
    fn an_explanation_is_in_words() {
        let reasons =
            [reason("lexical", Some(1), 0.03), reason("encoder", Some(12), 0.01), reason("age", None, 0.8)];
        let text = anstream::adapter::strip_str(&explanation(&reasons)).to_string();
        assert!(text.contains("█████████░░░  75 %  the same words, 1st by this measure"), "{text}");
        assert!(text.contains("similar meaning, 12th by this measure"), "{text}");
        assert!(text.contains("lowered by 20 %: its age"), "{text}");
    }
}
