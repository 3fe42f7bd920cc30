//! Ends processes that a client leaves running: only those started in the test home, each by its id.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Ends every process whose environment names this home, except hark's own, which end by themselves.
pub(super) fn end_leftovers(home: &Path) {
    let mark = format!("HOME={}", home.display()).into_bytes();
    let Ok(entries) = fs::read_dir("/proc") else { return };
    for id in entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let is_ours = environment.split(|byte| *byte == 0).any(|variable| variable == mark);
        let program = fs::read_link(format!("/proc/{id}/exe")).unwrap_or_default();
        let is_hark = program.file_name().is_some_and(|name| name == "hark");
        if is_ours && !is_hark {
            let _ = Command::new("kill").arg(id.to_string()).stderr(Stdio::null()).status();
        }
    }
}
