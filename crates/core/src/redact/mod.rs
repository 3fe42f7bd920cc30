//! Redaction: the only way from external text to text that hark may store.
//!
//! [`Raw`] is unexamined text; it cannot be printed or stored. [`Redactor::clean`] turns it into [`Clean`] by
//! replacing every secret with a placeholder that names the rule and contains a keyed fingerprint, so that
//! two mentions of one secret stay recognisable as the same.
//!
//! The module owns the rules, the scanners behind them and the placeholder format. Its callers decide where
//! the fingerprint key is stored and what to do with findings: the module does no I/O and reads no clock.
//!
//! How a text is cleaned:
//!
//! 1. `<private>` spans are removed as a whole; nothing inside is examined.
//! 2. One pass finds keywords. Only rules whose keyword occurred do any work, and a
//!    rule's regex is compiled the first time it is needed: hooks live for milliseconds.
//! 3. Where a secret may be in pieces, escaped or in base64, that place is unwrapped once
//!    and examined as well. The same keyword pass finds these places.
//! 4. Overlapping findings are merged and replaced; the rest is examined again until nothing
//!    is found, which makes cleaning idempotent by construction.

mod boundary;
mod encoded;
mod examine;
mod placeholder;
mod prefilter;
mod private_span;
mod published;
mod record;
mod redactor;
mod rule;
mod rules;
mod scan;
mod shape;
mod spans;
mod text;
mod unwrap;

pub use record::{Unredacted, own_record};
pub use redactor::{Finding, RedactOptions, Redactor};
pub use rule::{Family, RuleInfo};
pub use text::{Clean, Raw};

/// Where to cut `text` near `at` without splitting a placeholder: before it, if `at` is inside one. For
/// callers that shorten clean text, such as a title.
pub fn cut_at(text: &str, at: usize) -> usize {
    let is_rule = |rule: &[u8]| rules::all().iter().any(|known| known.name.as_bytes() == rule);
    let found = placeholder::existing(text.as_bytes(), is_rule);
    found.into_iter().find(|range| range.start < at && at < range.end).map_or(at, |range| range.start)
}

/// Every rule, for listings and documentation.
pub fn rules() -> impl Iterator<Item = RuleInfo> {
    rules::all().iter().map(|rule| rule.info())
}
