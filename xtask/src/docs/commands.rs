//! The command line, from its own help.

use std::fmt::Write as _;

use serde_json::Value;

use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::process;

pub(super) fn page(hark: &Hark) -> Outcome<String> {
    let top = process::capture(&mut hark.command(&["help", "--all"]))?;
    let table = table(hark)?;
    let names = commands(&table);
    if names.is_empty() {
        return Err(Failure::new("`hark help --json` lists no commands"));
    }
    let mut page = String::from(
        "# Commands\n\nEvery command takes `--json`. Exit codes: 0 ok, 1 the request was wrong, 2 the command line was \
         wrong, 3 storage, 70 a fault in hark.\n\n",
    );
    let _ = writeln!(page, "```text\n{}\n```", top.trim_end());
    describe(hark, &mut page, &names.iter().map(|n| vec![n.clone()]).collect::<Vec<_>>())?;
    Ok(page)
}

/// The table of operations, as the binary prints it.
pub(super) fn table(hark: &Hark) -> Outcome<Value> {
    let text = process::capture(&mut hark.command(&["help", "--json"]))?;
    serde_json::from_str(&text).map_err(|e| Failure::new(format!("`hark help --json`: {e}")))
}

/// Names of one word, in the order of the table; programs last.
fn commands(table: &Value) -> Vec<String> {
    let rows =
        ["operations", "programs"].into_iter().flat_map(|key| table[key].as_array().into_iter().flatten());
    let shown = rows.filter(|row| row["command"].get("off").is_none());
    let names = shown.filter_map(|row| row["name"].as_str()).filter(|name| !name.contains(' '));
    names.map(str::to_owned).collect()
}

fn describe(hark: &Hark, page: &mut String, commands: &[Vec<String>]) -> Outcome {
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let text = help(hark, &words)?;
        let _ = writeln!(page, "\n## hark {}\n\n```text\n{}\n```", words.join(" "), text.trim_end());
        let inner = subcommands(&text).into_iter().map(|name| [command.as_slice(), &[name]].concat());
        describe(hark, page, &inner.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn help(hark: &Hark, command: &[&str]) -> Outcome<String> {
    let arguments = [command, &["--help"]].concat();
    let text = process::capture(&mut hark.command(&arguments))?;
    Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}

/// The names below `Commands:`, without `help`.
fn subcommands(help: &str) -> Vec<String> {
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_help() {
        let help =
            "x\n\nCommands:\n  recall  Find\n          more\n  help    Print\n\nOptions:\n  -h  Help\n";
        assert_eq!(subcommands(help), ["recall"]);
    }
}
