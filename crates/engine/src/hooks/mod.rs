//! The hook path: an event comes in, is stored, and something may be said.
//!
//! [`respond`] is the policy: which events matter, what happens when the store cannot be opened, and when to start a
//! worker. `capture` stores; `boot`, `prompt`, `heard`, `edit_site`, `remind` and `inject` say something; `health` records
//! what went wrong.

pub mod boot;
pub mod capture;
mod due;
pub(crate) mod edit_site;
mod ending;
pub mod health;
pub(crate) mod heard;
pub mod inject;
pub(crate) mod left_off;
pub(crate) mod page;
pub mod prompt;
mod remind;
pub mod times;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use hark_hosts::hook::{HookEvent, Say, What};
use hark_store::spool::{self, HookError};
use hark_store::{Layout, Role, StoreError};
use tracing::debug_span;

use crate::clock::Clock;
use crate::config::{CheckpointPolicy, Config};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::home::Home;
use crate::machine::Machine;
use crate::pause::{self, Pause, Pauses};
use crate::{digest, live, rules, worker};

/// What a worker is started for when a session has ended.
const EVERYTHING: &[&str] = &["--until-idle", "--max", "60s"];

/// Stores an event and decides what to answer. Never fails: what goes wrong is recorded for `hark doctor`.
pub fn respond(machine: &Machine, event: &HookEvent, input: &[u8]) -> Say {
    let clock = machine.clock;
    let Ok(home) = machine.home() else { return Say::Nothing };
    let note = |reason: &str, kept| record(&home, &clock, event.client, &event.name, reason, kept);
    if matches!(event.what, What::Other) {
        if input.iter().all(u8::is_ascii_whitespace) {
            note("there was no event on stdin", false);
        } else if event.session.is_none() {
            note("the event could not be read", false);
        }
        return Say::Nothing;
    }
    let layout = Layout::new(&home.path);
    if !pause::is_enabled() {
        if let (Some(session), What::Start { .. } | What::Prompt(_)) = (&event.session, &event.what) {
            pause::leave_out(&layout, session, clock.now());
        }
        return Say::Nothing;
    }
    let pauses = Pauses::read(&layout);
    let place = event.cwd.as_deref().filter(|_| !pauses.is_empty()).map(|cwd| pause::Place::of(cwd, None));
    if let Some(pause) = pauses.in_force(place.as_ref(), event.session.as_deref(), clock.now()) {
        return paused(event, pause);
    }
    let config = debug_span!("read settings").in_scope(|| machine.config()).unwrap_or_else(|e| {
        note(&e.to_string(), true);
        Config::default()
    });
    if event.session.is_none() {
        note("the event names no session", false);
        return Say::Nothing;
    }
    // Nothing is stored before a tool; without a gate and a possible warning there is nothing to do.
    if let What::BeforeTool(tool) = &event.what
        && config.checkpoint.policy != CheckpointPolicy::Gate
        && !inject::may_warn(&config, event, tool)
        && !rules::may_apply(&layout, event, tool)
    {
        return Say::Nothing;
    }
    let ended = matches!(event.what, What::End { .. } | What::Finish { .. });
    let mut log_is_long = false;
    let mut has_work = false;
    let opened = debug_span!("open store")
        .in_scope(|| Engine::open_as(home.clone(), config.clone(), clock, Role::Hook));
    let outcome = match opened {
        Ok(mut engine) => {
            engine.assume_project(machine.project.as_deref());
            if let Some(folder) = &machine.cwd {
                engine.stand_in(folder);
            }
            if pauses.depends_on_project(clock.now())
                && let Some(folder) = &event.cwd
            {
                let key = engine.project_of(folder);
                let place = pause::Place::of(folder, key.as_ref());
                if let Some(pause) = pauses.in_force(Some(&place), None, clock.now()) {
                    return paused(event, pause);
                }
            }
            let outcome = inject::respond(&mut engine, event);
            log_is_long = engine.log_grew_long();
            has_work = ended || leaves_work(&engine, event);
            // The process exits in a moment and everything is committed: closing the connection properly would only
            // take time.
            std::mem::forget(engine);
            outcome
        }
        Err(error) => Err(inject::Trouble { error, captured: false }),
    };
    match outcome {
        Ok(say) => {
            if has_work {
                start_worker(&home, EVERYTHING);
            } else if log_is_long {
                start_worker(&home, &["--only-log"]);
            }
            say
        }
        Err(trouble) => {
            let kept = trouble.captured || keep(&home, &config, event, &clock);
            // Waiting for a lock is not an error if nothing is lost by it.
            if !(kept && matches!(trouble.error, EngineError::Store(StoreError::Busy { .. }))) {
                note(&trouble.error.to_string(), kept);
            }
            if needs_work(&trouble.error) {
                start_worker(&home, EVERYTHING);
            }
            match event.what {
                What::Start { .. } if !kept => Say::Context(format!(
                    "hark: nothing in this session is being remembered: {}. Tell the user to run `hark doctor`.",
                    hark_core::quote::quoted(&trouble.error.to_string())
                )),
                _ => Say::Nothing,
            }
        }
    }
}

