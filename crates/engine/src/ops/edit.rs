//! Changes a memory. The previous state goes into its history. Changes that a person made to the file
//! in the meantime are kept.

use clap::Args;
use hark_core::memory::{Importance, is_same_phrase, title_from_body};
use hark_core::{IdRef, Kind, Memory, Origin, Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::{clean_list, clean_optional, clean_title};
use super::scope::WriteScope;
use super::view::MemoryView;
use super::view::whole;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::{Answer, Code, EVERYWHERE, Effect, Group, Operation, Page, Reply, Tool, Who, operate};
use crate::particulars::Particulars;
use crate::paths;
use crate::phrases;
use crate::voice::{ASK_USER, check_origin};
use serde_json::json;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of the memory
    #[arg(value_name = "ID")]
    pub id: String,
    /// New text
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// New title
    #[arg(long, value_name = "T")]
    pub title: Option<String>,
    /// New kind
    #[arg(long, value_name = "K")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<Kind>,
    /// New reason; empty removes it
    #[arg(long, value_name = "W")]
    pub why: Option<String>,
    /// New lesson; empty removes it
    #[arg(long, value_name = "L")]
    pub learned: Option<String>,
    /// Add a tag
    #[arg(long = "tag", value_name = "T")]
    #[serde(default)]
    pub tags: Vec<String>,
    /// Remove a tag
    #[arg(long = "untag", value_name = "T")]
    #[serde(default)]
    pub untag: Vec<String>,
    /// Add a file
    #[arg(long = "file", value_name = "F")]
    #[serde(default)]
    pub files: Vec<String>,
    /// Add a short question that it answers; empty removes all
    #[arg(long = "asked-as", value_name = "PHRASE")]
    #[serde(default)]
    pub asked_as: Vec<String>,
    /// Add an option that was rejected, and why; empty removes all
    #[arg(long = "rejected", value_name = "OPTION: WHY")]
    #[serde(default)]
    pub rejected: Vec<String>,
    /// Add a way to tell that a requirement is met; empty removes all
    #[arg(long = "criterion", value_name = "TEXT")]
    #[serde(default)]
    pub criteria: Vec<String>,
    /// When to remind of it, or to review a procedure: `2026-12-01`, `2w`, `file:src/pay.py`, `never`
    #[arg(long, value_name = "WHEN")]
    pub remind: Option<String>,
    /// 1 (minor) to 5 (vital)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub importance: Option<u8>,
    /// Rank it first and never age it out; `false` unpins
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub pin: Option<bool>,
    /// Move it to this project: name, key or folder
    #[arg(long, value_name = "P", conflicts_with = "global")]
    pub project: Option<String>,
    /// Make it apply to every project
    #[arg(long)]
    #[serde(default)]
    pub global: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub changed: bool,
    pub memory: MemoryView,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let changed = run_all(engine, caller, std::slice::from_ref(&request.id), request)?;
    changed.into_iter().next().ok_or_else(|| EngineError::invalid("no memory was named", "pass its id"))
}

