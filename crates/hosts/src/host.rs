//! An assistant as a row of data: its name, how to recognise it, and what to install where.

use serde::{Deserialize, Serialize};

use crate::agent_shell::AgentShell;
use crate::command_line::Shell;
use crate::hook::{Dialect, names};
use crate::inspect::Check;

/// One assistant.
#[derive(Debug)]
pub struct Host {
    /// As in `hark install ID` and `hark hook ID`. Never changes, because it is in users' files.
    pub id: &'static str,
    /// The name shown to people.
    pub name: &'static str,
    pub install: Install,
    /// The dialect of its hooks; the generic one if it has none.
    pub(crate) hooks: &'static Dialect,
    /// How to recognise the shells that it opens.
    pub shell: AgentShell,
}

impl Host {
    /// Whether its hooks can refuse a tool until a checkpoint is made.
    pub fn can_gate(&self) -> bool {
        let before_tool = self.install.pieces.iter().any(|piece| match &piece.what {
            Asset::Hooks(HookTable { events, .. }) | Asset::HookPrograms { events, .. } => {
                events.iter().any(|event| event.serves_gate() && !event.binding)
            }
            _ => false,
        });
        before_tool && self.hooks.can_deny
    }

    /// Whether it has hooks at all.
    pub fn has_hooks(&self) -> bool {
        self.install.pieces.iter().any(|piece| {
            matches!(piece.what, Asset::Hooks(_) | Asset::HookPrograms { .. } | Asset::HookFile { .. })
        })
    }
}

/// What `hark install` sets up for one assistant.
#[derive(Debug)]
pub struct Install {
    /// Programs on the `PATH` that belong to this assistant.
    pub programs: &'static [&'static str],
    /// Folders and files that exist once it has been used.
    pub traces: &'static [Place],
    pub pieces: &'static [Piece],
    /// The same as a separate folder, for users who prefer a plugin to edited settings.
    pub plugin: &'static [Piece],
    /// What the user should do next, after the pieces and after the plugin.
    pub next: &'static [&'static str],
    pub plugin_next: &'static [&'static str],
    /// What the assistant asks before it calls one of hark's tools for the first time; empty if it does not
    /// ask, or if it is not known.
    pub asks: &'static str,
    /// Its own settings that make it ignore hark.
    pub checks: &'static [Check],
}

impl Install {
    pub(crate) const NONE: Install = Install {
        programs: &[],
        traces: &[],
        pieces: &[],
        plugin: &[],
        next: &[],
        plugin_next: &[],
        asks: "",
        checks: &[],
    };

    /// Whether it can be told which of hark's tools to call without asking.
    pub fn can_allow(&self) -> bool {
        self.pieces.iter().any(|piece| match &piece.what {
            Asset::Allow(_) => true,
            Asset::Server { entry, .. } | Asset::TomlServer { entry, .. } => entry.contains("{reads"),
            _ => false,
        })
    }
}

/// Which settings to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user's own, for all projects.
    User,
    /// The project's, in the project folder.
    Project,
}

/// How much an assistant reports to hark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hooks {
    None,
    /// Start, prompts and end of a session.
    Minimal,
    /// Tools and compaction as well.
    Full,
}

/// The base folder of a path.
#[derive(Debug, Clone, Copy)]
pub enum Root {
    Home,
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Config,
    /// The settings folder of desktop programs on this system.
    AppConfig,
    /// The folder that a variable names, or else one below the home folder.
    Var(&'static str, &'static str),
    Project,
    /// The plugin folder of this assistant, which belongs to hark.
    Plugin,
}

/// A file or folder. If there are several names, the first that exists counts, or else the last.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub root: Root,
    pub names: &'static [&'static str],
}

/// One thing to put somewhere.
#[derive(Debug)]
pub struct Piece {
    pub scope: Scope,
    pub place: Place,
    pub what: Asset,
}

#[derive(Debug)]
pub enum Asset {
    /// The MCP server, as an entry of a JSON object. The text is JSON with `{hark}` and `{env}`.
    Server {
        path: &'static [&'static str],
        entry: &'static str,
    },
    /// The same in TOML and YAML.
    TomlServer {
        path: &'static [&'static str],
        entry: &'static str,
    },
    YamlServer {
        key: &'static str,
        entry: &'static str,
        seed: &'static str,
    },
    /// Hooks in a JSON file.
    Hooks(&'static HookTable),
    /// Hooks as scripts in a folder, one per event.
    HookPrograms {
        events: &'static [Event],
        suffix: &'static str,
    },
    /// A property that the hooks need, such as a version.
    HookSetting {
        path: &'static [&'static str],
        value: &'static str,
    },
    /// A file of hark's that exists only for hooks.
    HookFile {
        text: &'static str,
    },
    /// The instructions as a block in a file that people edit.
    Rules,
    /// The instructions as a separate file, after these first lines.
    RulesFile {
        front: &'static str,
    },
    /// A separate file.
    File {
        text: &'static str,
    },
    /// Slash commands, one file each in a folder.
    Commands(CommandFormat),
    /// Skills, one folder each in a folder.
    Skills,
    /// Permission to call hark's read-only tools without asking; only if the user wants it.
    Allow(Allow),
    /// The path of one of hark's files in a list of files to read.
    YamlRead {
        key: &'static str,
        file: Place,
    },
}

