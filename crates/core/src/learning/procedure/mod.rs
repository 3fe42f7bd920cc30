//! Procedures: the same commands in the same order, with success, again and again.
//!
//! Reads only commands that ran and whether they succeeded, never what they printed. Precision comes first: a sequence
//! must say something about the project, such as a release, a deployment or a migration. What any work consists of,
//! such as tests, commits and pushes, is a procedure only together with that.

mod general;
mod step;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

pub use general::general;
pub use step::{Weight, shape, steps_of, weight};
pub use value::{is_generated, is_message};

/// A procedure has at least two steps, and a longer one is a whole session.
pub const STEPS: std::ops::RangeInclusive<usize> = 2..=12;
/// How often it must have worked, and in how many sessions.
pub const RUNS: usize = 3;
pub const SESSIONS: usize = 2;
/// Steps that are further apart belong to different work.
const APART_MS: i64 = 30 * 60 * 1000;
/// After a failed step, so many other commands may lead to its success.
const MEND: usize = 6;
/// Of one session.
const MOST_ACTS: usize = 600;

/// Something that an assistant did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    pub at: Timestamp,
    pub what: Did,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Did {
    /// A command, and whether it succeeded, if that is known.
    Ran(Vec<String>, Option<bool>),
    /// A file was changed.
    Edited(String),
}

/// What was done in one session, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    pub session: String,
    pub acts: Vec<Act>,
}

/// One time that a procedure was carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub session: String,
    pub at: Timestamp,
    pub worked: bool,
    /// The words of each step that succeeded.
    pub steps: Vec<Vec<String>>,
    pub mishaps: Vec<Mishap>,
}

/// A step failed at first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mishap {
    /// Which step.
    pub step: usize,
    /// What was done before it succeeded; empty if it never did, or if it was only repeated.
    pub mended_by: Vec<String>,
    pub mended: bool,
}

/// A procedure and the runs that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    pub shapes: Vec<String>,
    /// As command lines, with `{name}` where the runs differ.
    pub steps: Vec<String>,
    pub runs: Vec<Run>,
}

/// Commands of a line as acts, with the outcome of the line: only its last command is known to have failed.
pub fn acts_of(line: &str, ok: Option<bool>, at: Timestamp) -> Vec<Act> {
    let steps = steps_of(line);
    let last = steps.len().saturating_sub(1);
    let outcome = |place: usize| if ok == Some(false) && place < last { None } else { ok };
    let act = |(place, words)| Act { at, what: Did::Ran(words, outcome(place)) };
    steps.into_iter().enumerate().map(act).collect()
}

/// Every procedure in these sessions, the most used first.
pub fn procedures(traces: &[Trace]) -> Vec<Procedure> {
    let traces = merged(traces);
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let chains: Vec<(usize, Vec<Link>)> = traces
        .iter()
        .enumerate()
        .flat_map(|(number, trace)| chains(trace).into_iter().map(move |chain| (number, chain)))
        .map(|(number, chain)| {
            let links = chain.into_iter().map(|(shape, weight)| {
                let next = names.len() as u32;
                Link { name: *names.entry(shape).or_insert(next), weight }
            });
            (number, links.collect())
        })
        .collect();
    let by_name: BTreeMap<u32, &String> = names.iter().map(|(shape, name)| (*name, shape)).collect();
    let mut candidates: Vec<(Vec<String>, usize)> = repeated(&chains)
        .into_iter()
        .map(|(names, count)| {
            (names.iter().filter_map(|n| by_name.get(n)).map(|s| (*s).clone()).collect(), count)
        })
        .collect();
    candidates.sort_by(|a, b| (b.0.len(), b.1).cmp(&(a.0.len(), a.1)).then_with(|| a.0.cmp(&b.0)));
    let mut found: Vec<Procedure> = Vec::new();
    for (shapes, _) in candidates {
        let Some(procedure) = shown(shapes, &traces) else { continue };
        let rival = found.iter().position(|other| overlap(&other.shapes, &procedure.shapes));
        match rival {
            None => found.push(procedure),
            // The shorter one is what is really repeated.
            Some(at) if procedure.worked() >= 2 * found[at].worked() => found[at] = procedure,
            Some(_) => {}
        }
    }
    found.sort_by(|a, b| b.worked().cmp(&a.worked()).then_with(|| a.shapes.cmp(&b.shapes)));
    found
}

