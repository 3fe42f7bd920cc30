//! Proof of help: what sessions that heard nothing of a rule say about it, compared with those that were told.
//!
//! Only sessions that are over count, and only those in which the rule matched while sessions were drawn: what happened before
//! the setting was on, or after it was off, is no comparison. A rule that asks or refuses is never silent and does not count.

use std::collections::BTreeMap;

use hark_core::proof::{Difference, Outcomes, Proof, Side, proof, total};
use hark_core::{IdRef, MemoryId};
use hark_store::RuleCase;
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{BOLD, DIM, Page};

/// Whether rules help, from sessions that were drawn to hear nothing of them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProofView {
    /// Over all rules; sessions are compared with sessions of the same rule.
    pub total: Figures,
    /// Those with the most silent sessions first.
    pub rules: Vec<RuleProof>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleProof {
    pub id: String,
    pub title: String,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// Sessions that were told, and in how many of them the mistake was made all the same.
    pub told: u32,
    pub told_repeated: u32,
    /// Sessions that were drawn to hear nothing.
    pub silent: u32,
    pub silent_repeated: u32,
    /// not enough yet, helps, harms, or no difference seen.
    pub verdict: String,
    /// Absent while there is not enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceView>,
}

/// How much less often the mistake is made in sessions that were told, from -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct DifferenceView {
    pub estimate: f64,
    /// The interval that contains the truth 95 times in 100.
    pub low: f64,
    pub high: f64,
}

/// What is known by now; `None` if no session was ever drawn.
pub(crate) fn of_help(engine: &Engine) -> Result<Option<ProofView>, EngineError> {
    let is_on = engine.config.proof.silent > 0.0;
    let by_rule = outcomes(&engine.store.all_rule_cases()?, is_on);
    if by_rule.is_empty() {
        return Ok(None);
    }
    let mut rules = Vec::new();
    let mut known = Vec::new();
    for (id, outcomes) in by_rule {
        // Of a rule that was forgotten nothing is said.
        let Ok(stored) = engine.store.find(&IdRef::Full(id)) else { continue };
        known.push(outcomes);
        rules.push(RuleProof {
            id: id.short(),
            title: stored.memory.title.to_string(),
            figures: Figures::of(&proof(outcomes)),
        });
    }
    rules.sort_by(|a, b| b.figures.silent.cmp(&a.figures.silent).then(a.id.cmp(&b.id)));
    Ok((!rules.is_empty()).then(|| ProofView { total: Figures::of(&total(&known)), rules }))
}

/// The two sides of each rule, from the time in which sessions were drawn.
fn outcomes(cases: &[RuleCase], is_on: bool) -> BTreeMap<MemoryId, Outcomes> {
    let drawn = || cases.iter().filter(|case| case.silent).map(|case| case.at);
    let (Some(first), Some(last)) = (drawn().min(), drawn().max()) else { return BTreeMap::new() };
    let mut by_rule: BTreeMap<MemoryId, Outcomes> = BTreeMap::new();
    for case in cases {
        let is_counted = case.closed && case.matched > 0 && case.denied == 0 && case.asked == 0;
        let in_time = case.at >= first && (is_on || case.at <= last);
        if !is_counted || !in_time {
            continue;
        }
        let rule = by_rule.entry(case.rule).or_default();
        let side: &mut Side = match (case.silent, case.told > 0) {
            (true, _) => &mut rule.silent,
            (false, true) => &mut rule.told,
            // Neither told nor drawn: it was paused, or there was no room.
            (false, false) => continue,
        };
        side.count(case.broken > 0);
    }
    by_rule.retain(|_, rule| rule.silent.sessions > 0);
    by_rule
}

impl Figures {
    fn of(proof: &Proof) -> Figures {
        let Outcomes { told, silent } = proof.outcomes;
        Figures {
            told: told.sessions,
            told_repeated: told.repeated,
            silent: silent.sessions,
            silent_repeated: silent.repeated,
            verdict: proof.verdict.name().to_owned(),
            difference: proof.difference.map(DifferenceView::of),
        }
    }

