//! Pauses: times in which hooks record nothing and add nothing, everywhere or in one project.
//!
//! They are kept in a small file of their own, because a hook has to know before it opens the store, and even if it
//! cannot. Past pauses stay in it: a transcript that is read later must not bring back what was not recorded.
//! `HARK_ENABLED=0` is a pause of the sessions that run with it.

use std::io::Write;
use std::path::{Path, PathBuf};

use hark_core::{ProjectKey, Timestamp};
use hark_files::Door;
use hark_store::{Layout, StoreError};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;
use crate::project;

/// A page of text.
const LARGEST_FILE: u64 = 1024 * 1024;
/// The newest are kept.
const MOST: usize = 1_000;

/// One pause, in force from `from` until `until`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pause {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Place>,
    /// A hash of the assistant's own id of the only session that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) from: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<i64>,
}

/// The project that a pause is for; without one it is for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// A hash of its folder, which a hook knows without opening the store.
    root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
}

impl Place {
    /// The project around `folder`.
    pub(crate) fn of(folder: &Path, key: Option<&ProjectKey>) -> Self {
        let root = project::work_tree(folder);
        Place { root: hash(&root.to_string_lossy()), project: key.map(ToString::to_string) }
    }

    fn is(&self, other: &Place) -> bool {
        self.root == other.root || (self.project.is_some() && self.project == other.project)
    }
}

/// Names of folders and sessions come from outside and are not needed in clear.
fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

impl Pause {
    fn is_in_force(&self, at: Timestamp) -> bool {
        self.from <= at.as_millis() && self.until.is_none_or(|until| at.as_millis() < until)
    }

    /// What it is for and how long, as a part of a sentence.
    pub(crate) fn words(&self) -> String {
        let place = if self.place.is_some() { "in this project" } else { "everywhere" };
        match self.until {
            Some(until) => format!("{place} until {}", Timestamp::from_millis(until)),
            None => format!("{place} until `hark unpause`"),
        }
    }
}

/// Every pause, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pauses {
    pauses: Vec<Pause>,
}

impl Pauses {
    fn path(layout: &Layout) -> PathBuf {
        layout.home().join("pauses.json")
    }

    /// Those of a store. A damaged file counts as a pause: somebody asked for silence, and nobody knows when.
    pub(crate) fn read(layout: &Layout) -> Pauses {
        match layout.door().read_to_string(&Self::path(layout), LARGEST_FILE) {
            Ok(text) => serde_json::from_str(&text).unwrap_or_else(|_| Self::forever()),
            Err(_) => Pauses::default(),
        }
    }

    fn forever() -> Pauses {
        Pauses { pauses: vec![Pause { place: None, session: None, from: 0, until: None }] }
    }

    fn write(&mut self, layout: &Layout) -> Result<(), EngineError> {
        let mut extra = self.pauses.len().saturating_sub(MOST);
        // What goes on until somebody ends it must stay.
        self.pauses.retain(|pause| {
            let goes = extra > 0 && (pause.session.is_some() || pause.until.is_some());
            extra -= usize::from(goes);
            !goes
        });
        let path = Self::path(layout);
        let door: &Door = layout.door();
        door.create_folder(Path::new("")).map_err(|e| StoreError::io(&path, e))?;
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let draft = layout.home().join(format!(".pauses.{}", std::process::id()));
        let _ = door.remove(&draft);
        let written = door.create_new(&draft).and_then(|mut file| file.write_all(text.as_bytes()));
        written.and_then(|()| door.rename(&draft, &path)).map_err(|e| StoreError::io(&path, e).into())
    }

    /// The pause that holds for a session at a place, at a time.
    pub(crate) fn in_force(
        &self,
        place: Option<&Place>,
        session: Option<&str>,
        at: Timestamp,
    ) -> Option<&Pause> {
        self.pauses.iter().filter(|pause| pause.is_in_force(at)).find(|pause| {
            let here = pause.place.as_ref().is_none_or(|its| place.is_some_and(|place| its.is(place)));
            let this = || pause.session.as_ref().is_none_or(|its| session.is_some_and(|s| hash(s) == *its));
            here && this()
        })
    }

    /// Whether a project has to be known to decide.
    pub(crate) fn depends_on_project(&self, at: Timestamp) -> bool {
        self.pauses.iter().any(|pause| pause.place.is_some() && pause.is_in_force(at))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pauses.is_empty()
    }

