//! Rates memories as helpful, wrong or stale.

use clap::Args;
use hark_core::{Feedback, IdRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};
use crate::phrases;
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories, then helpful, wrong or stale
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// helpful, wrong or stale
    #[arg(value_name = "FEEDBACK")]
    #[schemars(with = "String")]
    pub feedback: Feedback,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub feedback: String,
    pub memories: Vec<Judged>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Judged {
    pub id: String,
    pub title: String,
    pub confidence: f32,
    /// The objection to it: wrong or stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// Any caller may rate a memory: its text does not change, and the user can override the rating.
/// Directives stay in force until the user retires them.
pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let origin = caller.origin.unwrap_or(hark_core::Origin::Assistant);
    let now = engine.now();
    engine.store.refresh(now)?;
    // The project in which it was used; a memory may apply to many.
    let here = caller.cwd.as_deref().and_then(|folder| engine.project_of(folder));
    let question = phrases::last_question(engine, caller).filter(|_| request.feedback == Feedback::Helpful);
    let memories = engine.store.write(now, |writer| {
        let mut judged = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = writer.load(id)?;
            if request.feedback != Feedback::Helpful && !origin.may_supersede(before.kind, before.origin) {
                return Err(EngineError::invalid(
                    format!(
                        "only the user may call the {}'s {} {}",
                        before.origin,
                        before.kind,
                        request.feedback.name()
                    ),
                    ASK_USER,
                ));
            }
            let mut after = before.clone();
            (after.confidence, after.life) = request.feedback.apply(before.confidence, before.life, now);
            after.revision += 1;
            writer.update(&before, &after, request.feedback.name())?;
            phrases::learn(writer, question.as_ref(), &after.id)?;
            if let Some(project) = &here {
                let by = if request.feedback == Feedback::Helpful { -1 } else { 1 };
                writer.lean(project, &after.id.short(), by)?;
            }
            judged.push(Judged {
                id: after.id.short(),
                title: after.title.to_string(),
                confidence: (after.confidence * 1000.0).round() / 1000.0,
                verdict: after.life.verdict.map(|v| v.to_string()),
            });
        }
        Ok::<_, EngineError>(judged)
    })?;
    Ok(Response { feedback: request.feedback.name().to_owned(), memories })
}

pub const OPERATION: Operation = Operation {
    name: "feedback",
    also: &[],
    summary: "Rate memories as helpful, wrong or stale",
    help: "",
    examples: &[
        ("hark feedback m-7k3q9x2d helpful", "Rank a memory higher from now on"),
        ("hark feedback m-7k3q9x2d wrong", "Stop injecting a memory that is wrong"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for judged in &self.memories {
            page.print(&format!(
                "{ID}{}{ID:#} {} {DIM}{} · confidence {}{DIM:#}\n",
                judged.id,
                words(&judged.title),
                self.feedback,
                judged.confidence
            ));
        }
        if self.feedback == "wrong" {
            page.note("no longer injected; remove it with `hark forget`\n");
        }
    }
}
