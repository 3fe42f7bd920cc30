//! Proof of help: whether rules prevent what they are about, measured on the user's own sessions.
//!
//! A small random share of sessions hears nothing of a rule. If the mistake is repeated more often there than in sessions
//! that were told, the rule helps. The numbers are small, so every figure has an interval, and below a minimum there is no
//! figure at all.
//!
//! The interval is Newcombe's hybrid of two score intervals. Beside that of Agresti and Caffo it is as exact in the middle
//! and narrower at the edges, where rules are: a good rule is hardly ever broken. For several rules the score intervals
//! are those of weighted shares, each with its effective number of sessions (Yan and Su), so that one rule is the special
//! case. Adding up the intervals of single rules covers the truth too rarely where each has few silent sessions.

#[cfg(test)]
mod simulation;

use crate::id::MemoryId;
use crate::session::SessionId;

/// So many sessions of either side are needed before a difference is judged.
pub const MIN_SESSIONS: u32 = 10;
/// The 97.5th percentile of the normal distribution: intervals contain the truth 95 times in 100.
const Z: f64 = 1.959_964;

/// Whether a session hears nothing of a rule. It is the same at every match in the session, and nobody can predict it
/// without the key.
pub fn is_silent(rule: &MemoryId, session: &SessionId, key: &[u8; 32], share: f32) -> bool {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(rule.as_bytes()).update(session.as_bytes());
    let mut drawn = [0; 4];
    hasher.finalize_xof().fill(&mut drawn);
    f64::from(u32::from_le_bytes(drawn)) < f64::from(share.clamp(0.0, 1.0)) * (f64::from(u32::MAX) + 1.0)
}

/// Sessions of one side, and in how many of them the mistake was repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Side {
    pub sessions: u32,
    pub repeated: u32,
}

impl Side {
    pub fn count(&mut self, repeated: bool) {
        self.sessions += 1;
        self.repeated += u32::from(repeated);
    }

    /// The share of sessions that repeat it.
    pub fn share(self) -> Option<f64> {
        (self.sessions > 0).then(|| f64::from(self.repeated) / f64::from(self.sessions))
    }

    fn plus(self, other: Side) -> Side {
        Side { sessions: self.sessions + other.sessions, repeated: self.repeated + other.repeated }
    }
}

/// What came of one rule in sessions that were told and in sessions that were not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcomes {
    pub told: Side,
    pub silent: Side,
}

/// How much less often the mistake is repeated in sessions that were told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The share of silent sessions that repeat it, less that of told ones: above zero, the rule helps.
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// One side has fewer than [`MIN_SESSIONS`].
    NotEnoughYet,
    /// The whole interval is above zero.
    Helps,
    /// The whole interval is below zero.
    Harms,
    /// Zero is inside the interval.
    Unclear,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::NotEnoughYet => "not enough yet",
            Verdict::Helps => "helps",
            Verdict::Harms => "harms",
            Verdict::Unclear => "no difference seen",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proof {
    pub outcomes: Outcomes,
    pub verdict: Verdict,
    /// Absent while there is not enough.
    pub difference: Option<Difference>,
}

/// What the sessions of one rule say about it.
pub fn proof(outcomes: Outcomes) -> Proof {
    total(&[outcomes])
}

/// What the sessions of several rules say about all of them. Sessions are only compared with sessions of the same rule. A
/// rule without a session on one side says nothing and is not counted.
pub fn total(rules: &[Outcomes]) -> Proof {
    let compared: Vec<&Outcomes> =
        rules.iter().filter(|rule| rule.told.sessions > 0 && rule.silent.sessions > 0).collect();
    let outcomes = match rules {
        [one] => *one,
        _ => compared.iter().fold(Outcomes::default(), |sum, rule| Outcomes {
            told: sum.told.plus(rule.told),
            silent: sum.silent.plus(rule.silent),
        }),
    };
    if outcomes.told.sessions.min(outcomes.silent.sessions) < MIN_SESSIONS {
        return Proof { outcomes, verdict: Verdict::NotEnoughYet, difference: None };
    }
    let difference = difference(&compared);
    let verdict = if difference.low > 0.0 {
        Verdict::Helps
    } else if difference.high < 0.0 {
        Verdict::Harms
    } else {
        Verdict::Unclear
    };
    Proof { outcomes, verdict, difference: Some(difference) }
}

fn difference(rules: &[&Outcomes]) -> Difference {
    let all: f64 = rules.iter().copied().map(weight).sum();
    let weighted = |side: fn(&Outcomes) -> Side| {
        let (mut share, mut spread) = (0.0, 0.0);
        for rule in rules.iter().copied() {
            let (weight, side) = (weight(rule) / all, side(rule));
            share += weight * side.share().unwrap_or_default();
            spread += weight * weight / f64::from(side.sessions);
        }
        Share { share, sessions: 1.0 / spread }
    };
    let (silent, told) = (weighted(|rule| rule.silent), weighted(|rule| rule.told));
    let (estimate, ((from, to), (low, high))) =
        (silent.share - told.share, (silent.interval(), told.interval()));
    Difference {
        estimate,
        low: estimate - (silent.share - from).hypot(high - told.share),
        high: estimate + (to - silent.share).hypot(told.share - low),
    }
}

