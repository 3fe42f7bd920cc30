//! Whether an assistant knows the plugin folder that `hark install --plugin` wrote: only the user can add it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::edit;
use crate::host::{Host, Root, below};
use crate::place::Surroundings;

/// A problem and what to do about it.
pub(super) fn problem(host: &Host, around: &Surroundings) -> Option<(String, String)> {
    let folder = around.data.join("plugins").join(host.id);
    match host.id {
        "claude-code" => claude_code(host, around, &folder),
        "gemini-cli" => gemini_cli(around, &folder),
        _ => None,
    }
}

/// Whether the plugin is turned on there, however it came there.
pub(super) fn is_on(host: &Host, around: &Surroundings) -> bool {
    match host.id {
        "claude-code" => enabled(host, around) == Some(true),
        "gemini-cli" => around.home.join(".gemini/extensions/hark").exists(),
        _ => false,
    }
}

const CLAUDE: Root = Root::Var("CLAUDE_CONFIG_DIR", ".claude");

fn enabled(host: &Host, around: &Surroundings) -> Option<bool> {
    let settings = around.find(host, &below(CLAUDE, &["settings.json"]))?;
    let path = ["enabledPlugins", "hark@hark"].map(str::to_owned);
    edit::setting(&settings, &path).as_ref().and_then(Value::as_bool)
}

fn claude_code(host: &Host, around: &Surroundings, folder: &Path) -> Option<(String, String)> {
    match enabled(host, around) {
        Some(true) => {}
        Some(false) => {
            let what = "the plugin is turned off in Claude Code".to_owned();
            return Some((what, "run `claude plugin enable hark@hark`".to_owned()));
        }
        None => {
            let fix = format!(
                "run `claude plugin marketplace add {}`, then `claude plugin install hark@hark`",
                folder.display()
            );
            return Some(("the plugin was never added to Claude Code".to_owned(), fix));
        }
    }
    // Claude Code works with a copy.
    let copies = around.find(host, &below(CLAUDE, &["plugins/cache/hark/hark"]))?;
    let ours = fs::read(folder.join("hark/hooks/hooks.json")).ok()?;
    let versions = fs::read_dir(&copies).ok()?.flatten();
    let mut copied =
        versions.filter_map(|entry| fs::read(entry.path().join("hooks/hooks.json")).ok()).peekable();
    if copied.peek().is_none() || copied.any(|copy| copy == ours) {
        return None;
    }
    let fix = "run `claude plugin marketplace update hark`, then `claude plugin update hark@hark`";
    Some(("Claude Code uses an older copy of the plugin".to_owned(), fix.to_owned()))
}

fn gemini_cli(around: &Surroundings, folder: &Path) -> Option<(String, String)> {
    let extensions = around.home.join(".gemini/extensions");
    if !extensions.join("hark").exists() {
        let fix = format!("run `gemini extensions link {}`", folder.display());
        return Some(("the extension was never linked to Gemini CLI".to_owned(), fix));
    }
    let path = ["hark", "overrides"].map(str::to_owned);
    let overrides = edit::setting(&extensions.join("extension-enablement.json"), &path);
    let everywhere = format!("!{}/", around.home.display());
    let is_off = overrides.as_ref().and_then(Value::as_array).is_some_and(|list| {
        list.iter().filter_map(Value::as_str).any(|rule| rule.starts_with(&everywhere) || rule == "!*")
    });
    let what = "the extension is turned off in Gemini CLI".to_owned();
    is_off.then(|| (what, "run `gemini extensions enable hark`".to_owned()))
}
