//! A rule: a row of the table in [`super::rules`], and how a row finds its secret.

use std::ops::{Deref, Range};
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;

use super::boundary;
use super::published;
use super::shape;

/// How far beyond its keyword a `Token` pattern may look. There are no longer tokens, and the limit keeps the
/// cost linear for a text made only of keywords.
const TOKEN_WINDOW: usize = 4096;

/// Between a name and its value: the rest of the name, quotes, an operator.
const GIVEN: &str =
    r#"[\w .-]{0,30}["'\]\\]{0,2}\s{0,20}(?::{0,3}=>?|=>|\?\??=|\|\|=?|[:,>])\s{0,20}["'\x60\\]{0,2}"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    Cloud,
    Vcs,
    Ai,
    Chat,
    Payment,
    Packages,
    Saas,
    Keys,
    Web,
    Hashes,
    /// Names of things that are not secret in themselves.
    Infrastructure,
    Named,
    Personal,
}

/// A rule as shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleInfo {
    pub name: &'static str,
    pub family: Family,
    pub keywords: &'static [&'static str],
}

/// A scanner receives the text and the position of a keyword, and adds the secrets it finds there.
pub(super) type Scanner = fn(&[u8], usize, &mut Vec<Range<usize>>);

pub(super) enum Find {
    /// The pattern must match exactly where the keyword begins, which must not be inside a word. Group 1 is
    /// the secret if there is one, otherwise the whole match.
    Token(&'static str),
    /// A value assigned to a name: a pattern for the name, which begins with the keyword, and one for the
    /// value, both in any case. What may be between them is the same for all such rules.
    Given(&'static str, &'static str),
    /// The pattern may match anywhere in a text that contains the keyword.
    Anywhere(&'static str),
    /// Written by hand: for grammars that a regex describes badly or slowly.
    Scan(Scanner),
}

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) family: Family,
    pub(super) keywords: &'static [&'static str],
    pub(super) find: Find,
    /// Minimum Shannon entropy of the secret, in bits per character.
    pub(super) entropy: f32,
    /// A final check of a candidate, for what a pattern cannot express.
    pub(super) check: Option<fn(&[u8]) -> bool>,
    /// Whether a token is complete, if the pattern accepts less: an incomplete one that reaches the end of
    /// its line continues on the next.
    pub(super) whole: Option<fn(&[u8]) -> bool>,
    /// The keyword matches in any case. Scanners always see every case.
    pub(super) fold: bool,
    /// Blanked-out tokens (`AKCxxxxxxxx`) count as well.
    pub(super) fillers: bool,
    /// Examples, used only by the test that checks the table; `{hex:32}` and the like stand for generated
    /// characters, so no row contains anything that looks like a live secret.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) matches: &'static [&'static str],
    #[cfg_attr(not(test), allow(dead_code))]
    pub(super) ignores: &'static [&'static str],
}

impl Rule {
    pub(super) const fn new(
        name: &'static str,
        family: Family,
        keywords: &'static [&'static str],
        find: Find,
    ) -> Self {
        Self {
            name,
            family,
            keywords,
            find,
            entropy: 0.0,
            check: None,
            whole: None,
            fold: false,
            fillers: false,
            matches: &[],
            ignores: &[],
        }
    }

    pub(super) const fn entropy(mut self, bits: f32) -> Self {
        self.entropy = bits;
        self
    }

    pub(super) const fn check(mut self, check: fn(&[u8]) -> bool) -> Self {
        self.check = Some(check);
        self
    }

    pub(super) const fn whole(mut self, whole: fn(&[u8]) -> bool) -> Self {
        self.whole = Some(whole);
        self
    }

    pub(super) const fn any_case(mut self) -> Self {
        self.fold = true;
        self
    }

    pub(super) const fn fillers(mut self) -> Self {
        self.fillers = true;
        self
    }

    pub(super) const fn examples(
        mut self,
        matches: &'static [&'static str],
        ignores: &'static [&'static str],
    ) -> Self {
        self.matches = matches;
        self.ignores = ignores;
        self
    }

    pub(super) fn info(&self) -> RuleInfo {
        RuleInfo { name: self.name, family: self.family, keywords: self.keywords }
    }
}