/// The weight of Mantel and Haenszel: what a rule says about the difference grows with its smaller side.
fn weight(rule: &Outcomes) -> f64 {
    let (told, silent) = (f64::from(rule.told.sessions), f64::from(rule.silent.sessions));
    told * silent / (told + silent)
}

/// A share of so many sessions.
struct Share {
    share: f64,
    sessions: f64,
}

impl Share {
    /// Wilson's score interval.
    fn interval(&self) -> (f64, f64) {
        let (p, n) = (self.share, self.sessions);
        let centre = p + Z * Z / (2.0 * n);
        let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        ((centre - reach) / scale, (centre + reach) / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(told: (u32, u32), silent: (u32, u32)) -> Outcomes {
        let side = |(repeated, sessions)| Side { sessions, repeated };
        Outcomes { told: side(told), silent: side(silent) }
    }

    #[test]
    fn the_interval_is_the_published_one() {
        // Newcombe 1998, table II, method 10: 56/70 and 48/80.
        let found = proof(outcomes((48, 80), (56, 70))).difference.unwrap();
        assert!((found.estimate - 0.2).abs() < 1e-9, "{found:?}");
        assert!((found.low - 0.0524).abs() < 5e-5 && (found.high - 0.3339).abs() < 5e-5, "{found:?}");
        // And 9/10 with 3/10.
        let found = proof(outcomes((3, 10), (9, 10))).difference.unwrap();
        assert!((found.low - 0.1705).abs() < 5e-5 && (found.high - 0.8090).abs() < 5e-5, "{found:?}");
    }

    #[test]
    fn too_few_sessions_of_either_side_say_nothing() {
        let verdict = |told, silent| proof(outcomes(told, silent)).verdict;
        assert_eq!(verdict((0, 500), (9, 9)), Verdict::NotEnoughYet);
        assert_eq!(verdict((0, 9), (90, 90)), Verdict::NotEnoughYet);
        assert_eq!(verdict((0, 0), (0, 0)), Verdict::NotEnoughYet);
        assert_eq!(verdict((0, 90), (10, 10)), Verdict::Helps);
        assert_eq!(verdict((90, 90), (0, 10)), Verdict::Harms);
        assert_eq!(verdict((20, 90), (3, 10)), Verdict::Unclear);
        assert_eq!(proof(outcomes((0, 500), (9, 9))).difference, None);
    }

    #[test]
    fn rules_are_compared_with_themselves() {
        // One rule is often broken and often silent, the other never: taken together, telling would seem to help.
        let often = outcomes((9, 10), (81, 90));
        let never = outcomes((0, 90), (0, 10));
        let both = total(&[often, never]);
        assert!(both.difference.unwrap().estimate.abs() < 1e-9, "{both:?}");
        assert_eq!(both.verdict, Verdict::Unclear);
        // A rule that was never silent adds nothing.
        let untested = outcomes((50, 50), (0, 0));
        assert_eq!(total(&[often, untested]), proof(often));
        assert_eq!(total(&[]).verdict, Verdict::NotEnoughYet);
    }

    #[test]
    fn the_draw_is_stable_needs_the_key_and_keeps_to_its_share() {
        let rule = |n: u8| MemoryId::from_bytes([n; 16]);
        let session = |n: u32| {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&n.to_le_bytes());
            SessionId::from_bytes(bytes)
        };
        let drawn = |of: u8, key: u8, share: f32| -> Vec<bool> {
            (0..10_000).map(|n| is_silent(&rule(of), &session(n), &[key; 32], share)).collect()
        };
        let count = |drawn: &[bool]| drawn.iter().filter(|silent| **silent).count();
        let both = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|(a, b)| **a && **b).count();
        let one = drawn(1, 1, 0.1);
        assert_eq!(one, drawn(1, 1, 0.1), "the same session, the same answer");
        assert!((900..1_100).contains(&count(&one)), "{}", count(&one));
        // Another key, or another rule, draws other sessions: a tenth of a tenth are the same.
        for other in [drawn(1, 2, 0.1), drawn(2, 1, 0.1)] {
            assert!((50..150).contains(&both(&one, &other)), "{}", both(&one, &other));
        }
        // A larger share silences more sessions and lets none of them speak again.
        let more = drawn(1, 1, 0.3);
        assert_eq!(both(&one, &more), count(&one));
        assert_eq!((count(&drawn(1, 1, 0.0)), count(&drawn(1, 1, 1.0))), (0, 10_000));
    }
}
