//! What was done and asked in past sessions, as triggers see it.

use hark_core::{Clean, Timestamp};
use rusqlite::params;

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::store::Store;

/// A tool call or a prompt of a past session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastDeed {
    pub session: i64,
    pub at: Timestamp,
    /// The tool; empty for a prompt.
    pub tool: String,
    /// The command or the file of a call, or the words of a prompt.
    pub text: Clean,
    /// The user corrected the assistant soon after it.
    pub corrected: bool,
}

/// A correction this soon after a call may be about it.
const SOON_MS: i64 = 30 * 60 * 1_000;

impl Store {
    /// Tool calls and prompts since a time, in these projects or in all, newest first.
    pub fn past_deeds(
        &self,
        projects: Option<&[ProjectNum]>,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<PastDeed>, StoreError> {
        let wanted: Option<Vec<i64>> = projects.map(|projects| projects.iter().map(|p| p.0).collect());
        let wanted = wanted.map(|nums| serde_json::to_string(&nums).unwrap_or_default());
        let run = || -> rusqlite::Result<Vec<PastDeed>> {
            self.conn
                .prepare_cached(
                    "SELECT e.session, e.at, e.tool, CASE e.kind WHEN 'prompt' THEN e.body ELSE e.target END, \
                     EXISTS (SELECT 1 FROM evidence v WHERE v.session = e.session AND v.at >= e.at AND v.at <= e.at + ?4 \
                     AND v.sort IN ('correction', 'rejection', 'undone')) \
                     FROM session s JOIN event e ON e.session = s.num \
                     WHERE (?1 IS NULL OR s.project IN (SELECT value FROM json_each(?1))) AND e.at >= ?2 \
                     AND e.kind IN ('tool', 'prompt') ORDER BY e.at DESC LIMIT ?3",
                )?
                .query_map(params![wanted, since.as_millis(), limit as i64, SOON_MS], |row| {
                    Ok(PastDeed {
                        session: row.get(0)?,
                        at: Timestamp::from_millis(row.get(1)?),
                        tool: row.get(2)?,
                        text: Clean::already_redacted(row.get(3)?),
                        corrected: row.get::<_, i64>(4)? != 0,
                    })
                })?
                .collect()
        };
        run().at(self)
    }
}
