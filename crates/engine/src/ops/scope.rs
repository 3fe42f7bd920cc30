//! Which project a request is about.

use clap::Args;
use hark_core::{ProjectKey, Scope};
use hark_store::ProjectNum;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::sessions;

/// Where something new belongs.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct WriteScope {
    /// Project name, key or folder; default: current
    #[schemars(description = "Name or folder; default: current")]
    #[arg(long, value_name = "P", conflicts_with = "global")]
    pub project: Option<String>,
    /// Applies to every project
    #[arg(long)]
    #[serde(default)]
    pub global: bool,
}

/// Where to search. Global memories are always included.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct ReadScope {
    /// Project name, key or folder; default: current
    #[schemars(description = "Name or folder; default: current")]
    #[arg(long, value_name = "P", conflicts_with = "all_projects")]
    pub project: Option<String>,
    /// Search every project
    #[schemars(description = "Search all")]
    #[arg(long)]
    #[serde(default)]
    pub all_projects: bool,
}

impl WriteScope {
    pub(crate) fn resolve(&self, engine: &mut Engine, caller: &Caller) -> Result<Scope, EngineError> {
        if self.global {
            return Ok(Scope::Global);
        }
        let key = match &self.project {
            Some(text) => Some(named(engine, text)?),
            None => current(engine, caller),
        };
        Ok(key.map_or(Scope::Global, Scope::Project))
    }

    /// Whether an assistant's memory applies to every project only because its project is unknown.
    pub(crate) fn is_guess(&self, scope: &Scope, caller: &Caller) -> bool {
        *scope == Scope::Global && !self.global && !caller.is_user()
    }
}

/// The projects a read sees, and the one that ranks first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Visible {
    /// `None` means all projects.
    pub(crate) projects: Option<Vec<ProjectNum>>,
    pub(crate) current: Option<ProjectKey>,
}

impl ReadScope {
    pub(crate) fn resolve(&self, engine: &mut Engine, caller: &Caller) -> Result<Visible, EngineError> {
        let current = match &self.project {
            Some(text) => Some(named(engine, text)?),
            None => current(engine, caller),
        };
        if self.all_projects {
            engine.read_every_store()?;
            return Ok(Visible { projects: None, current });
        }
        let mut projects = vec![ProjectNum::GLOBAL];
        if let Some(key) = &current {
            projects.extend(engine.store.project_num(key)?);
        }
        Ok(Visible { projects: Some(projects), current })
    }
}

impl Visible {
    /// Includes the untrusted store of the caller's repository: for queries, never for injection.
    pub(crate) fn with_repository(mut self, engine: &Engine, caller: &Caller) -> Result<Self, EngineError> {
        if let (Some(projects), Some(folder)) = (&mut self.projects, &caller.cwd)
            && let Some(key) = engine.untrusted_here(folder)
        {
            projects.extend(engine.store.project_num(&key)?);
        }
        Ok(self)
    }
}

/// The project of the caller's folder, else that of the session it is in.
pub(crate) fn current(engine: &mut Engine, caller: &Caller) -> Option<ProjectKey> {
    let here = caller.cwd.as_deref().and_then(|folder| engine.project_of(folder));
    here.or_else(|| sessions::project_of_caller(engine, caller))
}

/// A project by key, by the last part of its key, or by folder; an unknown word is a new key.
pub(crate) fn named(engine: &mut Engine, text: &str) -> Result<ProjectKey, EngineError> {
    let empty = || EngineError::invalid("the project name is empty", "omit --project for the current one");
    let wanted = ProjectKey::new(&engine.clean(text)).ok_or_else(empty)?;
    Ok(match known(engine, text)? {
        Some(key) => engine.alias_of(key),
        None => engine.alias_of(wanted),
    })
}

/// A project that is known: by key, by folder, by the name the user gave it, or by the last part of its key. What
/// was merged into another stays itself.
pub(crate) fn known(engine: &mut Engine, text: &str) -> Result<Option<ProjectKey>, EngineError> {
    let Some(wanted) = ProjectKey::new(&engine.clean(text)) else { return Ok(None) };
    let known = engine.store.project_keys()?;
    if known.contains(&wanted) {
        return Ok(Some(wanted));
    }
    let folder = std::path::Path::new(text);
    if (folder.is_absolute() || text.starts_with('.')) && (folder.is_dir() || engine.knows_folder(folder)) {
        return Ok(crate::project::identify(engine, folder));
    }
    let book = engine.store.project_book();
    let mut named = book.names.iter().filter(|(_, name)| name.as_str() == text).map(|(key, _)| key.as_str());
    if let (Some(only), None) = (named.next(), named.next()) {
        return Ok(known.into_iter().find(|key| key.as_str() == only));
    }
    // What was merged into another has no claim on the name any more.
    let is_current = |key: &&ProjectKey| !book.merged.contains_key(key.as_str());
    let mut matches = known.iter().filter(is_current).filter(|key| called(key, wanted.as_str()));
    match (matches.next(), matches.next()) {
        (Some(only), None) => Ok(Some(only.clone())),
        (Some(one), Some(other)) => Err(EngineError::invalid(
            format!("`{text}` could be {one} or {other}"),
            "use the full key; `hark project list` lists them",
        )),
        (None, _) => Ok(None),
    }
}

/// `shop` means `github.com/acme/shop` and `shop-1a2b3c4d`.
pub(crate) fn called(key: &ProjectKey, name: &str) -> bool {
    let last = key.name();
    let without_mark = last
        .rsplit_once('-')
        .filter(|(_, mark)| mark.len() == 8 && mark.bytes().all(|b| b.is_ascii_hexdigit()));
    last == name || without_mark.is_some_and(|(stem, _)| stem == name)
}
