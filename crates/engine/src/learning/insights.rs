//! Proposes insights from evidence that belongs together, and turns accepted ones into rules.
//!
//! An insight waits in the inbox. It is the user's only if all of its evidence is. New evidence of a known insight is added
//! to it; what the user rejected, or what a rule or directive says already, is not proposed again.

use std::collections::BTreeSet;

use hark_core::guidance::{Evidence, Sort};
use hark_core::learning::{Detail, Piece, Proposal, Reach, clusters, is_alike, is_enough, propose};
use hark_core::memory::{Importance, title_from_body};
use hark_core::{
    Action, Clean, Guidance, IdRef, Kind, Link, Memory, MemoryId, Origin, ProjectKey, Relation, Scope,
    Status, Timestamp,
};
use hark_store::{ListFilter, ListOrder, StoredEvidence, Writer};

use crate::config::AcceptPolicy;
use crate::engine::Engine;
use crate::error::EngineError;

/// Pieces that are compared with each other; older ones had their chance.
const MOST_PIECES: usize = 300;
const MOST_ROWS: usize = 4_000;
const MOST_KNOWN: usize = 2_000;
/// Proposals of one run: more would not be read.
const MOST_PER_RUN: usize = 3;
/// What an insight's file quotes.
const MOST_QUOTES: usize = 8;
const MOST_QUOTED: usize = 200;
/// Marks statements that wait in the inbox; see `distil/inbox.rs`.
const HEARD: &str = "heard";

/// What a run proposed or added to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) proposed: Vec<Memory>,
    pub(crate) extended: Vec<MemoryId>,
}

/// A piece, and the row or memory that it is from.
struct Source {
    piece: Piece,
    row: Option<i64>,
    memory: Option<MemoryId>,
    host_session: Option<Clean>,
}

