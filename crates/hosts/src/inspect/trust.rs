//! Codex runs a hook only after the user has reviewed it with `/hooks`. It records that in `config.toml` as
//! `[hooks.state."FILE:EVENT:GROUP:HANDLER"]` with a `trusted_hash`.

use std::path::Path;

use serde_json::Value;

use crate::edit::{self, Edit};
use crate::host::{Host, Scope};
use crate::place::Surroundings;
use crate::wish::{Options, wishes};

/// What the user has to do.
pub(super) const FIX: &str = "start `codex`, type `/hooks` and trust the hooks of hark";

/// How many of hark's hooks Codex does not run, if any.
pub(super) fn problem(host: &Host, options: &Options, around: &Surroundings) -> Option<String> {
    let settings = around.find(host, &crate::codex::SETTINGS)?;
    let state = edit::setting(&settings, &["hooks".to_owned(), "state".to_owned()]).unwrap_or_default();
    let (mut all, mut unseen, mut off) = (0, 0, 0);
    for wish in wishes(host, options, around) {
        let Edit::JsonItem { path, mark, .. } = &wish.edit else { continue };
        let (Some(text), Some(event)) = (edit::readable(&wish.file), path.last()) else { continue };
        let Some((group, handler)) = wish.edit.position(&text, mark) else { continue };
        all += 1;
        let suffix = format!(":{}:{group}:{handler}", snake(event));
        let known =
            state.as_object().into_iter().flatten().find(|(key, _)| {
                key.strip_suffix(&suffix).is_some_and(|file| same(Path::new(file), &wish.file))
            });
        match known {
            Some((_, said)) if said["enabled"] == Value::Bool(false) => off += 1,
            Some((_, said)) if said["trusted_hash"].is_string() => {}
            _ => unseen += 1,
        }
    }
    match (unseen, off) {
        (0, 0) => None,
        (0, off) => Some(format!("{off} of its {all} hooks are turned off in Codex, so they do not run")),
        (unseen, _) if unseen == all => {
            Some("Codex does not run its hooks, because you have not trusted them yet".to_owned())
        }
        (unseen, _) => Some(format!(
            "Codex does not run {unseen} of its {all} hooks, because you have not trusted them yet"
        )),
    }
}

/// Codex reads a project's settings only if the user trusts the project.
pub(super) fn project(host: &Host, scope: Scope, around: &Surroundings) -> Option<String> {
    let root = around.project.as_ref().filter(|_| scope == Scope::Project)?;
    let settings = around.find(host, &crate::codex::SETTINGS)?;
    let path = ["projects", &root.to_string_lossy(), "trust_level"].map(str::to_owned);
    let level = edit::setting(&settings, &path);
    (level.as_ref().and_then(Value::as_str) != Some("trusted"))
        .then(|| "Codex ignores the settings of this project until you trust it".to_owned())
}

fn same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
