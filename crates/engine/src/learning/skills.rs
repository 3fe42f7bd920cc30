//! Skills: proposes them from procedures that worked, and finds those that exist.

use std::collections::BTreeSet;

use hark_core::guidance::{Guidance, Record, Sort};
use hark_core::learning::procedure::{Procedure, Trace, Weight, procedures, steps_of, weight};
use hark_core::learning::skill::{self, MOST_RUNS};
use hark_core::memory::one_line;
use hark_core::{Clean, Kind, Memory, MemoryId, Origin, ProjectKey, Scope, Status};
use hark_store::{ListFilter, ListOrder, ProjectNum};

use super::procedures::{Doc, evidence};
use crate::engine::Engine;
use crate::error::EngineError;

pub(crate) const TAG: &str = "skill";
/// Sessions of a project that are compared.
const MOST_SESSIONS: usize = 400;
/// More proposals at once would not be read.
const MOST_NEW: usize = 3;
const CONFIDENCE: f32 = 0.6;

/// Skills of a project that are active or proposed, and those that apply everywhere.
pub(super) fn known(engine: &Engine, key: &ProjectKey) -> Result<Vec<Memory>, EngineError> {
    of_any_status(engine, key, vec![Status::Active, Status::Proposed])
}

fn of_any_status(
    engine: &Engine,
    key: &ProjectKey,
    statuses: Vec<Status>,
) -> Result<Vec<Memory>, EngineError> {
    let mut projects = vec![ProjectNum::GLOBAL];
    projects.extend(engine.store.project_num(key)?);
    let filter =
        ListFilter { projects: Some(projects), kinds: vec![Kind::Skill], statuses, ..ListFilter::default() };
    let found = engine.store.list(&filter, ListOrder::OldestFirst, 1_000)?;
    Ok(found.into_iter().map(|stored| stored.memory).collect())
}

/// Proposes procedures of a project that no skill covers, rejected ones included.
pub(super) fn propose(engine: &mut Engine, key: &ProjectKey) -> Result<usize, EngineError> {
    let Some(project) = engine.store.project_num(key)? else { return Ok(0) };
    let mut traces = Vec::new();
    let mut asked: Vec<(String, BTreeSet<String>)> = Vec::new();
    for row in engine.store.evidence(Some(project), Some(Sort::Procedure), MOST_SESSIONS)? {
        let Ok(doc) = serde_json::from_str::<Doc>(&row.doc) else { continue };
        let session = row.evidence.session.map_or_else(|| row.session.to_string(), Clean::into_string);
        asked.push((session.clone(), doc.asked));
        traces.push(Trace { session, acts: doc.acts });
    }
    let mut covered: Vec<Vec<String>> = of_any_status(engine, key, Status::ALL.to_vec())?
        .iter()
        .map(|memory| skill::shapes(&memory.body))
        .collect();
    let mut drafts = Vec::new();
    for procedure in procedures(&traces) {
        let is_covered = covered.iter().any(|shapes| {
            let shared = procedure.shapes.iter().filter(|shape| shapes.contains(shape)).count();
            shared * 2 >= procedure.shapes.len()
        });
        if !is_covered && drafts.len() < MOST_NEW {
            covered.push(procedure.shapes.clone());
            drafts.push(draft(engine, key, &procedure, &asked));
        }
    }
    let now = engine.now();
    let mut proposed = 0;
    for draft in drafts {
        proposed += engine.store.write(now, |writer| {
            let is_known = !writer.is_free(&draft.id)?
                || writer.is_forgotten(&draft.id)?
                || writer.passing_of_text(&draft.body)?.is_some();
            if is_known {
                return Ok(0);
            }
            writer.create(&draft)?;
            Ok::<_, EngineError>(1)
        })?;
    }
    Ok(proposed)
}