/// Looks at all evidence that led to nothing yet.
pub(crate) fn run(engine: &mut Engine) -> Result<Made, EngineError> {
    let mut made = Made::default();
    if !engine.config.learning.enabled || engine.config.distil.inbox == 0 {
        return Ok(made);
    }
    let now = engine.now();
    let rows = engine.store.evidence(None, None, MOST_ROWS)?;
    let mut sources: Vec<Source> = rows
        .iter()
        .filter(|row| row.insight.is_none() && row.evidence.sort != Sort::Procedure)
        .map(source)
        .collect();
    let surplus = sources.len().saturating_sub(MOST_PIECES);
    sources.drain(..surplus);
    if sources.is_empty() {
        return Ok(made);
    }
    let known = known(engine)?;
    let statements = statements(engine)?;
    let waiting = known.iter().filter(|memory| memory.status == Status::Proposed).count();
    let room = engine.config.distil.inbox.saturating_sub(waiting).min(MOST_PER_RUN);
    let policy = engine.config.learning.accept;
    engine.store.write(now, |writer| {
        let rest = settle(writer, sources, &known, &rows, &mut made, now)?;
        let mut rest: Vec<Source> = rest;
        rest.extend(statements);
        let pieces: Vec<Piece> = rest.iter().map(|source| source.piece.clone()).collect();
        let mut found: Vec<(Vec<&Source>, Proposal)> = Vec::new();
        for group in clusters(&pieces, &|a, b| writer.cosine(a, b)) {
            let group = without_repeats(group.iter().map(|at| &rest[*at]).collect());
            let pieces: Vec<&Piece> = group.iter().map(|source| &source.piece).collect();
            if group.iter().all(|source| source.row.is_none()) || !is_enough(&pieces) {
                continue;
            }
            if let Some(proposal) = propose(&pieces) {
                found.push((group, proposal));
            }
        }
        // The best supported first.
        found.sort_by_key(|(cluster, ..)| std::cmp::Reverse(cluster.len()));
        for (group, proposal) in found.into_iter().take(room) {
            if let Some(memory) = create(writer, &group, &proposal, policy, now)? {
                made.proposed.push(memory);
            }
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(made)
}

fn source(row: &StoredEvidence) -> Source {
    let detail: Detail = serde_json::from_str(&row.doc).unwrap_or_default();
    Source {
        piece: Piece {
            // Said outside a session: each time is its own.
            session: if row.session == 0 { format!("said-{}", row.seq) } else { format!("#{}", row.session) },
            project: row.project.as_ref().map(ToString::to_string),
            at: row.evidence.at,
            sort: row.evidence.sort,
            text: row.evidence.text.to_string(),
            detail,
        },
        row: Some(row.seq),
        memory: None,
        host_session: row.evidence.session.clone(),
    }
}

/// Insights whatever became of them, and rules and directives that hold.
fn known(engine: &Engine) -> Result<Vec<Memory>, EngineError> {
    let of = |kinds: &[Kind], statuses: &[Status]| -> Result<Vec<Memory>, EngineError> {
        let filter =
            ListFilter { kinds: kinds.to_vec(), statuses: statuses.to_vec(), ..ListFilter::default() };
        let found = engine.store.list(&filter, ListOrder::NewestChange, MOST_KNOWN)?;
        Ok(found.into_iter().map(|stored| stored.memory).collect())
    };
    let mut found = of(&[Kind::Insight], Status::ALL)?;
    found.extend(of(&[Kind::Rule], Status::ALL)?);
    found.extend(of(&[Kind::Directive], &[Status::Active])?);
    Ok(found)
}

/// What the user stated as a constraint or convention counts as evidence too: near-duplicates become one insight.
fn statements(engine: &Engine) -> Result<Vec<Source>, EngineError> {
    let filter = ListFilter {
        kinds: vec![Kind::Constraint, Kind::Convention],
        statuses: vec![Status::Active],
        ..ListFilter::default()
    };
    let found = engine.store.list(&filter, ListOrder::NewestChange, MOST_PIECES)?;
    // Not those of a project's store, which others write.
    let own = found
        .into_iter()
        .filter(|stored| stored.memory.origin == Origin::User && !stored.file.starts_with('@'));
    let piece = |memory: &Memory| Piece {
        session: memory.session.as_ref().map_or_else(|| memory.id.full(), ToString::to_string),
        project: memory.scope.project().map(ToString::to_string),
        at: memory.created,
        sort: Sort::Learned,
        text: memory.body.to_string(),
        detail: Detail { own: true, lasting: true, ..Detail::default() },
    };
    let source = |memory: Memory| Source {
        piece: piece(&memory),
        row: None,
        memory: Some(memory.id),
        host_session: memory.session.clone(),
    };
    Ok(own.map(|stored| source(stored.memory)).collect())
}

/// A sentence that was also distilled from the same session counts once.
fn without_repeats(group: Vec<&Source>) -> Vec<&Source> {
    let sessions: BTreeSet<String> = group
        .iter()
        .filter(|one| one.row.is_some())
        .filter_map(|one| one.host_session.as_ref())
        .map(ToString::to_string)
        .collect();
    let is_repeat = |one: &&Source| {
        one.row.is_none()
            && one.host_session.as_ref().is_some_and(|session| sessions.contains(session.as_str()))
    };
    group.into_iter().filter(|one| !is_repeat(one)).collect()
}

/// Takes out what a known memory says already. Returns the rest.
fn settle(
    writer: &mut Writer<'_>,
    sources: Vec<Source>,
    known: &[Memory],
    rows: &[StoredEvidence],
    made: &mut Made,
    now: Timestamp,
) -> Result<Vec<Source>, EngineError> {
    let mut rest = Vec::new();
    for one in sources {
        let of_memory = known.iter().find(|memory| {
            let open = memory.kind == Kind::Insight && memory.status == Status::Proposed;
            let in_scope = match memory.scope.project() {
                Some(key) => open || one.piece.project.as_deref() == Some(key.as_str()),
                None => true,
            };
            in_scope && says(writer, memory, &one.piece)
        });
        let Some(memory) = of_memory else {
            rest.push(one);
            continue;
        };
        if let Some(row) = one.row {
            writer.evidence_led_to(row, &memory.id)?;
        }
        if memory.kind == Kind::Insight && memory.status == Status::Proposed {
            extend(writer, memory, &one, rows, now)?;
            made.extended.push(memory.id);
        }
    }
    Ok(rest)
}

/// Whether a memory says what a piece of evidence says, in its own words or in those that it rests on.
fn says(writer: &Writer<'_>, memory: &Memory, piece: &Piece) -> bool {
    let texts = std::iter::once(&memory.body).chain(memory.guidance.evidence.iter().map(|one| &one.text));
    let wrong = memory.guidance.avoid.first().map(ToString::to_string);
    texts.into_iter().enumerate().any(|(at, text)| {
        let detail = Detail { wrong: wrong.clone().filter(|_| at == 0), ..Detail::default() };
        let said = Piece { text: text.to_string(), detail, ..piece.clone() };
        is_alike(&said, piece, &|a, b| writer.cosine(a, b))
    })
}

/// Adds evidence to an insight that waits. What it proposes follows from all of it, as far as the index still has it.
fn extend(
    writer: &mut Writer<'_>,
    memory: &Memory,
    one: &Source,
    rows: &[StoredEvidence],
    now: Timestamp,
) -> Result<(), EngineError> {
    let before = writer.load(&IdRef::Full(memory.id))?;
    if before.status != Status::Proposed {
        return Ok(());
    }
    let mut after = before.clone();
    let mut all: Vec<Source> = rows.iter().filter(|row| row.insight == Some(memory.id)).map(source).collect();
    let quote = quote(one);
    let known = after.guidance.evidence.iter().any(|old| (old.at, &old.text) == (quote.at, &quote.text));
    if !known {
        after.guidance.evidence.push(quote);
        shorten(&mut after.guidance.evidence);
    }
    if all.len() + 1 >= before.guidance.evidence.len() {
        all.push(Source {
            piece: one.piece.clone(),
            row: one.row,
            memory: None,
            host_session: one.host_session.clone(),
        });
        let pieces: Vec<&Piece> = all.iter().map(|source| &source.piece).collect();
        if let Some(proposal) = propose(&pieces) {
            apply(&mut after, &proposal, &pieces);
        }
    }
    if !one.piece.detail.own && after.origin == Origin::User {
        after.origin = Origin::Assistant;
    }
    if after != before {
        after.touch(now);
        writer.update(&before, &after, "more evidence")?;
    }
    Ok(())
}

/// Proposes a new insight, unless its words were forgotten.
fn create(
    writer: &mut Writer<'_>,
    group: &[&Source],
    proposal: &Proposal,
    policy: AcceptPolicy,
    now: Timestamp,
) -> Result<Option<Memory>, EngineError> {
    let lead = group[proposal.lead];
    let body = Clean::already_redacted(lead.piece.text.clone());
    if writer.passing_of_text(&body)?.is_some() {
        return Ok(None);
    }
    let is_own = group.iter().all(|one| one.piece.detail.own);
    let origin = if is_own { Origin::User } else { Origin::Assistant };
    let mut id = MemoryId::new(now, Engine::random()?);
    while !writer.is_free(&id)? {
        id = MemoryId::new(now, Engine::random()?);
    }
    let mut evidence: Vec<Evidence> = group.iter().map(|one| quote(one)).collect();
    shorten(&mut evidence);
    let mut memory = Memory {
        status: Status::Proposed,
        title: title_from_body(&body),
        guidance: Guidance { evidence, ..Guidance::default() },
        closed: Some(now),
        ..Memory::new(id, Kind::Insight, origin, body, now)
    };
    let pieces: Vec<&Piece> = group.iter().map(|one| &one.piece).collect();
    apply(&mut memory, proposal, &pieces);
    // Statements of the same, which the rule would repeat.
    for stated in group.iter().filter_map(|one| one.memory) {
        memory.links.push(Link {
            to: stated,
            relation: Relation::Extends,
            weight: 1.0,
            origin: memory.origin,
        });
    }
    let is_own_correction = |one: &&&Source| one.piece.sort == Sort::Correction && one.piece.detail.typed;
    let by_itself =
        policy == AcceptPolicy::OwnCorrections && is_own && group.iter().all(|one| is_own_correction(&one));
    if by_itself {
        memory.kind = Kind::Rule;
        memory.set_status(Status::Active, now);
        // It tells: only the user makes a rule warn, ask or refuse.
        memory.guidance.action = Some(Action::Tell);
    }
    writer.create(&memory)?;
    for row in group.iter().filter_map(|one| one.row) {
        writer.evidence_led_to(row, &memory.id)?;
    }
    take_over_waiting(writer, &memory, &pieces, now)?;
    Ok(Some(memory))
}

/// Sets what follows from the evidence.
fn apply(memory: &mut Memory, proposal: &Proposal, pieces: &[&Piece]) {
    let clean = |text: String| Clean::already_redacted(text);
    (memory.scope, memory.tags) = match &proposal.reach {
        Reach::Project(key) => {
            (ProjectKey::new(&clean(key.clone())).map_or(Scope::Global, Scope::Project), Vec::new())
        }
        Reach::Language(name) => (Scope::Global, vec![clean(format!("lang:{name}"))]),
        Reach::Everywhere => (Scope::Global, Vec::new()),
    };
    memory.guidance.when = proposal.when.iter().map(|trigger| clean(trigger.to_string())).collect();
    memory.guidance.avoid = proposal.avoid.iter().cloned().map(clean).collect();
    memory.guidance.action = Some(proposal.action);
    memory.importance = Importance::clamped(i64::from(proposal.importance));
    memory.confidence = proposal.confidence;
    memory.why = Some(clean(reason(pieces)));
}

/// "3 corrections in 2 sessions".
fn reason(pieces: &[&Piece]) -> String {
    let sessions: BTreeSet<&str> = pieces.iter().map(|piece| piece.session.as_str()).collect();
    let plural =
        |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let explicit = pieces.iter().filter(|piece| piece.is_explicit()).count();
    let what = if explicit == pieces.len() {
        plural(explicit, "correction")
    } else {
        format!(
            "{}, {}",
            plural(pieces.len(), "piece of evidence").replace("piece of evidences", "pieces of evidence"),
            plural(explicit, "correction")
        )
    };
    format!("{what} in {}", plural(sessions.len(), "session"))
}

fn quote(one: &Source) -> Evidence {
    let piece = &one.piece;
    let text: String = piece.text.chars().take(MOST_QUOTED).collect();
    Evidence {
        at: piece.at,
        sort: piece.sort,
        session: one.host_session.clone(),
        text: Clean::already_redacted(text),
    }
}

/// The newest, oldest first.
fn shorten(evidence: &mut Vec<Evidence>) {
    evidence.sort_by_key(|one| one.at);
    let surplus = evidence.len().saturating_sub(MOST_QUOTES);
    evidence.drain(..surplus);
}

/// Statements that wait in the inbox and say the same leave it: the insight says it for them.
fn take_over_waiting(
    writer: &mut Writer<'_>,
    memory: &Memory,
    pieces: &[&Piece],
    now: Timestamp,
) -> Result<(), EngineError> {
    for kind in [Kind::Constraint, Kind::Convention, Kind::Decision, Kind::Fact] {
        for text in pieces.iter().map(|piece| &piece.text).collect::<BTreeSet<_>>() {
            let probe = Memory { kind, body: Clean::already_redacted(text.clone()), ..memory.clone() };
            for before in writer.alike_of_any_status(&probe)? {
                let is_heard = before.tags.iter().any(|tag| &**tag == HEARD);
                if before.status == Status::Proposed && is_heard && before.body.eq_ignore_ascii_case(text) {
                    let mut after = before.clone();
                    after.set_status(Status::Archived, now);
                    after.touch(now);
                    writer.update(&before, &after, "became part of an insight")?;
                }
            }
        }
    }
    Ok(())
}

/// Near-duplicate statements that an accepted insight was made from are replaced by its rule.
pub(crate) fn take_over(writer: &mut Writer<'_>, rule: &Memory, now: Timestamp) -> Result<(), EngineError> {
    for link in rule.links.iter().filter(|link| link.relation == Relation::Extends) {
        let Some(before) = writer.look_up(&link.to)? else { continue };
        let is_statement = matches!(before.kind, Kind::Constraint | Kind::Convention);
        if before.status != Status::Active || !is_statement || before.turn.is_none() {
            continue;
        }
        let mut after = before.clone();
        after.set_status(Status::Superseded, now);
        after.superseded_by = Some(rule.id);
        after.touch(now);
        writer.update(&before, &after, "superseded")?;
    }
    Ok(())
}
