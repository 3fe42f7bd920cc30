//! Redaction: the only door from text we were handed to text we may keep.
//!
//! [`Raw`] is text that nobody has looked at; it cannot be printed or stored. [`Redactor::clean`]
//! turns it into [`Clean`] by replacing every secret with a placeholder that says which rule found
//! it and carries a keyed fingerprint, so that two mentions of one secret stay recognisable as one.
//!
//! The module owns the rules, the scanners behind them and the placeholder format. It leaves
//! where the fingerprint key lives, and what to do with findings, to its callers: it does no I/O
//! and reads no clock.
//!
//! How a text is cleaned:
//! 1. `<private>` spans are cut out whole; nothing inside is examined.
//! 2. One pass finds keywords. Only rules whose keyword occurred do any work, and a
//!    rule's regex is compiled the first time it is needed: hooks live for milliseconds.
//! 3. Where a secret may be written in pieces, in escapes or in base64, that place is written out
//!    plainly, once, and looked at as well. The same pass over keywords tells where.
//! 4. Overlapping findings are united and replaced; what is left is examined again until nothing
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

/// Where to cut `text` near `at` without cutting a placeholder in two: before it, if `at` is inside
/// one. For whoever shortens text that was cleaned, such as a title.
pub fn cut_at(text: &str, at: usize) -> usize {
    let is_rule = |rule: &[u8]| rules::all().iter().any(|known| known.name.as_bytes() == rule);
    let found = placeholder::existing(text.as_bytes(), is_rule);
    found.into_iter().find(|range| range.start < at && at < range.end).map_or(at, |range| range.start)
}

/// Every rule, for listings and documentation.
pub fn rules() -> impl Iterator<Item = RuleInfo> {
    rules::all().iter().map(|rule| rule.info())
}
