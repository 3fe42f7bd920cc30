//! A share of a count, and how far it can be trusted.

use serde_json::{Value, json};

/// A share, with its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Share {
    pub(crate) hits: usize,
    pub(crate) of: usize,
}

impl Share {
    pub(crate) fn value(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.hits as f64 / self.of as f64 }
    }

    pub(crate) fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    pub(crate) fn plus(self, other: Share) -> Share {
        Share { hits: self.hits + other.hits, of: self.of + other.of }
    }

    /// Wilson's interval, which stays sensible near 0 and 1 and for few questions.
    pub(crate) fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        const Z: f64 = 1.96;
        let (p, n) = (self.value(), self.of as f64);
        let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / (1.0 + Z * Z / n);
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }

    pub(crate) fn json(self) -> Value {
        let (low, high) = self.interval();
        json!({ "hits": self.hits, "of": self.of, "share": self.value(), "low": low, "high": high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    /// 137 of 141: p = 0.97163, z²/n = 0.027245; centre 0.985253 / 1.027245 = 0.959122,
    /// half 1.96 · √(0.000195496 + 0.0000483064) / 1.027245 = 0.029792.
    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = Share { hits: 137, of: 141 }.interval();
        assert!(close(low, 0.9293) && close(high, 0.9889), "{low} {high}");
        // 5 of 10: centre 0.5; half 1.96 · √(0.025 + 0.009604) / 1.38416 = 0.26341.
        let (low, high) = Share { hits: 5, of: 10 }.interval();
        assert!(close(low, 0.2366) && close(high, 0.7634), "{low} {high}");
        // None of 20: from 0 to (z²/n) / (1 + z²/n) = 0.19208 / 1.19208.
        let (low, high) = Share { hits: 0, of: 20 }.interval();
        assert!(close(low, 0.0) && close(high, 0.1611), "{low} {high}");
        assert_eq!(Share { hits: 0, of: 0 }.interval(), (0.0, 1.0));
    }
}
