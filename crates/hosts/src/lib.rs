//! The assistants that Hark supports: one folder each, with the wire types of its hooks, the reader of its
//! transcripts and the plan of its installation. Uses neither SQL nor tokio.

mod agent_shell;
mod aider;
mod antigravity;
mod bearer;
mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod command_line;
mod continue_dev;
mod copilot_cli;
mod cursor;
mod droid;
mod edit;
mod gemini_cli;
mod generic;
pub mod hook;
mod host;
mod inspect;
mod kilo;
mod manifest;
mod opencode;
mod place;
mod plan;
pub mod process;
mod qwen_code;
mod remote;
mod skills;
pub mod transcript;
mod vscode;
mod windsurf;
mod wish;
mod words;
mod zed;

pub use agent_shell::{AgentShell, Assistant, assistant, session_in};
pub use bearer::Bearer;
pub use edit::{Refusal, write_settings};
pub use host::{Hooks, Host, Scope};
pub use inspect::{Health, Needs, Wiring, inspect};
pub use manifest::{FileRecord, Manifest, Owner, Setup, Vault, VaultError, look};
pub use place::{Surroundings, VARIABLES};
pub use plan::{Applied, Change, Note, Plan, Refused, Trouble, install, put_file, put_rules, uninstall};
pub use remote::only_starts_servers;
pub use skills::{client_of, export_skills, exported_skills, skills_folder, skills_owner};
pub use wish::{Options, READ_TOOLS};
pub use words::texts;

/// Every assistant, in the order of the documentation.
pub const HOSTS: &[&Host] = &[
    &claude_code::HOST,
    &codex::HOST,
    &opencode::HOST,
    &gemini_cli::HOST,
    &cursor::HOST,
    &copilot_cli::HOST,
    &vscode::HOST,
    &cline::HOST,
    &continue_dev::HOST,
    &windsurf::HOST,
    &zed::HOST,
    &qwen_code::HOST,
    &kilo::HOST,
    &droid::HOST,
    &antigravity::HOST,
    &aider::HOST,
    &claude_desktop::HOST,
    &generic::HOST,
];

/// The assistant with this id, as in `hark install ID` and `hark hook ID`.
pub fn find(id: &str) -> Option<&'static Host> {
    HOSTS.iter().copied().find(|host| host.id == id)
}
