//! The tree of commands. What each accepts is declared where it runs.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand};

use crate::commands;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Long-term memory for AI coding assistants: local, private, one binary.
#[derive(Debug, Parser)]
#[command(name = "hark", version, styles = STYLES, max_term_width = 100, infer_subcommands = true)]
#[command(
    after_help = "Start with `hark install` or `hark tour`, or `hark remember \"…\"` and `hark recall \"…\"`."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Output {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Keep something worth knowing
    Remember(commands::remember::Args),
    /// Find what is known about something
    Recall(commands::recall::Args),
    /// Show memories in full
    Show(commands::show::Args),
    /// List memories, most recently changed first
    List(commands::list::Args),
    /// List memories in the order in which they were made
    Timeline(commands::list::Args),
    /// Change what a memory says
    Edit(commands::edit::Args),
    /// Mark blockers, tasks or failures as done
    Resolve(commands::status::Args),
    /// Undo a resolve
    Reopen(commands::status::Args),
    /// Put memories aside; they are no longer offered
    Archive(commands::status::Args),
    /// Bring archived or superseded memories back
    Restore(commands::status::Args),
    /// Say of memories that they helped, are wrong, or are out of date
    Feedback(commands::feedback::Args),
    /// Remove memories for good
    Forget(commands::forget::Args),
    /// List proposals of assistants, and accept or reject them
    Inbox(commands::inbox::Args),
    /// Link two memories
    Relate(commands::relate::Args),
    /// Show what a memory is linked to
    Links(commands::links::Args),
    /// Show what a memory was before each change
    History(commands::history::Args),
    /// Take back the last change of a memory
    Undo(commands::undo::Args),
    /// Find memories that say the same, and merge them
    Consolidate(commands::consolidate::Args),
    /// Show or put aside what has aged
    Retention(commands::retention::Args),
    /// Make, list or restore snapshots of the files
    Backup(commands::backup::Args),
    /// Look for secrets that got in before a rule knew them
    RedactScan(commands::redact_scan::Args),
    /// Show everything about a file, issue, person or other thing
    Context(commands::context::Args),
    /// Show what failed before about a file, command or symbol, and what fixed it
    Failures(commands::failures::Args),
    /// Save what a session is for, what is done and what is left
    Checkpoint(commands::checkpoint::Args),
    /// List, search and show sessions of assistants
    Sessions(commands::sessions::Args),
    /// Go on where a session left off, in the same assistant or another
    Resume(commands::resume::Args),
    /// Learn from transcripts that assistants left on this machine
    Ingest(commands::ingest::Args),
    /// Find what was said and done in past sessions, by a pattern
    Grep(commands::grep::Args),
    /// Go from a session or digest down to what happened
    Expand(commands::expand::Args),
    /// Show how much there is of a session, digest or event
    Describe(commands::describe::Args),
    /// Make memories of lasting things that were said in sessions, or show them
    Distil(commands::distil::Args),
    /// Show what was said to assistants unasked
    Ledger(commands::ledger::Args),
    /// List tags in use
    Tags(commands::tags::Args),
    /// Show what the store holds
    Stats(commands::stats::Args),
    /// Check that everything is well
    Doctor(commands::doctor::Args),
    /// Rebuild the index from the files
    Reindex(commands::reindex::Args),
    /// Write memories and sessions to a file that any hark can read
    Export(commands::export::Args),
    /// Take in what `hark export` wrote
    Import(commands::import::Args),
    /// Bring over what other memory tools have kept
    Migrate(commands::migrate::Args),
    /// Learn what a project's README, docs and decision records say
    Bootstrap(commands::bootstrap::Args),
    /// Show or change settings
    Config(commands::config::Args),
    /// Run by an assistant's hooks: an event on stdin, the reply on stdout
    Hook(commands::hook::Args),
    /// Do what hooks left for later, then end
    Work(commands::work::Args),
    /// List, get, choose or check embedding models
    Model(commands::model::Args),
    /// Serve the memory to an assistant over stdin and stdout (MCP)
    Mcp(commands::mcp::Args),
    /// Serve the memory over HTTP, to callers with the token (MCP at /mcp)
    Serve(commands::serve::Args),
    /// Measure recall on documents and questions of your own
    Eval(commands::eval::Args),
    /// Wire hark into the assistants on this machine
    Install(commands::install::Args),
    /// Take hark out of them again, byte for byte
    Uninstall(commands::uninstall::Args),
    /// Give this project a store of its own, and wire it
    Init(commands::init::Args),
    /// Trust the store that a project carries, or take that back
    Trust(commands::trust::Args),
    /// See it work in a throw-away store, in under a minute
    Tour(commands::tour::Args),
    /// Print a shell completion script
    Completions(commands::completions::Args),
    /// Write manual pages into a folder
    Man(commands::man::Args),
}
