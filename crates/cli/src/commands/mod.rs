//! One file per command: its arguments and what it prints.

pub(crate) mod backup;
pub(crate) mod bootstrap;
pub(crate) mod checkpoint;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod consolidate;
pub(crate) mod context;
pub(crate) mod describe;
pub(crate) mod distil;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod eval;
pub(crate) mod expand;
pub(crate) mod export;
pub(crate) mod failures;
pub(crate) mod feedback;
pub(crate) mod forget;
pub(crate) mod grep;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod ingest;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod ledger;
pub(crate) mod links;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod model;
pub(crate) mod recall;
pub(crate) mod redact_scan;
pub(crate) mod reindex;
pub(crate) mod relate;
pub(crate) mod remember;
pub(crate) mod resume;
pub(crate) mod retention;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod tags;
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod uninstall;
pub(crate) mod work;

use crate::args::Command;
use crate::environment::Environment;
use crate::failure::Failure;

pub(crate) fn run(command: Command, environment: &Environment) -> Result<(), Failure> {
    match command {
        Command::Remember(args) => remember::run(args, environment),
        Command::Recall(args) => recall::run(args, environment),
        Command::Show(args) => show::run(&args, environment),
        Command::List(args) => list::run(args, false, environment),
        Command::Timeline(args) => list::run(args, true, environment),
        Command::Edit(args) => edit::run(&args, environment),
        Command::Resolve(args) => status::run(&args, status::Move::Resolve, environment),
        Command::Reopen(args) => status::run(&args, status::Move::Reopen, environment),
        Command::Archive(args) => status::run(&args, status::Move::Archive, environment),
        Command::Restore(args) => status::run(&args, status::Move::Restore, environment),
        Command::Feedback(args) => feedback::run(&args, environment),
        Command::Forget(args) => forget::run(&args, environment),
        Command::Inbox(args) => inbox::run(&args, environment),
        Command::Undo(args) => undo::run(&args, environment),
        Command::Consolidate(args) => consolidate::run(&args, environment),
        Command::Retention(args) => retention::run(&args, environment),
        Command::RedactScan(args) => redact_scan::run(&args, environment),
        Command::Backup(args) => backup::run(&args, environment),
        Command::Relate(args) => relate::run(&args, environment),
        Command::Links(args) => links::run(&args, environment),
        Command::History(args) => history::run(&args, environment),
        Command::Context(args) => context::run(&args, environment),
        Command::Failures(args) => failures::run(&args, environment),
        Command::Tags(args) => tags::run(&args, environment),
        Command::Stats(args) => stats::run(&args, environment),
        Command::Doctor(args) => doctor::run(&args, environment),
        Command::Reindex(args) => reindex::run(&args, environment),
        Command::Export(args) => export::run(&args, environment),
        Command::Import(args) => import::run(&args, environment),
        Command::Migrate(args) => migrate::run(&args, environment),
        Command::Bootstrap(args) => bootstrap::run(&args, environment),
        Command::Config(args) => config::run(&args, environment),
        Command::Checkpoint(args) => checkpoint::run(args, environment),
        Command::Sessions(args) => sessions::run(args, environment),
        Command::Resume(args) => resume::run(&args, environment),
        Command::Ingest(args) => ingest::run(&args, environment),
        Command::Grep(args) => grep::run(&args, environment),
        Command::Expand(args) => expand::run(&args, environment),
        Command::Describe(args) => describe::run(&args, environment),
        Command::Distil(args) => distil::run(&args, environment),
        Command::Ledger(args) => ledger::run(&args, environment),
        Command::Work(args) => work::run(&args, environment),
        Command::Hook(args) => hook::run(args),
        Command::Model(args) => model::run(&args, environment),
        Command::Mcp(args) => mcp::run(&args, environment),
        Command::Serve(args) => serve::run(&args, environment),
        Command::Eval(args) => eval::run(&args, environment),
        Command::Install(args) => install::run(&args, environment),
        Command::Uninstall(args) => uninstall::run(&args, environment),
        Command::Init(args) => init::run(&args, environment),
        Command::Trust(args) => trust::run(&args, environment),
        Command::Tour(args) => tour::run(&args, environment),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