/// While hooks are paused, a session is told so when it starts, and nothing else.
fn paused(event: &HookEvent, pause: &Pause) -> Say {
    match event.what {
        What::Start { .. } if pause.session.is_none() => Say::Context(format!(
            "hark: paused {}. Nothing of this session is recorded, and nothing is recalled by itself. The user can end \
             this with `hark unpause`.",
            pause.words()
        )),
        _ => Say::Nothing,
    }
}

/// Whether a worker should run now: sessions ended without notice, or this one has grown long.
fn leaves_work(engine: &Engine, event: &HookEvent) -> bool {
    match event.what {
        What::Start { .. } => live::gone(engine).is_ok_and(|gone| !gone.is_empty()),
        What::Stop { .. } => {
            let name = event.session.as_deref().map(|text| engine.clean(text)).unwrap_or_default();
            let session = engine.store.knows_session(event.client, &name).ok().flatten();
            session.is_some_and(|session| digest::is_due(engine, session).unwrap_or(false))
        }
        _ => false,
    }
}

/// Keeps an event in the spool until a worker can store it.
fn keep(home: &Home, config: &Config, event: &HookEvent, clock: &Clock) -> bool {
    let Ok(redactor) = Engine::redactor_of(home, config) else { return false };
    let Some(arrival) = capture::arrival(&redactor, event, clock.now()) else {
        // Nothing of it would have been stored.
        return true;
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let layout = Layout::new(&home.path);
    let unique = format!("{}-{}", std::process::id(), since.as_nanos());
    let end = capture::ending(&redactor, event, clock.now());
    // The names are their order.
    let end_is_kept = end.is_none_or(|end| spool::keep(&layout, &end, &format!("{unique}z")).is_ok());
    spool::keep(&layout, &arrival, &unique).is_ok() && end_is_kept
}

/// Whether an ordinary opening repairs it.
fn needs_work(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Behind { .. } | StoreError::Corrupt { .. }))
}

/// Starts a short-lived process that outlives this one, at most one per data directory.
fn start_worker(home: &Home, task: &[&str]) {
    let layout = Layout::new(&home.path);
    let Some(lock) = worker::lock(&layout) else { return };
    drop(lock);
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command
        .arg("work")
        .args(task)
        .env("HARK_HOME", &home.path)
        // It works for every project.
        .env_remove("HARK_PROJECT")
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Not in the client's group, which it may kill when it exits.
        command.process_group(0);
    }
    let _ = command.spawn();
}

/// Records what went wrong for `hark doctor`.
pub fn record(home: &Home, clock: &Clock, host: &str, event: &str, reason: &str, kept: bool) {
    let error = HookError {
        at: clock.now(),
        host: host.to_owned(),
        event: event.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect(),
        error: reason.to_owned(),
        kept,
    };
    tracing::warn!(host, kept, "a hook event could not be handled");
    health::record(&Layout::new(&home.path), &error);
}
