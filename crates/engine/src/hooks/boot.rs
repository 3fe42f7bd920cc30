//! Context for a new session: where the last one left off, what always applies, what is open. Most important
//! first, within a budget, and empty if there is nothing to say.

use std::path::Path;

use hark_core::event::EventKind;
use hark_core::failure::{Place as FailurePlace, Step, Verdict, judge};
use hark_core::memory::one_line;
use hark_core::quote::quoted;
use hark_core::time::DAY_MS;
use hark_core::{Kind, Memory, Origin, ProjectKey, Session, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{ProjectNum, Stored, Told};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::capture::GIT_PATIENCE;
use crate::hooks::due;
use crate::hooks::health;
use crate::hooks::heard;
use crate::hooks::inject::Words;
use crate::hooks::left_off;
use crate::hooks::page::{Page, short};
use crate::live;
use crate::ops::recall::{Freshness, freshness};
use crate::ops::scope::{ReadScope, Visible};
use crate::project::{self, changes};

/// The ledger's name for injected start context.
pub(crate) const MARK: &str = "boot";
/// A task due this soon counts as a reminder.
const DUE_MS: i64 = 2 * DAY_MS;
const MOST_FILES: usize = 10;
const MOST_LIVE: usize = 6;
const MOST_HOT: usize = 4;
/// Use this recent makes a memory hot.
const HOT_MS: i64 = 14 * DAY_MS;

/// What a conversation contains when it gets its start context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Nothing: it is new.
    New,
    /// A summary at most, but it goes on with its own work.
    GoesOn,
    /// Everything from before, including what it was told then.
    Resumed,
}

/// The text for the start of session `session`, and its surface. `waits`: with its first prompt it can be told more.
pub(crate) fn at_start(
    engine: &mut Engine,
    session: i64,
    folder: Option<&Path>,
    beginning: Beginning,
    waits: bool,
) -> Result<Option<(Words, &'static str)>, EngineError> {
    let mut notice = health::notice(engine)?;
    if folder.is_some_and(|folder| engine.tell_of_untrusted(folder, Told::Session).is_some()) {
        let words = "hark: this project contains a Hark store (.hark) that the user has not trusted. Hark quotes from it \
                     only when asked. Tell the user: to use it as this project's memory, run `hark trust` in \
                     their own terminal.";
        notice = Some(notice.map_or_else(|| words.to_owned(), |notice| format!("{notice}\n{words}")));
    }
    if let Some(words) = folder.and_then(|folder| predecessor(engine, folder)) {
        notice = Some(notice.map_or_else(|| words.clone(), |notice| format!("{notice}\n{words}")));
    }
    let mut place = Place::of(engine, folder, Some(session), beginning != Beginning::New)?;
    place.only_news = beginning == Beginning::Resumed && engine.store.was_told(session, MARK)?;
    place.waits = waits && beginning == Beginning::New;
    let budget = engine.config.inject.boot;
    let mut found = compose(engine, &place, budget)?;
    let surface = if notice.is_some() { "notice" } else { MARK };
    if let Some(notice) = notice {
        found = Some(match found {
            Some(words) => Words { text: format!("{}\n{}", quoted(&notice), words.text), ..words },
            None => {
                Words { text: quoted(&notice).into_owned(), items: Vec::new(), why: "notice for the user" }
            }
        });
    }
    Ok(found.map(|mut words| {
        words.items.push(MARK.to_owned());
        (words, surface)
    }))
}

/// A word about a project that this one probably continues; once for each project, since the guess may be wrong.
fn predecessor(engine: &mut Engine, folder: &Path) -> Option<String> {
    let key = engine.project_of(folder)?;
    if engine.store.was_told_of_predecessor(&key) {
        return None;
    }
    let found = project::predecessor::find(engine, folder).ok()?.filter(|found| found.is_likely())?;
    engine.store.tell_of_predecessor(&key);
    // Without names: a repository chooses its own, and this line is not a quote.
    Some(format!(
        "hark: this project has no memories, but another one, {}, has some. Tell the user: `hark project list`, run here in \
         their own terminal, shows the command that makes them one.",
        found.reason()
    ))
}

