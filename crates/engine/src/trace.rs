//! Logging: off unless `HARK_LOG` is set, and nearly free when off.
//!
//! Log lines have names, counts and times, never the text of an event or a memory.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hark_files::Door;
use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::error::EngineError;

/// Where the file of the log is, inside the store.
const FILE: &str = "logs/hark.log";
const OLD_FILE: &str = "logs/hark.log.old";
/// A file that has grown longer becomes the old one.
const LONGEST: u64 = 1024 * 1024;

/// Starts logging as `HARK_LOG` and `HARK_LOG_FILE` say. `home` is the store whose `logs` folder takes the file.
pub fn start(level: Option<&str>, to_file: bool, home: Option<&Path>) -> Result<(), EngineError> {
    let Some(level) = level.filter(|level| !level.is_empty() && *level != "off") else { return Ok(()) };
    let level: LevelFilter = level.parse().map_err(|_| {
        EngineError::invalid(
            format!("HARK_LOG: invalid level `{level}`"),
            "use error, warn, info, debug or trace",
        )
    })?;
    let out = match home.filter(|_| to_file) {
        Some(home) => Out::File(home.to_owned()),
        None => Out::Stderr,
    };
    // A second start in one process, as in tests, changes nothing.
    let _ = tracing::subscriber::set_global_default(Recorder::new(level, out));
    Ok(())
}

/// The last lines of the log files of a store, oldest first.
pub(crate) fn last_lines(home: &Path, most: usize) -> Vec<String> {
    let door = Door::new(home);
    let read = |file| door.read_to_string(Path::new(file), LONGEST * 4).unwrap_or_default();
    let text = [read(OLD_FILE), read(FILE)].concat();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(most)..].iter().map(|line| (*line).to_owned()).collect()
}

/// Logs that an operation runs.
pub fn call(operation: &str) {
    tracing::info!(operation, "call");
}

/// One step of a traced run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Step {
    pub name: &'static str,
    /// How many steps it is part of.
    pub depth: usize,
    pub micros: u64,
}

/// Runs `work` and returns the steps it took, in the order they began.
pub fn steps_of<T>(work: impl FnOnce() -> T) -> (T, Vec<Step>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let recorder = Recorder::new(LevelFilter::DEBUG, Out::Steps(Arc::clone(&steps)));
    let done = tracing::subscriber::with_default(recorder, work);
    let steps = std::mem::take(&mut *steps.lock().unwrap_or_else(PoisonError::into_inner));
    (done, steps)
}

enum Out {
    Stderr,
    /// Into the `logs` folder of this store.
    File(PathBuf),
    Steps(Arc<Mutex<Vec<Step>>>),
}

struct Recorder {
    level: LevelFilter,
    out: Out,
    next: AtomicU64,
}

thread_local! {
    /// The spans that this thread is in.
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
    /// Names of spans that were made and not entered yet.
    static MADE: RefCell<Vec<(u64, &'static str)>> = const { RefCell::new(Vec::new()) };
}

struct Open {
    id: u64,
    name: &'static str,
    since: Instant,
    /// Its place in the list of steps.
    step: usize,
}

impl Recorder {
    fn new(level: LevelFilter, out: Out) -> Self {
        Recorder { level, out, next: AtomicU64::new(1) }
    }

    fn write(&self, text: &str) {
        match &self.out {
            Out::Stderr => {
                let _ = std::io::stderr().lock().write_all(text.as_bytes());
            }
            Out::File(home) => {
                let _ = append(home, text);
            }
            Out::Steps(_) => {}
        }
    }

    fn begin(&self, name: &'static str, depth: usize) -> usize {
        let Out::Steps(steps) = &self.out else { return 0 };
        let mut steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.push(Step { name, depth, micros: 0 });
        steps.len() - 1
    }

    fn end(&self, open: &Open, depth: usize) {
        let micros = open.since.elapsed().as_micros() as u64;
        if let Out::Steps(steps) = &self.out {
            let mut steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(step) = steps.get_mut(open.step) {
                step.micros = micros;
            }
            return;
        }
        self.write(&format!("{} debug {}{}: {micros} µs\n", now(), "  ".repeat(depth), open.name));
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("hark")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        MADE.with_borrow_mut(|made| made.push((id, span.metadata().name())));
        Id::from_u64(id)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if matches!(self.out, Out::Steps(_)) {
            return;
        }
        let mut line = Line(String::new());
        event.record(&mut line);
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        self.write(&format!("{} {level}{}\n", now(), line.0));
    }

    fn enter(&self, span: &Id) {
        let id = span.into_u64();
        let name = MADE.with_borrow_mut(|made| {
            made.iter().position(|(of, _)| *of == id).map(|at| made.swap_remove(at).1)
        });
        OPEN.with_borrow_mut(|open| {
            let name = name.unwrap_or("again");
            let step = self.begin(name, open.len());
            open.push(Open { id, name, since: Instant::now(), step });
        });
    }

    fn exit(&self, span: &Id) {
        let id = span.into_u64();
        OPEN.with_borrow_mut(|open| {
            if let Some(at) = open.iter().rposition(|one| one.id == id) {
                let one = open.remove(at);
                self.end(&one, at);
            }
        });
    }
}

fn now() -> String {
    crate::Clock::System.now().to_string()
}

/// The fields of an event, as `message name=value`.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        // Values can come from outside; a terminal must not obey them.
        self.record_debug(field, &format_args!("{}", crate::operation::text::safe(value)));
    }
}

/// Appends to the file, which only the user can read, and keeps it short.
fn append(home: &Path, text: &str) -> std::io::Result<()> {
    let door = Door::new(home);
    let path = Path::new(FILE);
    door.create_folder(Path::new("logs"))?;
    if door.look(path)?.is_some_and(|file| file.size > LONGEST) {
        door.rename(path, Path::new(OLD_FILE))?;
    }
    door.append_to(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_listed_in_the_order_they_began() {
        let ((), steps) = steps_of(|| {
            let _outer = tracing::debug_span!("outer").entered();
            tracing::debug_span!("first").in_scope(|| {});
            tracing::debug_span!("second").in_scope(|| {});
        });
        let shape: Vec<_> = steps.iter().map(|step| (step.name, step.depth)).collect();
        assert_eq!(shape, [("outer", 0), ("first", 1), ("second", 1)]);
    }

    #[test]
    fn a_log_file_is_rotated_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let line = "x".repeat(1000);
        for _ in 0..(LONGEST / 1000 + 3) {
            append(folder.path(), &line).unwrap();
        }
        let len = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert!(len(OLD_FILE) > LONGEST && len(FILE) < 10_000);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn an_unknown_level_is_refused() {
        assert!(start(Some("loud"), false, None).is_err());
        assert!(start(Some("off"), false, None).is_ok());
        assert!(start(None, false, None).is_ok());
    }
}
