//! `hark hook HOST [EVENT]`: what an assistant's hook runs. Reads one event, stores it, answers.
//!
//! It is in somebody's way each time it runs, so: a deadline for everything, exit code 0 whatever
//! happens, and nothing on stdout but the reply. What goes wrong is written down for `hark doctor`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hark_engine::config::CheckpointPolicy;
use hark_engine::{Clock, Config, Engine, EngineError, Home, capture, health, inject, project_store, worker};
use hark_hosts::Host;
use hark_hosts::hook::{self, HookEvent, Say, What};
use hark_store::spool::{self, HookError};
use hark_store::{Layout, Role, StoreError};

/// Less than any client waits.
const DEADLINE: Duration = Duration::from_millis(2_500);
/// Of a longer input the beginning is read, which says whose it is; the rest is passed over.
const MOST_INPUT: u64 = 8 * 1024 * 1024;
const WATCHER_STACK: usize = 256 * 1024;
/// What a worker is asked for when a session is over.
const EVERYTHING: &[&str] = &["--until-idle", "--max", "60s"];

/// Whether these arguments are a hook's: looked at before anything else, for it is in a hurry.
pub(crate) fn wanted(mut args: impl Iterator<Item = OsString>) -> Option<Vec<String>> {
    if args.next()? != "hook" {
        return None;
    }
    let rest: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let help = rest.first().is_none_or(|first| matches!(first.as_str(), "-h" | "--help" | "help"));
    (!help).then_some(rest)
}

/// Runs the hook and ends the process.
pub(crate) fn run(args: &[String]) -> ! {
    // A panic is told to nobody but `doctor`.
    std::panic::set_hook(Box::new(|_| {}));
    let host = args.first().and_then(|id| hark_hosts::find(id)).unwrap_or_else(generic);
    // The work is done here and the clock watched beside it, not the other way round: memory of the
    // first thread costs less than that of a second.
    let watched = watch(host);
    let outcome = std::panic::catch_unwind(|| handle(host, &args[1.min(args.len())..]));
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // Too late: the other thread is ending the process.
        watched.map(JoinHandle::join);
        std::process::exit(0)
    }
    let text = outcome.unwrap_or_else(|_| without_answer(host, "a fault of hark's own"));
    say(&text)
}

/// Whether a reply was given, or is just being given: there is one only.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Ends the process with an empty reply when the time is over. `None` where there can be no second thread.
fn watch(host: &'static Host) -> Option<JoinHandle<()>> {
    let watcher = move || {
        std::thread::sleep(DEADLINE);
        if !ANSWERED.swap(true, Ordering::SeqCst) {
            // Whatever still runs is abandoned: a transaction that was not committed did not happen.
            say(&without_answer(host, "not done in time"));
        }
    };
    std::thread::Builder::new().stack_size(WATCHER_STACK).spawn(watcher).ok()
}

fn say(text: &str) -> ! {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    std::process::exit(0)
}

/// The reply that says nothing; why is written down.
fn without_answer(host: &'static Host, reason: &str) -> String {
    if let Some(home) = Home::of_user(variable("HARK_HOME").map(Into::into)) {
        write_down(&home, &clock(), host.id, "", reason, false);
    }
    hook::read(host, None, b"", &|_| None).answer(&Say::Nothing)
}

fn generic() -> &'static Host {
    hark_hosts::find("generic").unwrap_or(hark_hosts::HOSTS[0])
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()).filter(|v| !v.is_empty())
}

fn clock() -> Clock {
    Clock::from_setting(variable("HARK_NOW").as_deref()).unwrap_or(Clock::System)
}

/// The text to print.
fn handle(host: &'static Host, args: &[String]) -> String {
    // Codex's `notify` gives its event as an argument.
    let (named, given): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| !arg.starts_with('{'));
    let input = given.first().map_or_else(read_input, |text| text.as_bytes().to_vec());
    let event = hook::read(host, named.first().map(|s| s.as_str()), &input, &variable);
    let say = respond(&event, &input);
    event.answer(&say)
}

fn read_input() -> Vec<u8> {
    let stdin = std::io::stdin();
    let mut input = Vec::new();
    if stdin.is_terminal() {
        return input;
    }
    let mut stdin = stdin.lock();
    let _ = stdin.by_ref().take(MOST_INPUT).read_to_end(&mut input);
    // Read to the end, lest the client meets a closed pipe.
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    input
}

