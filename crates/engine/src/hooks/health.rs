//! A failing hook has no one to tell, so it records a line for `hark doctor` and for the start of the next
//! session.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use hark_core::Timestamp;
use hark_store::spool::{self, HookError};
use hark_store::{Finding, Layout, Severity};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::pause::{self, Pauses};

/// Where to record errors if the data directory is not writable.
fn elsewhere() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    let state = base.state_dir().unwrap_or_else(|| base.cache_dir());
    Some(state.join("hark").join("hook-errors.jsonl"))
}

/// Best effort: if the disk accepts no data, nothing can be done.
pub fn record(layout: &Layout, error: &HookError) {
    if spool::record_error(&layout.hook_errors(), error).is_err()
        && let Some(file) = elsewhere()
    {
        let _ = spool::record_error(&file, error);
    }
}

/// The recorded errors, oldest first.
pub(crate) fn errors(layout: &Layout) -> Vec<HookError> {
    let mut found = spool::errors(&layout.hook_errors());
    found.extend(elsewhere().iter().flat_map(|file| spool::errors(file)));
    found.sort_by_key(|error| error.at);
    found
}

/// One line for the start of a session, if events were lost since the last notice.
pub(crate) fn notice(engine: &Engine) -> Result<Option<String>, EngineError> {
    let errors = errors(engine.store.layout());
    if errors.is_empty() {
        return Ok(None);
    }
    let told = engine.store.ledger_sums(None)?.into_iter().filter(|sum| sum.surface == "notice");
    let told = told.map(|sum| sum.last).max().unwrap_or(Timestamp::from_millis(i64::MIN));
    let fresh: Vec<&HookError> = errors.iter().filter(|e| e.at > told).collect();
    let Some(last) = fresh.last() else { return Ok(None) };
    Ok(Some(format!(
        "hark: {} could not be handled, the last {} ({}). Tell the user to run `hark doctor`.",
        hook_events(fresh.len()),
        last.at.ago(engine.now()),
        last.error.chars().take(160).collect::<String>()
    )))
}

fn hook_events(count: usize) -> String {
    if count == 1 { "1 hook event".to_owned() } else { format!("{count} hook events") }
}

/// For `hark doctor`. `place` is the project that it runs in.
pub(crate) fn findings(engine: &Engine, place: Option<&pause::Place>) -> Vec<Finding> {
    let layout = engine.store.layout();
    let mut found = Vec::new();
    let now = engine.now();
    if let Some(pause) = Pauses::read(layout).in_force(place, None, now) {
        found.push(Finding {
            severity: Severity::Warning,
            what: format!("hooks are paused {}: they record nothing and add nothing", pause.words()),
            mend: Some("hark unpause".to_owned()),
        });
    }
    if !pause::is_enabled() {
        found.push(Finding {
            severity: Severity::Warning,
            what: "HARK_ENABLED turns hooks and tools off here".to_owned(),
            mend: Some("unset HARK_ENABLED".to_owned()),
        });
    }
    const RECENT_MS: i64 = 7 * hark_core::time::DAY_MS;
    let errors: Vec<HookError> =
        errors(layout).into_iter().filter(|e| e.at > now.minus_millis(RECENT_MS)).collect();
    if let Some(last) = errors.last() {
        let kept = errors.iter().filter(|e| e.kept).count();
        found.push(Finding {
            severity: Severity::Warning,
            what: format!(
                "{} failed in the last week ({kept} of them saved), the last from {} ({}), {}: {}",
                hook_events(errors.len()),
                last.host,
                last.event,
                last.at.ago(now),
                last.error
            ),
            mend: Some(format!(
                "if it keeps happening, fix the cause that the error names, then delete {}",
                layout.hook_errors().display()
            )),
        });
    }
    if !spool::is_empty(layout) {
        found.push(Finding {
            severity: Severity::Warning,
            what: format!("unprocessed events in {}", layout.spool().display()),
            mend: Some("hark work --until-idle".to_owned()),
        });
    }
    for (path, reason) in engine.store.unreadable_sessions() {
        found.push(Finding {
            severity: Severity::Warning,
            what: format!("{path}: {reason}"),
            mend: Some("fix or remove the file; until then hark skips it".to_owned()),
        });
    }
    found
}
