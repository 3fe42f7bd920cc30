//! One file per operation: request, response, `run`, how it reads, and its row.
//!
//! A request derives its command-line flags and its JSON schema from one struct, so every surface offers the same
//! thing under the same names. To add an operation, write its file and add one line to [`TABLE`].

pub mod backup;
pub mod bootstrap;
pub mod checkpoint;
pub mod config;
pub mod consolidate;
pub mod context;
pub mod describe;
pub mod distil;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod expand;
pub mod export;
pub mod failures;
pub mod feedback;
pub mod forget;
pub mod grep;
pub mod history;
pub mod import;
pub mod inbox;
pub mod ingest;
pub mod init;
pub mod install;
pub mod ledger;
pub mod links;
pub mod list;
pub mod migrate;
pub mod model;
pub mod recall;
pub mod redact_scan;
pub mod reindex;
pub mod relate;
pub mod remember;
pub mod resume;
pub mod retention;
pub mod scope;
pub mod sessions;
pub mod show;
pub mod stats;
pub mod status;
pub mod tags;
pub mod trust;
pub mod undo;
pub mod uninstall;
pub mod update;
mod view;
pub mod work;

use crate::operation::{Family, Operation, Tool};

pub use view::MemoryView;

/// Every operation, in the order in which help lists them.
pub static TABLE: &[&Operation] = &[
    &remember::OPERATION,
    &recall::OPERATION,
    &list::OPERATION,
    &list::TIMELINE,
    &show::OPERATION,
    &context::OPERATION,
    &links::OPERATION,
    &tags::OPERATION,
    &edit::OPERATION,
    &status::RESOLVE,
    &status::REOPEN,
    &status::ARCHIVE,
    &status::RESTORE,
    &feedback::OPERATION,
    &forget::OPERATION,
    &inbox::OPERATION,
    &inbox::ACCEPT,
    &inbox::REJECT,
    &inbox::EDIT,
    &relate::OPERATION,
    &history::OPERATION,
    &undo::OPERATION,
    &update::OPERATION,
    &sessions::OPERATION,
    &sessions::SEARCH,
    &sessions::SHOW,
    &sessions::FILES,
    &sessions::PATH,
    &resume::OPERATION,
    &checkpoint::OPERATION,
    &grep::OPERATION,
    &expand::OPERATION,
    &describe::OPERATION,
    &ingest::OPERATION,
    &distil::OPERATION,
    &bootstrap::OPERATION,
    &failures::OPERATION,
    &ledger::OPERATION,
    &doctor::OPERATION,
    &stats::OPERATION,
    &config::OPERATION,
    &config::GET,
    &config::SET,
    &config::PATH,
    &config::DEFAULTS,
    &backup::OPERATION,
    &backup::LIST,
    &backup::RESTORE,
    &consolidate::OPERATION,
    &retention::OPERATION,
    &redact_scan::OPERATION,
    &reindex::OPERATION,
    &model::OPERATION,
    &model::GET,
    &model::USE,
    &model::VERIFY,
    &embed::OPERATION,
    &export::OPERATION,
    &import::OPERATION,
    &migrate::OPERATION,
    &work::OPERATION,
    &install::OPERATION,
    &uninstall::OPERATION,
    &init::OPERATION,
    &trust::OPERATION,
];

/// The operation with this name, such as `recall` or `inbox accept`.
pub fn find(name: &str) -> Option<&'static Operation> {
    TABLE.iter().copied().find(|operation| operation.name == name)
}

/// The operation behind a tool, whether it is listed or not.
pub fn find_tool(name: &str) -> Option<&'static Operation> {
    TABLE.iter().copied().find(|operation| operation.tool_name() == Some(name))
}

/// Whether a server that was asked for `families` lists this operation's tool. The core is always listed.
pub fn is_listed(operation: &Operation, families: &[Family]) -> bool {
    matches!(operation.tool, Tool::On { family, .. }
        if family == Family::Core || families.contains(&family) || families.contains(&Family::All))
}
