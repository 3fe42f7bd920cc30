//! Lists the tests that skipped themselves (`hark_testkit::skip`) at the end of a run, so that "all checks
//! passed" does not hide what was not checked.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::workspace;

/// Where tests note it, a line each.
pub(super) fn list() -> PathBuf {
    workspace::target().join("skipped-tests")
}

/// A run begins with nothing skipped.
pub(super) fn forget() {
    let _ = fs::remove_file(list());
}

/// Nothing, or each skipped test with its reason.
pub(super) fn summary() -> String {
    describe(&fs::read_to_string(list()).unwrap_or_default())
}

/// A test may say it more than once.
fn describe(noted: &str) -> String {
    let tests: BTreeSet<&str> = noted.lines().filter(|line| !line.is_empty()).collect();
    if tests.is_empty() {
        return String::new();
    }
    let lines: String = tests.iter().map(|test| format!("  {test}\n")).collect();
    format!("{} tests skipped:\n{lines}", tests.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_named_once() {
        assert_eq!(describe(""), "");
        let noted = "b::two: no npm\na::one: no data\nb::two: no npm\n";
        assert_eq!(describe(noted), "2 tests skipped:\n  a::one: no data\n  b::two: no npm\n");
    }
}
