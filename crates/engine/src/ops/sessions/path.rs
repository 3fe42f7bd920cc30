//! Prints the path of a session's file.

use schemars::JsonSchema;
use serde::Serialize;

use super::clipboard;
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

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionPath {
    pub session: String,
    pub path: String,
    /// How it was copied: the name of a program, or `terminal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_by: Option<String>,
    /// The clipboard could not be reached.
    #[serde(skip)]
    pub not_copied: bool,
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
        let copied_by = self.copy.then(|| clipboard::copy(&path)).flatten().map(str::to_owned);
        let not_copied = self.copy && copied_by.is_none();
        Ok(SessionPath { session: view.brief.id, path, copied_by, not_copied })
    }
}

impl Reply for SessionPath {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{}\n", self.path));
        match self.copied_by.as_deref() {
            Some(clipboard::TERMINAL) => page.note("asked the terminal to copy the path (OSC 52)\n"),
            Some(program) => page.note(&format!("copied the path with {program}\n")),
            None if self.not_copied => {
                page.note(
                    "not copied: there is no terminal here and no wl-copy, xclip, xsel, pbcopy or clip.exe; copy \
                     the path above\n",
                );
            }
            None => {}
        }
    }
}
