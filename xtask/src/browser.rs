//! `cargo xtask pages` and `cargo xtask screenshots`: the dashboard in Debian's Chromium, driven by playwright-core and
//! checked by axe-core, against a seeded store. The scripts are in `crates/server/tests/browser`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::npm::{self, Missing, Npm};
use crate::workspace;

const PACKAGES: &[&str] = &["playwright-core@1.65.1", "axe-core@4.14.0"];
const FOLDER: &str = "browser";
/// Names under which Chromium is installed.
const BROWSERS: &[&str] = &["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Runs every check against the binary `hark`; packages are kept in `cache`.
pub(crate) fn run(hark: &Path, cache: &Path) -> Result<String, String> {
    match stage("test.mjs", hark, cache) {
        Err(Missing(what)) => npm::pass_over(&what),
        Ok(mut test) => {
            let status = test.status().map_err(|e| format!("node: {e}"))?;
            if status.success() {
                Ok(String::new())
            } else {
                Err("checks of the dashboard failed".to_owned())
            }
        }
    }
}

/// Writes pictures of the main pages into `docs/images`.
pub(crate) fn screenshots(hark: &Path, cache: &Path) -> Result<(), String> {
    let mut shots = stage("screenshots.mjs", hark, cache).map_err(|Missing(what)| what)?;
    let status =
        shots.arg(workspace::root().join("docs/images")).status().map_err(|e| format!("node: {e}"))?;
    if status.success() { Ok(()) } else { Err("the screenshots could not be made".to_owned()) }
}

/// Node with one of the scripts, once everything it needs is installed.
fn stage(script: &str, hark: &Path, cache: &Path) -> Result<Command, Missing> {
    let wrong = |e: std::io::Error| Missing(e.to_string());
    fs::create_dir_all(cache).map_err(wrong)?;
    let cache = fs::canonicalize(cache).map_err(wrong)?;
    let npm = Npm::ready(&cache)?;
    npm.install(FOLDER, PACKAGES)?;
    let browser =
        browser(&cache).ok_or_else(|| Missing("Chromium is not installed, and could not be".to_owned()))?;
    let mut node = npm.program("node");
    node.arg(workspace::root().join("crates/server/tests/browser").join(script))
        .arg(fs::canonicalize(hark).map_err(wrong)?)
        .env("HARK_BROWSER", browser)
        .env("HARK_BROWSER_PACKAGES", cache.join(FOLDER));
    Ok(node)
}

fn browser(log: &Path) -> Option<PathBuf> {
    let there = || BROWSERS.iter().map(PathBuf::from).find(|path| path.exists());
    there().or_else(|| {
        npm::apt_install(&["chromium"], &log.join("apt-chromium.log"));
        there()
    })
}
