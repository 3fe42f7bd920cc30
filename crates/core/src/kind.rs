//! The kinds of memories, and the names that other tools use for them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

macro_rules! kinds {
    ($($variant:ident = $name:literal, $doc:literal;)*) => {
        /// The kind of a memory.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Kind { $(#[doc = $doc] $variant,)* }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// One line for the reference pages.
            pub const fn meaning(self) -> &'static str {
                match self { $(Kind::$variant => $doc,)* }
            }
        }
    };
}

kinds! {
    Decision = "decision", "a choice that was made, with its reason";
    Constraint = "constraint", "something that must or must not be done";
    Convention = "convention", "how things are done here";
    Fact = "fact", "something true about the code, the team or the world";
    Procedure = "procedure", "steps that work";
    Lesson = "lesson", "what was learned the hard way";
    Solution = "solution", "how a problem was solved";
    Failure = "failure", "something that broke, and how";
    Fix = "fix", "an attempt at a repair, and its outcome";
    Blocker = "blocker", "what blocks progress right now";
    Task = "task", "something still to be done";
    Plan = "plan", "how something will be done";
    Idea = "idea", "something that might be done";
    Event = "event", "something that happened";
    Episode = "episode", "an account of a stretch of work or conversation";
    Directive = "directive", "a standing instruction from the user";
    Rule = "rule", "an insight that earned trust";
    Insight = "insight", "a pattern seen across several errors or sessions";
    Skill = "skill", "something the assistant has learned to do";
    Summary = "summary", "a longer text, condensed";
    Observation = "observation", "something noticed, not yet judged";
}

impl Kind {
    /// A small stable number for compact facets. Never renumber: indexes on disk contain it.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The kind of a code; `None` for a code of a newer version.
    pub fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(code)).copied()
    }

    /// Kinds that say what went wrong or how it was put right.
    pub const fn repairs(self) -> bool {
        matches!(self, Kind::Lesson | Kind::Solution | Kind::Failure | Kind::Fix | Kind::Blocker)
    }

    /// Kinds that stay true over time: ranking does not let them fade below a floor.
    pub const fn endures(self) -> bool {
        matches!(
            self,
            Kind::Decision
                | Kind::Constraint
                | Kind::Convention
                | Kind::Directive
                | Kind::Rule
                | Kind::Lesson
        )
    }

    /// Kinds of work that is open until somebody resolves it.
    pub const fn is_work(self) -> bool {
        matches!(self, Kind::Task | Kind::Blocker)
    }

    /// Kinds that steer an assistant. Only a user's own words may become one.
    pub const fn steers(self) -> bool {
        matches!(self, Kind::Directive | Kind::Rule)
    }

    /// The kind that an unknown word most likely means.
    pub fn nearest(word: &str) -> Option<Kind> {
        let word = word.to_lowercase();
        Kind::ALL
            .iter()
            .map(|kind| (strsim::damerau_levenshtein(&word, kind.name()), *kind))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, _)| *distance <= 3)
            .map(|(_, kind)| kind)
    }
}

/// Names that other tools and people use.
const ALIASES: &[(&str, Kind)] = &[
    ("warning", Kind::Constraint),
    ("requirement", Kind::Constraint),
    ("prohibition", Kind::Constraint),
    ("preference", Kind::Directive),
    ("instruction", Kind::Directive),
    ("architecture", Kind::Decision),
    ("adr", Kind::Decision),
    ("fix_attempt", Kind::Fix),
    ("conversation", Kind::Episode),
    ("conversation_summary", Kind::Summary),
    ("error", Kind::Failure),
    ("bug", Kind::Failure),
    ("todo", Kind::Task),
    ("howto", Kind::Procedure),
    ("how-to", Kind::Procedure),
    ("workflow", Kind::Procedure),
    ("note", Kind::Observation),
    ("knowledge", Kind::Fact),
    ("learning", Kind::Lesson),
    ("style", Kind::Convention),
    ("pattern", Kind::Insight),
];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{word}` is not a kind of memory{}", .nearest.map(|k| format!("; did you mean `{k}`?")).unwrap_or_default())]
pub struct KindError {
    pub word: String,
    pub nearest: Option<Kind>,
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(word: &str) -> Result<Self, KindError> {
        let lower = word.trim().to_ascii_lowercase();
        let named = Kind::ALL.iter().copied().find(|kind| kind.name() == lower);
        let aliased = || ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, kind)| *kind);
        named.or_else(aliased).ok_or_else(|| KindError {
            word: word.chars().take(40).collect(),
            nearest: Kind::nearest(&lower),
        })
    }
}

/// Requests and files may use any word that the command line accepts.
impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_parses_from_its_name_and_serialises_as_it() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse::<Kind>().unwrap(), *kind);
            let json = serde_json::to_string(kind).unwrap();
            assert_eq!(json, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<Kind>(&json).unwrap(), *kind);
        }
    }

    #[test]
    fn names_from_other_tools_are_understood() {
        assert_eq!("warning".parse::<Kind>().unwrap(), Kind::Constraint);
        assert_eq!("Fix_Attempt".parse::<Kind>().unwrap(), Kind::Fix);
        assert_eq!(serde_json::from_str::<Kind>("\"warning\"").unwrap(), Kind::Constraint);
    }

    #[test]
    fn a_typo_gets_a_suggestion() {
        let error = "decsion".parse::<Kind>().unwrap_err();
        assert_eq!(error.to_string(), "`decsion` is not a kind of memory; did you mean `decision`?");
    }
}