    fn in_words(&self) -> String {
        let side = |repeated: u32, sessions: u32| {
            format!("{repeated} of {}", count(i64::from(sessions), "session", "sessions"))
        };
        let sides = format!(
            "the mistake was made in {} that were told and {} that were not",
            side(self.told_repeated, self.told),
            side(self.silent_repeated, self.silent)
        );
        match self.difference {
            None => format!("{}: {sides}", self.verdict),
            Some(d) => format!(
                "{}: {sides}; {:+.0} points less (95 % interval {:+.0} to {:+.0})",
                self.verdict,
                d.estimate * 100.0,
                d.low * 100.0,
                d.high * 100.0
            ),
        }
    }
}

impl DifferenceView {
    fn of(difference: Difference) -> Self {
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        DifferenceView {
            estimate: rounded(difference.estimate),
            low: rounded(difference.low),
            high: rounded(difference.high),
        }
    }
}

impl ProofView {
    pub(crate) fn print(&self, page: &mut Page) {
        page.print(&format!("{BOLD}Do rules help?{BOLD:#} {}\n", self.total.in_words()));
        for rule in &self.rules {
            page.print(&format!(
                "  {DIM}{}{DIM:#}  {}\n    {DIM}{}{DIM:#}\n",
                rule.id,
                words(&rule.title),
                rule.figures.in_words()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use hark_core::Timestamp;
    use serde_json::json;

    use super::*;

    fn case(rule: u8, at: i64) -> RuleCase {
        RuleCase {
            rule: MemoryId::from_bytes([rule; 16]),
            session: at,
            at: Timestamp::from_millis(at),
            matched: 1,
            told: 0,
            denied: 0,
            asked: 0,
            broken: 0,
            overruled: 0,
            silent: false,
            closed: true,
            call: String::new(),
        }
    }

    fn told(at: i64) -> RuleCase {
        RuleCase { told: 1, ..case(1, at) }
    }

    fn silent(at: i64) -> RuleCase {
        RuleCase { silent: true, broken: 2, ..case(1, at) }
    }

    #[test]
    fn only_sessions_that_can_be_compared_count() {
        let cases = [
            told(5),
            silent(10),
            told(11),
            RuleCase { broken: 1, ..told(12) },
            RuleCase { closed: false, ..told(13) },
            RuleCase { matched: 0, ..told(14) },
            RuleCase { denied: 1, ..told(15) },
            RuleCase { asked: 1, ..told(16) },
            case(1, 17),
            RuleCase { broken: 0, ..silent(20) },
            told(30),
            // Never silent.
            RuleCase { told: 1, ..case(2, 12) },
        ];
        let sides = |is_on| {
            let found = outcomes(&cases, is_on);
            assert_eq!(found.len(), 1, "{found:?}");
            let Outcomes { told, silent } = found.into_values().next().unwrap_or_default();
            ((told.repeated, told.sessions), (silent.repeated, silent.sessions))
        };
        assert_eq!(sides(true), ((1, 3), (1, 2)));
        assert_eq!(sides(false), ((1, 2), (1, 2)), "sessions after it was switched off");
        assert!(outcomes(&[told(1), told(2)], true).is_empty(), "nobody was drawn");
    }

    #[test]
    fn figures_are_honest_about_too_few_sessions() {
        let figures = |sessions: i64| {
            let cases: Vec<RuleCase> = (0..sessions).flat_map(|n| [silent(2 * n), told(2 * n + 1)]).collect();
            Figures::of(&total(&outcomes(&cases, true).into_values().collect::<Vec<_>>()))
        };
        assert_eq!(
            serde_json::to_value(figures(9)).unwrap(),
            json!({ "told": 9, "told_repeated": 0, "silent": 9, "silent_repeated": 9, "verdict": "not enough yet" })
        );
        let enough = figures(20);
        assert_eq!((&*enough.verdict, enough.difference.unwrap().estimate), ("helps", 1.0));
        assert_eq!(
            enough.in_words(),
            "helps: the mistake was made in 0 of 20 sessions that were told and 20 of 20 sessions that were not; \
             +100 points less (95 % interval +77 to +100)"
        );
    }
}