/// Where an assistant keeps such a permission. `{tool}` stands for the name of a tool.
#[derive(Debug, Clone, Copy)]
pub enum Allow {
    /// An element of a JSON list for each tool.
    Listed { path: &'static [&'static str], element: &'static str },
    /// A property of a JSON object for each tool.
    Named { path: &'static [&'static str], name: &'static str, value: &'static str },
    /// A file of hark's, with `{tools}`.
    File { text: &'static str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandFormat {
    /// Markdown with front matter; arguments as `$ARGUMENTS`.
    Markdown,
    /// TOML with `description` and `prompt`; arguments as `{{args}}`.
    Toml,
}

/// How an assistant expects its hooks.
#[derive(Debug)]
pub struct HookTable {
    /// The id in the call of `hark hook`: assistants that read the same file share one.
    pub host: &'static str,
    /// The path to the events.
    pub path: &'static [&'static str],
    /// One element of an event's list: JSON with `{command}`, `{timeout}` and `{matcher}`.
    pub element: &'static str,
    /// The assistant's time units per second.
    pub time_unit: u32,
    /// The shell it uses on Windows.
    pub windows: Shell,
    pub events: &'static [Event],
}

/// One event of an assistant.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub name: &'static str,
    pub seconds: u32,
    /// Whether the minimal set includes it.
    pub minimal: bool,
    pub matcher: Option<&'static str>,
    /// The reply when hark is missing: JSON with `{gone}`. Only for the start of a session, so that it
    /// appears once.
    pub when_gone: Option<&'static str>,
    /// Another format of the element, for an assistant that has two.
    pub element: Option<&'static str>,
    /// Only while the user has a rule that refuses or asks: this client shows its hooks as they run.
    pub binding: bool,
}

impl Event {
    /// Whether a checkpoint policy of `gate` needs it: it counts tools and refuses them.
    pub(crate) fn serves_gate(&self) -> bool {
        names::is_of_tool(self.name)
    }

    /// An event of the minimal set.
    pub(crate) const fn minimal(name: &'static str, seconds: u32) -> Event {
        Event { name, seconds, minimal: true, matcher: None, when_gone: None, element: None, binding: false }
    }

    /// An event of the full set only.
    pub(crate) const fn full(name: &'static str, seconds: u32) -> Event {
        Event { name, seconds, minimal: false, matcher: None, when_gone: None, element: None, binding: false }
    }

    /// An event that only rules that refuse or ask need.
    pub(crate) const fn binding(name: &'static str, seconds: u32) -> Event {
        Event { binding: true, ..Event::full(name, seconds) }
    }

    pub(crate) const fn saying(mut self, when_gone: &'static str) -> Event {
        self.when_gone = Some(when_gone);
        self
    }

    pub(crate) const fn matching(mut self, matcher: &'static str) -> Event {
        self.matcher = Some(matcher);
        self
    }

    pub(crate) const fn written(mut self, element: &'static str) -> Event {
        self.element = Some(element);
        self
    }
}

pub(crate) const fn home(names: &'static [&'static str]) -> Place {
    Place { root: Root::Home, names }
}

pub(crate) const fn config(names: &'static [&'static str]) -> Place {
    Place { root: Root::Config, names }
}

pub(crate) const fn app(names: &'static [&'static str]) -> Place {
    Place { root: Root::AppConfig, names }
}

pub(crate) const fn project(names: &'static [&'static str]) -> Place {
    Place { root: Root::Project, names }
}

pub(crate) const fn plugin(names: &'static [&'static str]) -> Place {
    Place { root: Root::Plugin, names }
}

pub(crate) const fn below(root: Root, names: &'static [&'static str]) -> Place {
    Place { root, names }
}

pub(crate) const fn for_user(place: Place, what: Asset) -> Piece {
    Piece { scope: Scope::User, place, what }
}

pub(crate) const fn for_project(place: Place, what: Asset) -> Piece {
    Piece { scope: Scope::Project, place, what }
}
