//! How the self-assessment is shown: rates with counts and intervals, or that there is not enough yet.

use hark_core::assess::{Assessment, By, Group, LEAST, Measure, Rate, Verdict, Z_SHOWN, wilson};
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::text::{count, words};
use crate::operation::{BOLD, DIM, GOOD, Page, WARN};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkView {
    pub since: String,
    /// Where `before` ends and `lately` begins.
    pub middle: String,
    /// Rates of fewer pieces of work are left out.
    pub least: u32,
    pub all: GroupView,
    /// By project, language, tool and task; the largest group of each first.
    pub groups: Vec<GroupView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GroupView {
    /// project, language, tool or task.
    pub by: String,
    pub name: String,
    /// Finished pieces of work.
    pub pieces: u32,
    /// Of those that were checked, how many passed the first check.
    pub first_try: MeasureView,
    /// Of those that were checked, how many passed in the end.
    pub success: MeasureView,
    /// How many had to be corrected.
    pub rework: MeasureView,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeasureView {
    pub all: RateView,
    pub before: RateView,
    pub lately: RateView,
    /// `lately` beside `before`: better, worse, no difference, or not enough yet.
    pub trend: String,
    /// Beside all other work.
    pub beside_others: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RateView {
    pub hits: u32,
    pub of: u32,
    /// Absent if there is not enough yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl RateView {
    fn new(rate: Rate) -> Self {
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        let bounds = wilson(rate, Z_SHOWN).filter(|_| rate.of >= LEAST);
        RateView {
            hits: rate.hits,
            of: rate.of,
            share: rate.share().filter(|_| rate.of >= LEAST).map(rounded),
            low: bounds.map(|(low, _)| rounded(low)),
            high: bounds.map(|(_, high)| rounded(high)),
        }
    }

    /// `80 % (62–91 %, 24 of 30)`.
    fn words(&self) -> String {
        match (self.share, self.low, self.high) {
            (Some(share), Some(low), Some(high)) => format!(
                "{:.0} % ({:.0}–{:.0} %, {} of {})",
                share * 100.0,
                low * 100.0,
                high * 100.0,
                self.hits,
                self.of
            ),
            _ => format!("not enough yet ({} of {})", self.hits, self.of),
        }
    }
}

impl MeasureView {
    fn new(measure: &Measure) -> Self {
        MeasureView {
            all: RateView::new(measure.all),
            before: RateView::new(measure.before),
            lately: RateView::new(measure.lately),
            trend: measure.trend.name().to_owned(),
            beside_others: measure.beside_others.name().to_owned(),
        }
    }

    /// What stands out; empty if nothing does.
    fn verdicts(&self) -> Vec<(bool, String)> {
        let mut found = Vec::new();
        for (verdict, against) in [(&self.beside_others, "than other work"), (&self.trend, "than before")] {
            for known in [Verdict::Better, Verdict::Worse] {
                if *verdict == known.name() {
                    found.push((known == Verdict::Better, format!("{verdict} {against}")));
                }
            }
        }
        found
    }
}

impl GroupView {
    fn new(group: &Group) -> Self {
        GroupView {
            by: group.by.name().to_owned(),
            name: group.name.clone(),
            pieces: group.pieces,
            first_try: MeasureView::new(&group.first_try),
            success: MeasureView::new(&group.success),
            rework: MeasureView::new(&group.rework),
        }
    }

    fn line(&self, name: &str) -> String {
        let mut line = format!(
            "{name:<14} at once {:<28} in the end {:<28} reworked {}",
            self.first_try.all.words(),
            self.success.all.words(),
            self.rework.all.words()
        );
        for (measure, what) in
            [(&self.first_try, "at once"), (&self.success, "in the end"), (&self.rework, "rework")]
        {
            for (is_good, verdict) in measure.verdicts() {
                let style = if is_good { GOOD } else { WARN };
                line.push_str(&format!("  {style}{what} {verdict}{style:#}"));
            }
        }
        line
    }
}

impl WorkView {
    pub(super) fn new(assessment: &Assessment) -> Self {
        WorkView {
            since: assessment.from.to_string(),
            middle: assessment.middle.to_string(),
            least: LEAST,
            all: GroupView::new(&assessment.all),
            groups: assessment.groups.iter().map(GroupView::new).collect(),
        }
    }

    pub(super) fn print(&self, page: &mut Page) {
        let since = self.since.get(..10).unwrap_or(&self.since);
        let pieces = count(self.all.pieces, "finished piece of work", "finished pieces of work");
        page.print(&format!("{BOLD}Work since {since}{BOLD:#}: {pieces}\n"));
        page.note("checks that passed at once and in the end; work that came back for a correction\n");
        if self.all.pieces < self.least {
            page.print(&format!("not enough yet: rates need {} pieces of work\n", self.least));
            return;
        }
        page.print(&format!("{}\n", self.all.line("everything")));
        for by in By::ALL {
            let of_sort = self.groups.iter().filter(|group| group.by == by.name());
            let (shown, few): (Vec<_>, Vec<_>) = of_sort.partition(|group| group.pieces >= self.least);
            for (at, group) in shown.iter().enumerate() {
                if at == 0 {
                    page.print(&format!("{DIM}by {}{DIM:#}\n", by.name()));
                }
                let name =
                    if *by == By::Project { page.project(Some(&group.name)) } else { group.name.clone() };
                page.print(&format!("{}\n", group.line(&words(&name))));
            }
            if !few.is_empty() {
                let names: Vec<String> =
                    few.iter().map(|group| format!("{} {}", words(&group.name), group.pieces)).collect();
                page.note(&format!("{DIM}not enough yet by {}: {}{DIM:#}\n", by.name(), names.join(", ")));
            }
        }
    }
}
