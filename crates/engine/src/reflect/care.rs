//! What needs a decision: rules that their record speaks against, memories with bad ratings, and what is due.

use hark_core::rule::{Retire, retire};
use hark_core::text::terms;
use hark_core::{Memory, Verdict};

use super::{Finding, Ground, Sort, head};

const CHARS: usize = 90;
/// Words that a correction shares with a rule, to be about it.
const SHARED: usize = 2;

pub(super) fn rules(ground: &Ground<'_>) -> Vec<Finding> {
    let rules = ground.memories.iter().filter(|memory| memory.kind.steers() && !memory.guidance.paused);
    let found = rules.filter_map(|rule| {
        let guidance = &rule.guidance;
        let minded = minded(ground, rule);
        let reason = retire(&guidance.record, !guidance.when.is_empty(), minded, rule.updated, ground.now)?;
        let id = rule.id.short();
        let command = match reason {
            Retire::Quiet => format!("hark archive {id}"),
            Retire::Broken | Retire::Overruled => format!("hark rules pause {id}"),
        };
        let text = format!("{}: {}", head(&rule.body, CHARS), reason.reason());
        Some(Finding { sort: Sort::StaleRule, text, count: guidance.record.matched, command, ids: vec![id] })
    });
    found.collect()
}

/// How often the user complained about what a rule is about since it last changed.
fn minded(ground: &Ground<'_>, rule: &Memory) -> u32 {
    let about = terms(&rule.body);
    let later = ground.complaints.iter().filter(|one| one.evidence.at >= rule.updated);
    let alike = later.filter(|one| {
        let mut words = terms(&one.evidence.text);
        words.sort_unstable();
        words.dedup();
        words.iter().filter(|word| about.contains(word)).count() >= SHARED
    });
    u32::try_from(alike.count()).unwrap_or(u32::MAX)
}

pub(super) fn rated(ground: &Ground<'_>) -> Vec<Finding> {
    let found = ground.memories.iter().filter_map(|memory| {
        let id = memory.id.short();
        let (text, command) = match memory.life.verdict? {
            Verdict::Wrong => ("rated wrong", format!("hark archive {id}")),
            Verdict::Stale => ("rated stale", format!("hark edit {id} --text '…'")),
        };
        let text = format!("{} ({text})", head(&memory.body, CHARS));
        Some(Finding { sort: Sort::RatedDown, text, count: 1, command, ids: vec![id] })
    });
    found.collect()
}

/// Reviews and reminders whose date has come.
pub(super) fn due(ground: &Ground<'_>) -> Vec<Finding> {
    let found = ground.memories.iter().filter(|memory| memory.is_due(ground.now)).map(|memory| {
        let id = memory.id.short();
        let body = head(&memory.body, CHARS);
        let (sort, text, command) = match memory.unreviewed_since(ground.now) {
            Some(since) => (
                Sort::ReviewDue,
                format!("{body} (not reviewed since {})", since.day()),
                format!("hark edit {id} --remind 90d"),
            ),
            None => {
                let at = memory.guidance.remind.unwrap_or(ground.now).day();
                let act = if memory.kind.is_work() {
                    format!("hark resolve {id}")
                } else {
                    format!("hark edit {id} --remind never")
                };
                (Sort::ReminderDue, format!("{body} (since {at})"), act)
            }
        };
        Finding { sort, text, ids: vec![id], count: 1, command }
    });
    found.collect()
}
