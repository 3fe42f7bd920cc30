//! Tests that cannot show their point here. They do not fail, and they do not pass in silence either: `cargo xtask test`
//! names each of them at its end.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use crate::tool::shared_data;

/// Names the file in which skipped tests are noted, a line each.
pub const SKIPPED: &str = "HARK_TEST_SKIPPED";

/// Says that the test that runs has to stop here, for want of something this machine cannot give.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn skip(why: impl Display) {
    // nextest may run a test on the main thread, which has no test's name.
    let named = std::env::var("NEXTEST_TEST_NAME").ok();
    let test = named.or_else(|| std::thread::current().name().map(str::to_owned)).unwrap_or_default();
    eprintln!("skipped: {test}: {why}");
    let Some(list) = std::env::var_os(SKIPPED) else { return };
    let noted = OpenOptions::new().append(true).create(true).open(&list);
    // One write: tests run side by side, and lines must not mix.
    let noted = noted.and_then(|mut file| file.write_all(format!("{test}: {why}\n").as_bytes()));
    noted.unwrap_or_else(|e| panic!("{}: {e}", list.display()));
}

/// A file or folder of the shared sets, by its path among them. `None` where the sets are not unpacked: the test is
/// skipped. In CI they must be, if they can be had: a check that silently stopped running is worse than none.
pub fn shared(path: &str) -> Option<PathBuf> {
    let wanted = shared_data::folder().join(path);
    if wanted.exists() {
        return Some(wanted);
    }
    let absent = format!("{} is not there; unpack the shared data, or set HARK_DATA", wanted.display());
    assert!(!(is_ci() && shared_data::can_be_had()), "{absent}");
    skip(absent);
    None
}

/// Whether nobody watches, so that what is skipped must be an error where it could have run.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|said| !matches!(said.as_str(), "" | "0" | "false"))
}
