//! A share with its interval.

/// Hits among trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate {
    pub hits: u32,
    pub of: u32,
}

impl Rate {
    #[must_use]
    pub fn with(self, hit: bool) -> Rate {
        Rate { hits: self.hits + u32::from(hit), of: self.of + 1 }
    }

    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.hits) / f64::from(self.of))
    }
}

/// The interval that contains the true share, after Wilson. Unlike the usual one, it is honest for few trials and for shares
/// near 0 and 1.
pub fn wilson(rate: Rate, z: f64) -> Option<(f64, f64)> {
    let share = rate.share()?;
    let n = f64::from(rate.of);
    let z2 = z * z;
    let middle = share + z2 / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z2 / n;
    // Rounding must not move a bound past the share itself.
    Some((((middle - half) / whole).clamp(0.0, share), ((middle + half) / whole).clamp(share, 1.0)))
}

/// The interval of the difference of two shares, after Newcombe: from the bounds of both.
pub fn difference(one: Rate, other: Rate, z: f64) -> Option<(f64, f64)> {
    let (p, q) = (one.share()?, other.share()?);
    let ((p_low, p_high), (q_low, q_high)) = (wilson(one, z)?, wilson(other, z)?);
    let low = (p - p_low).hypot(q_high - q);
    let high = (p_high - p).hypot(q - q_low);
    Some((p - q - low, p - q + high))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::assess::Z_SHOWN;

    #[test]
    fn known_values() {
        let (low, high) = wilson(Rate { hits: 8, of: 10 }, Z_SHOWN).unwrap();
        assert!((low - 0.4902).abs() < 1e-3 && (high - 0.9433).abs() < 1e-3, "{low} {high}");
        // Newcombe (1998), table II, line h: 56/70 and 48/80.
        let (low, high) = difference(Rate { hits: 56, of: 70 }, Rate { hits: 48, of: 80 }, Z_SHOWN).unwrap();
        assert!((low - 0.0524).abs() < 1e-3 && (high - 0.3339).abs() < 1e-3, "{low} {high}");
        assert_eq!(wilson(Rate::default(), Z_SHOWN), None);
    }

    /// The exact probability that the interval contains the truth, summed over every outcome.
    #[test]
    fn the_interval_covers_the_truth() {
        for n in [10u32, 20, 50, 200] {
            let shares = (1..20).map(|at| f64::from(at) / 20.0);
            let covered: Vec<f64> = shares
                .map(|truth| {
                    let mut probability = (1.0 - truth).powi(n as i32);
                    let mut covered = 0.0;
                    for hits in 0..=n {
                        let (low, high) = wilson(Rate { hits, of: n }, Z_SHOWN).unwrap();
                        if (low..=high).contains(&truth) {
                            covered += probability;
                        }
                        probability *= f64::from(n - hits) / f64::from(hits + 1) * truth / (1.0 - truth);
                    }
                    covered
                })
                .collect();
            let mean = covered.iter().sum::<f64>() / covered.len() as f64;
            assert!(mean > 0.93 && covered.iter().all(|one| *one > 0.87), "{n}: {mean} {covered:?}");
        }
    }

    proptest! {
        #[test]
        fn bounds_surround_the_share(of in 1u32..5_000, part in 0.0f64..=1.0, z in 0.1f64..4.0) {
            let hits = (f64::from(of) * part) as u32;
            let rate = Rate { hits, of };
            let (low, high) = wilson(rate, z).unwrap();
            let share = rate.share().unwrap();
            prop_assert!((0.0..=share).contains(&low) && (share..=1.0).contains(&high));
            let more = wilson(Rate { hits: hits * 4, of: of * 4 }, z).unwrap();
            prop_assert!(more.1 - more.0 <= high - low + 1e-12);
        }

        #[test]
        fn a_difference_turns_with_its_sides(a in 0u32..50, b in 0u32..50, more in 1u32..50) {
            let (one, other) = (Rate { hits: a, of: a + more }, Rate { hits: b, of: b + more });
            let (low, high) = difference(one, other, 1.96).unwrap();
            let (back_low, back_high) = difference(other, one, 1.96).unwrap();
            prop_assert!((low + back_high).abs() < 1e-9 && (high + back_low).abs() < 1e-9 && low <= high);
        }
    }
}
