//! One file per operation: request, response, `run`, output text, and its row.
//!
//! A request derives its command-line flags and its JSON schema from one struct, so every surface offers the same
//! thing under the same names. To add an operation, write its file and add one line to the table below.

pub mod scope;
mod view;

use crate::operation::{Family, Operation, Tool};

pub use view::{EvidenceView, GuidanceView, MemoryView, RecordView};

/// Declares a module per line and collects the rows in it.
macro_rules! operations {
    ($($module:ident { $($row:ident),+ })+) => {
        $(pub mod $module;)+

        /// Every operation, in the order in which help lists them.
        pub static TABLE: &[&Operation] = &[$($(&$module::$row),+),+];
    };
}

operations! {
    remember { OPERATION }
    recall { OPERATION }
    list { OPERATION, TIMELINE }
    show { OPERATION }
    context { OPERATION }
    links { OPERATION }
    clusters { OPERATION }
    tags { OPERATION }
    edit { OPERATION }
    status { RESOLVE, REOPEN, ARCHIVE, RESTORE }
    feedback { OPERATION }
    forget { OPERATION }
    inbox { OPERATION, ACCEPT, REJECT, EDIT }
    relate { OPERATION }
    history { OPERATION }
    undo { OPERATION }
    update { OPERATION }
    sessions { OPERATION, SEARCH, SHOW, STORY, FILES, PATH, WATCH }
    resume { OPERATION }
    checkpoint { OPERATION }
    grep { OPERATION }
    expand { OPERATION }
    describe { OPERATION }
    digest { OPERATION }
    ingest { OPERATION }
    distil { OPERATION }
    bootstrap { OPERATION }
    failures { OPERATION }
    rules { OPERATION, ADD, ACCEPT, REJECT, PAUSE, RESUME, RETIRE, SHOW, TEST, EXPORT, IMPORT }
    skills { OPERATION, SHOW, ADD, USE, EXPORT, TOOL }
    episodes { OPERATION, ADD, TOOL }
    learn { OPERATION }
    insights { OPERATION }
    ledger { OPERATION }
    told { OPERATION }
    report { OPERATION }
    reflect { OPERATION }
    doctor { OPERATION }
    stats { OPERATION }
    metrics { OPERATION }
    project { OPERATION, MERGE, RENAME }
    ping { OPERATION }
    config { OPERATION, GET, SET, PATH, DEFAULTS, EXPLAIN }
    backup { OPERATION, LIST, RESTORE }
    reset { OPERATION }
    consolidate { OPERATION }
    retention { OPERATION }
    redact_scan { OPERATION }
    reindex { OPERATION }
    model { OPERATION, GET, USE, VERIFY }
    embed { OPERATION }
    export { OPERATION }
    import { OPERATION }
    migrate { OPERATION }
    work { OPERATION }
    service { OPERATION, INSTALL, UNINSTALL, START, STOP, RESTART, LOGS }
    pause { OPERATION, UNPAUSE }
    install { OPERATION }
    uninstall { OPERATION }
    init { OPERATION }
    trust { OPERATION }
}

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::operation::{Effect, Needs, Surface};

    #[test]
    fn names_and_spellings_are_unique() {
        let mut seen = BTreeSet::new();
        for operation in TABLE {
            for spelling in operation.spellings() {
                assert!(seen.insert(spelling.join(" ")), "{} is spelled twice", spelling.join(" "));
            }
            if let Some(tool) = operation.tool_name() {
                assert!(tool.starts_with("memory_"), "{tool}");
                assert!(seen.insert(tool.to_owned()), "{tool} is named twice");
            }
        }
    }

    #[test]
    fn every_row_decides_every_surface_and_says_why_not() {
        for operation in TABLE {
            for surface in [operation.surfaces.command, operation.surfaces.route, operation.surfaces.page] {
                if let Surface::Off(why) = surface {
                    assert!(why.len() > 10, "{}: {why:?} is no reason", operation.name);
                }
            }
            match operation.tool {
                Tool::On { description, .. } => assert!(description.ends_with('.'), "{}", operation.name),
                Tool::Off(why) => assert!(why.len() > 10, "{}: {why:?} is no reason", operation.name),
                Tool::Within(tool) => {
                    assert!(find_tool(tool).is_some(), "{}: no tool {tool}", operation.name);
                }
            }
        }
    }

    #[test]
    fn summaries_are_short_lines_and_commands_have_examples() {
        for operation in TABLE.iter().filter(|operation| operation.surfaces.command.is_on()) {
            let (name, summary) = (operation.name, operation.summary);
            assert!(
                summary.len() <= 70 && !summary.ends_with('.') && !summary.contains('\n'),
                "{name}: {summary}"
            );
            assert!(summary.starts_with(char::is_uppercase), "{name}: {summary}");
            assert!(!operation.examples.is_empty() && operation.examples.len() <= 3, "{name} needs examples");
            for (line, _) in operation.examples {
                assert!(line.contains("hark "), "{name}: {line}");
            }
        }
    }

    #[test]
    fn an_operation_below_another_has_a_parent() {
        for operation in TABLE.iter().filter(|operation| operation.name.contains(' ')) {
            assert!(find(operation.command_name()).is_some(), "{}", operation.name);
        }
    }

    #[test]
    fn operations_on_the_machine_are_not_tools() {
        for operation in TABLE.iter().filter(|operation| operation.code.needs == Needs::Machine) {
            assert!(operation.tool_name().is_none(), "{} would run for a remote caller", operation.name);
        }
    }

    #[test]
    fn the_tool_that_can_forget_says_so() {
        assert!(find_tool("memory_update").is_some_and(|operation| operation.effect == Effect::Destroy));
        assert!(find_tool("memory_recall").is_some_and(|operation| operation.effect == Effect::Read));
    }

    #[test]
    fn schemas_are_objects_whose_properties_are_described() {
        for operation in TABLE.iter().filter(|operation| operation.tool_name().is_some()) {
            let schema = operation.code.request_schema();
            assert_eq!(schema["type"], "object", "{}", operation.name);
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let described = property["description"].as_str().is_some_and(|text| !text.is_empty());
                assert!(
                    described || property.get("enum").is_some(),
                    "{}.{name} has no description",
                    operation.name
                );
            }
        }
    }
}