/// The place and the session that the context is for.
pub(crate) struct Place {
    pub(crate) visible: Visible,
    project: Option<ProjectKey>,
    folder: Option<std::path::PathBuf>,
    /// The session that asks.
    pub(crate) own: Option<i64>,
    /// The branch that is checked out.
    pub(crate) branch: Option<String>,
    /// Whether it continues its own work, for example after a compaction.
    pub(crate) goes_on: bool,
    /// Whether it still knows what it was told before.
    pub(crate) only_news: bool,
    /// Whether what may be beside the point can wait for its first prompt.
    pub(crate) waits: bool,
}

impl Place {
    pub(crate) fn of(
        engine: &mut Engine,
        folder: Option<&Path>,
        own: Option<i64>,
        goes_on: bool,
    ) -> Result<Self, EngineError> {
        let caller = Caller { cwd: folder.map(Path::to_owned), ..Caller::default() };
        let visible = ReadScope::default().resolve(engine, &caller)?;
        let project = visible.current.clone();
        let branch = folder.and_then(|folder| project::head(folder).0);
        let branch = branch.map(|text| one_line(&engine.clean(&text)).into_string());
        let folder = folder.map(Path::to_owned);
        Ok(Place { visible, project, folder, own, branch, goes_on, only_news: false, waits: false })
    }

    /// Whether the session that asks does not know this yet.
    pub(crate) fn is_news(&self, engine: &Engine, item: &str) -> Result<bool, EngineError> {
        match self.own.filter(|_| self.only_news) {
            Some(own) => Ok(!engine.store.was_told(own, item)?),
            None => Ok(true),
        }
    }

    /// Whether a session worked in the work tree at hand.
    pub(crate) fn is_tree_of(&self, session: &Session) -> bool {
        let (Some(theirs), Some(folder)) = (&session.folder, &self.folder) else { return false };
        let theirs = Path::new(theirs.as_str());
        theirs == folder || project::work_tree(theirs) == project::work_tree(folder)
    }

    /// The numbers of this project only, without the global one.
    pub(crate) fn here(&self, engine: &Engine) -> Result<Vec<ProjectNum>, EngineError> {
        match &self.project {
            Some(key) => Ok(engine.store.project_num(key)?.into_iter().collect()),
            // Without a project: sessions that belong to none.
            None => Ok(vec![ProjectNum::GLOBAL]),
        }
    }
}

/// Everything that fits, most important first.
pub(crate) fn compose(
    engine: &mut Engine,
    place: &Place,
    budget: usize,
) -> Result<Option<Words>, EngineError> {
    if budget == 0 {
        return Ok(None);
    }
    let now = engine.now();
    let parts = engine.config.boot.clone();
    let mut page = Page::new(budget);
    if parts.identity && !place.only_news {
        identity(place, &mut page);
    }
    if parts.directives {
        memories(engine, place, &mut page, &DIRECTIVES, now)?;
    }
    if parts.reminders {
        due::at_start(engine, place, &mut page, now)?;
    }
    let mut left_off = None;
    if parts.left_off {
        left_off = left_off::last_session(engine, place, None, now)?;
    }
    let mut shown = left_off.as_ref();
    if let Some(stored) = shown.filter(|_| place.waits)
        && !left_off::is_pressing(engine, stored)?
    {
        shown = None;
    }
    if let Some(stored) = shown {
        left_off::add_lines(engine, place, stored, now, &mut page)?;
        if let Some(folder) = place.folder.as_ref().filter(|_| parts.uncommitted && !place.only_news) {
            uncommitted(folder, &mut page);
        }
    }
    if let Some(session) = place.own.filter(|_| place.goes_on && !place.only_news) {
        commands_that_worked(engine, session, &mut page)?;
    }
    if parts.blockers {
        memories(engine, place, &mut page, &BLOCKERS, now)?;
    }
    if parts.constraints {
        memories(engine, place, &mut page, &CONSTRAINTS, now)?;
    }
    if parts.decisions {
        memories(engine, place, &mut page, &DECISIONS, now)?;
    }
    if parts.hot {
        hot(engine, place, &mut page, now)?;
    }
    if parts.sessions {
        live(engine, place, left_off.map(|stored| stored.num), now, &mut page)?;
    }
    if !place.only_news {
        heard::add_waiting(engine, place, &mut page)?;
    }
    Ok(page.done("context for a new session"))
}

