//! How each assistant is connected, and whether it really reports to hark.

use std::path::PathBuf;

use hark_core::Timestamp;
use hark_core::time::DAY_MS;
use hark_hosts::{Health, Hooks, Needs, Surroundings, Wiring};
use hark_store::{Finding, Severity};

use super::Heard;
use crate::config::CheckpointPolicy;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ingest;
use crate::operation::Call;
use crate::operation::text::count;
use crate::rules;

const HOUR_MS: i64 = DAY_MS / 24;
/// This many sessions without an event are no accident.
const SILENT_SESSIONS: usize = 3;

pub(super) fn assistants(
    engine: &Engine,
    call: &Call<'_>,
    heard: &[Heard],
) -> Result<Vec<Health>, EngineError> {
    let around = call.machine.surroundings()?;
    let manifest = hark_hosts::look(&around.data).map_err(|e| crate::ops::install::vault_failure(&e))?;
    let needs = Needs {
        gate: engine.config.checkpoint.policy == CheckpointPolicy::Gate,
        binding_rules: rules::any_binding(engine)?,
    };
    let mut assistants = hark_hosts::inspect(&around, &manifest, needs);
    for health in &mut assistants {
        if let Some(heard) = heard.iter().find(|heard| heard.host == health.host) {
            health.last_event = Some(heard.last_event.clone());
            health.last_injection = heard.last_injection.clone();
        }
        if let Some(problem) = silence(engine, &around, health)? {
            let fix = match health.host {
                "codex" => "start `codex` and type `/hooks`: it runs hooks only as you have trusted them",
                _ => "start a new session; if no event comes, run `hark install` again",
            };
            health.add(problem, fix);
        }
    }
    Ok(assistants)
}

/// The assistant was used, as its own transcripts show, but no hook event came.
fn silence(engine: &Engine, around: &Surroundings, health: &Health) -> Result<Option<String>, EngineError> {
    let hooked = health.hooks.is_some_and(|hooks| hooks != Hooks::None);
    let has_hooks = hark_hosts::find(health.host).is_some_and(hark_hosts::Host::has_hooks);
    if health.wired == Wiring::No || !hooked || !has_hooks {
        return Ok(None);
    }
    let last = engine.store.last_hook_event(health.host)?;
    // Sessions before the last installation prove nothing.
    let installed = modified(&around.data.join("install").join("manifest.json"));
    let Some(since) = last.max(installed) else { return Ok(None) };
    let used = ingest::times_of_use(health.host, around);
    let later: Vec<&Timestamp> = used.iter().filter(|at| **at > since.plus_millis(HOUR_MS)).collect();
    let Some(newest) = later.iter().max() else { return Ok(None) };
    if **newest <= since.plus_millis(DAY_MS) && later.len() < SILENT_SESSIONS {
        return Ok(None);
    }
    let now = engine.now();
    let sessions = count(later.len(), "session", "sessions");
    let came = match last {
        Some(last) => format!("its last hook event came {}", last.ago(now)),
        None => "no hook event has ever come".to_owned(),
    };
    Ok(Some(format!("{came}, although it has been used since, in {sessions}")))
}

fn modified(file: &std::path::Path) -> Option<Timestamp> {
    let time = std::fs::metadata(file).ok()?.modified().ok()?;
    let millis = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_millis();
    i64::try_from(millis).ok().map(Timestamp::from_millis)
}

/// Two different programs named hark: it depends on the shell which of them runs.
pub(super) fn several_programs(call: &Call<'_>) -> Result<Option<Finding>, EngineError> {
    let around = call.machine.surroundings()?;
    let name = if cfg!(windows) { "hark.exe" } else { "hark" };
    let mut real: Vec<PathBuf> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    for path in around.path.iter().map(|folder| folder.join(name)).filter(|path| path.is_file()) {
        let Ok(there) = path.canonicalize() else { continue };
        if !real.contains(&there) {
            real.push(there);
            named.push(around.short(&path));
        }
    }
    Ok((real.len() > 1).then(|| Finding {
        severity: Severity::Warning,
        what: format!("{} programs named hark are on the PATH: {}", real.len(), named.join(", ")),
        mend: Some("remove all but one, then run `hark install`".to_owned()),
    }))
}
