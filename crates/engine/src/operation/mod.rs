//! Operations are data: one row per operation, and every surface derives from it.
//!
//! A row sits beside its code in `ops/<name>.rs` and is listed once in [`crate::ops::TABLE`]. The command line, MCP,
//! completions, manual pages and the reference are made from the table.

mod call;
mod code;
mod names;
mod page;
mod schema;
pub mod tell;
pub mod text;

pub use call::{Call, Progress};
pub(crate) use code::operate;
pub use code::{Code, Done, Needs, Operate, OperateHere, Prepared, Reply};
pub use names::Names;
pub use page::{BAD, BOLD, DIM, GOOD, ID, Page, WARN};
pub use tell::Answer;

/// One operation.
pub struct Operation {
    /// The words of its command: `recall`, `inbox accept`.
    pub name: &'static str,
    /// Further spellings of the command, such as `inbox list` for `inbox`.
    pub also: &'static [&'static str],
    /// One line, without a full stop.
    pub summary: &'static str,
    /// What `--help` says beyond the summary and the options; may be empty.
    pub help: &'static str,
    /// Two or three real command lines, each with what it does.
    pub examples: &'static [Example],
    pub group: Group,
    pub effect: Effect,
    pub who: Who,
    pub tool: Tool,
    pub surfaces: Surfaces,
    pub code: Code,
}

pub type Example = (&'static str, &'static str);

/// What an operation does to the store. Decides whether a reader or the writer runs it, and how tools are annotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    Write,
    /// Removes something that no other operation brings back.
    Destroy,
}

/// Who may run an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Anyone,
    /// A decision that an assistant must not make for its user.
    User,
}

/// Where an operation is offered besides tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surfaces {
    pub command: Surface,
    /// `POST /v1/<name>`.
    pub route: Surface,
    /// A button or form in the dashboard.
    pub page: Surface,
}

pub const EVERYWHERE: Surfaces = Surfaces { command: Surface::On, route: Surface::On, page: Surface::On };

/// Whether an operation is offered on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    On,
    /// Why not.
    Off(&'static str),
}

impl Surface {
    pub fn is_on(self) -> bool {
        self == Surface::On
    }
}

/// How a model can call an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    On {
        name: &'static str,
        family: Family,
        /// Short on purpose: clients pay for it in every session.
        description: &'static str,
    },
    /// An action of another tool.
    Within(&'static str),
    /// Why not.
    Off(&'static str),
}

/// Sets of tools that a server can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Needed in every session
    Core,
    /// Past sessions and what was injected into them
    Sessions,
    /// Past failures and their fixes
    Learning,
    /// Links and entities
    Graph,
    /// History, counts, health, merging, import and export
    Admin,
    All,
}

impl Family {
    pub const fn name(self) -> &'static str {
        match self {
            Family::Core => "core",
            Family::Sessions => "sessions",
            Family::Learning => "learning",
            Family::Graph => "graph",
            Family::Admin => "admin",
            Family::All => "all",
        }
    }
}

/// The headings of `hark help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Start,
    Memories,
    Change,
    Sessions,
    Learning,
    Store,
    Transfer,
    Service,
}

impl Group {
    pub const ALL: [Group; 8] = [
        Group::Start,
        Group::Memories,
        Group::Change,
        Group::Sessions,
        Group::Learning,
        Group::Store,
        Group::Transfer,
        Group::Service,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Group::Start => "Get started",
            Group::Memories => "Remember and find",
            Group::Change => "Correct and remove",
            Group::Sessions => "Sessions",
            Group::Learning => "Learn from work",
            Group::Store => "Look after the store",
            Group::Transfer => "Move memories",
            Group::Service => "Run by assistants and services",
        }
    }
}

impl Operation {
    /// The first word of the command.
    pub fn command_name(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or(self.name)
    }

    /// Every spelling of its command, as words.
    pub fn spellings(&self) -> impl Iterator<Item = Vec<&'static str>> {
        std::iter::once(&self.name).chain(self.also).map(|name| name.split(' ').collect())
    }

    /// The name of its tool, unless it has none of its own.
    pub fn tool_name(&self) -> Option<&'static str> {
        match self.tool {
            Tool::On { name, .. } => Some(name),
            Tool::Within(_) | Tool::Off(_) => None,
        }
    }

    /// Refuses an assistant where only the user may decide.
    pub fn permit(&self, caller: &crate::Caller) -> Result<(), crate::EngineError> {
        if self.who == Who::Anyone || caller.is_user() {
            return Ok(());
        }
        let id = caller.author.as_deref().unwrap_or_default();
        let name =
            hark_hosts::HOSTS.iter().find(|host| host.id == id).map_or("an assistant", |host| host.name);
        Err(crate::EngineError::invalid(
            format!("`hark {}` is for the user to run, and this is a shell of {name}", self.name),
            "run it in your own terminal",
        ))
    }
}
