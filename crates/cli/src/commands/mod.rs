//! Commands that are not operations on a store. Every other command comes from the table of operations.

mod completions;
mod eval;
mod help;
mod hook;
mod man;
mod mcp;
mod serve;
mod tour;
mod ui;

use clap::{ArgMatches, Args};
use hark_engine::operation::{Example, Group};

use crate::environment::Environment;
use crate::failure::Failure;

/// One such command.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// One line, without a full stop.
    pub(crate) summary: &'static str,
    pub(crate) examples: &'static [Example],
    pub(crate) group: Group,
    pub(crate) args: fn(clap::Command) -> clap::Command,
    pub(crate) run: fn(&ArgMatches, &Environment) -> Result<(), Failure>,
}

/// A program's arguments, and how it runs.
trait Start: Args {
    fn start(self, environment: &Environment) -> Result<(), Failure>;
}

const fn args<S: Start>() -> fn(clap::Command) -> clap::Command {
    S::augment_args
}

fn start<S: Start>(matches: &ArgMatches, environment: &Environment) -> Result<(), Failure> {
    let args = S::from_arg_matches(matches).map_err(|e| Failure::user(e.to_string(), "see `hark --help`"))?;
    args.start(environment)
}

pub(crate) static PROGRAMS: &[Program] = &[
    Program {
        name: "tour",
        summary: "See it work in a temporary store, in under a minute",
        examples: &[("hark tour", "Remember, find and correct a few notes, and time each step")],
        group: Group::Start,
        args: args::<tour::Tour>(),
        run: start::<tour::Tour>,
    },
    Program {
        name: "help",
        summary: "Print help for a command, or list every command with --all",
        examples: &[
            ("hark help --all", "List every command"),
            ("hark help recall", "Print help for one command"),
        ],
        group: Group::Start,
        args: args::<help::Help>(),
        run: start::<help::Help>,
    },
    Program {
        name: "ui",
        summary: "Open the dashboard in a browser",
        examples: &[
            ("hark ui", "Start `hark serve` if it does not run, and open the dashboard"),
            ("hark ui --no-open", "Print a link that signs one browser in"),
        ],
        group: Group::Start,
        args: args::<ui::Ui>(),
        run: start::<ui::Ui>,
    },
    Program {
        name: "hook",
        summary: "Handle an assistant's hook: an event on stdin, the reply on stdout",
        examples: &[("hark hook claude-code < event.json", "Handle one event")],
        group: Group::Service,
        args: args::<hook::Hook>(),
        run: start::<hook::Hook>,
    },
    Program {
        name: "mcp",
        summary: "Serve memory to an assistant over stdin and stdout (MCP)",
        examples: &[
            ("hark mcp", "Offer the core tools"),
            ("hark mcp --tools sessions,graph", "Offer more families of tools"),
        ],
        group: Group::Service,
        args: args::<mcp::Mcp>(),
        run: start::<mcp::Mcp>,
    },
    Program {
        name: "serve",
        summary: "Serve memory over HTTP to callers with the token (MCP at /mcp)",
        examples: &[
            ("hark serve", "Listen on 127.0.0.1:9824"),
            ("hark serve --port 9900 --tools all", "Use another port and offer every tool"),
        ],
        group: Group::Service,
        args: args::<serve::Serve>(),
        run: start::<serve::Serve>,
    },
    Program {
        name: "eval",
        summary: "Measure recall on your own documents and questions",
        examples: &[("hark eval rank --help", "How to rank documents for questions")],
        group: Group::Store,
        args: args::<eval::Eval>(),
        run: start::<eval::Eval>,
    },
    Program {
        name: "completions",
        summary: "Print a shell completion script",
        examples: &[(
            "hark completions bash > ~/.local/share/bash-completion/completions/hark",
            "Install it for bash",
        )],
        group: Group::Service,
        args: args::<completions::Completions>(),
        run: start::<completions::Completions>,
    },
    Program {
        name: "man",
        summary: "Write manual pages to a folder",
        examples: &[("hark man ~/.local/share/man/man1", "Then read them with `man hark`")],
        group: Group::Service,
        args: args::<man::Man>(),
        run: start::<man::Man>,
    },
];
