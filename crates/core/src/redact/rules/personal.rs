//! Personal data that identifies people rather than opens doors.

use super::super::rule::Find::Scan;
use super::super::rule::{Family, Rule};
use super::super::scan::email;

const F: Family = Family::Personal;

pub(super) const EMAIL: &str = "email";

pub(super) const RULES: &[Rule] = &[Rule::new(EMAIL, F, &["@"], Scan(email::address)).examples(
    &["mail jane.doe@corp.dev today", "<jane+x@sub.corp.dev>", "mailto:jane@corp.dev"],
    &[
        "git@github.com:org/repo",
        "@types/node@20.1.0",
        "ssh user@host",
        "icon@2x.png",
        "https://user@corp.dev/x",
        "jane@example.com",
        "@app.route('/')",
        "rsync me@corp.dev:/srv",
    ],
)];
