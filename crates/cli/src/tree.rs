//! The tree of commands, built from the table of operations and the other programs.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Arg, ArgAction, ArgMatches, Command};
use hark_engine::Operation;
use hark_engine::operation::Example;
use hark_engine::ops::TABLE;

use crate::commands::{PROGRAMS, Program};
use crate::{environment, overview};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The requested command.
pub(crate) enum Chosen<'a> {
    Operation(&'static Operation, &'a ArgMatches),
    Program(&'static Program, &'a ArgMatches),
}

/// The whole tree.
pub(crate) fn command() -> Command {
    built(|_| true)
}

/// Only the command that the first argument spells out, to save the time to build the others; all of them if it is not
/// the name of one.
pub(crate) fn command_for(first: Option<&str>) -> Command {
    let commands = TABLE.iter().filter(|operation| operation.surfaces.command.is_on());
    let names = commands.map(|operation| operation.name).chain(PROGRAMS.iter().map(|program| program.name));
    match first.filter(|first| names.clone().any(|name| name == *first)) {
        Some(first) => built(|name| name == first),
        None => command(),
    }
}

fn built(wanted: impl Fn(&str) -> bool) -> Command {
    let json = Arg::new("json")
        .long("json")
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Print JSON instead of text");
    let mut root = Command::new("hark")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Long-term memory for AI coding assistants: local, private, one binary")
        .styles(STYLES)
        .max_term_width(100)
        .infer_subcommands(true)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg(json)
        .override_help(overview::first())
        .after_long_help(environment::help());
    for operation in TABLE {
        let is_top = operation.surfaces.command.is_on() && !operation.name.contains(' ');
        if is_top && wanted(operation.name) {
            root = root.subcommand(of_operation(operation));
        }
    }
    for program in PROGRAMS.iter().filter(|program| wanted(program.name)) {
        let command = (program.args)(Command::new(program.name));
        root = root.subcommand(described(command, program.summary, "", program.examples));
    }
    root
}

/// A command with those below it: `inbox`, `inbox list`, `inbox accept`.
fn of_operation(operation: &'static Operation) -> Command {
    let mut command = leaf(operation, operation.name);
    let below = TABLE.iter().filter(|other| other.surfaces.command.is_on()).flat_map(|other| {
        other.spellings().filter_map(move |words| match words.as_slice() {
            [first, second] if *first == operation.name => Some((*other, *second)),
            _ => None,
        })
    });
    let mut any = false;
    for (other, name) in below {
        any = true;
        command = command.subcommand(leaf(other, name));
    }
    if any {
        command = command
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .disable_help_subcommand(true)
            .infer_subcommands(true);
    }
    command
}

fn leaf(operation: &'static Operation, name: &'static str) -> Command {
    let command = operation.code.args(Command::new(name));
    described(command, operation.summary, operation.help, operation.examples)
}

/// After the arguments are added: they bring a description of their own.
fn described(command: Command, summary: &'static str, help: &'static str, examples: &[Example]) -> Command {
    let long = if help.is_empty() { summary.to_owned() } else { format!("{summary}\n\n{help}") };
    command.about(summary).long_about(long).after_help(overview::examples(examples))
}

/// The operation or program that was typed.
pub(crate) fn chosen(matches: &ArgMatches) -> Option<Chosen<'_>> {
    let (first, below) = matches.subcommand()?;
    if let Some(program) = PROGRAMS.iter().find(|program| program.name == first) {
        return Some(Chosen::Program(program, below));
    }
    let (words, matches) = match below.subcommand() {
        Some((second, matches)) => (vec![first, second], matches),
        None => (vec![first], below),
    };
    let spelled = |operation: &&&Operation| operation.spellings().any(|spelling| spelling == words);
    let operation = TABLE.iter().find(spelled)?;
    Some(Chosen::Operation(operation, matches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn every_operation_with_a_command_can_be_typed() {
        for operation in TABLE.iter().filter(|operation| operation.surfaces.command.is_on()) {
            for spelling in operation.spellings() {
                let mut at = command();
                for word in &spelling {
                    at =
                        at.find_subcommand(word).unwrap_or_else(|| panic!("no command {spelling:?}")).clone();
                }
                assert_eq!(at.get_about().map(ToString::to_string).as_deref(), Some(operation.summary));
            }
        }
    }

    /// Command lines in backquotes, as words.
    fn recommended(text: &str) -> Vec<Vec<String>> {
        let quoted = text.split('`').skip(1).step_by(2).map(|line| line.trim_start_matches("/run "));
        let lines = quoted.filter(|line| line.starts_with("hark "));
        let words = |line: &str| {
            let mut words = Vec::new();
            for (at, part) in line.split('"').enumerate() {
                match at % 2 {
                    0 => words.extend(part.split_whitespace().map(str::to_owned)),
                    _ => words.push(part.to_owned()),
                }
            }
            words.into_iter().map(|word| if word == "K" { "fact".to_owned() } else { word }).collect()
        };
        lines.map(words).collect()
    }

    #[test]
    fn every_command_that_texts_recommend_exists_and_acts() {
        let mut all = Vec::new();
        for (name, text) in hark_hosts::texts() {
            all.extend(recommended(&text).into_iter().map(|line| (name.clone(), line)));
        }
        assert!(all.len() > 20, "{} commands", all.len());
        for (name, line) in all {
            let shown = line.join(" ");
            let matches = match command().try_get_matches_from(&line) {
                Ok(matches) => matches,
                Err(error) => panic!("{name}: `{shown}`: {error}"),
            };
            let Some(Chosen::Operation(operation, _)) = chosen(&matches) else { continue };
            let tree = operation.code.args(Command::new("x"));
            for flag in ["yes", "apply"] {
                // `uninstall` asks only before it deletes the store.
                let asks = operation.name != "uninstall";
                let waits = asks && tree.get_arguments().any(|arg| arg.get_id() == flag);
                assert!(!waits || line.contains(&format!("--{flag}")), "{name}: `{shown}` only previews");
            }
            assert!(!line.contains(&"--dry-run".to_owned()), "{name}: `{shown}` only previews");
        }
    }

    #[test]
    fn every_tool_that_texts_name_exists() {
        let mut named = 0;
        for (name, text) in hark_hosts::texts() {
            let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '_');
            for tool in words.filter(|word| word.starts_with("memory_")) {
                named += 1;
                assert!(hark_engine::ops::find_tool(tool).is_some(), "{name}: no tool {tool}");
            }
        }
        assert!(named > 15, "{named} tools");
    }

    #[test]
    fn the_tools_that_assistants_may_allow_are_those_that_read() {
        let reading = |operation: &&&Operation| operation.effect == hark_engine::operation::Effect::Read;
        let mut expected: Vec<&str> = TABLE.iter().filter(reading).filter_map(|o| o.tool_name()).collect();
        let mut allowed = hark_hosts::READ_TOOLS.to_vec();
        expected.sort_unstable();
        allowed.sort_unstable();
        assert_eq!(allowed, expected);
    }
}
