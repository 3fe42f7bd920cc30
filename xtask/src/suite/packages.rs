//! Programs of the system that tests compare with. In a container, as root, what is missing is installed from Debian;
//! elsewhere the tests that need it say that they were skipped.

use crate::npm::{apt_install, version};
use crate::workspace;

/// A program, and the package that has it.
const WANTED: &[(&str, &str)] = &[("systemd-analyze", "systemd"), ("python3", "python3")];

pub(super) fn install_missing() {
    let missing: Vec<&str> = WANTED
        .iter()
        .filter(|(program, _)| version(program, "--version").is_none())
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        apt_install(&missing, &workspace::target().join("apt.log"));
    }
}