    /// Begins a pause; one for the same place that is in force ends.
    pub(crate) fn begin(&mut self, pause: Pause, layout: &Layout) -> Result<(), EngineError> {
        let now = Timestamp::from_millis(pause.from);
        self.close(pause.place.as_ref(), pause.place.is_none(), now);
        self.pauses.push(pause);
        self.write(layout)
    }

    /// Ends the pauses of a place, or all. Returns how many were in force.
    pub(crate) fn end(
        &mut self,
        place: Option<&Place>,
        all: bool,
        now: Timestamp,
        layout: &Layout,
    ) -> Result<usize, EngineError> {
        let ended = self.close(place, all, now);
        if ended > 0 {
            self.write(layout)?;
        }
        Ok(ended)
    }

    fn close(&mut self, place: Option<&Place>, all: bool, now: Timestamp) -> usize {
        let mut ended = 0;
        for pause in self.pauses.iter_mut().filter(|pause| pause.session.is_none() && pause.is_in_force(now))
        {
            let same = match (&pause.place, place) {
                (Some(its), Some(place)) => its.is(place),
                (None, None) => true,
                _ => false,
            };
            if all || same {
                pause.until = Some(now.as_millis());
                ended += 1;
            }
        }
        ended
    }
}

/// Whether `HARK_ENABLED` leaves hark on.
pub fn is_enabled() -> bool {
    let setting = std::env::var("HARK_ENABLED").unwrap_or_default();
    !matches!(setting.trim().to_ascii_lowercase().as_str(), "0" | "false" | "off" | "no")
}

/// Notes that a session runs with `HARK_ENABLED=0`, so that its transcript is not read later. Best effort.
pub(crate) fn leave_out(layout: &Layout, session: &str, now: Timestamp) {
    let mut pauses = Pauses::read(layout);
    if pauses.in_force(None, Some(session), now).is_none() {
        pauses.pauses.push(Pause {
            place: None,
            session: Some(hash(session)),
            from: now.as_millis(),
            until: None,
        });
        let _ = pauses.write(layout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_pause_holds_at_its_place_and_in_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().join("home"));
        let (here, there) =
            (Place::of(&folder.path().join("a"), None), Place::of(&folder.path().join("b"), None));
        let mut pauses = Pauses::read(&layout);
        assert!(pauses.is_empty());
        let pause =
            |place: Option<&Place>, from, until| Pause { place: place.cloned(), session: None, from, until };
        pauses.begin(pause(Some(&here), 100, Some(200)), &layout).unwrap();
        let read = Pauses::read(&layout);
        assert_eq!(read, pauses);
        for (place, time, paused) in
            [(&here, 99, false), (&here, 100, true), (&here, 200, false), (&there, 150, false)]
        {
            assert_eq!(read.in_force(Some(place), None, at(time)).is_some(), paused, "{time}");
        }
        assert!(read.depends_on_project(at(150)) && !read.depends_on_project(at(250)));
        // A later pause everywhere, ended early: what it covered stays known.
        pauses.begin(pause(None, 300, None), &layout).unwrap();
        assert_eq!(pauses.end(Some(&here), false, at(350), &layout).unwrap(), 0, "not of this project alone");
        assert_eq!(pauses.end(None, true, at(400), &layout).unwrap(), 1);
        let read = Pauses::read(&layout);
        assert!(read.in_force(Some(&there), None, at(350)).is_some());
        assert!(read.in_force(Some(&there), None, at(400)).is_none());
    }

    #[test]
    fn a_damaged_file_is_a_pause_until_it_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        std::fs::write(Pauses::path(&layout), "{").unwrap();
        let mut pauses = Pauses::read(&layout);
        assert!(pauses.in_force(None, None, at(1)).is_some());
        pauses.end(None, true, at(2), &layout).unwrap();
        assert!(Pauses::read(&layout).in_force(None, None, at(3)).is_none());
    }

    #[test]
    fn a_session_can_be_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        leave_out(&layout, "one", at(10));
        leave_out(&layout, "one", at(20));
        let pauses = Pauses::read(&layout);
        assert_eq!(pauses.pauses.len(), 1);
        assert!(pauses.in_force(None, Some("one"), at(30)).is_some());
        assert!(pauses.in_force(None, Some("two"), at(30)).is_none());
        assert!(!std::fs::read_to_string(Pauses::path(&layout)).unwrap().contains("one"));
    }
}
