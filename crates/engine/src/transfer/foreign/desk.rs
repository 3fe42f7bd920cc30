//! Finds our name for a project that another tool names.
//!
//! One desk serves a whole run: what it answers depends on the projects known when the run began and on the names
//! it met since, never on what was stored in between. So a dry run gives the same answers as the real one, and two
//! tools that speak of one project end up in one project.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use hark_core::{ProjectKey, Scope};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ops::scope::{WriteScope, called};

pub(crate) struct Desk {
    /// A scope that the user named holds for everything.
    forced: Option<Scope>,
    /// Projects with memories or sessions when the run began, and those that were named since.
    known: Vec<ProjectKey>,
    before: usize,
    here: Option<ProjectKey>,
    scopes: HashMap<String, Scope>,
    told: Told,
}

/// What the names of one source became.
#[derive(Default)]
pub(super) struct Told {
    pub(super) projects: BTreeMap<String, String>,
    pub(super) new: Vec<String>,
}

impl Desk {
    pub(crate) fn new(engine: &mut Engine, caller: &Caller, scope: &WriteScope) -> Result<Desk, EngineError> {
        let forced =
            if scope.project.is_some() || scope.global { Some(scope.resolve(engine, caller)?) } else { None };
        let here = caller.cwd.clone().and_then(|cwd| engine.project_of(&cwd));
        let known = engine.store.project_keys()?;
        let before = known.len();
        Ok(Desk { forced, known, before, here, scopes: HashMap::new(), told: Told::default() })
    }

    pub(super) fn begin_source(&mut self) {
        self.told = Told::default();
    }

    pub(super) fn told(&mut self) -> Told {
        std::mem::take(&mut self.told)
    }

    pub(super) fn scope(&mut self, engine: &mut Engine, caller: &Caller, name: Option<&str>) -> Scope {
        if let Some(forced) = &self.forced {
            return forced.clone();
        }
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else { return Scope::Global };
        let scope = match self.scopes.get(name) {
            Some(known) => known.clone(),
            None => {
                let found = self.project(engine, caller, name).map(|key| engine.alias_of(key));
                found.map_or(Scope::Global, Scope::Project)
            }
        };
        self.scopes.insert(name.to_owned(), scope.clone());
        let ours = scope.project().map_or("global".to_owned(), ToString::to_string);
        if let Some(key) = scope.project() {
            if !self.known.contains(key) {
                self.known.push(key.clone());
            }
            let is_new = !self.known[..self.before].contains(key) && self.here.as_ref() != Some(key);
            if is_new && !self.told.new.contains(&ours) {
                self.told.new.push(ours.clone());
            }
        }
        self.told.projects.insert(engine.clean(name).into_string(), ours);
        scope
    }

    /// A folder is asked for its project. A name is looked for in the project of the caller and in those we know,
    /// with and without the mark that some tools add to it. Anything else keeps its name.
    fn project(&self, engine: &mut Engine, caller: &Caller, name: &str) -> Option<ProjectKey> {
        let folder = Path::new(name);
        if folder.is_absolute() {
            if folder.is_dir() || engine.knows_folder(folder) {
                return engine.project_of(folder);
            }
            return self.by_name(engine, folder.file_name()?.to_str()?);
        }
        // Claude Code's own name for the folder that the caller is in.
        if name.starts_with('-')
            && caller.cwd.as_deref().is_some_and(|cwd| super::instructions::dashed(cwd) == name)
        {
            return self.here.clone();
        }
        self.by_name(engine, name)
    }

    fn by_name(&self, engine: &Engine, name: &str) -> Option<ProjectKey> {
        let bare = name
            .rsplit_once('-')
            .filter(|(_, mark)| mark.len() == 8 && mark.bytes().all(|b| b.is_ascii_hexdigit()))
            .map(|(stem, _)| stem);
        let wanted = [Some(name), bare];
        // Whoever migrates inside `shop` means this `shop`, however many others there are.
        let here = self.here.as_ref().filter(|key| wanted.iter().flatten().any(|name| means(key, name)));
        if let Some(here) = here {
            return Some(here.clone());
        }
        for wanted in wanted.into_iter().flatten() {
            if let Some(exact) = self.known.iter().find(|key| key.as_str() == wanted) {
                return Some(exact.clone());
            }
            let mut matches = self.known.iter().filter(|key| means(key, wanted));
            if let (Some(only), None) = (matches.next(), matches.next()) {
                return Some(only.clone());
            }
        }
        ProjectKey::new(&engine.clean(name))
    }
}

/// `acme/shop` and `shop` mean `git.example.org/acme/shop`.
fn means(key: &ProjectKey, name: &str) -> bool {
    let is_end = key.as_str().strip_suffix(name).is_some_and(|start| start.ends_with('/'));
    key.as_str() == name || is_end || called(key, name)
}
