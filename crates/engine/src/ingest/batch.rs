//! Turns what a reader reports into events in the store, many per transaction. Redaction happens before the
//! lock is taken; the cursor moves together with the events.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hark_core::event::{Arrival, EventKind, Recorded};
use hark_core::failure::Place;
use hark_core::memory::one_line;
use hark_core::{Clean, ProjectKey, SessionId, Timestamp};
use hark_hosts::hook::HookEvent;
use hark_hosts::transcript::{Identity, Item, Skip, Told, Turn};
use hark_store::tombstones::turn_mark;
use hark_store::{Beginning, Cursor, SourceFile, VIA_TRANSCRIPT, Writer};

use super::report::Report;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::failures::{self, Trails};
use crate::hooks::capture::{self, Address};
use crate::pause::{self, Pauses};
use crate::project;

/// The maximum number of events per transaction, because hooks wait meanwhile.
const MOST: usize = 400;

/// What is known about a folder, determined once.
struct Folder {
    root: PathBuf,
    project: Option<ProjectKey>,
    place: Rc<Place>,
}

pub(super) struct Batch<'e> {
    engine: &'e mut Engine,
    host: &'static str,
    file: SourceFile,
    path: String,
    folders: HashMap<String, Rc<Folder>>,
    identity: Identity,
    /// The identity as it may be stored; determined when its first turn arrives.
    written: Option<Written>,
    waiting: Vec<Waiting>,
    /// Used for records without a time.
    last_at: Timestamp,
    titled: HashSet<i64>,
    /// Sessions that begin with copies, and the sessions they were copied from.
    origins: HashMap<String, i64>,
    /// Whether a session was forgotten here; looked up once.
    forgotten: HashMap<String, bool>,
    /// For a second-hand transcript: whether a session is known from elsewhere; looked up once.
    elsewhere: Option<HashMap<String, bool>>,
    /// Marks of what was forgotten from sessions that still exist; looked up once.
    forgotten_turns: Option<HashSet<String>>,
    /// Times in which hooks were paused; read once.
    pauses: Option<Pauses>,
}

#[derive(Clone)]
struct Written {
    address: Address,
    branch: Option<Clean>,
    commit: Option<Clean>,
}

struct Waiting {
    arrival: Arrival,
    place: Rc<Place>,
    project: Option<ProjectKey>,
    branch: Option<Clean>,
    commit: Option<Clean>,
}