impl Procedure {
    pub fn worked(&self) -> usize {
        self.runs.iter().filter(|run| run.worked).count()
    }

    /// What went wrong in its runs and what helped, most frequent first.
    pub fn pitfalls(&self) -> Vec<String> {
        pitfalls(&self.steps, &self.runs)
    }
}

/// A procedure with its runs, if they are enough and agree.
fn shown(shapes: Vec<String>, traces: &[Trace]) -> Option<Procedure> {
    let mut runs: Vec<Run> = traces.iter().flat_map(|trace| runs_of(&shapes, trace)).collect();
    runs.sort_by(|a, b| (a.at, &a.session).cmp(&(b.at, &b.session)));
    let worked: Vec<&Run> = runs.iter().filter(|run| run.worked).collect();
    let sessions: BTreeSet<&str> = worked.iter().map(|run| run.session.as_str()).collect();
    if worked.len() < RUNS || sessions.len() < SESSIONS {
        return None;
    }
    let words: Vec<&[Vec<String>]> = worked.iter().map(|run| run.steps.as_slice()).collect();
    let steps = general(&words)?;
    Some(Procedure { shapes, steps, runs })
}

/// One trace per session, without repeats: a transcript can be read twice.
fn merged(traces: &[Trace]) -> Vec<Trace> {
    let mut by_session: BTreeMap<&str, Vec<Act>> = BTreeMap::new();
    for trace in traces {
        let acts = by_session.entry(&trace.session).or_default();
        for act in &trace.acts {
            if !acts.contains(act) {
                acts.push(act.clone());
            }
        }
    }
    by_session
        .into_iter()
        .map(|(session, mut acts)| {
            acts.sort_by_key(|act| act.at);
            acts.truncate(MOST_ACTS);
            Trace { session: session.to_owned(), acts }
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link {
    name: u32,
    weight: Weight,
}

/// Unbroken stretches of successful commands. What was done between a failure and its end is left out.
fn chains(trace: &Trace) -> Vec<Vec<(String, Weight)>> {
    let ran: Vec<(Timestamp, String, Weight, Option<bool>)> = trace
        .acts
        .iter()
        .filter_map(|act| match &act.what {
            Did::Ran(words, ok) => Some((act.at, shape(words), weight(words), *ok)),
            Did::Edited(_) => None,
        })
        .collect();
    let mut chains = Vec::new();
    let mut chain: Vec<(String, Weight)> = Vec::new();
    let mut before: Option<Timestamp> = None;
    let mut at = 0;
    while let Some((when, shape, weight, ok)) = ran.get(at) {
        if before.is_some_and(|before| when.as_millis() - before.as_millis() > APART_MS) {
            chains.push(std::mem::take(&mut chain));
        }
        before = Some(*when);
        match ok {
            Some(true) => {
                if chain.last().is_none_or(|(last, _)| last != shape) {
                    chain.push((shape.clone(), *weight));
                }
                at += 1;
            }
            Some(false) => {
                let later = ran.iter().enumerate().skip(at + 1).take(MEND);
                match later.into_iter().find(|(_, (_, s, _, ok))| s == shape && *ok == Some(true)) {
                    Some((mended, _)) => at = mended,
                    None => {
                        chains.push(std::mem::take(&mut chain));
                        at += 1;
                    }
                }
            }
            None => {
                chains.push(std::mem::take(&mut chain));
                at += 1;
            }
        }
    }
    chains.push(chain);
    chains.retain(|chain| chain.len() >= *STEPS.start());
    chains
}

/// Sequences that occur often enough, and how often.
fn repeated(chains: &[(usize, Vec<Link>)]) -> Vec<(Vec<u32>, usize)> {
    let mut found = Vec::new();
    for length in STEPS {
        let mut places: BTreeMap<Vec<u32>, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for (session, chain) in chains {
            for window in chain.windows(length) {
                let names: Vec<u32> = window.iter().map(|link| link.name).collect();
                let distinct: BTreeSet<u32> = names.iter().copied().collect();
                if distinct.len() < length || !says_something(window) {
                    continue;
                }
                let (count, sessions) = places.entry(names).or_default();
                *count += 1;
                sessions.insert(*session);
            }
        }
        let often =
            places.into_iter().filter(|(_, (count, sessions))| *count >= RUNS && sessions.len() >= SESSIONS);
        let before = found.len();
        found.extend(often.map(|(names, (count, _))| (names, count)));
        // A longer one would contain one of this length, unless that says nothing yet.
        if found.len() == before && length > 4 {
            break;
        }
    }
    found
}

/// A release and whatever belongs to it, or at least two steps of the project's own among three.
fn says_something(window: &[Link]) -> bool {
    let of = |least: Weight| window.iter().filter(|link| link.weight >= least).count();
    of(Weight::Telling) > 0 || (window.len() >= 3 && of(Weight::Own) >= 2)
}

/// Whether two sequences are about the same: half of the shorter one's steps are in the other.
fn overlap(a: &[String], b: &[String]) -> bool {
    let shared = a.iter().filter(|shape| b.contains(shape)).count();
    shared * 2 >= a.len().min(b.len())
}

/// Every time that a session carried out these steps, to the end or until one failed for good.
pub fn runs_of(shapes: &[String], trace: &Trace) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < trace.acts.len() {
        let (run, next) = run_at(shapes, trace, at);
        runs.extend(run);
        at = next.max(at + 1);
    }
    runs
}

/// The run that begins here, and where to go on.
fn run_at(shapes: &[String], trace: &Trace, from: usize) -> (Option<Run>, usize) {
    let mut run = Run {
        session: trace.session.clone(),
        at: trace.acts[from].at,
        worked: false,
        steps: Vec::new(),
        mishaps: Vec::new(),
    };
    // What was done since the current step failed.
    let mut since: Option<Vec<String>> = None;
    let mut last = run.at;
    for (at, act) in trace.acts.iter().enumerate().skip(from) {
        let step = run.steps.len();
        if act.at.as_millis() - last.as_millis() > APART_MS {
            break;
        }
        let (words, ok) = match &act.what {
            Did::Ran(words, ok) => (words, *ok),
            Did::Edited(file) => {
                if let Some(since) = &mut since {
                    since.push(format!("an edit of `{file}`"));
                } else if step == 0 {
                    return (None, at + 1);
                }
                continue;
            }
        };
        let this = shape(words);
        last = act.at;
        if this == shapes[step] {
            match ok {
                Some(true) => {
                    if let Some(mended_by) = since.take() {
                        run.mishaps.push(Mishap { step, mended_by, mended: true });
                    }
                    run.steps.push(words.clone());
                    if run.steps.len() == shapes.len() {
                        run.worked = true;
                        return (Some(run), at + 1);
                    }
                }
                Some(false) if step > 0 => since = Some(since.unwrap_or_default()),
                _ => return (None, at + 1),
            }
        } else if step == 0 {
            return (None, at + 1);
        } else if step > 0 && this == shapes[step - 1] && since.is_none() {
            // Repeated.
            if ok != Some(true) {
                return (None, at);
            }
            run.steps[step - 1].clone_from(words);
        } else if let Some(since) = &mut since {
            if since.len() >= MEND {
                break;
            }
            if ok == Some(true) {
                since.push(format!("`{}`", general::masked(words)));
            }
        } else {
            // Something else: this is not the procedure.
            return (None, from + 1);
        }
    }
    let step = run.steps.len();
    if since.is_some() && step > 0 {
        run.mishaps.push(Mishap { step, mended_by: Vec::new(), mended: false });
        return (Some(run), from + 1);
    }
    (None, from + 1)
}

/// What went wrong in these runs and what helped, most frequent first.
pub fn pitfalls(steps: &[String], runs: &[Run]) -> Vec<String> {
    let mut counts: BTreeMap<(usize, bool, Vec<String>), usize> = BTreeMap::new();
    for mishap in runs.iter().flat_map(|run| &run.mishaps) {
        let mut by = mishap.mended_by.clone();
        by.dedup();
        by.truncate(3);
        *counts.entry((mishap.step, mishap.mended, by)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
        .into_iter()
        .take(5)
        .filter_map(|((step, mended, by), count)| {
            let step = steps.get(step)?;
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            Some(match (mended, by.is_empty()) {
                (true, false) => format!("`{step}` failed {times}; it worked after {}.", by.join(", then ")),
                (true, true) => format!("`{step}` failed {times} and worked when it was run again."),
                (false, _) => format!("`{step}` failed {times}, and the run ended there."),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
