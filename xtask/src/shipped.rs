//! What tests cannot see: the binary with the features it ships with. Tests are built together with dependencies of their
//! own, which switch on features of packages that the product shares with them, so that something missing is missing only
//! for users. Once, that was `hark grep`: it could not ignore case.

use crate::client::Hark;
use crate::failure::{Failure, Outcome};
use crate::process;
use crate::workspace::{self, Scratch};

/// Commands that lean on a feature of a dependency; each succeeds in an empty store.
const COMMANDS: &[&[&str]] = &[
    // Case is ignored, letters beyond ASCII included.
    &["grep", "größe"],
    &["grep", r"\bgröße\s\d+"],
    &["recall", "größe"],
];

pub(crate) fn check() -> Outcome<String> {
    let scratch = Scratch::new("shipped")?;
    let hark = Hark::new(&workspace::debug_binary()?, scratch.path());
    for words in COMMANDS {
        process::output(&mut hark.command(words)).map_err(|failure| {
            let hint = "is a feature of a dependency missing in Cargo.toml?";
            Failure::new(format!("{failure}\n{hint}"))
        })?;
    }
    Ok(String::new())
}