impl<'e> Batch<'e> {
    /// `modified` is when the file last changed, for transcripts without times.
    pub(super) fn new(
        engine: &'e mut Engine,
        file: SourceFile,
        path: &Path,
        modified: Timestamp,
    ) -> Batch<'e> {
        Batch {
            engine,
            host: file.host,
            file,
            path: path.to_string_lossy().into_owned(),
            folders: HashMap::new(),
            identity: Identity::default(),
            written: None,
            waiting: Vec::new(),
            last_at: modified,
            titled: HashSet::new(),
            origins: HashMap::new(),
            forgotten: HashMap::new(),
            elsewhere: None,
            forgotten_turns: None,
            pauses: None,
        }
    }

    /// Another program wrote this transcript: what the assistant itself reported counts more.
    pub(super) fn secondhand(mut self, secondhand: bool) -> Self {
        self.elsewhere = secondhand.then(HashMap::new);
        self
    }

    fn is_known_elsewhere(&mut self) -> bool {
        let Some(looked_up) = &mut self.elsewhere else { return false };
        let session = &self.identity.session;
        if let Some(known) = looked_up.get(session) {
            return *known;
        }
        let found = self.engine.store.session_of_host(Some(self.host), session).ok().flatten();
        let own = |path: &Clean| path.as_str() == self.path;
        let known = found.is_some_and(|found| !found.session.transcript.as_ref().is_some_and(own));
        looked_up.insert(session.clone(), known);
        known
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= MOST
    }

    /// Takes what the reader has reported since the last call.
    pub(super) fn take(&mut self, told: &mut Told, report: &mut Report) {
        for (why, count) in std::mem::take(&mut told.skipped) {
            report.skip(why, count);
        }
        for item in told.items.drain(..) {
            match item {
                Item::Session(identity) => (self.identity, self.written) = (identity, None),
                Item::Turn(turn) => self.turn(turn, report),
            }
        }
    }

    fn turn(&mut self, turn: Turn, report: &mut Report) {
        let folder = self.identity.cwd.clone().map(|cwd| self.folder(&cwd));
        if self.is_forgotten() {
            return report.skip(Skip::Forgotten, 1);
        }
        if self.is_paused(turn.at.unwrap_or(self.last_at), folder.as_deref()) {
            return report.skip(Skip::Paused, 1);
        }
        if self.is_known_elsewhere() {
            return report.skip(Skip::Copied, 1);
        }
        let recorded = if turn.at.is_some() { Recorded::Timed } else { Recorded::Untimed };
        self.last_at = turn.at.unwrap_or(self.last_at);
        let event = HookEvent {
            client: self.host,
            via: VIA_TRANSCRIPT.to_owned(),
            name: String::new(),
            session: Some(self.identity.session.clone()),
            parent: self.identity.parent.clone(),
            once: turn.once,
            cwd: self.identity.cwd.as_deref().map(PathBuf::from),
            transcript: Some(self.path.clone()),
            process: None,
            what: turn.what,
        };
        let root = folder.as_ref().map(|folder| folder.root.as_path());
        let redactor = self.engine.redactor();
        if self.written.is_none() {
            let clean =
                |text: &Option<String>| text.as_deref().map(|text| one_line(&self.engine.clean(text)));
            let (branch, commit) = (clean(&self.identity.branch), clean(&self.identity.commit));
            self.written = Address::of(&redactor, &event).map(|address| Written { address, branch, commit });
        }
        let Some(Written { address, branch, commit }) = self.written.clone() else {
            return report.skip(Skip::Noise, 1);
        };
        let Some(mut arrival) = capture::arrival_to(&redactor, address, &event, root, self.last_at) else {
            return report.skip(Skip::Noise, 1);
        };
        if self.is_turn_forgotten(&arrival) {
            return report.skip(Skip::Forgotten, 1);
        }
        arrival.recorded = Some(recorded);
        self.waiting.push(Waiting {
            place: folder.as_ref().map(|folder| folder.place.clone()).unwrap_or_default(),
            project: folder.and_then(|folder| folder.project.clone()),
            branch,
            commit,
            arrival,
        });
    }

    fn folder(&mut self, cwd: &str) -> Rc<Folder> {
        if let Some(known) = self.folders.get(cwd) {
            return known.clone();
        }
        let path = Path::new(cwd);
        let root = project::work_tree(path);
        let project = project::identify(self.engine, path);
        let place = Rc::new(Place::new(&root.to_string_lossy(), cwd));
        let folder = Rc::new(Folder { root, project, place });
        self.folders.insert(cwd.to_owned(), folder.clone());
        folder
    }

    /// Whether hooks were paused when a turn happened.
    fn is_paused(&mut self, at: Timestamp, folder: Option<&Folder>) -> bool {
        let store = &self.engine.store;
        let pauses = self.pauses.get_or_insert_with(|| Pauses::read(store.layout()));
        if pauses.is_empty() {
            return false;
        }
        let place = folder.map(|folder| pause::Place::of(&folder.root, folder.project.as_ref()));
        pauses.in_force(place.as_ref(), Some(&self.identity.session), at).is_some()
    }

    fn is_forgotten(&mut self) -> bool {
        let session = &self.identity.session;
        if let Some(known) = self.forgotten.get(session) {
            return *known;
        }
        let forgotten = self.engine.store.is_session_forgotten(self.host, session).unwrap_or(false);
        self.forgotten.insert(session.clone(), forgotten);
        forgotten
    }

    /// Whether a forgotten memory came from this turn.
    fn is_turn_forgotten(&mut self, arrival: &Arrival) -> bool {
        let store = &self.engine.store;
        let marks = self.forgotten_turns.get_or_insert_with(|| store.forgotten_marks().unwrap_or_default());
        let event = &arrival.event;
        !marks.is_empty()
            && turn_mark(&self.engine.redactor(), event.target.as_deref().unwrap_or_default(), &event.body)
                .is_some_and(|mark| marks.contains(&mark))
    }

    /// Stores the waiting events and moves the cursor with them.
    pub(super) fn flush(&mut self, cursor: &Cursor, report: &mut Report) -> Result<(), EngineError> {
        let waiting = std::mem::take(&mut self.waiting);
        let now = self.engine.now();
        let (file, titled, origins) = (&self.file, &mut self.titled, &mut self.origins);
        let explored = capture::explored(&self.engine.config);
        let mut counts = Counts { explored, ..Counts::default() };
        self.engine.store.write(now, |writer| {
            for entry in waiting {
                counts.file(writer, entry, titled, origins, now)?;
            }
            std::mem::take(&mut counts.trails).put(writer)?;
            for num in &counts.updated {
                writer.unsettle(*num)?;
            }
            writer.put_cursor(file, cursor)?;
            Ok::<_, EngineError>(())
        })?;
        counts.into_report(report);
        Ok(())
    }
}

