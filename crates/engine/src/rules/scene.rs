//! Who is about to act, and where: the session and the project of a tool call.

use hark_hosts::hook::HookEvent;
use hark_store::ProjectNum;

use crate::engine::Engine;
use crate::error::EngineError;

/// The session and the project of a hook's event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) session: Option<i64>,
    pub(crate) project: Option<ProjectNum>,
}

impl Scene {
    pub(crate) fn of(engine: &mut Engine, event: &HookEvent) -> Result<Scene, EngineError> {
        let host_session = event.session.as_deref().map(|text| engine.clean(text)).unwrap_or_default();
        let session = engine.store.knows_session(event.client, &host_session)?;
        let project = match session {
            Some(session) => engine.store.whereabouts(session)?.map(|at| at.project),
            None => {
                let key = event.cwd.as_deref().and_then(|folder| engine.project_of(folder));
                key.map(|key| engine.store.project_num(&key)).transpose()?.flatten()
            }
        };
        Ok(Scene { session, project: project.filter(|project| *project != ProjectNum::GLOBAL) })
    }

    /// The projects whose rules apply: this one and all.
    pub(crate) fn projects(&self) -> Vec<ProjectNum> {
        std::iter::once(ProjectNum::GLOBAL).chain(self.project).collect()
    }
}