/// Makes the same change to several memories, or to none if one of them cannot be changed.
pub(super) fn run_all(
    engine: &mut Engine,
    caller: &Caller,
    ids: &[String],
    request: &Request,
) -> Result<Vec<Response>, EngineError> {
    let ids = ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let now = engine.now();
    engine.store.refresh(now)?;
    // Redaction needs the engine and the change needs the lock: redact first, then apply.
    let title = clean_title(engine, request.title.as_deref());
    let text = request.text.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(|t| engine.clean(t));
    let why = request.why.as_deref().map(|t| clean_optional(engine, Some(t)));
    let learned = request.learned.as_deref().map(|t| clean_optional(engine, Some(t)));
    let tags = clean_list(engine, &request.tags);
    let untag = clean_list(engine, &request.untag);
    let files: Vec<String> =
        request.files.iter().map(|file| paths::in_project(engine, caller, file)).collect();
    let files = clean_list(engine, &files);
    let asked_as = phrases::given(engine, &request.asked_as)?;
    let is_anew = |texts: &[String]| texts.iter().any(|text| text.trim().is_empty());
    let asked_anew = is_anew(&request.asked_as);
    let given =
        Particulars::of(engine, &request.rejected, &request.criteria, request.remind.as_deref(), now)?;
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    let target = WriteScope { project: request.project.clone(), global: request.global };
    let scope = match request.project.is_some() || request.global {
        true => Some(target.resolve(engine, caller)?),
        false => None,
    };
    let change = |before: &Memory| -> Result<Memory, EngineError> {
        let mut after = before.clone();
        if let Some(text) = &text {
            // A title that was taken from the text follows it.
            if after.title == title_from_body(&before.body) {
                after.title = title_from_body(text);
            }
            after.body = text.clone();
        }
        if let Some(title) = &title {
            after.title = title.clone();
        }
        if let Some(why) = &why {
            after.why = why.clone();
        }
        if let Some(learned) = &learned {
            after.learned = learned.clone();
        }
        if let Some(kind) = request.kind {
            after.kind = kind;
        }
        after.tags.extend(tags.iter().filter(|t| !before.tags.contains(t)).cloned());
        after.tags.retain(|tag| !untag.iter().any(|gone| gone.eq_ignore_ascii_case(tag)));
        after.files.extend(files.iter().filter(|f| !before.files.contains(f)).cloned());
        if asked_anew {
            after.asked_as.clear();
        }
        for phrase in &asked_as {
            if !after.asked_as.iter().any(|known| is_same_phrase(known, phrase)) {
                after.asked_as.push(phrase.clone());
            }
        }
        if let Some(importance) = request.importance.and_then(Importance::new) {
            after.importance = importance;
        }
        after.pinned = request.pin.unwrap_or(after.pinned);
        if let Some(scope) = &scope {
            after.scope = scope.clone();
        }
        if is_anew(&request.rejected) {
            after.guidance.rejected.clear();
        }
        if is_anew(&request.criteria) {
            after.guidance.criteria.clear();
        }
        given.add_to(&mut after.guidance, after.kind)?;
        Ok(after)
    };
    let changed = engine.store.write(now, |writer| {
        let mut changed = Vec::with_capacity(ids.len());
        for id in &ids {
            let before = writer.load(id)?;
            let mut after = change(&before)?;
            may_edit(origin, &before, &after)?;
            phrases::check_count(after.asked_as.len())?;
            if after != before {
                after.touch(now);
                writer.update(&before, &after, "edited")?;
                if after.scope != before.scope {
                    writer.move_to_its_store(&after.id)?;
                }
            }
            changed.push((before, after));
        }
        Ok::<_, EngineError>(changed)
    })?;
    let respond = |(before, after): &(Memory, Memory)| Response {
        changed: before != after,
        memory: MemoryView::new(after, now),
    };
    Ok(changed.iter().map(respond).collect())
}

/// Only the user may change the words of the user's memories, and where they apply.
fn may_edit(origin: Origin, before: &Memory, after: &Memory) -> Result<(), EngineError> {
    // A proposal must not change while the user reviews it.
    if before.status == Status::Proposed && origin != Origin::User && before != after {
        return Err(EngineError::invalid(
            format!("{} is waiting for the user's decision", before.id),
            ASK_USER,
        ));
    }
    check_origin(origin, after.kind)?;
    let moved = before.scope != after.scope;
    let (was, is) = (&before.guidance, &after.guidance);
    let reworded = moved
        || (&before.title, &before.body, &before.why, &before.learned)
            != (&after.title, &after.body, &after.why, &after.learned)
        || (&was.rejected, &was.criteria) != (&is.rejected, &is.criteria);
    if reworded && !origin.may_supersede(before.kind, before.origin) {
        return Err(EngineError::invalid(
            format!("text of origin `{origin}` may not change the {}'s {}", before.origin, before.kind),
            "store the new text as a separate memory, and tell the user",
        ));
    }
    Ok(())
}

pub const OPERATION: Operation = Operation {
    name: "edit",
    also: &[],
    summary: "Change a memory",
    help: "",
    examples: &[
        (
            "hark edit m-7k3q9x2d --text \"Deploys go out on Wednesdays\"",
            "Reword a memory; the old text stays in its history",
        ),
        ("hark edit m-7k3q9x2d --tag release --importance 4", "Add a tag and raise its importance"),
        ("hark edit m-7k3q9x2d --remind 2w", "Remind of it, or review it, in two weeks; `never` ends that"),
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
        if !self.changed {
            page.note("nothing to change; see `hark edit --help`\n");
        }
        page.print(&whole(&self.memory, page));
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let word = if self.changed { "Changed" } else { "Nothing to change in" };
        let data = json!({ "id": self.memory.id, "changed": self.changed, "revision": self.memory.revision });
        tell::answer(&format!("{word} {}.", self.memory.id), data)
    }
}
