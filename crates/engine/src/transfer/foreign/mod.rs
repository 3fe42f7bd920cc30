//! Imports memories of other tools. One file per tool: where its data is, and how its terms map to hark's.
//!
//! A tool's file reads and translates. Each result gets an id derived from the tool's own id, so that a
//! second run adds nothing, and goes through [`super::import`].

mod claude_mem;
mod codememory;
mod desk;
mod harvest;
mod instructions;
mod obsidian;
mod opencode_memory;
mod opencodememory;
mod rows;
mod server_memory;
mod sessionmem;
mod store;
mod tam_work;
mod total_agent_memory;
mod words;

use std::path::{Path, PathBuf};

pub(crate) use desk::Desk;
use harvest::Harvest;
pub use harvest::Unmapped;
pub(crate) use store::store;
pub(super) use store::{mark, source_key};

use crate::error::EngineError;

/// Where to look for other tools.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub home: Option<PathBuf>,
    pub folder: Option<PathBuf>,
}

impl Surroundings {
    fn in_home(&self, parts: &[&str]) -> Vec<PathBuf> {
        let join = |home: &PathBuf| parts.iter().fold(home.clone(), |path, part| path.join(part));
        self.home.as_ref().map(join).into_iter().collect()
    }
}

/// A tool whose memories can be imported.
pub struct Tool {
    pub name: &'static str,
    aliases: &'static [&'static str],
    pub about: &'static str,
    /// Where its files usually are, whether they exist or not.
    places: fn(&Surroundings) -> Vec<PathBuf>,
    read: fn(&Path, &mut Harvest) -> Result<(), EngineError>,
}

pub static TOOLS: &[Tool] = &[
    opencodememory::TOOL,
    opencode_memory::TOOL,
    sessionmem::TOOL,
    total_agent_memory::TOOL,
    codememory::TOOL,
    claude_mem::TOOL,
    server_memory::TOOL,
    instructions::TOOL,
    obsidian::TOOL,
];

impl Tool {
    pub fn find(name: &str) -> Option<&'static Tool> {
        let plain = |text: &str| text.to_ascii_lowercase().replace(['_', ' '], "-");
        let wanted = plain(name);
        // `openCodeMemory` and `opencode-memory` differ in more than case.
        TOOLS.iter().find(|tool| {
            plain(tool.name) == wanted || tool.aliases.iter().any(|alias| plain(alias) == wanted)
        })
    }

    /// What of it is on this machine.
    pub fn found(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = (self.places)(surroundings);
        places.retain(|path| path.exists());
        places.dedup();
        places
    }

    pub(crate) fn harvest(&'static self, path: &Path) -> Result<Harvest, EngineError> {
        let mut harvest = Harvest::new(self.name);
        (self.read)(path, &mut harvest)?;
        Ok(harvest)
    }
}

/// A database that is there but not what the tool writes.
fn not_of(tool: &str, path: &Path, missing: &str) -> EngineError {
    EngineError::invalid(
        format!("{}: not a database of {tool}: no table `{missing}`", path.display()),
        format!("pass the file: hark migrate {tool} PATH"),
    )
}

/// Opens the database of a tool, which must have this table. A folder stands for the file in it.
fn open(
    tool: &str,
    path: &Path,
    file: &str,
    table: &str,
) -> Result<hark_store::foreign::Database, EngineError> {
    let path = if path.is_dir() { path.join(file) } else { path.to_owned() };
    if !path.is_file() {
        return Err(EngineError::invalid(
            format!("{}: no such file", path.display()),
            format!("pass the file: hark migrate {tool} PATH"),
        ));
    }
    let database = hark_store::foreign::Database::open(&path).map_err(|e| match e {
        hark_store::StoreError::Corrupt { path, .. } => EngineError::invalid(
            format!("{}: not a SQLite database, or damaged", path.display()),
            format!("pass the database of {tool}"),
        ),
        other => other.into(),
    })?;
    if !database.has(table)? {
        return Err(not_of(tool, &path, table));
    }
    Ok(database)
}
