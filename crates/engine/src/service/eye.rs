//! Sees which transcripts changed: told by the system, or, where it refuses, by looking.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hark_files::Notices;

use super::state::Watches;

/// How deep below a place transcripts are.
const DEEPEST: usize = 12;
/// More would be a mistake, such as a place that is a whole disk.
const MOST: usize = 50_000;
/// Changes are read when nothing more came for so long …
const QUIET: Duration = Duration::from_millis(300);
/// … and at the latest after this.
const LONGEST: Duration = Duration::from_secs(2);
/// What is not told has to be looked for: databases, and places that are new.
const LOOK: Duration = Duration::from_secs(30);
/// The same where nothing is told.
const LOOK_OFTEN: Duration = Duration::from_secs(5);

/// What to read now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// These files, and files in these folders.
    Changed(Vec<PathBuf>),
    /// It is time to look everywhere.
    Look,
}

pub(super) struct Eye {
    notices: Option<Notices>,
    /// Why there are none.
    pub(super) why: Option<String>,
    pending: Vec<PathBuf>,
    /// When the first and the last of them came.
    first: Option<Instant>,
    last: Option<Instant>,
    looked: Option<Instant>,
}

impl Eye {
    /// `may_notice` is off where the settings ask to look instead.
    pub(super) fn open(may_notice: bool) -> Eye {
        let (notices, why) = match may_notice.then(Notices::new) {
            Some(Ok(notices)) => (Some(notices), None),
            Some(Err(error)) => (None, Some(words(&error))),
            None => (None, None),
        };
        Eye { notices, why, pending: Vec::new(), first: None, last: None, looked: None }
    }

    pub(super) fn watches(&self) -> Watches {
        if self.notices.is_some() { Watches::Inotify } else { Watches::Polling }
    }

    pub(super) fn folders(&self) -> usize {
        self.notices.as_ref().map_or(0, Notices::len)
    }

    /// Watches these places as well. New folders below them follow by themselves.
    pub(super) fn watch(&mut self, places: &[PathBuf]) {
        let Some(notices) = &mut self.notices else { return };
        for place in places {
            let watched = notices.watch(place, DEEPEST);
            let watched = if notices.len() > MOST {
                Err(std::io::Error::other(format!("more than {MOST} folders")))
            } else {
                watched
            };
            if let Err(error) = watched {
                self.give_up(&error);
                return;
            }
        }
    }

    /// Watching some places and not others would be hard to explain: from now on, all are looked at.
    fn give_up(&mut self, error: &std::io::Error) {
        self.notices = None;
        self.why = Some(words(error));
        self.looked = None;
    }

    pub(super) fn seen(&mut self, now: Instant) -> Seen {
        match self.notices.as_mut().map(Notices::take) {
            Some(Ok(changed)) if !changed.is_empty() => {
                self.pending.extend(changed);
                self.pending.sort();
                self.pending.dedup();
                self.first.get_or_insert(now);
                self.last = Some(now);
            }
            Some(Err(error)) => self.give_up(&error),
            _ => {}
        }
        let pause = if self.notices.is_some() { LOOK } else { LOOK_OFTEN };
        if self.looked.is_none_or(|at| now.duration_since(at) >= pause) {
            self.looked = Some(now);
            self.forget();
            return Seen::Look;
        }
        let is_quiet = self.last.is_some_and(|at| now.duration_since(at) >= QUIET);
        let is_late = self.first.is_some_and(|at| now.duration_since(at) >= LONGEST);
        if is_quiet || is_late {
            let changed = std::mem::take(&mut self.pending);
            self.forget();
            return Seen::Changed(changed);
        }
        Seen::Nothing
    }

    /// There was more than could be read at once.
    pub(super) fn look_again(&mut self) {
        self.looked = None;
    }

    fn forget(&mut self) {
        self.pending.clear();
        (self.first, self.last) = (None, None);
    }
}

fn words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::Unsupported => "this system has no inotify".to_owned(),
        // ENOSPC is how inotify says that a user may not watch more.
        std::io::ErrorKind::StorageFull => "the limit of inotify watches is reached".to_owned(),
        _ => format!("inotify: {error}"),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changes_are_told_when_it_is_quiet_and_not_later_than_after_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_owned();
        let mut eye = Eye::open(true);
        eye.watch(std::slice::from_ref(&place));
        let start = Instant::now();
        assert_eq!(eye.seen(start), Seen::Look, "what was there before is looked for");
        let file = place.join("a.jsonl");
        fs::write(&file, "1\n").unwrap();
        assert_eq!(eye.seen(start), Seen::Nothing);
        assert_eq!(eye.seen(start + QUIET), Seen::Changed(vec![file.clone()]));
        assert_eq!(eye.seen(start + QUIET * 2), Seen::Nothing, "each change is told once");
        // Somebody writes without a pause.
        let mut told = None;
        for step in 1..100 {
            fs::write(&file, "2\n").unwrap();
            let at = start + QUIET * 2 + QUIET / 3 * step;
            if eye.seen(at) != Seen::Nothing {
                told = Some(at);
                break;
            }
        }
        let waited = told.unwrap() - (start + QUIET * 2);
        assert!(waited >= LONGEST && waited < LONGEST + QUIET, "{waited:?}");
        assert_eq!(eye.seen(start + LOOK), Seen::Look);
    }

    #[test]
    fn without_notices_it_looks_often_and_says_why() {
        let mut eye = Eye::open(true);
        eye.give_up(&std::io::Error::from_raw_os_error(28));
        assert_eq!(eye.watches(), Watches::Polling);
        assert_eq!(eye.why.as_deref(), Some("the limit of inotify watches is reached"));
        let start = Instant::now();
        assert_eq!(eye.seen(start), Seen::Look);
        assert_eq!(eye.seen(start + LOOK_OFTEN / 2), Seen::Nothing);
        assert_eq!(eye.seen(start + LOOK_OFTEN), Seen::Look);
    }
}
