//! How memories in a project's store are used: whose words they are, and what effect they have here.

use hark_core::memory::Importance;
use hark_core::redact::Redactor;
use hark_core::{Kind, Life, Memory, Origin, Raw, Scope, markdown};

use super::Layer;
use super::seal::unsealed;

/// Why a directive or rule of an untrusted store is not indexed.
const IGNORED: &str = "is a directive or rule, but its store is not trusted";
/// The highest confidence of a repository's memory.
const REPOSITORY_CONFIDENCE: f32 = 0.5;

/// The memory in the text of a file, as far as its store is trusted, or why there is none.
pub(crate) fn adopt(layer: &Layer, redactor: &Redactor, text: &str) -> Result<Memory, String> {
    let trusted = layer.is_trusted();
    let (plain, own) = unsealed(redactor, &layer.store, text);
    // The error may quote the file, which may contain a secret.
    let reason = |e: markdown::ParseError| redactor.clean(Raw::new(e.to_string())).into_string();
    let mut memory = markdown::parse(&plain, &|raw| redactor.clean(raw)).map_err(reason)?;
    // Whatever its front matter says, it applies only to this project.
    memory.scope = Scope::Project(layer.key(trusted));
    memory.unknown.retain(|entry| *entry.key != *"seal");
    if trusted {
        if !own {
            as_teammate(&mut memory);
        }
        return Ok(memory);
    }
    if matches!(memory.kind, Kind::Directive | Kind::Rule) {
        return Err(IGNORED.to_owned());
    }
    as_repository(&mut memory);
    Ok(memory)
}

/// Another person shared it, and this user has not confirmed it.
fn as_teammate(memory: &mut Memory) {
    if memory.origin == Origin::User {
        memory.origin = Origin::Teammate;
    }
    for link in &mut memory.links {
        link.origin = memory.origin;
    }
}

/// It may only be quoted, labelled as the repository's. Its links, which could demote the user's memories, its
/// importance, its history and its warnings and reminders have no effect.
fn as_repository(memory: &mut Memory) {
    memory.origin = Origin::Repository;
    memory.confidence = memory.confidence.min(REPOSITORY_CONFIDENCE);
    memory.importance = memory.importance.min(Importance::DEFAULT);
    memory.pinned = false;
    memory.links.clear();
    memory.superseded_by = None;
    memory.session = None;
    memory.turn = None;
    memory.topic = None;
    memory.life = Life::default();
    memory.unknown.clear();
}