fn respond(event: &HookEvent, input: &[u8]) -> Say {
    let clock = clock();
    let cwd = event.cwd.clone().or_else(|| std::env::current_dir().ok());
    let Some(home) = Home::of_user(variable("HARK_HOME").map(Into::into)) else {
        return Say::Nothing;
    };
    let note = |reason: &str, kept| write_down(&home, &clock, event.client, &event.name, reason, kept);
    if matches!(event.what, What::Other) {
        if input.iter().all(u8::is_ascii_whitespace) {
            note("there was no event on stdin", false);
        } else if event.session.is_none() {
            note("the event could not be read", false);
        }
        return Say::Nothing;
    }
    let config = config(&home, cwd.as_deref()).unwrap_or_else(|e| {
        note(&e.to_string(), true);
        Config::default()
    });
    if event.session.is_none() {
        note("the event names no session", false);
        return Say::Nothing;
    }
    // Nothing is stored before a tool; without a gate and nobody to warn there is nothing to do.
    if let What::BeforeTool(tool) = &event.what
        && config.checkpoint.policy != CheckpointPolicy::Gate
        && !inject::may_warn(&config, event, tool)
    {
        return Say::Nothing;
    }
    let ended = matches!(event.what, What::End { .. });
    let mut log_is_long = false;
    let outcome = match Engine::open_as(home.clone(), config.clone(), clock, Role::Hook) {
        Ok(mut engine) => {
            if let Some(folder) = &cwd {
                engine.stand_in(folder);
            }
            let outcome = inject::respond(&mut engine, event);
            log_is_long = engine.log_grew_long();
            // The process ends in a moment and everything is committed: putting the connection away in
            // good order would only take time.
            std::mem::forget(engine);
            outcome
        }
        Err(error) => Err(inject::Trouble { error, captured: false }),
    };
    match outcome {
        Ok(say) => {
            if ended {
                start_worker(&home, EVERYTHING);
            } else if log_is_long {
                start_worker(&home, &["--only-log"]);
            }
            say
        }
        Err(trouble) => {
            let kept = trouble.captured || keep(&home, &config, event, &clock);
            // Waiting its turn is no error, if nothing is lost by it.
            if !(kept && matches!(trouble.error, EngineError::Store(StoreError::Busy { .. }))) {
                note(&trouble.error.to_string(), kept);
            }
            if needs_work(&trouble.error) {
                start_worker(&home, EVERYTHING);
            }
            match event.what {
                What::Start { .. } if !kept => Say::Context(format!(
                    "hark: nothing of this session is being remembered: {}. Tell the user to run `hark doctor`.",
                    hark_core::quote::quoted(&trouble.error.to_string())
                )),
                _ => Say::Nothing,
            }
        }
    }
}

fn config(home: &Home, cwd: Option<&Path>) -> Result<Config, EngineError> {
    let user = Home::user_config(variable("HARK_CONFIG").map(Into::into));
    let project = project_store::settings(cwd, &Layout::new(&home.path));
    Config::load(user.as_deref(), project.as_ref())
}

/// Keeps the event for whoever can store it.
fn keep(home: &Home, config: &Config, event: &HookEvent, clock: &Clock) -> bool {
    let Ok(redactor) = Engine::redactor_of(home, config) else { return false };
    let Some(arrival) = capture::arrival(&redactor, event, clock.now()) else {
        // Nothing of it would have been stored.
        return true;
    };
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let unique = format!("{}-{}", std::process::id(), since.as_nanos());
    spool::keep(&Layout::new(&home.path), &arrival, &unique).is_ok()
}

/// What an ordinary opening mends.
fn needs_work(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Behind { .. } | StoreError::Corrupt { .. }))
}

/// A short-lived process that outlives this one, at most one per data directory.
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
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Not in the client's group, which it may kill when it ends.
        command.process_group(0);
    }
    let _ = command.spawn();
}

fn write_down(home: &Home, clock: &Clock, host: &str, event: &str, reason: &str, kept: bool) {
    let error = HookError {
        at: clock.now(),
        host: host.to_owned(),
        event: event.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect(),
        error: reason.to_owned(),
        kept,
    };
    health::record(&Layout::new(&home.path), &error);
}
