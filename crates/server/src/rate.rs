//! How many requests a caller may send: a bucket of tokens each, filled at a steady pace.
//!
//! A caller is known by the credential that the door accepted and by the address of the connection, never by a header
//! of the caller's choice.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Callers that are counted at the same time. Beyond that, the fullest bucket makes room: it has the least to tell.
const MOST_CALLERS: usize = 1024;

/// A bucket holds the requests of so many seconds, so that a page that loads twenty things at once is not refused.
const BURST_SECONDS: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The hash of the credential; `None` for callers without one.
    pub(crate) credential: Option<[u8; 32]>,
    pub(crate) peer: Option<IpAddr>,
}

pub(crate) struct Rate {
    /// Per second; 0 is no limit.
    pace: f64,
    buckets: Mutex<HashMap<Key, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    pub(crate) fn new(per_minute: u32) -> Self {
        Self { pace: f64::from(per_minute) / 60.0, buckets: Mutex::default() }
    }

    fn size(&self) -> f64 {
        (self.pace * BURST_SECONDS).max(1.0)
    }

    /// Counts a request, or says after how long the next one is allowed.
    pub(crate) fn take(&self, key: Key, now: Instant) -> Result<(), Duration> {
        if self.pace == 0.0 {
            return Ok(());
        }
        let (pace, size) = (self.pace, self.size());
        let filled = |bucket: &Bucket| {
            let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
            (bucket.left + passed * pace).min(size)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_CALLERS && !buckets.contains_key(&key) {
            // A full bucket is the same as none.
            buckets.retain(|_, bucket| filled(bucket) < size);
            if buckets.len() >= MOST_CALLERS {
                let fullest = buckets.iter().max_by(|a, b| filled(a.1).total_cmp(&filled(b.1)));
                if let Some(fullest) = fullest.map(|(key, _)| *key) {
                    buckets.remove(&fullest);
                }
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket { left: size, at: now });
        let left = filled(bucket);
        *bucket = Bucket { left, at: now };
        if left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - left) / pace));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(credential: u8, last: u8) -> Key {
        Key { credential: Some([credential; 32]), peer: Some(IpAddr::from([127, 0, 0, last])) }
    }

    #[test]
    fn a_burst_passes_and_then_the_pace_counts() {
        let (rate, start) = (Rate::new(60), Instant::now());
        for n in 0..10 {
            assert_eq!(rate.take(key(1, 1), start), Ok(()), "{n}");
        }
        let wait = rate.take(key(1, 1), start).unwrap_err();
        assert!(wait > Duration::from_millis(900) && wait <= Duration::from_secs(1), "{wait:?}");
        assert_eq!(rate.take(key(1, 1), start + Duration::from_secs(1)), Ok(()));
        assert!(rate.take(key(1, 1), start + Duration::from_secs(1)).is_err());
    }

    #[test]
    fn callers_do_not_pay_for_each_other() {
        let (rate, now) = (Rate::new(6), Instant::now());
        assert!(rate.take(key(1, 1), now).is_ok());
        assert!(rate.take(key(1, 1), now).is_err());
        assert!(rate.take(key(2, 1), now).is_ok());
        assert!(rate.take(key(1, 2), now).is_ok());
    }

    #[test]
    fn zero_is_no_limit() {
        let (rate, now) = (Rate::new(0), Instant::now());
        assert!((0..10_000).all(|_| rate.take(key(1, 1), now).is_ok()));
    }

    #[test]
    fn many_callers_do_not_grow_it() {
        let (rate, now) = (Rate::new(60), Instant::now());
        for n in 0..5000u32 {
            let peer = Some(IpAddr::from(n.to_be_bytes()));
            let _ = rate.take(Key { credential: None, peer }, now);
        }
        assert!(rate.buckets.lock().unwrap().len() <= MOST_CALLERS);
    }
}
