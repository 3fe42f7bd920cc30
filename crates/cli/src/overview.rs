//! What `hark` alone and `hark help --all` print: commands by group.

use hark_engine::Operation;
use hark_engine::operation::{BOLD, DIM, Example, GOOD, Group, ID, Needs, Surface, Tool, Who};
use hark_engine::ops::TABLE;
use serde_json::{Value, json};

use crate::commands::{PROGRAMS, Program};

/// What most people need first.
const FIRST: [&str; 10] =
    ["install", "tour", "doctor", "remember", "recall", "list", "show", "edit", "forget", "sessions"];

const TITLE: &str = "Long-term memory for AI coding assistants: local, private, one binary";

/// The commands that most people need first.
pub(crate) fn first() -> String {
    let mut text = head();
    text.push_str(&groups(|name| FIRST.contains(&name), &[]));
    text.push_str(&format!(
        "\nAll commands: {ID}hark help --all{ID:#}. One command: {ID}hark help COMMAND{ID:#}.\n\
         Start with {ID}hark install{ID:#} or {ID}hark tour{ID:#}.\n"
    ));
    text
}

/// Every command, with the environment variables.
pub(crate) fn all() -> String {
    let mut text = head();
    text.push_str(&groups(|_| true, &Group::ALL));
    text.push_str(&format!("\n{}\n", crate::environment::help()));
    text
}

fn head() -> String {
    format!("{TITLE}\n\n{GOOD}{BOLD}Usage:{BOLD:#}{GOOD:#} hark [--json] COMMAND\n")
}

/// Groups with a command that `wanted` picks; those in `whole` always.
fn groups(wanted: impl Fn(&str) -> bool, whole: &[Group]) -> String {
    let operations = TABLE
        .iter()
        .filter(|operation| operation.surfaces.command.is_on() && !operation.name.contains(' '))
        .map(|operation| (operation.group, operation.name, operation.summary));
    let programs = PROGRAMS.iter().map(|program| (program.group, program.name, program.summary));
    let commands: Vec<(Group, &str, &str)> = operations.chain(programs).collect();
    let mut text = String::new();
    for group in Group::ALL {
        let mut here: Vec<_> = commands
            .iter()
            .filter(|(of, name, _)| *of == group && (whole.contains(&group) || wanted(name)))
            .collect();
        here.sort_by_key(|(_, name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
        if here.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{GOOD}{BOLD}{}:{BOLD:#}{GOOD:#}\n", group.title()));
        for (_, name, summary) in here {
            text.push_str(&format!("  {ID}{name:<12}{ID:#} {summary}\n"));
        }
    }
    text
}

/// The table as data: what generates the reference, and what scripts can read.
pub(crate) fn data() -> Value {
    let surface = |surface: Surface| match surface {
        Surface::On => json!(true),
        Surface::Off(why) => json!({ "off": why }),
    };
    let tool = |tool: Tool| match tool {
        Tool::On { name, family, .. } => {
            json!({ "name": name, "family": format!("{family:?}").to_lowercase() })
        }
        Tool::Within(other) => json!({ "within": other }),
        Tool::Off(why) => json!({ "off": why }),
    };
    let operation = |row: &&Operation| {
        json!({
            "name": row.name,
            "also": row.also,
            "summary": row.summary,
            "group": row.group.title(),
            "effect": format!("{:?}", row.effect).to_lowercase(),
            "only_user": row.who == Who::User,
            "needs_store": row.code.needs == Needs::Store,
            "command": surface(row.surfaces.command),
            "tool": tool(row.tool),
            "route": surface(row.surfaces.route),
            "page": surface(row.surfaces.page),
        })
    };
    let program = |program: &Program| json!({ "name": program.name, "summary": program.summary, "group": program.group.title() });
    json!({
        "operations": TABLE.iter().map(operation).collect::<Vec<_>>(),
        "programs": PROGRAMS.iter().map(program).collect::<Vec<_>>(),
    })
}

/// Examples as the end of a command's help.
pub(crate) fn examples(examples: &[Example]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let mut text = format!("{GOOD}{BOLD}Examples:{BOLD:#}{GOOD:#}");
    for (line, meaning) in examples {
        text.push_str(&format!("\n  {DIM}# {meaning}{DIM:#}\n  {line}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_shows_the_first_commands_in_few_groups() {
        let text = first();
        for name in FIRST {
            assert!(text.contains(&format!("{ID}{name:<12}{ID:#}")), "{name} is missing");
        }
        let shown = Group::ALL.iter().filter(|group| text.contains(group.title())).count();
        assert!(shown <= 8, "{shown} groups");
    }

    #[test]
    fn the_whole_list_shows_every_command() {
        let text = all();
        let operations =
            TABLE.iter().filter(|o| o.surfaces.command.is_on() && !o.name.contains(' ')).map(|o| o.name);
        for name in operations.chain(PROGRAMS.iter().map(|program| program.name)) {
            assert!(text.contains(&format!("{ID}{name:<12}{ID:#} ")), "{name} is missing");
        }
    }
}
