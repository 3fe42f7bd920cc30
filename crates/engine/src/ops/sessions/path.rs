//! Prints the path of a session's file.

use std::io::Write;
use std::process::{Command, Stdio};

use serde::Serialize;

use super::show::{ShowRequest, show};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::operation::{
    Call, Code, Effect, Group, Operate, Operation, Page, Reply, Surface, Surfaces, Tool, Who,
};

#[derive(Debug, Clone, Default, clap::Args, serde::Deserialize, schemars::JsonSchema)]
pub struct Request {
    #[command(flatten)]
    #[serde(flatten)]
    pub of: ShowRequest,
    /// Copy the path to the clipboard as well
    #[arg(long)]
    #[serde(default)]
    pub copy: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionPath {
    pub session: String,
    pub path: String,
    /// The clipboard could not be reached.
    #[serde(skip)]
    pub not_copied: bool,
}

/// Uses the first clipboard program that works.
fn to_clipboard(text: &str) -> bool {
    let programs: [(&str, &[&str]); 5] = [
        ("pbcopy", &[]),
        ("wl-copy", &[]),
        ("xclip", &["-selection", "clipboard"]),
        ("xsel", &["--clipboard", "--input"]),
        ("clip.exe", &[]),
    ];
    programs.iter().any(|(program, args)| {
        let child = Command::new(program)
            .args(*args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return false };
        let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
        written && child.wait().is_ok_and(|status| status.success())
    })
}

pub const OPERATION: Operation = Operation {
    name: "sessions path",
    also: &[],
    summary: "Print the path of a session's file",
    help: "",
    examples: &[
        ("hark sessions path s-4h2k8m1v", "Print the path"),
        ("hark sessions path s-4h2k8m1v --copy", "Copy it to the clipboard too"),
    ],
    group: Group::Sessions,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_session returns it"),
    surfaces: Surfaces {
        command: Surface::On,
        route: Surface::Off("`sessions show` returns it"),
        page: Surface::Off("`sessions show` returns it"),
    },
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = SessionPath;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<SessionPath, EngineError> {
        let view = show(engine, call.caller, &self.of)?;
        let path = view.brief.path.ok_or_else(|| {
            EngineError::invalid(
                "the session has no file yet",
                "make a checkpoint: hark checkpoint --goal \"…\"",
            )
        })?;
        let not_copied = self.copy && !to_clipboard(&path);
        Ok(SessionPath { session: view.brief.id, path, not_copied })
    }
}

impl Reply for SessionPath {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{}\n", self.path));
        if self.not_copied {
            page.note("no clipboard program was found; copy the path above\n");
        }
    }
}
