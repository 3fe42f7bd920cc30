//! What an install or uninstall would do, file by file: planned first, then shown or applied.

mod apply;
mod file;
mod http_entry;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::edit::atomic::Mode;
use crate::edit::{Block, Edit, Refusal};
use crate::host::Host;
use crate::manifest::{Manifest, Owner, Setup};
use crate::place::Surroundings;
use crate::skills::client_of;
use crate::wish::{Options, Wish, wishes};

pub use apply::{Applied, Trouble};
pub(crate) use file::Before;

/// A list of changes.
#[derive(Debug)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// Files that stay unchanged, and why.
    pub refused: Vec<Refused>,
    /// Remarks about things that the user made and that stay.
    pub notes: Vec<Note>,
    /// Entries that call `hark serve` without its token, and what happens about it.
    pub tokenless: Vec<Note>,
    setups: Vec<Setup>,
    leaving: BTreeSet<Owner>,
}

/// One file before and after.
#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    pub before: Option<Vec<u8>>,
    /// `None` deletes the file.
    pub after: Option<Vec<u8>>,
    /// On whose behalf.
    pub owners: BTreeSet<Owner>,
    mode: Mode,
    record: file::NewRecord,
}

impl Change {
    /// Whether the bytes change; if not, only hark's own records do.
    pub fn is_visible(&self) -> bool {
        self.before != self.after
    }

    /// In the format of `diff -u`.
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().map(|b| String::from_utf8_lossy(b).into_owned()).unwrap_or_default()
        };
        let name =
            |exists: bool| if exists { self.path.display().to_string() } else { "/dev/null".to_owned() };
        let (before, after) = (text(&self.before), text(&self.after));
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .header(&name(self.before.is_some()), &name(self.after.is_some()))
            .to_string()
    }
}

#[derive(Debug, Clone)]
pub struct Refused {
    pub path: PathBuf,
    pub why: Refusal,
    pub owners: BTreeSet<Owner>,
}

#[derive(Debug, Clone)]
pub struct Note {
    pub path: PathBuf,
    pub what: String,
    pub owners: BTreeSet<Owner>,
}

impl Plan {
    /// Whether these owners include this assistant.
    pub fn concerns(owners: &BTreeSet<Owner>, host: &str) -> bool {
        owners.iter().any(|owner| client_of(owner) == host)
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.refused.is_empty()
    }
}

/// Sets up these assistants. Removes what an earlier install of theirs left and they no longer need.
pub fn install(around: &Surroundings, manifest: &Manifest, hosts: &[&Host], options: &Options) -> Plan {
    let project = around.project.clone().filter(|_| options.scope == crate::Scope::Project);
    let owner = |host: &Host| Owner { host: host.id.to_owned(), project: project.clone() };
    let active: BTreeSet<Owner> = hosts.iter().map(|host| owner(host)).collect();
    let mut wanted: Vec<(Owner, Wish)> = Vec::new();
    for host in hosts {
        wanted.extend(wishes(host, options, around).into_iter().map(|wish| (owner(host), wish)));
    }
    let mut plan = compute(around, manifest, &active, &wanted);
    plan.setups = active
        .into_iter()
        .filter(|owner| wanted.iter().any(|(wisher, _)| wisher == owner))
        .map(|owner| Setup {
            owner,
            hooks: options.hooks,
            plugin: options.plugin,
            allow_reads: options.allow_reads,
            binding_rules: options.binding_rules,
            tools: options.tools.clone(),
            http: options.http.clone(),
            hark: env!("CARGO_PKG_VERSION").to_owned(),
        })
        .collect();
    plan
}

/// Puts one file of hark's where another program looks for it. `replace` takes the place of a file that hark did not
/// write or that was changed since; uninstalling brings that one back.
pub fn put_file(
    around: &Surroundings,
    manifest: &Manifest,
    owner: Owner,
    file: PathBuf,
    text: String,
    replace: bool,
) -> Plan {
    let active = BTreeSet::from([owner.clone()]);
    let wish = Wish { file, edit: Edit::Whole { text, executable: false }, optional: false, replace };
    compute(around, manifest, &active, &[(owner, wish)])
}

/// Puts a block of the user's rules into a text that people edit; an empty one takes it out.
pub fn put_rules(
    around: &Surroundings,
    manifest: &Manifest,
    owner: Owner,
    file: PathBuf,
    text: String,
) -> Plan {
    let active = BTreeSet::from([owner.clone()]);
    let wish = Wish { file, edit: Edit::Block { text, of: Block::Rules }, optional: false, replace: false };
    let wanted = if matches!(&wish.edit, Edit::Block { text, .. } if text.is_empty()) {
        None
    } else {
        Some((owner, wish))
    };
    compute(around, manifest, &active, wanted.as_slice())
}

/// Puts these files of hark's, and no others, where another program looks for them. What a person changed stays.
pub(crate) fn put_files(
    around: &Surroundings,
    manifest: &Manifest,
    owner: &Owner,
    files: Vec<(PathBuf, String)>,
) -> Plan {
    let active = BTreeSet::from([owner.clone()]);
    let wish = |(file, text)| {
        let edit = Edit::Whole { text, executable: false };
        (owner.clone(), Wish { file, edit, optional: false, replace: false })
    };
    let wanted: Vec<(Owner, Wish)> = files.into_iter().map(wish).collect();
    compute(around, manifest, &active, &wanted)
}

/// Removes what was installed for these owners.
pub fn uninstall(around: &Surroundings, manifest: &Manifest, owners: &BTreeSet<Owner>) -> Plan {
    let mut plan = compute(around, manifest, owners, &[]);
    plan.leaving = owners.clone();
    plan
}

fn compute(
    around: &Surroundings,
    manifest: &Manifest,
    active: &BTreeSet<Owner>,
    wanted: &[(Owner, Wish)],
) -> Plan {
    let mut files: Vec<&Path> = Vec::new();
    let owned = manifest
        .files
        .iter()
        .filter(|file| file.edits.iter().any(|edit| edit.owners.iter().any(|owner| active.contains(owner))));
    for path in wanted.iter().map(|(_, wish)| wish.file.as_path()).chain(owned.map(|f| f.path.as_path())) {
        if !files.contains(&path) {
            files.push(path);
        }
    }
    let mut plan = Plan {
        changes: Vec::new(),
        refused: Vec::new(),
        notes: Vec::new(),
        tokenless: Vec::new(),
        setups: Vec::new(),
        leaving: BTreeSet::new(),
    };
    for path in files {
        let here: Vec<(&Owner, &Wish)> =
            wanted.iter().filter(|(_, wish)| wish.file == path).map(|(owner, wish)| (owner, wish)).collect();
        let record = manifest.file(path);
        let mut owners: BTreeSet<Owner> = here.iter().map(|(owner, _)| (*owner).clone()).collect();
        let recorded = record.into_iter().flat_map(|record| &record.edits).flat_map(|edit| &edit.owners);
        owners.extend(recorded.filter(|owner| active.contains(*owner)).cloned());
        match file::plan(around, path, record, active, &here) {
            Ok(planned) => {
                let note = |what| Note { path: path.to_owned(), what, owners: owners.clone() };
                plan.notes.extend(planned.notes.into_iter().map(note));
                plan.tokenless.extend(planned.tokenless.into_iter().map(note));
                plan.changes.extend(planned.change.map(|(before, after, mode, record)| Change {
                    path: path.to_owned(),
                    before,
                    after,
                    owners: owners.clone(),
                    mode,
                    record,
                }));
            }
            Err(why) => plan.refused.push(Refused { path: path.to_owned(), why, owners }),
        }
    }
    plan
}