/// A rule in use: the row of the table and its regex, compiled on first use.
pub(super) struct Row {
    rule: &'static Rule,
    compiled: OnceLock<Option<Regex>>,
}

impl Deref for Row {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        self.rule
    }
}

impl Row {
    pub(super) const fn new(rule: &'static Rule) -> Self {
        Self { rule, compiled: OnceLock::new() }
    }

    /// Findings of a `Token` or `Scan` rule whose `keyword` begins at `at`.
    pub(super) fn find_at(&self, text: &[u8], at: usize, keyword: &str, out: &mut Vec<Range<usize>>) {
        match self.find {
            Find::Token(pattern) => {
                if !self.begins(text, at, keyword) || !boundary::before_keyword(text, at) {
                    return;
                }
                let window = &text[at..text.len().min(at + TOKEN_WINDOW)];
                let regex = self.regex(|| format!("^(?:{pattern})"));
                if let Some(found) = regex.and_then(|regex| regex.captures(window)) {
                    self.admit(text, at, &found, out);
                }
            }
            Find::Given(name, value) => {
                if !boundary::before_keyword(text, at) {
                    return;
                }
                let window = &text[at..text.len().min(at + TOKEN_WINDOW)];
                let regex = self.regex(|| format!("^(?i:{name}){GIVEN}((?i:{value}))(?:[^A-Za-z0-9_=-]|$)"));
                if let Some(found) = regex.and_then(|regex| regex.captures(window)) {
                    self.admit(text, at, &found, out);
                }
            }
            Find::Scan(scan) => {
                let before = out.len();
                scan(text, at, out);
                let mut seen = 0;
                out.retain(|range| {
                    seen += 1;
                    seen <= before || self.accepts(&text[range.clone()])
                });
            }
            Find::Anywhere(_) => {}
        }
    }

    /// Whether the keyword at `at` is written as the rule requires.
    pub(super) fn begins(&self, text: &[u8], at: usize, keyword: &str) -> bool {
        self.fold || text[at..].starts_with(keyword.as_bytes())
    }

    /// Whether a line end may split what the rule looks for. A value assigned to a name may be anything, so
    /// its continuation cannot be recognised.
    pub(super) fn may_be_cut(&self) -> bool {
        match self.find {
            Find::Token(_) | Find::Anywhere(_) => true,
            Find::Scan(_) => self.whole.is_some(),
            Find::Given(..) => false,
        }
    }

    pub(super) fn is_whole(&self, token: &[u8]) -> bool {
        self.whole.is_none_or(|whole| whole(token))
    }

    /// Findings of an `Anywhere` rule.
    pub(super) fn find_all(&self, text: &[u8], out: &mut Vec<Range<usize>>) {
        let Find::Anywhere(pattern) = self.find else { return };
        let Some(regex) = self.regex(|| pattern.to_owned()) else { return };
        for found in regex.captures_iter(text) {
            self.admit(text, 0, &found, out);
        }
    }

    /// Takes the first group that matched, or the whole match of a pattern without groups.
    fn admit(
        &self,
        text: &[u8],
        offset: usize,
        found: &regex::bytes::Captures<'_>,
        out: &mut Vec<Range<usize>>,
    ) {
        let secret = found.iter().skip(1).flatten().next().or_else(|| found.get(0));
        let Some(secret) = secret else { return };
        let range = offset + secret.start()..offset + secret.end();
        if !range.is_empty() && self.accepts(&text[range.clone()]) {
            out.push(range);
        }
    }

    fn accepts(&self, secret: &[u8]) -> bool {
        (self.fillers || !shape::is_blanked(secret))
            && (self.entropy == 0.0 || shape::entropy(secret) >= self.entropy)
            && self.check.is_none_or(|check| check(secret))
            && !published::is_sample(secret)
    }

    /// `None` only if the pattern does not compile, which the table's test rules out.
    fn regex(&self, source: impl FnOnce() -> String) -> Option<&Regex> {
        self.compiled.get_or_init(|| RegexBuilder::new(&source()).unicode(false).build().ok()).as_ref()
    }

    /// Whether the rule has a regex that does not compile.
    #[cfg(test)]
    pub(super) fn is_broken(&self) -> bool {
        matches!(self.compiled.get(), Some(None))
    }
}
