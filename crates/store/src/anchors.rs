//! Memories that are about one file or symbol by name. Reads an index only, so that a hook has time for it.

use hark_core::{Entity, Kind};
use rusqlite::params;

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::read::Stored;
use crate::store::Store;

/// More about one file than this is not read.
const MOST: i64 = 40;

impl Store {
    /// Active memories of these kinds in a project that name exactly this file or symbol; the most important first.
    pub fn anchored(
        &self,
        project: ProjectNum,
        entity: &Entity,
        kinds: &[Kind],
    ) -> Result<Vec<Stored>, StoreError> {
        let run = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.conn.prepare_cached(
                "SELECT m.num, m.kind FROM entity e JOIN mention x ON x.entity = e.id JOIN memory m ON m.num = x.memory \
                 WHERE e.project = ?1 AND e.kind = ?2 AND e.norm = ?3 AND m.status = 'active' \
                 ORDER BY m.pinned DESC, m.importance DESC, m.updated DESC, m.id LIMIT ?4",
            )?;
            let rows = statement
                .query_map(params![project.0, entity.kind.name(), entity.norm, MOST], |row| {
                    Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
                })?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let wanted = |kind: &str| kinds.iter().any(|k| k.name() == kind);
            Ok(rows.into_iter().filter(|(_, kind)| wanted(kind)).map(|(num, _)| num).collect())
        };
        let nums = run().at(self)?;
        if nums.is_empty() { Ok(Vec::new()) } else { self.load(&nums) }
    }
}
