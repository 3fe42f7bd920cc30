//! Context for a new session: where the last one left off, what always applies, what is open. Most important
//! first, within a budget, and empty if there is nothing to say.

use std::path::Path;

use hark_core::budget::{estimate_tokens, truncate_to_tokens};
use hark_core::event::EventKind;
use hark_core::failure::{Place as FailurePlace, Step, Verdict, judge};
use hark_core::quote::quoted;
use hark_core::session::SessionStatus;
use hark_core::time::DAY_MS;
use hark_core::{Kind, Memory, Origin, ProjectKey, Session, Timestamp};
use hark_hosts::hook::tools::{ToolClass, class_of};
use hark_store::{ProjectNum, SessionFilter, StoredSession, Told};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::hooks::capture::GIT_PATIENCE;
use crate::hooks::health;
use crate::hooks::inject::{Words, frame};
use crate::ops::recall::{Freshness, freshness};
use crate::ops::scope::{ReadScope, Visible};
use crate::project::{self, changes};

/// The ledger's name for injected start context.
pub(crate) const MARK: &str = "boot";
/// Older work is history, not where you left off.
const LEFT_OFF_MS: i64 = 30 * DAY_MS;
/// A task due this soon counts as a reminder.
const DUE_MS: i64 = 2 * DAY_MS;
const MOST_FILES: usize = 10;

/// The text for the start of session `session`, and its surface.
pub(crate) fn at_start(
    engine: &mut Engine,
    session: i64,
    folder: Option<&Path>,
    goes_on: bool,
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
    let place = Place::of(engine, folder, Some(session), goes_on)?;
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
    let found = project::predecessor::find(engine, folder).ok()??;
    engine.store.tell_of_predecessor(&key);
    Some(format!(
        "hark: {}. Tell the user: if they are one project, run `{}` in their own terminal.",
        found.sentence(),
        found.command()
    ))
}

/// The place and the session that the context is for.
pub(crate) struct Place {
    visible: Visible,
    project: Option<ProjectKey>,
    folder: Option<std::path::PathBuf>,
    /// The session that asks.
    own: Option<i64>,
    /// Whether it continues its own work, for example after a compaction.
    goes_on: bool,
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
        Ok(Place { visible, project, folder: folder.map(Path::to_owned), own, goes_on })
    }

    /// The numbers of this project only, without the global one.
    fn here(&self, engine: &Engine) -> Result<Vec<ProjectNum>, EngineError> {
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
    let mut page = Page::new(budget);
    memories(engine, place, &mut page, "The user's standing directives", &[Kind::Directive], 8, now)?;
    let left_off = last_session(engine, place, None, now)?;
    if let Some(stored) = &left_off {
        page.items.push(stored.session.id.short());
        left_off_lines(&stored.session, now, &mut page);
        if let Some(folder) = &place.folder {
            uncommitted(folder, &mut page);
        }
    }
    if let Some(session) = place.own.filter(|_| place.goes_on) {
        commands_that_worked(engine, session, &mut page)?;
    }
    memories(engine, place, &mut page, "Open blockers and tasks", &[Kind::Blocker, Kind::Task], 8, now)?;
    memories(engine, place, &mut page, "Constraints and rules", &[Kind::Constraint, Kind::Rule], 8, now)?;
    live(engine, place, None, now, &mut page)?;
    Ok(page.done("context for a new session"))
}

/// What always applies here and what is open, without a frame.
pub(crate) fn standing(
    engine: &mut Engine,
    place: &Place,
    except: Option<i64>,
    budget: usize,
) -> Result<Option<String>, EngineError> {
    let now = engine.now();
    let mut page = Page::new(budget);
    memories(engine, place, &mut page, "The user's standing directives", &[Kind::Directive], 20, now)?;
    memories(engine, place, &mut page, "Open blockers and tasks", &[Kind::Blocker, Kind::Task], 20, now)?;
    memories(engine, place, &mut page, "Constraints and rules", &[Kind::Constraint, Kind::Rule], 20, now)?;
    if let Some(folder) = &place.folder {
        uncommitted(folder, &mut page);
    }
    live(engine, place, except, now, &mut page)?;
    Ok((!page.lines.is_empty()).then(|| page.lines.join("\n")))
}

/// The newest session of this project that has something to report.
pub(crate) fn last_session(
    engine: &Engine,
    place: &Place,
    not_of: Option<&str>,
    now: Timestamp,
) -> Result<Option<StoredSession>, EngineError> {
    let filter = SessionFilter {
        projects: Some(place.here(engine)?),
        since: Some(now.minus_millis(LEFT_OFF_MS)),
        with_file: true,
        except: if place.goes_on { None } else { place.own },
        ..SessionFilter::default()
    };
    let found = engine.store.sessions(&filter, 20)?;
    let own = found.iter().find(|s| place.goes_on && Some(s.num) == place.own);
    let others = || {
        let told = |s: &&StoredSession| not_of.is_none_or(|host| *s.session.host != *host);
        found.iter().filter(|s| s.session.has_substance()).filter(told)
    };
    // Sessions that are active right now are listed below as live sessions.
    let rank = |s: &&StoredSession| (!is_live(s, now) || s.session.goal.is_some(), s.session.updated);
    let newest = others().max_by_key(rank);
    // A question in between does not hide the work before it.
    let work = newest.filter(|s| !s.session.has_work()).and_then(|talk| {
        let since = talk.session.updated.minus_millis(DAY_MS);
        others().filter(|s| s.session.has_work() && s.session.updated >= since).max_by_key(rank)
    });
    Ok(own.or(work).or(newest).cloned())
}

