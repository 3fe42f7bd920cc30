//! The shapes of sentences that say something lasting, as tables: one file per family of kinds.
//!
//! Patterns see a sentence in lower case without its opening words ("ok, so …"), with quotes and code
//! replaced by runs of `q`. In a pattern `{c}` is the beginning of a clause, `{q}` a quoted name, and an
//! apostrophe may be missing or curly.

mod constraint;
mod convention;
mod decision;
mod fact;
mod other_languages;

use std::sync::LazyLock;

use regex::Regex;

use crate::kind::Kind;

/// The sentence names something: code, a path, an identifier, a product.
pub(super) const CONCRETE: u8 = 1;
/// It speaks of more than one case.
pub(super) const GENERAL: u8 = 2;
/// It is not about this moment only.
pub(super) const LASTING: u8 = 4;
/// Nothing in it is a complaint about something broken.
pub(super) const SOUND: u8 = 8;

/// One shape.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// How often such a sentence is worth keeping.
    pub(super) confidence: f32,
    /// What must hold besides the pattern: a union of the flags above.
    pub(super) needs: u8,
    pub(super) pattern: &'static str,
    /// If this is found as well, it is something else.
    pub(super) unless: &'static str,
    /// Sentences it is for, and sentences it is not for. A test walks them.
    #[cfg_attr(not(test), allow(dead_code, reason = "examples are for the test and the reader"))]
    pub(super) yes: &'static [&'static str],
    #[cfg_attr(not(test), allow(dead_code, reason = "examples are for the test and the reader"))]
    pub(super) no: &'static [&'static str],
}

pub(super) struct Compiled {
    pub(super) rule: &'static Rule,
    pub(super) pattern: Regex,
    pub(super) unless: Option<Regex>,
}

/// Every shape, surest families first: the first that fits names the kind.
pub(super) static RULES: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let families =
        [constraint::RULES, convention::RULES, decision::RULES, fact::RULES, other_languages::RULES];
    families.iter().flat_map(|family| family.iter()).map(Compiled::new).collect()
});

impl Compiled {
    fn new(rule: &'static Rule) -> Self {
        Compiled {
            rule,
            pattern: expand(rule.pattern),
            unless: (!rule.unless.is_empty()).then(|| expand(rule.unless)),
        }
    }
}

/// Shorthands of patterns, spelled out.
pub(super) fn expand(pattern: &str) -> Regex {
    let text = pattern
        .replace(
            "{c}",
            r"(?:^|[,;:(]\s*|\s[-–—]+\s*|\b(?:and|but|so|because|since|that|therefore|also|then|please|just)\s+)",
        )
        .replace("{q}", "q{3,}")
        .replace('\'', "(?:'|’|)");
    Regex::new(&text).expect("a constant pattern; a test compiles every one")
}
