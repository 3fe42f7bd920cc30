//! Notices that a project without memories probably had some under another key: its folder was moved, its remote
//! was changed, or it was made anew.

use std::path::Path;

use hark_core::ProjectKey;
use hark_store::{ProjectCount, ProjectPlace};

use super::names::short;
use crate::engine::Engine;
use crate::error::EngineError;

/// A project that this one probably continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Predecessor {
    pub(crate) from: ProjectKey,
    pub(crate) into: ProjectKey,
    pub(crate) memories: i64,
    why: Why,
}

/// Strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    SameFolder,
    SameCommit,
    SameName,
    FolderGone,
}

impl Predecessor {
    /// The command that brings its memories here.
    pub(crate) fn command(&self) -> String {
        merge_command(self.from.as_str(), self.into.as_str())
    }

    /// Whether it is worth saying unasked. That some other folder is gone says little about this one.
    pub(crate) fn is_likely(&self) -> bool {
        self.why != Why::FolderGone
    }

    pub(crate) fn reason(&self) -> &'static str {
        match self.why {
            Why::SameFolder => "which was in this folder",
            Why::SameCommit => "which has the same first commit",
            Why::SameName => "which has the same name",
            Why::FolderGone => "whose folder is gone",
        }
    }

    pub(crate) fn sentence(&self) -> String {
        let memories = crate::operation::text::count(self.memories, "memory", "memories");
        format!("this project has no memories, but {}, {}, has {memories}", self.from, self.reason())
    }
}

pub(crate) fn merge_command(from: &str, into: &str) -> String {
    format!("hark project merge {} {}", shell(from), shell(into))
}

/// Merges that are due: projects that are nothing but deleted worktrees of another.
pub(crate) fn scattered(engine: &mut Engine) -> Result<Vec<(ProjectKey, ProjectKey)>, EngineError> {
    super::gone::scattered(engine)
}

/// A key as one word of a command line.
fn shell(key: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+');
    if key.chars().all(is_plain) { key.to_owned() } else { format!("'{}'", key.replace('\'', "'\\''")) }
}

/// The likeliest predecessor of the project of a folder, if that project has no memories.
pub(crate) fn find(engine: &mut Engine, folder: &Path) -> Result<Option<Predecessor>, EngineError> {
    let Some(into) = engine.project_of(folder) else { return Ok(None) };
    if engine.store.has_memories(&into)? {
        return Ok(None);
    }
    let mut others = engine.store.project_counts()?;
    others.retain(|other| other.memories > 0 && other.key != into && !engine.is_untrusted_key(&other.key));
    if others.is_empty() {
        return Ok(None);
    }
    let places = engine.store.places()?;
    let here: Vec<&ProjectPlace> = places.iter().filter(|place| place.key == into).collect();
    let mut ranked: Vec<(Why, ProjectCount)> = Vec::new();
    for other in others {
        let were: Vec<&ProjectPlace> = places.iter().filter(|place| place.key == other.key).collect();
        ranked.extend(why(&into, &here, &other, &were).map(|why| (why, other)));
    }
    // The strongest reason counts; two projects with the same reason are both no more than a guess.
    let Some(best) = ranked.iter().map(|(why, _)| *why).min() else { return Ok(None) };
    let mut fits = ranked.into_iter().filter(|(why, _)| *why == best);
    let (Some((why, other)), None) = (fits.next(), fits.next()) else { return Ok(None) };
    Ok(Some(Predecessor { from: other.key, into, memories: other.memories, why }))
}

fn why(
    into: &ProjectKey,
    here: &[&ProjectPlace],
    other: &ProjectCount,
    were: &[&ProjectPlace],
) -> Option<Why> {
    let any = |fits: &dyn Fn(&ProjectPlace, &ProjectPlace) -> bool| {
        here.iter().any(|a| were.iter().any(|b| fits(a, b)))
    };
    if any(&|a, b| a.path == b.path) {
        return Some(Why::SameFolder);
    }
    if any(&|a, b| !a.mark.is_empty() && a.mark == b.mark) {
        return Some(Why::SameCommit);
    }
    let is_gone = !were.is_empty() && were.iter().all(|place| !place.path.exists());
    // A project of that name whose folder still exists is another one.
    if short(into.as_str()) == short(other.key.as_str()) && (were.is_empty() || is_gone) {
        return Some(Why::SameName);
    }
    is_gone.then_some(Why::FolderGone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_word_of_a_command() {
        assert_eq!(shell("github.com/acme/shop"), "github.com/acme/shop");
        assert_eq!(shell("ann's-shop"), "'ann'\\''s-shop'");
    }
}
