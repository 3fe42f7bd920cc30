//! Phrases by which a memory is asked for: those that its writer gave, and those that use teaches.

use std::hash::{DefaultHasher, Hash, Hasher};

use hark_core::memory::phrases;
use hark_core::text::terms;
use hark_core::{Clean, Memory, MemoryId};
use hark_store::{AskedQuestion, Writer};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

/// Phrases that a writer gave, redacted. Too many or too long ones are refused, not cut: the writer can still
/// choose.
pub(crate) fn given(engine: &Engine, texts: &[String]) -> Result<Vec<Clean>, EngineError> {
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    check_count(texts.len())?;
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    if longest > Memory::MAX_PHRASE_CHARS {
        return Err(EngineError::invalid(
            format!("a phrase has {longest} characters; the limit is {}", Memory::MAX_PHRASE_CHARS),
            "shorten it to one question",
        ));
    }
    Ok(phrases(texts.into_iter().map(|text| engine.clean(text))))
}

pub(crate) fn check_count(count: usize) -> Result<(), EngineError> {
    if count <= Memory::MAX_PHRASES {
        return Ok(());
    }
    Err(EngineError::invalid(
        format!("{count} phrases are too many; the limit is {} a memory", Memory::MAX_PHRASES),
        "keep the two or three that differ most from the text",
    ))
}

/// Remembers a question and what it found for some minutes: if one of these memories is opened next, the question
/// is another way to ask for it.
pub(crate) fn asked(engine: &Engine, caller: &Caller, query: &str, found: Vec<MemoryId>) {
    let Some(key) = key(caller).filter(|_| engine.config.recall.learn_phrases && !found.is_empty()) else {
        return;
    };
    if !is_phrase(query) {
        return;
    }
    let question = AskedQuestion { asked: engine.clean(query.trim()), found };
    engine.store.note_question(&key, &question, engine.now());
}

/// The caller's last question, if these memories may have answered it.
pub(crate) fn last_question(engine: &Engine, caller: &Caller) -> Option<AskedQuestion> {
    let key = key(caller).filter(|_| engine.config.recall.learn_phrases)?;
    engine.store.question_of(&key, engine.now()).ok().flatten()
}

/// Memories were opened. Learning must never make that fail or wait.
pub(crate) fn opened(engine: &mut Engine, caller: &Caller, ids: &[MemoryId]) {
    let Some(question) = last_question(engine, caller) else { return };
    let ids: Vec<MemoryId> = ids.iter().filter(|id| question.found.contains(id)).copied().collect();
    if !ids.is_empty() {
        let now = engine.now();
        let _ = engine.store.learn_phrase(&ids, &question.asked, now);
    }
}

/// A memory proved useful after this question, inside a change.
pub(crate) fn learn(
    writer: &mut Writer<'_>,
    question: Option<&AskedQuestion>,
    id: &MemoryId,
) -> Result<(), EngineError> {
    match question.filter(|question| question.found.contains(id)) {
        Some(question) => Ok(writer.learn_phrase(id, &question.asked).map(drop)?),
        None => Ok(()),
    }
}

/// One word says too little, and a long prompt is about many things.
fn is_phrase(query: &str) -> bool {
    let query = query.trim();
    let is_spaced = query.split_whitespace().nth(1).is_some();
    let is_long_enough = is_spaced || (!query.is_ascii() && terms(query).len() > 1);
    is_long_enough && query.chars().count() <= Memory::MAX_PHRASE_CHARS
}

/// Tells one caller's question from another's; `None` if requests of one caller cannot be told apart.
fn key(caller: &Caller) -> Option<String> {
    let connection = caller.connection.as_ref();
    let is_known = caller.session.is_some() || caller.process.is_some();
    if connection.is_some_and(|connection| connection.key.is_none()) && !is_known {
        return None;
    }
    let process = caller.process.map(|process| (process.pid, process.start, process.realm));
    let mut hasher = DefaultHasher::new();
    (&caller.author, &caller.session, connection.map(|c| &c.key), process).hash(&mut hasher);
    Some(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::is_phrase;

    #[test]
    fn questions_of_some_words_become_phrases() {
        for text in ["how do we deploy", "release day", "我们什么时候部署"] {
            assert!(is_phrase(text), "{text}");
        }
        for text in ["deploy", "", "  ", "fix_the_build", &"word ".repeat(60)] {
            assert!(!is_phrase(text), "{text}");
        }
    }
}