fn is_live(stored: &StoredSession, now: Timestamp) -> bool {
    stored.session.is_live(now)
}

fn left_off_lines(session: &Session, now: Timestamp, page: &mut Page) {
    let branch = session.branch.as_ref().map(|b| format!(", branch {b}")).unwrap_or_default();
    let head = format!(
        "Where you left off ({}, {}, {}{branch}):",
        session.id.short(),
        session.host,
        session.updated.ago(now)
    );
    let about = session.about().map_or_else(|| "no goal recorded".to_owned(), |goal| short(goal, 60));
    if !page.add(&format!("{head} {about}")) {
        return;
    }
    for pending in session.pending.iter().take(8) {
        page.add(&format!("- pending: {}", short(pending, 50)));
    }
    for decision in session.decisions.iter().rev().take(3) {
        page.add(&format!("- decided: {}", short(decision, 50)));
    }
    for done in session.done.iter().rev().take(3) {
        page.add(&format!("- done: {}", short(done, 40)));
    }
    if let Some(last) = session.checkpoints.last() {
        page.add(&format!("- last checkpoint: {} by {}, {}", last.at.ago(now), last.by.name(), last.note));
    }
    if session.pending.is_empty()
        && session.done.is_empty()
        && let Some(summary) = &session.summary
    {
        page.add(&format!("- summary: {}", short(&summary.text, 120)));
    }
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

fn memories(
    engine: &Engine,
    place: &Place,
    page: &mut Page,
    heading: &str,
    kinds: &[Kind],
    most: usize,
    now: Timestamp,
) -> Result<(), EngineError> {
    let mut found = Vec::new();
    for kind in kinds {
        found.extend(engine.store.standing(*kind, place.visible.projects.as_deref(), 50)?);
    }
    found.retain(|s| s.memory.expires.is_none_or(|at| at > now) && !s.memory.life.is_wrong());
    // Directives and rules count only if a user said them; a file edited by hand may claim otherwise.
    found.retain(|s| s.memory.origin.may_become(s.memory.kind));
    // What a web page, a tool or a repository demands is not a constraint here.
    found.retain(|s| s.memory.kind != Kind::Constraint || s.memory.origin.is_spoken());
    // Hark does not volunteer memories about files that no longer exist.
    let root = place.folder.as_deref().map(project::work_tree);
    found.retain(|s| {
        let here = root.as_deref().filter(|_| s.memory.scope.project() == place.project.as_ref());
        freshness(&s.memory, here) != Freshness::Stale
    });
    found
        .sort_by_key(|s| (!is_due(&s.memory, now), !s.memory.pinned, std::cmp::Reverse(s.memory.importance)));
    let mut told = false;
    for stored in found.iter().take(most) {
        let memory = &stored.memory;
        let id = memory.id.short();
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
    let filter = SessionFilter {
        projects: Some(place.here(engine)?),
        status: Some(SessionStatus::Open),
        since: Some(now.minus_millis(hark_core::session::LIVE_MS)),
        except: place.own,
        ..SessionFilter::default()
    };
    let mut found = engine.store.sessions(&filter, 6)?;
    found.retain(|stored| Some(stored.num) != except);
    for (at, stored) in found.iter().enumerate() {
        if at == 0 && !page.add("Other active sessions in this project:") {
            break;
        }
        let session = &stored.session;
        let about = session.about().map(|text| format!(": {}", short(text, 30))).unwrap_or_default();
        page.add(&format!(
            "- {} ({}, {}){about}",
            session.id.short(),
            session.host,
            session.updated.ago(now)
        ));
    }
    Ok(())
}

fn short(text: &str, tokens: usize) -> String {
    truncate_to_tokens(&quoted(&text.split_whitespace().collect::<Vec<_>>().join(" ")), tokens)
}

/// Lines within a budget.
struct Page {
    lines: Vec<String>,
    items: Vec<String>,
    room: usize,
}

impl Page {
    fn new(budget: usize) -> Self {
        Page {
            lines: Vec::new(),
            items: Vec::new(),
            room: budget.saturating_sub(estimate_tokens(&frame(""))),
        }
    }

    /// Adds a line if it fits, in its quoted form.
    fn add(&mut self, line: &str) -> bool {
        let line = quoted(line);
        let cost = estimate_tokens(&line) + 1;
        if cost > self.room {
            return false;
        }
        self.room -= cost;
        self.lines.push(line.into_owned());
        true
    }

    fn done(mut self, why: &'static str) -> Option<Words> {
        // A heading without lines below it is useless.
        while self.lines.last().is_some_and(|line| line.ends_with(':')) {
            self.lines.pop();
        }
        if self.lines.is_empty() {
            return None;
        }
        Some(Words { text: frame(&self.lines.join("\n")), items: self.items, why })
    }
}
