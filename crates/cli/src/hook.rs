//! `hark hook HOST [EVENT]`: what an assistant's hook runs. Reads one event, stores it, answers.
//!
//! A user waits each time it runs, so it has a deadline, always exits with 0, and prints only the reply on stdout.
//! Errors are recorded for `hark doctor`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hark_engine::{Clock, Home, Machine, hooks, trace};
use hark_hosts::Host;
use hark_hosts::hook::{self, HookEvent, Say};

/// Shorter than the timeout of any client.
const DEADLINE: Duration = Duration::from_millis(2_500);
/// Only the beginning of a longer input is read, which identifies its session.
const MOST_INPUT: u64 = 8 * 1024 * 1024;
const WATCHER_STACK: usize = 256 * 1024;

/// Whether these are a hook's arguments. Checked before anything else, to save time.
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
    let begun = Instant::now();
    // Only `hark doctor` reports a panic.
    std::panic::set_hook(Box::new(|_| {}));
    let host = args.first().and_then(|id| hark_hosts::find(id)).unwrap_or_else(generic);
    // This thread works and the second watches the clock: memory of the first thread costs less.
    let watched = watch(host);
    let outcome = std::panic::catch_unwind(|| handle(host, &args[1.min(args.len())..]));
    if ANSWERED.swap(true, Ordering::SeqCst) {
        // Too late: the other thread is exiting the process.
        watched.map(JoinHandle::join);
        std::process::exit(0)
    }
    let Ok(handled) = outcome else { say(&without_answer(host, "an internal error")) };
    print(&handled.text);
    // The reply is out: nobody waits for this.
    if let Some(home) = &handled.home {
        hooks::times::note(home, &handled.event, handled.said, begun.elapsed());
    }
    std::process::exit(0)
}

/// Whether a reply was given or is being given: there is only one.
static ANSWERED: AtomicBool = AtomicBool::new(false);

/// Exits with an empty reply at the deadline. `None` if no second thread can be started.
fn watch(host: &'static Host) -> Option<JoinHandle<()>> {
    let watcher = move || {
        std::thread::sleep(DEADLINE);
        if !ANSWERED.swap(true, Ordering::SeqCst) {
            // What still runs is abandoned: an uncommitted transaction has no effect.
            say(&without_answer(host, "timed out"));
        }
    };
    std::thread::Builder::new().stack_size(WATCHER_STACK).spawn(watcher).ok()
}

fn say(text: &str) -> ! {
    print(text);
    std::process::exit(0)
}

fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// An empty reply. The reason is recorded.
fn without_answer(host: &'static Host, reason: &str) -> String {
    if let Some(home) = Home::of_user(variable("HARK_HOME").map(Into::into)) {
        hooks::record(&home, &clock(), host.id, "", reason, false);
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

/// The folder is the one that the event names.
fn machine(cwd: Option<PathBuf>) -> Machine {
    Machine {
        cwd: cwd.or_else(|| std::env::current_dir().ok()),
        home_setting: variable("HARK_HOME").map(Into::into),
        user_config: Home::user_config(variable("HARK_CONFIG").map(Into::into)),
        project: variable("HARK_PROJECT"),
        clock: clock(),
    }
}

/// An event and the reply to it.
struct Handled {
    text: String,
    event: HookEvent,
    /// Whether the reply says anything.
    said: bool,
    home: Option<PathBuf>,
}

fn handle(host: &'static Host, args: &[String]) -> Handled {
    // Codex's `notify` gives its event as an argument.
    let (named, given): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| !arg.starts_with('{'));
    let input = given.first().map_or_else(read_input, |text| text.as_bytes().to_vec());
    let mut event = hook::read(host, named.first().map(|s| s.as_str()), &input, &variable);
    event.process = hark_hosts::process::client();
    let machine = machine(event.cwd.clone());
    let home = machine.home().ok().map(|home| home.path);
    // An invalid HARK_LOG is reported by every other command; a hook has no one to tell.
    let _ =
        trace::start(variable("HARK_LOG").as_deref(), variable("HARK_LOG_FILE").is_some(), home.as_deref());
    let say = hooks::respond(&machine, &event, &input);
    Handled { text: event.answer(&say), said: say != Say::Nothing, event, home }
}

fn read_input() -> Vec<u8> {
    let stdin = std::io::stdin();
    let mut input = Vec::new();
    if stdin.is_terminal() {
        return input;
    }
    let mut stdin = stdin.lock();
    let _ = stdin.by_ref().take(MOST_INPUT).read_to_end(&mut input);
    // Read to the end, so that the client does not write to a closed pipe.
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    input
}
