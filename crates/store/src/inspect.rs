//! Checks the health of a store, for `hark doctor`.

use serde::Serialize;

use crate::access::CANNOT_BE_READ;
use crate::error::{At, StoreError};
use crate::folders::SAME_ID;
use crate::store::Store;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Ok,
    Warning,
    Problem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    pub severity: Severity,
    pub what: String,
    /// The command or action that fixes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    pub findings: Vec<Finding>,
}

impl Store {
    /// Checks the structure of the index, and that it matches the files.
    pub fn inspect(&self) -> Result<Inspection, StoreError> {
        let mut findings = Vec::new();
        let verdict: String =
            self.conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).at(self)?;
        // The caller moves a damaged index aside and rebuilds it; a report alone would not help.
        let damaged = |detail: String| StoreError::Corrupt { path: self.layout.database(), detail };
        if verdict != "ok" {
            return Err(damaged(verdict));
        }
        if !self.read_only {
            self.conn
                .execute("INSERT INTO lexicon (lexicon, rank) VALUES ('integrity-check', 0)", [])
                .map_err(|e| damaged(e.to_string()))?;
        }
        self.look_at_rows()?;
        findings.extend(self.about_writing());
        for (what, sql) in CONSISTENCY {
            let count: i64 = self.conn.query_row(sql, [], |row| row.get(0)).at(self)?;
            if count != 0 {
                findings.push(problem(format!("{count} {what}"), "hark reindex"));
            }
        }
        findings.extend(self.lost_memories()?);
        findings.extend(self.denied());
        // These are reported above.
        for (file, reason) in self.unread()?.into_iter().filter(|(_, reason)| reason != CANNOT_BE_READ) {
            // The user need not repair files in an untrusted store.
            let Some(located) = self.layout.locate(&file) else { continue };
            // Nor two checkouts of one store, which contain the same memories.
            let twin = reason.starts_with(SAME_ID);
            if located.layer.is_some_and(|layer| twin || !layer.is_trusted()) {
                continue;
            }
            let path = located.path;
            findings.push(Finding {
                severity: Severity::Warning,
                what: format!("{}: {reason}", path.display()),
                mend: Some("fix or remove the file; hark skips it and leaves it unchanged".to_owned()),
            });
        }
        if let Some(aside) = self.set_aside() {
            findings.push(Finding {
                severity: Severity::Warning,
                what: format!("a damaged index was moved to {} and rebuilt from the files", aside.display()),
                mend: Some(format!("delete {} when you no longer need it", aside.display())),
            });
        }
        Ok(Inspection { findings })
    }

    fn unread(&self) -> Result<Vec<(String, String)>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(String, String)>> {
            self.conn
                .prepare("SELECT file, reason FROM unread ORDER BY file")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        run().at(self)
    }
}

/// Conditions that are true only if the index is inconsistent.
const CONSISTENCY: &[(&str, &str)] = &[
    (
        "passages have a wrong count",
        "SELECT (SELECT passages FROM corpus WHERE id = 1) - (SELECT count(*) FROM passage WHERE other <> 2)",
    ),
    (
        "passages belong to no memory",
        "SELECT count(*) FROM passage WHERE id / 4096 NOT IN (SELECT num FROM memory)",
    ),
    (
        "memories have no passage",
        "SELECT count(*) FROM memory WHERE num * 4096 NOT IN (SELECT id FROM passage)",
    ),
    ("mentions lead nowhere", "SELECT count(*) FROM mention WHERE entity NOT IN (SELECT id FROM entity)"),
];

fn problem(what: String, mend: &str) -> Finding {
    Finding { severity: Severity::Problem, what, mend: Some(mend.to_owned()) }
}
