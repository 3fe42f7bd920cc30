//! Triggers of active rules and reminders, by key: what a hook looks up before a tool runs.

use hark_core::rule::{Deed, Trigger};
use hark_core::{Kind, Memory, Status};
use rusqlite::{Connection, params};

use crate::error::{At, StoreError};
use crate::projects::ProjectNum;
use crate::read::Stored;
use crate::store::Store;

/// A rule that applies to a deed, and the trigger that said so.
#[derive(Debug, Clone, PartialEq)]
pub struct Triggered {
    pub stored: Stored,
    pub trigger: Trigger,
}

/// Whether the triggers of a memory are in force: those of rules, and of what reminds when something is touched.
fn is_in_force(memory: &Memory) -> bool {
    memory.status == Status::Active
        && !memory.guidance.paused
        && match memory.kind {
            Kind::Rule | Kind::Directive => memory.origin.may_become(memory.kind),
            kind => kind == Kind::Skill || memory.may_remind(),
        }
}

pub(crate) fn put(conn: &Connection, num: i64, project: ProjectNum, memory: &Memory) -> rusqlite::Result<()> {
    if memory.guidance.when.is_empty() || !is_in_force(memory) {
        return Ok(());
    }
    let mut insert = conn.prepare_cached(
        "INSERT OR IGNORE INTO trigger_key (project, key, memory, pattern) VALUES (?1, ?2, ?3, ?4)",
    )?;
    // What nobody can read matches nothing; `hark doctor` names it.
    for trigger in memory.guidance.when.iter().filter_map(|text| text.parse::<Trigger>().ok()) {
        insert.execute(params![project.0, trigger.key(), num, trigger.to_string()])?;
    }
    Ok(())
}

pub(crate) fn clear(conn: &Connection, num: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM trigger_key WHERE memory = ?1")?.execute([num]).map(drop)
}

impl Store {
    /// Whether any trigger of this sort exists: `c`, `f`, `p` or `t`. Spares most hooks everything else.
    pub fn has_triggers(&self, projects: &[ProjectNum], sort: char) -> Result<bool, StoreError> {
        let run = || -> rusqlite::Result<bool> {
            let mut statement = self.conn.prepare_cached(
                "SELECT 1 FROM trigger_key WHERE project = ?1 AND key >= ?2 AND key < ?3 LIMIT 1",
            )?;
            let next = char::from_u32(sort as u32 + 1).unwrap_or('~').to_string();
            for project in projects {
                if statement.exists(params![project.0, sort.to_string(), next])? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        run().at(self)
    }

    /// Brings the file that says whether any rule is about tools other than editors and shells in line with the rules. Such
    /// calls are many, and without the file they cost a hook nothing.
    pub fn settle_tool_rules(&self) -> Result<(), StoreError> {
        let wanted = self
            .conn
            .prepare_cached("SELECT 1 FROM trigger_key WHERE key >= 't' AND key < 'u' LIMIT 1")
            .and_then(|mut s| s.exists([]))
            .at(self)?;
        let path = self.layout.tool_rules();
        match (wanted, self.layout.stamp(&path)?.is_some()) {
            (true, false) => self.layout.write(&path, b"\n").map(drop),
            (false, true) => self.layout.remove(&path),
            _ => Ok(()),
        }
    }

    /// Memories in these projects whose triggers match a deed; each once, the most important first.
    pub fn triggered(&self, projects: &[ProjectNum], deed: &Deed) -> Result<Vec<Triggered>, StoreError> {
        let run = || -> rusqlite::Result<Vec<(i64, Trigger)>> {
            let mut found: Vec<(i64, Trigger)> = Vec::new();
            let mut statement = self
                .conn
                .prepare_cached("SELECT memory, pattern FROM trigger_key WHERE project = ?1 AND key = ?2")?;
            for key in deed.keys() {
                for project in projects {
                    let mut rows = statement.query(params![project.0, key])?;
                    while let Some(row) = rows.next()? {
                        let Ok(trigger) = row.get_ref(1)?.as_str()?.parse::<Trigger>() else { continue };
                        let num = row.get(0)?;
                        if trigger.matches(deed) && !found.iter().any(|(known, _)| *known == num) {
                            found.push((num, trigger));
                        }
                    }
                }
            }
            Ok(found)
        };
        let found = run().at(self)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let nums: Vec<i64> = found.iter().map(|(num, _)| *num).collect();
        let mut triggered: Vec<Triggered> = self
            .load(&nums)?
            .into_iter()
            .filter_map(|stored| {
                let (_, trigger) = found.iter().find(|(num, _)| *num == stored.num)?;
                Some(Triggered { trigger: trigger.clone(), stored })
            })
            .collect();
        let weight = |one: &Triggered| {
            let memory = &one.stored.memory;
            (memory.guidance.action, memory.importance, memory.updated, memory.id)
        };
        triggered.sort_by_key(|one| std::cmp::Reverse(weight(one)));
        Ok(triggered)
    }
}
