//! The patterns of sentences that say something lasting, as tables: one file per family of kinds.
//!
//! Patterns see a sentence in lower case without its opening words ("ok, so …"), with quotes and code
//! replaced by runs of `q`. In a pattern, `{c}` is the beginning of a clause and `{q}` a quoted name; an
//! apostrophe may be missing or curly.

mod constraint;
mod convention;
mod decision;
mod fact;
mod other_languages;

use std::sync::{LazyLock, OnceLock};

use super::pattern::Pattern;

use crate::kind::Kind;

/// The sentence names something: code, a path, an identifier, a product.
pub(super) const CONCRETE: u8 = 1;
/// It applies to more than one case.
pub(super) const GENERAL: u8 = 2;
/// It is not only about the present moment.
pub(super) const LASTING: u8 = 4;
/// It is not a complaint about something broken.
pub(super) const SOUND: u8 = 8;

/// One pattern.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// How often such a sentence is worth keeping.
    pub(super) confidence: f32,
    /// Further requirements: a union of the flags above.
    pub(super) needs: u8,
    pub(super) pattern: &'static str,
    /// If this matches as well, the rule does not apply.
    pub(super) unless: &'static str,
    /// Sentences that must match and that must not. A test checks them.
    #[cfg_attr(not(test), allow(dead_code, reason = "examples are for the test and the reader"))]
    pub(super) yes: &'static [&'static str],
    #[cfg_attr(not(test), allow(dead_code, reason = "examples are for the test and the reader"))]
    pub(super) no: &'static [&'static str],
}

/// A rule and its patterns, which are compiled when they are needed: hooks need few.
pub(super) struct Compiled {
    pub(super) rule: &'static Rule,
    pattern: OnceLock<Pattern>,
    unless: OnceLock<Pattern>,
}

/// Every rule, most certain families first: the first match determines the kind.
pub(super) static RULES: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
    let families =
        [constraint::RULES, convention::RULES, decision::RULES, fact::RULES, other_languages::RULES];
    families.iter().flat_map(|family| family.iter()).map(Compiled::new).collect()
});

impl Compiled {
    const fn new(rule: &'static Rule) -> Self {
        Compiled { rule, pattern: OnceLock::new(), unless: OnceLock::new() }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.pattern.get_or_init(|| expand(self.rule.pattern)).is_match(text)
    }

    pub(super) fn is_excluded(&self, text: &str) -> bool {
        let unless = || self.unless.get_or_init(|| expand(self.rule.unless));
        !self.rule.unless.is_empty() && unless().is_match(text)
    }
}

/// Expands the shorthands in a pattern.
pub(crate) fn expand(pattern: &str) -> Pattern {
    let text = pattern
        .replace(
            "{c}",
            r"(?:^|[,;:(]\s*|\s[-–—]+\s*|\b(?:and|but|so|because|since|that|therefore|also|then|please|just)\s+)",
        )
        .replace("{q}", "q{3,}")
        .replace('\'', "(?:'|’|)");
    Pattern::new(&text)
}
