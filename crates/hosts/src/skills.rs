//! Where clients read skills, and which of those files are Hark's.
//!
//! Exported skills have an owner of their own, beside that of the client's installation: installing again must not
//! remove them, and uninstalling the client must.

use std::path::{Path, PathBuf};

use crate::edit::Edit;
use crate::host::{Place, Root, Scope, below, config, home, project};
use crate::manifest::{Manifest, Owner};
use crate::place::Surroundings;
use crate::plan::{Plan, put_files};

/// Of the owner's name, before the id of the client.
const PREFIX: &str = "skills:";

struct Reads {
    host: &'static str,
    user: Place,
    project: Place,
}

const READS: &[Reads] = &[
    Reads {
        host: "claude-code",
        user: below(Root::Var("CLAUDE_CONFIG_DIR", ".claude"), &["skills"]),
        project: project(&[".claude/skills"]),
    },
    Reads {
        host: "codex",
        user: below(Root::Var("CODEX_HOME", ".codex"), &["skills"]),
        project: project(&[".agents/skills"]),
    },
    Reads { host: "gemini-cli", user: home(&[".gemini/skills"]), project: project(&[".gemini/skills"]) },
    Reads { host: "opencode", user: config(&["opencode/skills"]), project: project(&[".opencode/skills"]) },
];

/// The folder in which a client looks for skills; `None` if it is not known, or outside a project.
pub fn skills_folder(around: &Surroundings, host: &str, scope: Scope) -> Option<PathBuf> {
    let reads = READS.iter().find(|reads| reads.host == host)?;
    let place = if scope == Scope::Project { &reads.project } else { &reads.user };
    around.find(crate::find(host)?, place)
}

/// On whose behalf a client's exported skills are in the record of installations.
pub fn skills_owner(host: &str, project: Option<&Path>) -> Owner {
    Owner { host: format!("{PREFIX}{host}"), project: project.map(Path::to_owned) }
}

/// The client behind an owner.
pub fn client_of(owner: &Owner) -> &str {
    owner.host.strip_prefix(PREFIX).unwrap_or(&owner.host)
}

/// The skills that were exported for an owner: each file as Hark wrote it.
pub fn exported_skills(manifest: &Manifest, owner: &Owner) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for file in &manifest.files {
        for record in file.edits.iter().filter(|record| record.owners.contains(owner)) {
            if let Edit::Whole { text, .. } = &record.edit {
                found.push((file.path.clone(), text.clone()));
            }
        }
    }
    found
}

/// Plans these files, and the removal of those that were exported before and are not among them.
pub fn export_skills(
    around: &Surroundings,
    manifest: &Manifest,
    owner: &Owner,
    files: Vec<(PathBuf, String)>,
) -> Plan {
    put_files(around, manifest, owner, files)
}
