//! What `hark install` sets up for Aider.

use crate::host::{Asset, Install, for_project, for_user, home, project};

use crate::words::INSTRUCTIONS_WITHOUT_TOOLS;

/// Aider has no tools and no hooks: it reads a file, and the user runs `hark`.
pub(crate) const INSTALL: Install = Install {
    programs: &["aider"],
    traces: &[home(&[".aider.conf.yml"])],
    pieces: &[
        for_user(home(&[".aider.hark.md"]), Asset::File { text: INSTRUCTIONS_WITHOUT_TOOLS }),
        for_user(
            home(&[".aider.conf.yml"]),
            Asset::YamlRead { key: "read", file: home(&[".aider.hark.md"]) },
        ),
        for_project(project(&[".aider.hark.md"]), Asset::File { text: INSTRUCTIONS_WITHOUT_TOOLS }),
        for_project(
            project(&[".aider.conf.yml"]),
            Asset::YamlRead { key: "read", file: project(&[".aider.hark.md"]) },
        ),
    ],
    next: &["in aider, `/run hark recall \"words\"` searches memory"],
    ..Install::NONE
};
