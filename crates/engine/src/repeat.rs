//! Is this known already? The one place that decides it: whether a new memory confirms an existing one, adds to it, or may be its newer state.
//! Nothing new is ever dropped, and nothing is replaced on suspicion.

use std::borrow::Cow;

use hark_core::likeness::{Difference, Likeness, Text, compare, compare_texts, normalised};
use hark_core::memory::{add_phrases, title_from_body};
use hark_core::{Clean, Guidance, Kind, Memory, Origin, Scope, Status, Timestamp};
use hark_store::{Store, Writer};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::EngineError;

/// What is already known about a new memory.
pub(crate) enum Known {
    /// Nothing, or only what may be an older state of it.
    New(Vec<OlderState>),
    /// This memory already says it; now confirmed and extended with what was new.
    Confirmed(Box<Memory>),
}

/// A memory that a new one may replace if the caller says so.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OlderState {
    pub id: String,
    pub title: String,
    /// Where the two differ.
    pub differences: Vec<Difference>,
}

/// How many candidates to show.
const MOST_SHOWN: usize = 3;

/// Finds what `memory` repeats, and confirms it.
pub(crate) fn meet(writer: &mut Writer<'_>, memory: &Memory, now: Timestamp) -> Result<Known, EngineError> {
    // Two events with the same text are still two events.
    if matches!(memory.kind, Kind::Event | Kind::Episode) {
        return Ok(Known::New(Vec::new()));
    }
    let mut candidates = Vec::new();
    let mut said = Said::by(memory);
    for other in writer.alike(memory)? {
        match said.likeness(&|a, b| writer.cosine(a, b), &other) {
            Likeness::Same | Likeness::Less => {
                if let Some(after) = confirmed(&other, memory, false, now) {
                    return write(writer, &other, after);
                }
            }
            Likeness::More => {
                if let Some(after) = confirmed(&other, memory, true, now) {
                    return write(writer, &other, after);
                }
            }
            Likeness::Changed(differences) => {
                candidates.push(OlderState {
                    id: other.id.short(),
                    title: other.title.to_string(),
                    differences,
                });
            }
            Likeness::Other => {}
        }
    }
    candidates.truncate(MOST_SHOWN);
    Ok(Known::New(candidates))
}

/// Kinds under which the same statement may have been stored on purpose.
const NEAR: &[Kind] = &[
    Kind::Directive,
    Kind::Rule,
    Kind::Constraint,
    Kind::Convention,
    Kind::Decision,
    Kind::Fact,
    Kind::Lesson,
];

/// The existing memory, of any status, that says what a distilled one would. It compares words alone and checks only
/// what the near-duplicate index returns, because hooks wait meanwhile.
pub(crate) fn said_before(writer: &Writer<'_>, memory: &Memory) -> Result<Option<Memory>, EngineError> {
    // The same turn gives the same id, however the text was edited since.
    if let Some(known) = writer.look_up(&memory.id)? {
        return Ok(Some(known));
    }
    let kinds = std::iter::once(memory.kind).chain(NEAR.iter().copied().filter(|kind| *kind != memory.kind));
    for kind in kinds {
        for scope in [&memory.scope, &Scope::Global] {
            let probe = Memory { kind, scope: scope.clone(), ..memory.clone() };
            for known in writer.alike_of_any_status(&probe)? {
                // An assistant's proposal does not replace what the user says.
                if known.status == Status::Proposed {
                    continue;
                }
                if matches!(compare(&known.body, &memory.body, None), Likeness::Same | Likeness::Less) {
                    return Ok(Some(known));
                }
            }
        }
    }
    Ok(None)
}

/// Saying it again makes a memory more certain.
pub(crate) fn make_more_certain(memory: &mut Memory) {
    memory.confidence += (1.0 - memory.confidence) * 0.1;
}

/// How a new memory relates to an existing one.
pub(crate) fn likeness(writer: &Writer<'_>, old: &Memory, new: &Memory) -> Likeness {
    Said::by(new).likeness(&|a, b| writer.cosine(a, b), old)
}

/// Whether an existing memory says what a new one says, or more, or less of it.
pub(crate) fn says_the_same(writer: &Writer<'_>, old: &Memory, new: &Memory) -> bool {
    matches!(likeness(writer, old, new), Likeness::Same | Likeness::Less | Likeness::More)
}

/// The same, for those who only look.
pub(crate) fn likeness_seen(store: &Store, old: &Memory, new: &Memory) -> Likeness {
    Said::by(new).likeness(&|a, b| store.cosine(a, b), old)
}

/// How near two texts are in meaning, if that can be said.
type Cosine<'c> = &'c dyn Fn(&str, &str) -> Option<f32>;

/// The statement of a new memory, prepared once for all comparisons.
struct Said<'m> {
    new: &'m Memory,
    body: Option<Text>,
}

impl<'m> Said<'m> {
    fn by(new: &'m Memory) -> Self {
        Said { new, body: None }
    }