#[derive(Default)]
struct Counts {
    /// How long something counts as looked at.
    explored: i64,
    begun: u64,
    new: u64,
    known: u64,
    copied: u64,
    updated: BTreeSet<i64>,
    trails: Trails,
}

impl Counts {
    fn file(
        &mut self,
        writer: &mut Writer<'_>,
        entry: Waiting,
        titled: &mut HashSet<i64>,
        origins: &mut HashMap<String, i64>,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let Waiting { mut arrival, place, project, branch, commit } = entry;
        if arrival.parent.is_none()
            && let Some(origin) = origins.get(arrival.host_session.as_str())
        {
            arrival.parent = writer.session(*origin)?.map(|stored| stored.session.host_session);
        }
        let filed = writer.file_event(&arrival, || {
            let id = session_id(&arrival);
            Ok::<_, EngineError>(Beginning { id, project, branch, head: commit })
        })?;
        if filed.duplicate {
            if filed.copied {
                self.copied += 1;
                origins.entry(arrival.host_session.into_string()).or_insert(filed.num);
            } else {
                self.known += 1;
            }
            return Ok(());
        }
        self.new += 1;
        self.begun += u64::from(filed.is_new);
        self.updated.insert(filed.num);
        capture::discount_repeat(writer, filed.num, &arrival, self.explored)?;
        if capture::loses_context(&arrival) {
            writer.forget_told(filed.num, arrival.event.at, capture::keeps_warnings(&arrival))?;
        }
        failures::observe::observe(writer, &mut self.trails, filed.num, &arrival, &place, now)?;
        let asked = matches!(arrival.event.kind, EventKind::Prompt | EventKind::Task);
        if asked
            && !titled.contains(&filed.num)
            && capture::name_after_prompt(writer, filed.num, &arrival.event.body)?
        {
            titled.insert(filed.num);
        }
        Ok(())
    }

    fn into_report(self, report: &mut Report) {
        report.sessions.new += self.begun;
        report.events.new += self.new;
        report.events.known += self.known;
        report.events.copied += self.copied;
        report.seen.extend(self.updated);
        report.sessions.updated = report.seen.len() as u64;
    }
}

/// A session has the same id on every machine, also after the index was lost.
fn session_id(arrival: &Arrival) -> SessionId {
    let mut hash = blake3::Hasher::new();
    for part in [&arrival.host, &arrival.host_session] {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    }
    let mut random = [0; 10];
    random.copy_from_slice(&hash.finalize().as_bytes()[..10]);
    SessionId::new(arrival.event.at, random)
}
