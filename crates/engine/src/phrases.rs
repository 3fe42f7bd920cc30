//! Phrases by which a memory is asked for: how many and how long they may be.

use hark_core::memory::phrases;
use hark_core::{Clean, Memory};

use crate::engine::Engine;
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