fn draft(
    engine: &Engine,
    key: &ProjectKey,
    procedure: &Procedure,
    asked: &[(String, BTreeSet<String>)],
) -> Memory {
    let worked: Vec<_> = procedure.runs.iter().filter(|run| run.worked).collect();
    let at = worked.last().map_or_else(|| engine.now(), |run| run.at);
    let sessions: BTreeSet<&str> = worked.iter().map(|run| run.session.as_str()).collect();
    let steps: Vec<String> = procedure.steps.iter().map(|step| skill::command_step(step)).collect();
    let body = engine.clean(&skill::body(&steps, &procedure.pitfalls()));
    let name = skill::name_of(&procedure.steps);
    let words = asked_each_time(&name, &sessions, asked);
    let telling = procedure.steps.iter().rev().find(|step| weight_of(step) >= Weight::Own);
    let occasion = match (words.is_empty(), telling) {
        (false, _) => format!("When the user asks about \"{}\".", words.join(" ")),
        (true, Some(step)) => format!("When you are about to run `{step}`."),
        (true, None) => String::new(),
    };
    let why = format!(
        "{occasion} In this project, these commands worked in this order {} times in {} sessions.",
        worked.len(),
        sessions.len()
    );
    let mut when = Vec::new();
    if !words.is_empty() {
        when.push(engine.clean(&format!("prompt:{}", words.join(" "))));
    }
    if let Some(first) = procedure.steps.iter().find(|step| weight_of(step) >= Weight::Own) {
        let named: Vec<&str> =
            first.split(' ').take_while(|word| !word.starts_with(['-', '{', '"'])).take(3).collect();
        when.push(engine.clean(&format!("command:{} *", named.join(" "))));
    }
    let failed = procedure.runs.len() - worked.len();
    let record = Record {
        upheld: u32::try_from(worked.len()).unwrap_or(u32::MAX),
        broken: u32::try_from(failed).unwrap_or(u32::MAX),
        last: procedure.runs.last().map(|run| run.at),
        ..Record::default()
    };
    let from = procedure.runs.len().saturating_sub(MOST_RUNS);
    let evidence = procedure.runs[from..].iter().map(|run| evidence(engine, run)).collect();
    Memory {
        status: Status::Proposed,
        scope: Scope::Project(key.clone()),
        title: one_line(&engine.clean(&name)),
        why: Some(engine.clean(why.trim())),
        tags: vec![Clean::trusted_constant(TAG)],
        confidence: CONFIDENCE,
        closed: Some(at),
        guidance: Guidance { when, evidence, record, ..Guidance::default() },
        ..Memory::new(id_of(key, &procedure.shapes), Kind::Skill, Origin::Assistant, body, at)
    }
}

/// Words of the name that the user said in every session in which it worked.
fn asked_each_time(
    name: &str,
    sessions: &BTreeSet<&str>,
    asked: &[(String, BTreeSet<String>)],
) -> Vec<String> {
    let said = |word: &str, session: &str| {
        asked.iter().any(|(own, words)| {
            own == session
                && words
                    .iter()
                    .any(|said| said.starts_with(word) || (said.len() > 4 && word.starts_with(said.as_str())))
        })
    };
    let words = name.split('-').filter(|word| word.len() >= 4);
    words
        .filter(|word| sessions.iter().all(|session| said(word, session)))
        .map(str::to_owned)
        .take(2)
        .collect()
}

fn weight_of(step: &str) -> Weight {
    steps_of(&step.replace(['{', '}'], "_")).first().map_or(Weight::None, |words| weight(words))
}

/// The same steps in the same project are the same skill.
fn id_of(key: &ProjectKey, shapes: &[String]) -> MemoryId {
    let source = format!("skill\n{}\n{}", key.as_str(), shapes.join("\n"));
    let mut own = [0; 10];
    own.copy_from_slice(&blake3::hash(source.as_bytes()).as_bytes()[..10]);
    MemoryId::new(hark_core::Timestamp::from_millis(0), own)
}
