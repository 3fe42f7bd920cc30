//! Chooses many memories at once, by kind, tag and age.

use clap::Args;
use hark_core::time::parse_span;
use hark_core::{Kind, Memory, Origin, Status};
use hark_store::{ListFilter, ListOrder, ProjectNum};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ops::remember::clean_list;
use crate::ops::scope::ReadScope;
use crate::voice::ASK_USER;

const EVERYTHING: usize = 1_000_000;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Chosen {
    /// All of these kinds, instead of ids
    #[arg(long = "kind", value_name = "K", conflicts_with = "ids")]
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub kinds: Vec<Kind>,
    /// All with these tags, instead of ids
    #[arg(long = "tag", value_name = "T", conflicts_with = "ids")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// All that were not changed for `90d`, instead of ids
    #[arg(long, value_name = "AGE", conflicts_with = "ids")]
    pub older_than: Option<String>,
    /// Archive what was chosen without ids; otherwise only list it
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

impl Chosen {
    pub(super) fn is_any(&self) -> bool {
        !(self.kinds.is_empty() && self.tags.is_empty()) || self.older_than.is_some()
    }

    /// Memories that are not archived, oldest first. Pinned ones are never among them, nor those of a store that is not
    /// trusted.
    pub(super) fn find(
        &self,
        engine: &mut Engine,
        caller: &Caller,
        ids: &[String],
    ) -> Result<Vec<Memory>, EngineError> {
        if !ids.is_empty() {
            return Err(EngineError::invalid("ids and filters cannot be combined", "pass one or the other"));
        }
        if !caller.is_user() {
            return Err(EngineError::invalid("only the user may archive many memories at once", ASK_USER));
        }
        let now = engine.now();
        let until = match &self.older_than {
            Some(text) => {
                let span = parse_span(text.trim()).ok_or_else(|| {
                    EngineError::invalid(format!("invalid duration `{text}`"), "write 90d, 12w or 1y")
                })?;
                now.minus_millis(span)
            }
            None => now,
        };
        engine.store.refresh_fully(now)?;
        let filter = ListFilter {
            projects: self.projects(engine, caller)?,
            kinds: self.kinds.clone(),
            statuses: vec![Status::Active, Status::Resolved],
            tags: clean_list(engine, &self.tags).iter().map(ToString::to_string).collect(),
            ..ListFilter::default()
        };
        let found = engine.store.list(&filter, ListOrder::OldestFirst, EVERYTHING)?;
        let wanted = |memory: &Memory| {
            memory.updated <= until && !memory.pinned && memory.origin != Origin::Repository
        };
        Ok(found.into_iter().map(|stored| stored.memory).filter(wanted).collect())
    }

    /// One project: what applies everywhere belongs to no project, and is chosen outside of one.
    fn projects(&self, engine: &mut Engine, caller: &Caller) -> Result<Option<Vec<ProjectNum>>, EngineError> {
        let visible = self.scope.resolve(engine, caller)?;
        Ok(match (visible.projects, visible.current) {
            (Some(projects), Some(_)) => {
                Some(projects.into_iter().filter(|num| *num != ProjectNum::GLOBAL).collect())
            }
            (projects, _) => projects,
        })
    }
}
