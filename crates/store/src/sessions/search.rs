//! Finds sessions by their words, by the time they took place, and by the files they touched.

use std::collections::{HashMap, HashSet};

use hark_core::Timestamp;
use hark_core::text::{Shape, Token, analyze, may_be_typo_of, typo_distance};
use hark_core::when::Times;

use super::{SessionFilter, StoredSession, by_num};
use crate::conditions::{self, Conditions};
use crate::error::{At, StoreError};
use crate::index::lexicon_token;
use crate::projects::ProjectNum;
use crate::store::Store;

/// Longer queries say no more.
const MOST_TERMS: usize = 64;
/// Sessions whose words are compared with one that no session contains, newest first.
const SESSIONS_FOR_TYPOS: usize = 1_000;
/// Words tried for a mistyped one, and how much they count.
const MOST_REPAIRS: usize = 3;
const REPAIRED: f64 = 0.7;
/// Below this, a session is from another day than yesterday, or from another month than May.
const THEN: f32 = 0.37;

impl Store {
    /// Sessions that touched a file, newest first. The path is in lower case and may be the end of a longer one.
    pub fn sessions_touching(
        &self,
        path: &str,
        projects: Option<&[ProjectNum]>,
        limit: usize,
    ) -> Result<Vec<StoredSession>, StoreError> {
        let mut conditions = Conditions::new("1");
        if let Some(projects) = projects {
            conditions.and_one_of("s.project", projects.iter().map(|p| p.0), "");
        }
        let path = conditions.mark(path.to_owned());
        let limit = conditions.mark(conditions::limit(limit));
        // `substr` instead of LIKE: a path may contain `_`.
        let sql = format!(
            "SELECT DISTINCT s.num, s.seen FROM session_file f JOIN session s ON s.num = f.session WHERE {} \
             AND (lower(f.path) = {path} OR lower(f.former) = {path} \
             OR substr(lower(f.path), -length({path}) - 1) = '/' || {path}) \
             ORDER BY s.seen DESC, s.num DESC LIMIT {limit}",
            conditions.sql()
        );
        let run = || -> rusqlite::Result<Vec<StoredSession>> {
            let nums: Vec<i64> = self
                .conn
                .prepare_cached(&sql)?
                .query_map(conditions.params(), |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let found = nums.into_iter().map(|num| by_num(&self.conn, num));
            found.filter_map(Result::transpose).collect()
        };
        run().at(self)
    }

    /// Sessions that contain words of the query, best first, with their score. Mistyped words count as those that were
    /// probably meant. If the query names a time, only sessions from about that time are found.
    pub fn search_sessions(
        &self,
        query: &str,
        filter: &SessionFilter,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<(StoredSession, f64)>, StoreError> {
        let times = Times::in_search(query, now);
        let wanted = words(&times.topic(query));
        if wanted.is_empty() && !times.is_empty() {
            return self.sessions_from(&times, filter, limit);
        }
        let ranked = self.rank_sessions(wanted, filter)?;
        // A session with a single common word of many is no answer.
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let mut found = Vec::new();
        for (num, score) in ranked.into_iter().take_while(|(_, score)| *score >= best / 4.0) {
            let Some(stored) = by_num(&self.conn, num).at(self)? else { continue };
            if fit(&times, &stored) > 0.0 && self.fits(&stored, filter)? {
                found.push((stored, score));
                if found.len() >= limit {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Sessions from a time, newest first, scored by how well they fit it.
    fn sessions_from(
        &self,
        times: &Times,
        filter: &SessionFilter,
        limit: usize,
    ) -> Result<Vec<(StoredSession, f64)>, StoreError> {
        let all = self.sessions(filter, usize::MAX)?;
        let scored = all.into_iter().map(|stored| {
            let fit = fit(times, &stored);
            (stored, fit)
        });
        Ok(scored.filter(|(_, fit)| *fit > 0.0).take(limit).collect())
    }

    /// Rare words count more.
    fn rank_sessions(
        &self,
        wanted: Vec<Token>,
        filter: &SessionFilter,
    ) -> Result<Vec<(i64, f64)>, StoreError> {
        let all: i64 = self
            .conn
            .query_row("SELECT count(*) FROM session WHERE file <> ''", [], |row| row.get(0))
            .at(self)?;
        let mut scores: HashMap<i64, f64> = HashMap::new();
        let mut unknown = Vec::new();
        let mut add = |nums: Vec<i64>, share: f64| {
            let weight = share * (1.0 + all as f64 / nums.len().max(1) as f64).ln();
            for num in nums {
                *scores.entry(num).or_default() += weight;
            }
        };
        for token in wanted {
            let nums = self.sessions_with(&token.term)?;
            let strange = nums.is_empty() && token.shape == Shape::Word && !self.embedder.knows(&token.word);
            if strange && may_be_typo_of(&token.word) {
                unknown.push(token.word);
            } else {
                add(nums, 1.0);
            }
        }
        for term in self.meant_in_sessions(&unknown, filter)? {
            add(self.sessions_with(&term)?, REPAIRED);
        }
        let mut ranked: Vec<(i64, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        Ok(ranked)
    }

    fn sessions_with(&self, term: &str) -> Result<Vec<i64>, StoreError> {
        self.conn
            .prepare_cached("SELECT rowid FROM session_lexicon WHERE session_lexicon MATCH ?1")
            .and_then(|mut s| s.query_map([lexicon_token(term)], |row| row.get(0))?.collect())
            .at(self)
    }

    /// Terms of sessions that were probably meant by these words. The index keeps no vocabulary of sessions, so their text is
    /// read, which happens only for a word that no session contains.
    fn meant_in_sessions(
        &self,
        unknown: &[String],
        filter: &SessionFilter,
    ) -> Result<HashSet<String>, StoreError> {
        let mut meant = HashSet::new();
        if unknown.is_empty() {
            return Ok(meant);
        }
        let sessions = self.sessions(filter, SESSIONS_FOR_TYPOS)?;
        let tokens = sessions.iter().flat_map(|stored| analyze(&stored.session.searchable()));
        let vocabulary: HashMap<String, String> =
            tokens.filter(|token| token.shape == Shape::Word).map(|token| (token.word, token.term)).collect();
        for typed in unknown {
            let mut near: Vec<(usize, &String, &String)> = vocabulary
                .iter()
                .filter_map(|(word, term)| Some((typo_distance(typed, word)?, word, term)))
                .collect();
            near.sort_unstable();
            let nearest = near.first().map_or(0, |(distance, ..)| *distance);
            let rivals = near.into_iter().take_while(|(distance, ..)| *distance == nearest);
            meant.extend(rivals.take(MOST_REPAIRS).map(|(_, _, term)| term.clone()));
        }
        Ok(meant)
    }

    fn fits(&self, stored: &StoredSession, filter: &SessionFilter) -> Result<bool, StoreError> {
        let project: i64 = self
            .conn
            .prepare_cached("SELECT project FROM session WHERE num = ?1")
            .and_then(|mut s| s.query_row([stored.num], |row| row.get(0)))
            .at(self)?;
        let s = &stored.session;
        Ok(filter.projects.as_ref().is_none_or(|p| p.contains(&ProjectNum(project)))
            && filter.host.as_ref().is_none_or(|host| **host == *s.host)
            && filter.status.is_none_or(|status| status == s.status)
            && filter.since.is_none_or(|since| s.updated >= since))
    }
}

/// The distinct words of a query.
fn words(query: &str) -> Vec<Token> {
    let mut tokens = analyze(query);
    tokens.sort_unstable();
    tokens.dedup_by(|a, b| a.term == b.term);
    tokens.truncate(MOST_TERMS);
    tokens
}

/// How well a session fits the times of a query; 1 if it names none.
fn fit(times: &Times, stored: &StoredSession) -> f64 {
    if times.is_empty() {
        return 1.0;
    }
    let session = &stored.session;
    let fit = times.fit(session.started).max(times.fit(session.updated));
    if fit < THEN { 0.0 } else { f64::from(fit) }
}