/// A list of memories of some kinds.
struct Part {
    heading: &'static str,
    kinds: &'static [Kind],
    most: usize,
    /// Only memories this recent, newest first; otherwise the most important first.
    since: Option<i64>,
}

const DIRECTIVES: Part =
    Part { heading: "The user's standing directives", kinds: &[Kind::Directive], most: 8, since: None };
const BLOCKERS: Part =
    Part { heading: "Open blockers and tasks", kinds: &[Kind::Blocker, Kind::Task], most: 8, since: None };
const CONSTRAINTS: Part =
    Part { heading: "Constraints and rules", kinds: &[Kind::Constraint, Kind::Rule], most: 8, since: None };
const DECISIONS: Part =
    Part { heading: "Recent decisions", kinds: &[Kind::Decision], most: 4, since: Some(14 * DAY_MS) };
/// For `hark resume`, which has more room.
const MOST_STANDING: usize = 20;

/// What always applies here and what is open, without a frame.
pub(crate) fn standing(
    engine: &mut Engine,
    place: &Place,
    except: Option<i64>,
    budget: usize,
) -> Result<Option<String>, EngineError> {
    let now = engine.now();
    let mut page = Page::new(budget);
    for part in [DIRECTIVES, BLOCKERS, CONSTRAINTS] {
        memories(engine, place, &mut page, &Part { most: MOST_STANDING, ..part }, now)?;
    }
    if let Some(folder) = &place.folder {
        uncommitted(folder, &mut page);
    }
    live(engine, place, except, now, &mut page)?;
    Ok((!page.lines.is_empty()).then(|| page.lines.join("\n")))
}

/// Runs that passed in this session, newest first: a summary of the conversation loses them.
fn commands_that_worked(engine: &Engine, session: i64, page: &mut Page) -> Result<(), EngineError> {
    let mut found: Vec<String> = Vec::new();
    let events = engine.store.events(session, &[EventKind::Tool], 300)?;
    for event in events.iter().rev().filter(|e| class_of(&e.tool) == ToolClass::Shell) {
        let judged = judge(&event.target, event.ok, &event.body, &FailurePlace::default());
        let passed = judged.filter(|j| j.verdict == Verdict::Passed && j.ran.step != Step::Other);
        if let Some(judged) = passed.filter(|j| !found.contains(&j.ran.key)) {
            found.push(judged.ran.key);
        }
        if found.len() == 6 {
            break;
        }
    }
    if !found.is_empty() {
        let list: Vec<String> = found.iter().map(|key| format!("`{}`", short(key, 24))).collect();
        page.add(&format!("Commands that worked in this session: {}", list.join(", ")));
    }
    Ok(())
}

fn uncommitted(folder: &Path, page: &mut Page) {
    let root = project::work_tree(folder);
    let (branch, head) = project::head(folder);
    if head.is_none() {
        return;
    }
    let changed = changes::uncommitted(&root, GIT_PATIENCE).unwrap_or_default();
    if changed.is_empty() {
        return;
    }
    let names: Vec<String> =
        changed.iter().take(MOST_FILES).map(|c| format!("{} ({})", c.path, c.op.name())).collect();
    let more = changed.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let branch = branch.map(|b| format!(" on {b}")).unwrap_or_default();
    page.add(&format!("Uncommitted{branch}: {}{more}", names.join(", ")));
}

/// Which project and branch this is.
fn identity(place: &Place, page: &mut Page) {
    if let Some(project) = &place.project {
        let branch = place.branch.as_ref().map(|branch| format!(", branch {branch}")).unwrap_or_default();
        page.add(&format!("Project: {project}{branch}"));
    }
}

fn memories(
    engine: &Engine,
    place: &Place,
    page: &mut Page,
    part: &Part,
    now: Timestamp,
) -> Result<(), EngineError> {
    let mut found = Vec::new();
    for kind in part.kinds {
        found.extend(engine.store.standing(*kind, place.visible.projects.as_deref(), 50)?);
    }
    if let Some(span) = part.since {
        found.retain(|s| s.memory.updated >= now.minus_millis(span));
        found.sort_by_key(|s| std::cmp::Reverse(s.memory.updated));
    } else {
        found.sort_by_key(|s| {
            (!is_due(&s.memory, now), !s.memory.pinned, std::cmp::Reverse(s.memory.importance))
        });
    }
    add_memories(engine, place, page, (part.heading, part.most), found, now)
}

