//! How far long work is, for other processes to show: a small file for each, written at most once a second.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hark_core::{ClientProcess, Timestamp};
use hark_hosts::process;
use hark_store::Layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::machine::Machine;
use crate::operation::Progress;

/// Work that is over sooner is not worth a file.
const SHORT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_secs(1);
/// Where the system does not tell which processes run, a file that nobody has written for so long is a leftover.
const FORGOTTEN_MS: i64 = 60_000;
const LARGEST: u64 = 4_096;

/// Tells the work of one process apart.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Long work that some process is doing now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Working {
    /// Such as `reading bytes` or `making vectors`.
    pub what: String,
    pub done: u64,
    pub total: u64,
    pub since: String,
    pub updated: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    process: Option<ClientProcess>,
    what: String,
    done: u64,
    total: u64,
    since: Timestamp,
    updated: Timestamp,
}

/// The work of one caller. Its file goes when it ends.
#[derive(Debug)]
pub struct Activity {
    layout: Layout,
    clock: Clock,
    file: PathBuf,
    began: Option<(Instant, Timestamp)>,
    written: Option<Instant>,
}

impl Activity {
    pub(crate) fn new(layout: Layout, clock: Clock) -> Activity {
        let name = format!("{}-{}.json", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let file = layout.activity().join(name);
        Activity { layout, clock, file, began: None, written: None }
    }

    /// `None` where there is no store.
    pub fn of(machine: &Machine) -> Option<Activity> {
        Some(Activity::new(Layout::new(machine.home().ok()?.path), machine.clock))
    }

    /// Best effort: nobody fails because progress cannot be shown.
    pub fn show(&mut self, progress: Progress) {
        let (began, since) = *self.began.get_or_insert_with(|| (Instant::now(), self.clock.now()));
        if progress.total == 0
            || began.elapsed() < SHORT
            || self.written.is_some_and(|at| at.elapsed() < PAUSE)
        {
            return;
        }
        if self.written.is_none() {
            tidy(&self.layout, self.clock.now());
        }
        self.written = Some(Instant::now());
        let entry = Entry {
            process: process::own(),
            what: progress.what.to_owned(),
            done: progress.done.min(progress.total),
            total: progress.total,
            since,
            updated: self.clock.now(),
        };
        let bytes = serde_json::to_vec(&entry).unwrap_or_default();
        let _ = self.layout.door().create_folder(&self.layout.activity());
        let _ = self.layout.put(&self.file, &bytes);
    }

    /// The work is done; the next begins anew.
    pub fn clear(&mut self) {
        self.began = None;
        if self.written.take().is_some() {
            let _ = self.layout.door().remove(&self.file);
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What is being done in this store, the longest first.
pub(crate) fn current(layout: &Layout, now: Timestamp) -> Vec<Working> {
    let mut found: Vec<Entry> =
        entries(layout).into_iter().map(|(_, entry)| entry).filter(|entry| is_alive(entry, now)).collect();
    found.sort_by_key(|entry| entry.since);
    found
        .into_iter()
        .map(|entry| Working {
            what: entry.what,
            done: entry.done,
            total: entry.total,
            since: entry.since.to_string(),
            updated: entry.updated.to_string(),
        })
        .collect()
}

/// Removes what killed processes left.
fn tidy(layout: &Layout, now: Timestamp) {
    for (path, entry) in entries(layout) {
        if !is_alive(&entry, now) {
            let _ = layout.door().remove(&path);
        }
    }
}

fn entries(layout: &Layout) -> Vec<(PathBuf, Entry)> {
    let folder = layout.activity();
    let listed = layout.door().list(&folder).unwrap_or_default();
    let paths = listed.into_iter().filter(|(_, look)| look.is_file()).map(|(name, _)| folder.join(name));
    let entry = |path: PathBuf| {
        let bytes = layout.door().read(&path, LARGEST).ok()?;
        Some((path, serde_json::from_slice(&bytes).ok()?))
    };
    paths.filter_map(entry).collect()
}

fn is_alive(entry: &Entry, now: Timestamp) -> bool {
    let known = entry.process.as_ref().and_then(process::is_alive);
    known.unwrap_or_else(|| entry.updated > now.minus_millis(FORGOTTEN_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(done: u64) -> Progress {
        Progress { what: "reading bytes", done, total: 100 }
    }

    #[test]
    fn long_work_is_shown_at_most_once_a_second_and_goes_when_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let (clock, now) = (Clock::System, Clock::System.now());
        let mut activity = Activity::new(layout.clone(), clock);
        activity.show(at(1));
        assert_eq!(current(&layout, now), [], "short work is not shown");
        activity.began = Some((Instant::now().checked_sub(SHORT).unwrap(), now));
        activity.show(at(7));
        activity.show(at(9));
        let shown = current(&layout, now);
        assert_eq!((shown.len(), shown[0].done, shown[0].total), (1, 7, 100), "{shown:?}");
        activity.written = Instant::now().checked_sub(PAUSE);
        activity.show(at(140));
        assert_eq!(current(&layout, now)[0].done, 100, "never more than all");
        drop(activity);
        assert_eq!(current(&layout, now), []);
    }

    #[test]
    fn what_a_killed_process_left_is_not_shown_and_is_removed_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let now = Clock::System.now();
        let mut process = process::own();
        if let Some(process) = &mut process {
            process.start += 1;
        }
        let old = now.minus_millis(2 * FORGOTTEN_MS);
        let entry =
            Entry { process, what: "importing".to_owned(), done: 1, total: 2, since: old, updated: old };
        let left = layout.activity().join("1-1.json");
        layout.door().create_folder(&layout.activity()).unwrap();
        layout.put(&left, &serde_json::to_vec(&entry).unwrap()).unwrap();
        assert_eq!(current(&layout, now), []);
        tidy(&layout, now);
        assert!(!left.exists());
    }
}
