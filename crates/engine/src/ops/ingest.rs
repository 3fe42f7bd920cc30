//! Reads the transcripts that assistants left on this machine.

use std::path::PathBuf;

use clap::Args;
use hark_core::Timestamp;
use hark_hosts::Surroundings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::ingest::{self, Progress, Report, Wanted};
use crate::operation::text::{count, safe};
use crate::operation::{
    self, BOLD, Call, Code, DIM, Effect, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Only this assistant
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Only files that changed since `30d` or a date
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Transcripts or folders; default: where assistants store them
    #[arg(value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    #[serde(flatten)]
    pub report: Report,
    /// Megabytes per second.
    pub rate: Option<f64>,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    around: &Surroundings,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Response, EngineError> {
    let now = engine.now();
    let host = match &request.host {
        Some(name) => {
            let id = crate::sessions::host_id(Some(name));
            let known = hark_hosts::transcript::TRANSCRIPTS.iter().any(|t| t.host == id);
            if !known {
                let mut all: Vec<&str> = hark_hosts::transcript::TRANSCRIPTS.iter().map(|t| t.host).collect();
                all.sort_unstable();
                all.dedup();
                let hint = format!("use one of {}", all.join(", "));
                return Err(EngineError::invalid(format!("transcripts of `{id}` cannot be read"), hint));
            }
            Some(id)
        }
        None => None,
    };
    let since = request.since.as_deref().map(|t| Timestamp::parse_since(t, now)).transpose()?;
    let wanted = Wanted { host, since, paths: request.paths.clone() };
    let report = ingest::run(engine, &wanted, around, tell)?;
    let rate = report.rate().map(|rate| (rate * 10.0).round() / 10.0);
    Ok(Response { report, rate })
}

pub const OPERATION: Operation = Operation {
    name: "ingest",
    also: &[],
    summary: "Read the transcripts that assistants left on this machine",
    help: "Reads what Claude Code, Codex, OpenCode, Kilo, Gemini CLI, Qwen Code, Copilot CLI, Cline, Continue, Cursor, Droid \
           and Aider store, sessions from `opencode export`, and the files of SpecStory in `.specstory/history`.",
    examples: &[
        ("hark ingest", "Read every transcript that is new or has grown"),
        ("hark ingest --host claude-code --since 30d", "Read one assistant's recent transcripts"),
    ],
    group: Group::Learning,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("runs in the background"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("reads files of this machine"),
        page: Surface::Off("reads files of this machine"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        let around = call.machine.surroundings()?;
        let progress = &mut *call.progress;
        run(engine, call.caller, self, &around, &mut |at| {
            progress(operation::Progress { what: "reading bytes", done: at.bytes, total: at.total_bytes });
        })
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let report = &self.report;
        page.print(&format!(
            "{BOLD}{} in {}{BOLD:#}, {} of them new\n",
            count(report.events.new, "new event", "new events"),
            count(report.sessions.updated, "session", "sessions"),
            report.sessions.new
        ));
        let files = &report.files;
        let mut facts = vec![format!("read {}", count(files.read, "file", "files"))];
        for (n, what) in [
            (files.unchanged, "unchanged"),
            (files.replaced, "read again from the start"),
            (files.older, "older"),
            (files.unrecognised, "not transcripts"),
            (files.failed, "failed"),
        ] {
            if n > 0 {
                facts.push(format!("{n} {what}"));
            }
        }
        page.print(&format!("{}\n", facts.join(", ")));
        let mut facts = vec![format!("{} records", report.records)];
        for (n, what) in
            [(report.events.known, "known"), (report.events.copied, "copied from another session")]
        {
            if n > 0 {
                facts.push(format!("{n} {what}"));
            }
        }
        for (why, n) in &report.skipped {
            facts.push(format!("{n} {}", why.replace('_', " ")));
        }
        page.print(&format!("{}\n", facts.join(", ")));
        let rate = self.rate.map(|rate| format!(", {rate} MB/s")).unwrap_or_default();
        page.print(&format!(
            "{DIM}{:.1} MB in {:.1} s{rate}{DIM:#}\n",
            report.bytes as f64 / 1e6,
            report.seconds
        ));
        for trouble in &report.troubles {
            page.note(&format!("not read: {}: {}\n", safe(&trouble.path), safe(&trouble.reason)));
        }
        let unnamed = (files.failed + files.unrecognised).saturating_sub(report.troubles.len() as u64);
        if unnamed > 0 {
            page.note(&format!("not read: {unnamed} more\n"));
        }
        if files.read + files.unchanged == 0 {
            page.note("no transcripts were found; pass a file or folder: hark ingest PATH\n");
        } else if report.events.new > 0 {
            page.note("list the sessions with `hark sessions --all-projects`\n");
        }
    }
}
