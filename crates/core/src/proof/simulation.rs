//! The statistics against made-up users whose truth is known: seeded, so that every run is the same.

use super::{Outcomes, Proof, Side, Verdict, is_silent, proof, total};
use crate::guidance::Record;
use crate::id::MemoryId;
use crate::rule::confidence;
use crate::session::SessionId;

const RUNS: usize = 200;
/// Of [`RUNS`]: 90 in 100.
const ENOUGH: usize = 180;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self) -> [u8; 16] {
        (u128::from(self.next()) << 64 | u128::from(self.next())).to_le_bytes()
    }

    fn happens(&mut self, share: f64) -> bool {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 <= share
    }
}

/// How often the mistake is really repeated.
#[derive(Debug, Clone, Copy)]
struct Truth {
    told: f64,
    silent: f64,
}

impl Truth {
    fn difference(self) -> f64 {
        self.silent - self.told
    }

    /// Sessions in which a rule matches, drawn as the product draws them.
    fn lived(self, dice: &mut Dice, sessions: u32, share: f32) -> Outcomes {
        let (rule, mut key) = (MemoryId::from_bytes(dice.bytes()), [0; 32]);
        key[..16].copy_from_slice(&dice.bytes());
        let mut outcomes = Outcomes::default();
        for _ in 0..sessions {
            let session = SessionId::from_bytes(dice.bytes());
            let silent = is_silent(&rule, &session, &key, share);
            let (side, truth): (&mut Side, f64) = match silent {
                true => (&mut outcomes.silent, self.silent),
                false => (&mut outcomes.told, self.told),
            };
            side.count(dice.happens(truth));
        }
        outcomes
    }
}

fn covers(proof: &Proof, truth: f64) -> Option<bool> {
    proof.difference.map(|found| (found.low - 1e-9..=found.high + 1e-9).contains(&truth))
}

const TRUTHS: [Truth; 7] = [
    Truth { told: 0.1, silent: 0.6 },
    Truth { told: 0.5, silent: 0.5 },
    Truth { told: 0.3, silent: 0.9 },
    Truth { told: 0.05, silent: 0.15 },
    Truth { told: 0.02, silent: 0.02 },
    Truth { told: 0.0, silent: 0.3 },
    Truth { told: 0.6, silent: 0.4 },
];

#[test]
fn the_interval_of_a_rule_contains_the_truth() {
    for (sessions, share) in [(40, 0.5), (200, 0.1), (400, 0.1), (1_000, 0.05)] {
        for truth in TRUTHS {
            let mut dice = Dice(7);
            let (mut judged, mut covered) = (0, 0);
            while judged < RUNS {
                let found = proof(truth.lived(&mut dice, sessions, share));
                let Some(inside) = covers(&found, truth.difference()) else { continue };
                judged += 1;
                covered += usize::from(inside);
            }
            assert!(covered >= ENOUGH, "{covered} of {RUNS}: {truth:?}, {sessions} sessions, {share} silent");
        }
    }
}

#[test]
fn the_interval_of_all_rules_contains_the_truth() {
    // Few rules with many sessions, and many rules with hardly any silent ones.
    for (rules, sessions) in [(3, 200), (10, 40), (40, 12)] {
        for truth in TRUTHS {
            let mut dice = Dice(11);
            let (mut judged, mut covered) = (0, 0);
            while judged < RUNS {
                let lived: Vec<Outcomes> =
                    (0..rules).map(|_| truth.lived(&mut dice, sessions, 0.1)).collect();
                let Some(inside) = covers(&total(&lived), truth.difference()) else { continue };
                judged += 1;
                covered += usize::from(inside);
            }
            assert!(covered >= ENOUGH, "{covered} of {RUNS}: {truth:?}, {rules} rules, {sessions} sessions");
        }
    }
}

#[test]
fn what_makes_no_difference_is_rarely_called_a_help_and_what_does_is_found() {
    let verdicts = |truth: Truth, verdict: Verdict| {
        let mut dice = Dice(13);
        (0..RUNS).filter(|_| proof(truth.lived(&mut dice, 300, 0.1)).verdict == verdict).count()
    };
    let none = Truth { told: 0.3, silent: 0.3 };
    let wrongly = verdicts(none, Verdict::Helps) + verdicts(none, Verdict::Harms);
    assert!(wrongly <= RUNS / 10, "{wrongly} of {RUNS}");
    let found = verdicts(Truth { told: 0.1, silent: 0.6 }, Verdict::Helps);
    assert!(found >= RUNS * 95 / 100, "{found} of {RUNS}");
}

#[test]
fn rules_that_help_rise_and_those_that_do_not_sink() {
    let after = |adherence: f64, dice: &mut Dice| {
        let mut record = Record::default();
        for _ in 0..40 {
            if dice.happens(adherence) { record.upheld += 1 } else { record.broken += 1 }
        }
        confidence(0.8, &record)
    };
    let runs = |adherence: f64, fits: fn(f32) -> bool| {
        let mut dice = Dice(17);
        (0..RUNS).filter(|_| fits(after(adherence, &mut dice))).count()
    };
    let risen = runs(0.9, |confidence| confidence >= 0.8);
    assert!(risen >= RUNS * 95 / 100, "{risen} of {RUNS} helpful rules stay trusted");
    let sunk = runs(0.3, |confidence| confidence <= 0.5);
    assert!(sunk >= RUNS * 95 / 100, "{sunk} of {RUNS} useless rules sink");
}
