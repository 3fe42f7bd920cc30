//! Reads rules from a file such as CLAUDE.md and proposes those that are not known. A file may come from anybody, so nothing
//! of it is in force before the user accepts it.

use std::path::PathBuf;

use clap::Args;
use hark_core::memory::{Importance, title_from_body};
use hark_core::{Action, Guidance, Kind, Memory, MemoryId, Origin, Status};
use hark_files::regular;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::remember;
use super::super::scope::WriteScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    Call, Code, DIM, Effect, Group, ID, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// A markdown file with one rule per list item
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Show what would be proposed without storing it
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: WriteScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub file: String,
    pub dry_run: bool,
    pub lines: Vec<Line>,
}

/// A list item of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Line {
    /// proposed, known, or rejected by you before.
    pub outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub text: String,
}

const LARGEST: u64 = 1024 * 1024;
/// A file with more list items is not a list of rules.
const MOST: usize = 100;
const SHORTEST: usize = 8;
const LONGEST: usize = 600;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let path = match &caller.cwd {
        Some(folder) => folder.join(&request.file),
        None => PathBuf::from(&request.file),
    };
    let fail = |message: String| EngineError::File { path: path.clone(), message };
    let bytes = regular::read(&path, LARGEST).map_err(|e| fail(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8 text".to_owned()))?;
    let found = items(&text);
    if found.is_empty() {
        return Err(fail(
            "it has no list items; write one rule per line, each beginning with `- `".to_owned(),
        ));
    }
    let now = engine.now();
    engine.store.refresh(now)?;
    let scope = request.scope.resolve(engine, caller)?;
    let mut lines = Vec::new();
    for item in found {
        let body = engine.clean(&item);
        let memory = Memory {
            status: Status::Proposed,
            scope: scope.clone(),
            title: title_from_body(&body),
            importance: Importance::clamped(4),
            confidence: 0.5,
            closed: Some(now),
            guidance: Guidance { action: Some(Action::Tell), ..Guidance::default() },
            ..Memory::new(MemoryId::new(now, Engine::random()?), Kind::Rule, Origin::File, body, now)
        };
        lines.push(propose(engine, memory, request.dry_run)?);
    }
    Ok(Response { file: request.file.clone(), dry_run: request.dry_run, lines })
}

fn propose(engine: &mut Engine, memory: Memory, dry_run: bool) -> Result<Line, EngineError> {
    let (now, text) = (engine.now(), memory.body.to_string());
    let own = memory.id;
    let outcome = engine.store.write(now, |writer| {
        for known in writer.alike_of_any_status(&memory)? {
            if crate::repeat::says_the_same(writer, &known, &memory) {
                let word = if known.status == Status::Archived { "rejected" } else { "known" };
                return Ok((word, Some(known.id)));
            }
        }
        if dry_run {
            return Ok(("proposed", None));
        }
        let kept = remember::store(writer, memory, None, Origin::File, now)?;
        Ok::<_, EngineError>((if kept.memory.id == own { "proposed" } else { "known" }, Some(kept.memory.id)))
    });
    let (outcome, id) = outcome?;
    Ok(Line { outcome: outcome.to_owned(), id: id.map(|id| id.short()), text })
}

/// List items with their continuation lines, outside of code.
fn items(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut in_code, mut open) = (false, false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            open = false;
            continue;
        }
        if in_code {
            continue;
        }
        let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        match item {
            Some(item) => {
                found.push(item.trim().to_owned());
                open = true;
            }
            None if open && line.starts_with("  ") && !line.trim().is_empty() => {
                if let Some(last) = found.last_mut() {
                    last.push(' ');
                    last.push_str(line.trim());
                }
            }
            None => open = false,
        }
    }
    found.retain(|item| (SHORTEST..=LONGEST).contains(&item.chars().count()));
    found.truncate(MOST);
    found
}

pub const OPERATION: Operation = Operation {
    name: "rules import",
    also: &[],
    summary: "Propose the rules in a file such as CLAUDE.md",
    help: "Each list item of the file becomes a proposal in `hark inbox`, unless it is known or you rejected it before. Nothing is \
           in force until you accept it.",
    examples: &[
        ("hark rules import CLAUDE.md --dry-run", "Show which lines are new"),
        ("hark rules import CLAUDE.md", "Propose the new ones"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::User,
    tool: Tool::Off("rules are for the user to decide"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("it reads a file of the caller's folder"),
        page: Surface::Off("it reads a file of the caller's folder"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for line in &self.lines {
            let sign = if line.outcome == "proposed" { "+" } else { " " };
            let id = line.id.as_deref().unwrap_or("-");
            page.print(&format!(
                "{sign} {:<8} {ID}{id}{ID:#} {DIM}{}{DIM:#}\n",
                line.outcome,
                words(&line.text)
            ));
        }
        let new = self.lines.iter().filter(|line| line.outcome == "proposed").count();
        let verb = if self.dry_run { "would propose" } else { "proposed" };
        page.note(&format!("{verb} {}; decide with `hark inbox`\n", count(new, "rule", "rules")));
    }
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn list_items_are_rules_and_code_is_not() {
        let text = "# Rules\n\nProse.\n\n- Use pnpm, not npm\n* Keep handlers thin,\n  always\n\n```\n- not a rule at all\n```\n- no\n";
        assert_eq!(items(text), ["Use pnpm, not npm", "Keep handlers thin, always"]);
    }
}