    fn likeness(&mut self, cosine: Cosine<'_>, old: &Memory) -> Likeness {
        let (before, after) = (statement(old, self.new), statement(self.new, old));
        let titled;
        let text = if *after == *self.new.body {
            &*self.body.get_or_insert_with(|| Text::of(&after))
        } else {
            titled = Text::of(&after);
            &titled
        };
        let old_text = Text::of(&before);
        match compare_texts(&old_text, text, None) {
            Likeness::Same if normalised(&before) == normalised(&after) => Likeness::Same,
            Likeness::Same | Likeness::More | Likeness::Less => {
                compare_texts(&old_text, text, cosine(&before, &after))
            }
            other => other,
        }
    }
}

/// The whole statement of a memory. Titles that someone chose count if both have one.
fn statement<'m>(memory: &'m Memory, other: &Memory) -> Cow<'m, str> {
    let chosen = |m: &Memory| m.title != title_from_body(&m.body);
    if chosen(memory) && chosen(other) && memory.title != other.title {
        Cow::Owned(format!("{}.\n{}", memory.title, memory.body))
    } else {
        Cow::Borrowed(&memory.body)
    }
}

/// `old` with everything that `new` has, for a caller who may merge them.
pub(crate) fn united(old: &Memory, new: &Memory, longer: bool, now: Timestamp) -> Option<Memory> {
    let spoken_for = Memory { origin: Origin::User, expires: old.expires, ..new.clone() };
    let after = confirmed(old, &spoken_for, longer, now)?;
    // A merge is not the user's confirmation of the content.
    let origin = if new.origin == Origin::User { Origin::User } else { old.origin };
    Some(Memory { origin, ..after })
}

/// `old` with what `new` adds; nothing if `new` may not add it.
fn confirmed(old: &Memory, new: &Memory, longer: bool, now: Timestamp) -> Option<Memory> {
    if old.expires != new.expires {
        return None;
    }
    let mut after = old.clone();
    for (mine, theirs) in [(&mut after.why, &new.why), (&mut after.learned, &new.learned)] {
        let Some(theirs) = theirs else { continue };
        match mine {
            None => *mine = Some(theirs.clone()),
            Some(words) if normalised(words).contains(&normalised(theirs)) => {}
            Some(words) => *words = joined(words, theirs),
        }
    }
    if longer {
        after.body = new.body.clone();
        if old.title == title_from_body(&old.body) {
            after.title = new.title.clone();
        }
    }
    let (mine, theirs) = (&mut after.guidance, &new.guidance);
    for (mine, theirs) in [(&mut mine.rejected, &theirs.rejected), (&mut mine.criteria, &theirs.criteria)] {
        mine.extend(theirs.iter().filter(|line| !old_holds(mine, line)).cloned().collect::<Vec<_>>());
    }
    let lines = |guidance: &Guidance| guidance.rejected.len() + guidance.criteria.len();
    let reworded = (&after.body, &after.why, &after.learned) != (&old.body, &old.why, &old.learned)
        || lines(&after.guidance) != lines(&old.guidance);
    if reworded && !new.origin.may_supersede(old.kind, old.origin) {
        return None;
    }
    for (mine, theirs) in
        [(&mut after.tags, &new.tags), (&mut after.files, &new.files), (&mut after.entities, &new.entities)]
    {
        mine.extend(theirs.iter().filter(|label| !old_holds(mine, label)).cloned().collect::<Vec<_>>());
    }
    if old.kind.has_reminders() {
        let (mine, theirs) = (&mut after.guidance.when, &new.guidance.when);
        mine.extend(theirs.iter().filter(|when| !old_holds(mine, when)).cloned().collect::<Vec<_>>());
    }
    after.guidance.remind = new.guidance.remind.or(after.guidance.remind);
    add_phrases(&mut after.asked_as, new.asked_as.iter().cloned());
    after.topic = after.topic.or_else(|| new.topic.clone());
    after.importance = after.importance.max(new.importance);
    after.pinned |= new.pinned;
    after.life.confirmations += 1;
    after.life.confirmed = Some(now);
    if new.origin == Origin::User {
        // Now the user's words, no matter who said them first, despite earlier feedback.
        after.origin = Origin::User;
        after.life.verdict = None;
        after.confidence = after.confidence.max(new.confidence);
    }
    if !after.life.is_wrong() {
        make_more_certain(&mut after);
    }
    Some(after)
}

fn old_holds(labels: &[Clean], label: &Clean) -> bool {
    labels.iter().any(|known| known.eq_ignore_ascii_case(label))
}

fn joined(a: &Clean, b: &Clean) -> Clean {
    Clean::already_redacted(format!("{a}\n{b}"))
}

/// A change of counters alone is only noted; anything else is a change with history.
fn write(writer: &mut Writer<'_>, before: &Memory, mut after: Memory) -> Result<Known, EngineError> {
    let counted = Memory { life: after.life, confidence: after.confidence, ..before.clone() };
    if counted == after {
        writer.amend(&after)?;
    } else {
        after.revision += 1;
        writer.update(before, &after, "confirmed")?;
    }
    Ok(Known::Confirmed(Box::new(after)))
}