/// The memories that were used most lately.
fn hot(engine: &Engine, place: &Place, page: &mut Page, now: Timestamp) -> Result<(), EngineError> {
    let since = now.minus_millis(HOT_MS);
    let mut found = engine.store.most_used(place.visible.projects.as_deref(), since, MOST_HOT * 3)?;
    found.retain(|s| !s.memory.kind.steers() && !page.items.contains(&s.memory.id.short()));
    add_memories(engine, place, page, ("Used most lately", MOST_HOT), found, now)
}

/// Adds those that may be volunteered here and that the session does not know yet.
fn add_memories(
    engine: &Engine,
    place: &Place,
    page: &mut Page,
    (heading, most): (&str, usize),
    mut found: Vec<Stored>,
    now: Timestamp,
) -> Result<(), EngineError> {
    found.retain(|s| s.memory.expires.is_none_or(|at| at > now) && !s.memory.life.is_wrong());
    found.retain(|s| !s.memory.is_for_later(now) && !page.items.contains(&s.memory.id.short()));
    // Directives and rules count only if a user said them; a file edited by hand may claim otherwise.
    found.retain(|s| s.memory.origin.may_become(s.memory.kind));
    // A rule with triggers is told where it applies.
    found.retain(|s| {
        !s.memory.guidance.paused && (s.memory.kind != Kind::Rule || s.memory.guidance.when.is_empty())
    });
    // What a web page, a tool or a repository demands is not a constraint here.
    found.retain(|s| s.memory.kind != Kind::Constraint || s.memory.origin.is_spoken());
    // What a session yielded by itself is told where it applies. Here, every session would pay for it.
    found.retain(|s| s.memory.turn.is_none() || s.memory.pinned || !s.memory.life.is_new());
    // Hark does not volunteer memories about files that no longer exist.
    let root = place.folder.as_deref().map(project::work_tree);
    found.retain(|s| {
        let here = root.as_deref().filter(|_| s.memory.scope.project() == place.project.as_ref());
        freshness(&s.memory, here) != Freshness::Stale
    });
    let mut told = false;
    for stored in found.iter().take(most) {
        let memory = &stored.memory;
        let id = memory.id.short();
        if !place.is_news(engine, &id)? {
            continue;
        }
        let body = memory.body.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = if body.starts_with(memory.title.trim_end_matches('…')) {
            short(&body, 60)
        } else {
            format!("{}: {}", memory.title, short(&body, 45))
        };
        let from = match memory.origin {
            Origin::User => String::new(),
            other => format!(" (from {other})"),
        };
        let due = memory.expires.filter(|_| is_due(memory, now));
        let due = due.map(|at| match now.age(at).as_str() {
            "now" => " (due now)".to_owned(),
            age => format!(" (due in {age})"),
        });
        let due = due.unwrap_or_default();
        if !told && !page.add(&format!("{heading}:")) {
            return Ok(());
        }
        told = true;
        if page.add(&format!("- [{id}] {text}{due}{from}")) {
            page.items.push(id);
        }
    }
    Ok(())
}

/// A task may have a due date; when it is near, the task is marked and listed first.
fn is_due(memory: &Memory, now: Timestamp) -> bool {
    memory.kind == Kind::Task && memory.expires.is_some_and(|at| at.minus_millis(DUE_MS) <= now)
}

fn live(
    engine: &Engine,
    place: &Place,
    except: Option<i64>,
    now: Timestamp,
    page: &mut Page,
) -> Result<(), EngineError> {
    let here = place.here(engine)?;
    let mut found = live::others_at_work(engine, here, place.own, now)?;
    found.retain(|stored| Some(stored.num) != except);
    let mut told = false;
    for stored in found.iter().take(MOST_LIVE) {
        let id = stored.session.id.short();
        if !place.is_news(engine, &id)? {
            continue;
        }
        if !told && !page.add("Other active sessions in this project:") {
            break;
        }
        told = true;
        let session = &stored.session;
        let about = session.about().map(|text| format!(": {}", short(text, 30))).unwrap_or_default();
        if page.add(&format!("- {id} ({}, {}){about}", session.host, session.updated.ago(now))) {
            page.items.push(id);
        }
    }
    Ok(())
}
