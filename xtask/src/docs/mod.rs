//! `cargo xtask docs`: the reference pages, made from the code and the built binary, so that they
//! cannot say something else.

mod commands;
mod schema;
mod settings;
mod tables;
mod tools;

use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::workspace::{self, Scratch};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    /// Complain about pages that are not as they would be written.
    Check,
}

const NOTICE: &str = "<!-- Made by `cargo xtask docs` from the code; changes here are lost. -->";

pub(crate) fn run(mode: Mode) -> Outcome {
    let binary = workspace::debug_binary()?;
    let scratch = Scratch::new("docs")?;
    let hark = Hark::new(&binary, scratch.path());
    let pages = [
        ("cli.md", commands::page(&hark)?),
        ("mcp-tools.md", tools::page(&hark)?),
        ("config.md", settings::page()?),
        ("env.md", tables::environment()?),
        ("kinds.md", tables::kinds()?),
        ("files.md", tables::files()?),
        ("schema.md", schema::page()?),
    ];
    let folder = workspace::root().join("docs/reference");
    let mut stale = Vec::new();
    for (name, page) in pages {
        let path = folder.join(name);
        let page = format!("{NOTICE}\n\n{}\n", page.trim());
        if std::fs::read_to_string(&path).is_ok_and(|old| old == page) {
            continue;
        }
        stale.push(name);
        if mode == Mode::Write {
            workspace::write(&path, &page)?;
        }
    }
    match (mode, stale.is_empty()) {
        (Mode::Check, false) => Err(Failure::new(format!(
            "docs/reference is out of date ({}); run `cargo xtask docs`",
            stale.join(", ")
        ))),
        (_, true) => {
            println!("docs/reference is up to date");
            Ok(())
        }
        (Mode::Write, false) => {
            println!("wrote {}", stale.join(", "));
            Ok(())
        }
    }
}
