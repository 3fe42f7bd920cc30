//! What the service says about itself in `service.json`, for `hark doctor` and for monitoring.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hark_core::{ClientProcess, Timestamp};
use hark_hosts::process;
use hark_store::{Finding, Layout, Severity};
use serde::{Deserialize, Serialize};

use super::Host;
use crate::activity::Activity;
use crate::clock::Clock;
use crate::operation::Progress;

const LARGEST: u64 = 16 * 1024;
/// The file is written at most this often.
const PAUSE: Duration = Duration::from_secs(1);
/// Errors older than this are no longer worth a warning.
const RECENT_MS: i64 = hark_core::time::DAY_MS;
/// An error is a line, not a page.
const LONGEST_ERROR: usize = 240;

/// How the service learns of changes in transcripts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Watches {
    /// The system says which files changed.
    #[default]
    Inotify,
    /// It looks at the files every few seconds.
    Polling,
    /// The setting `ingest.watch` is off.
    Off,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ServiceState {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    process: Option<ClientProcess>,
    /// The command that hosts it.
    pub host: Host,
    #[schemars(with = "String")]
    pub since: Timestamp,
    pub watches: Watches,
    /// Why it looks at files every few seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polling_because: Option<String>,
    /// How many files and folders the system watches.
    pub folders: usize,
    /// Events read from transcripts since it started.
    pub read: u64,
    /// How often the worker began again.
    pub restarts: u32,
    pub hangs: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub last_error_at: Option<Timestamp>,
    /// When everything that was due was last done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub last_work: Option<Timestamp>,
}

impl ServiceState {
    /// What a service that runs now last said; `None` if none runs.
    pub fn read(layout: &Layout) -> Option<ServiceState> {
        let bytes = layout.door().read(&layout.service_state(), LARGEST).ok()?;
        let state: ServiceState = serde_json::from_slice(&bytes).ok()?;
        let known = state.process.as_ref().and_then(process::is_alive);
        // Where the system does not tell, the lock does: only the worker holds it.
        known.unwrap_or_else(|| crate::worker::lock(layout).is_none()).then_some(state)
    }

    /// As data for programs: without what only this module needs.
    pub fn view(mut self) -> ServiceState {
        self.process = None;
        self
    }

    pub(crate) fn findings(&self, now: Timestamp) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut warn = |what: String, mend: &str| {
            found.push(Finding { severity: Severity::Warning, what, mend: Some(mend.to_owned()) });
        };
        if self.hangs {
            warn(
                format!("the worker inside `{}` hangs; answers go on", self.host.command()),
                "restart it: hark service restart",
            );
        }
        // Without a reason, the settings ask for it.
        if let Some(why) = self.polling_because.as_ref().filter(|_| self.watches == Watches::Polling) {
            warn(
                format!("transcripts are looked at every few seconds: {why}"),
                "if inotify's limit is reached, raise fs.inotify.max_user_watches with sysctl, then: hark service restart",
            );
        }
        if let (Some(error), Some(at)) = (&self.last_error, self.last_error_at)
            && at > now.minus_millis(RECENT_MS)
        {
            let again = match self.restarts {
                0 => String::new(),
                1 => ", and began again once".to_owned(),
                n => format!(", and began again {n} times"),
            };
            warn(
                format!("the worker inside `{}` failed {}{again}: {error}", self.host.command(), at.ago(now)),
                "if it keeps failing, see `hark service logs`",
            );
        }
        found
    }
}

/// The state of a running service, shared by its threads.
pub(super) struct Board {
    layout: Layout,
    clock: Clock,
    inner: Mutex<Inner>,
}

struct Inner {
    state: ServiceState,
    written: Option<(Instant, ServiceState)>,
    activity: Activity,
}

impl Board {
    pub(super) fn new(layout: Layout, clock: Clock, host: Host) -> Board {
        let state = ServiceState {
            process: process::own(),
            host,
            since: clock.now(),
            watches: Watches::default(),
            polling_because: None,
            folders: 0,
            read: 0,
            restarts: 0,
            hangs: false,
            last_error: None,
            last_error_at: None,
            last_work: None,
        };
        let activity = Activity::new(layout.clone(), clock);
        Board { layout, clock, inner: Mutex::new(Inner { state, written: None, activity }) }
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut ServiceState)) {
        let mut inner = self.lock();
        change(&mut inner.state);
        inner.write(&self.layout);
    }

    /// `error` is redacted.
    pub(super) fn note_error(&self, error: &str, hangs: bool) {
        let at = self.clock.now();
        self.change(|state| {
            state.last_error = Some(error.chars().take(LONGEST_ERROR).collect());
            state.last_error_at = Some(at);
            state.restarts = state.restarts.saturating_add(1);
            state.hangs = hangs;
        });
    }

    /// Writes what could not be written because it was too soon.
    pub(super) fn settle(&self) {
        self.lock().write(&self.layout);
    }

    pub(super) fn show(&self, progress: Progress) {
        self.lock().activity.show(progress);
    }

    pub(super) fn clear_progress(&self) {
        self.lock().activity.clear();
    }

    pub(super) fn remove(&self) {
        self.clear_progress();
        let _ = self.layout.door().remove(&self.layout.service_state());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write(&mut self, layout: &Layout) {
        if self.written.as_ref().is_some_and(|(at, said)| at.elapsed() < PAUSE || *said == self.state) {
            return;
        }
        let bytes = serde_json::to_vec_pretty(&self.state).unwrap_or_default();
        // Without a store to write to, there is nobody to tell.
        if layout.put(&layout.service_state(), &bytes).is_ok() {
            self.written = Some((Instant::now(), self.state.clone()));
        }
    }
}
