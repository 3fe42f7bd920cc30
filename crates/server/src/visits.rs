//! Browsers that may enter: one-time codes, and the cookies they become.
//!
//! Everything is random and kept in memory as a hash only. A restart of the server ends every visit.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use blake3::Hash;

/// A code is for the browser that opens now.
const CODE_LASTS: Duration = Duration::from_secs(5 * 60);

/// A visit ends when nothing has come from it for so long.
const VISIT_LASTS: Duration = Duration::from_secs(12 * 60 * 60);

/// The oldest go first.
const MOST_CODES: usize = 32;
const MOST_VISITS: usize = 64;

/// 256 random bits.
pub(crate) type Secret = [u8; 32];

#[derive(Default)]
pub(crate) struct Visits(Mutex<Known>);

#[derive(Default)]
struct Known {
    codes: VecDeque<(Hash, Instant)>,
    visits: VecDeque<Visit>,
}

struct Visit {
    cookie: Hash,
    csrf: String,
    used: Instant,
}

impl Visits {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a code from random bits.
    pub(crate) fn invite(&self, random: &Secret, now: Instant) -> String {
        let code = hex(random);
        let mut known = self.known();
        if known.codes.len() == MOST_CODES {
            known.codes.pop_front();
        }
        known.codes.push_back((blake3::hash(code.as_bytes()), now));
        code
    }

    /// Uses up a code. Returns the cookie for the browser that brought it.
    pub(crate) fn admit(&self, code: &str, random: &[Secret; 2], now: Instant) -> Option<String> {
        let shown = blake3::hash(code.as_bytes());
        let mut known = self.known();
        known.codes.retain(|(_, made)| now.saturating_duration_since(*made) < CODE_LASTS);
        let at = known.codes.iter().position(|(code, _)| *code == shown)?;
        known.codes.remove(at);
        if known.visits.len() == MOST_VISITS {
            known.visits.pop_front();
        }
        let cookie = hex(&random[0]);
        let visit = Visit { cookie: blake3::hash(cookie.as_bytes()), csrf: hex(&random[1]), used: now };
        known.visits.push_back(visit);
        Some(cookie)
    }

    /// The proof that pages of this visit send with every change.
    pub(crate) fn csrf_of(&self, cookie: &str, now: Instant) -> Option<String> {
        let shown = blake3::hash(cookie.as_bytes());
        let mut known = self.known();
        known.visits.retain(|visit| now.saturating_duration_since(visit.used) < VISIT_LASTS);
        let visit = known.visits.iter_mut().find(|visit| visit.cookie == shown)?;
        visit.used = now;
        Some(visit.csrf.clone())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_works_once_and_soon() {
        let (visits, now) = (Visits::default(), Instant::now());
        let code = visits.invite(&[1; 32], now);
        assert!(visits.admit("made up", &[[2; 32], [3; 32]], now).is_none());
        let cookie = visits.admit(&code, &[[2; 32], [3; 32]], now).unwrap();
        assert!(visits.admit(&code, &[[4; 32], [5; 32]], now).is_none());
        assert_eq!(visits.csrf_of(&cookie, now), Some("03".repeat(32)));
        assert_eq!(visits.csrf_of(&code, now), None);

        let late = visits.invite(&[6; 32], now);
        assert!(visits.admit(&late, &[[7; 32], [8; 32]], now + CODE_LASTS).is_none());
    }

    #[test]
    fn a_visit_ends_when_it_is_not_used() {
        let (visits, now) = (Visits::default(), Instant::now());
        let cookie = visits.admit(&visits.invite(&[1; 32], now), &[[2; 32], [3; 32]], now).unwrap();
        let later = now + VISIT_LASTS / 2;
        assert!(visits.csrf_of(&cookie, later).is_some());
        assert!(visits.csrf_of(&cookie, later + VISIT_LASTS / 2).is_some());
        assert!(visits.csrf_of(&cookie, later + VISIT_LASTS * 2).is_none());
    }

    #[test]
    fn neither_codes_nor_visits_pile_up() {
        let (visits, now) = (Visits::default(), Instant::now());
        for n in 0..200u8 {
            let code = visits.invite(&[n; 32], now);
            visits.invite(&[n.wrapping_add(1); 32], now);
            visits.admit(&code, &[[n; 32]; 2], now);
        }
        let known = visits.known();
        assert!(known.codes.len() <= MOST_CODES && known.visits.len() <= MOST_VISITS);
    }
}
