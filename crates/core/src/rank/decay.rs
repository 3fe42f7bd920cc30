//! Priors: how age, importance, status and scope move a hit, within narrow bands so that they order equals
//! and never override relevance.

use crate::kind::Kind;
use crate::life::Verdict;
use crate::lifecycle::Status;
use crate::memory::Importance;
use crate::time::{DAY_MS, Timestamp};

/// After this many days a passing fact has lost half of what age may take.
pub const HALF_LIFE_DAYS: f64 = 90.0;
/// Lasting kinds keep at least this much.
const ENDURING_FLOOR: f64 = 0.85;
/// More confirmations than this add nothing.
const MOST_BACKED: u32 = 4;
/// The share of the score that age may take at most.
const AGE_SHARE: f32 = 0.08;

/// Half-life decay in 0..=1, with a floor for lasting kinds.
pub fn freshness(kind: Kind, updated: Timestamp, now: Timestamp) -> f32 {
    let days = updated.days_until(now).max(0.0);
    let decay = (-days * std::f64::consts::LN_2 / HALF_LIFE_DAYS).exp();
    let floored = if kind.endures() { decay.max(ENDURING_FLOOR) } else { decay };
    floored as f32
}

/// Factor for age. `touched` is when a memory was last changed, confirmed or used; `backed` is how often it
/// was confirmed or rated helpful, which makes it fade more slowly.
pub fn age_factor(kind: Kind, touched: Timestamp, backed: u32, now: Timestamp) -> f32 {
    let slower = 1.0 + 0.25 * f64::from(backed.min(MOST_BACKED));
    let passed = touched.days_until(now).max(0.0) / slower;
    let since = now.minus_millis((passed * DAY_MS as f64) as i64);
    1.0 - AGE_SHARE + AGE_SHARE * freshness(kind, since, now)
}

/// Factor for feedback: only doubt counts.
pub fn trust_factor(confidence: f32, verdict: Option<Verdict>) -> f32 {
    let said = match verdict {
        Some(Verdict::Wrong) => 0.7,
        Some(Verdict::Stale) => 0.92,
        None => 1.0,
    };
    said * (1.0 - 0.1 * (0.5 - confidence).clamp(0.0, 0.5) / 0.5)
}

/// Factor for importance: 3 is neutral.
pub fn importance_factor(importance: Importance) -> f32 {
    1.0 + 0.02 * (f32::from(importance.get()) - 3.0)
}

/// Factor for status: resolved and replaced memories rank below active ones.
pub fn status_factor(status: Status) -> f32 {
    match status {
        Status::Active => 1.0,
        Status::Resolved => 0.95,
        Status::Superseded => 0.8,
        Status::Archived | Status::Proposed => 0.85,
    }
}

/// Factor for scope: the current project ranks before what applies everywhere.
pub fn scope_factor(same_project: bool) -> f32 {
    if same_project { 1.0 } else { 0.97 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmation_slows_decay_and_doubt_lowers_trust() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let then = now.minus_millis(90 * DAY_MS);
        let once = age_factor(Kind::Fact, then, 0, now);
        let often = age_factor(Kind::Fact, then, 3, now);
        assert!(often > once && often < 1.0);
        assert_eq!(age_factor(Kind::Fact, then, 4, now), age_factor(Kind::Fact, then, 400, now));
        assert_eq!(trust_factor(0.7, None), 1.0);
        assert!(trust_factor(0.1, None) < 1.0);
        assert!(trust_factor(0.1, Some(Verdict::Wrong)) < trust_factor(0.1, Some(Verdict::Stale)));
    }

    #[test]
    fn ninety_days_halve_a_fact_but_not_a_decision() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let then = now.minus_millis(90 * DAY_MS);
        assert!((freshness(Kind::Fact, then, now) - 0.5).abs() < 1e-3);
        assert!(freshness(Kind::Decision, now.minus_millis(900 * DAY_MS), now) >= 0.85);
        assert_eq!(freshness(Kind::Fact, now.plus_millis(DAY_MS), now), 1.0, "a clock that jumped back");
    }
}
