//! Where the words of a memory came from, and what that origin permits.
//!
//! Text from tools, files or the web can be quoted but never become a rule: only this module decides that.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kind::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person typed or confirmed it.
    User,
    /// An assistant concluded it.
    Assistant,
    /// A tool printed it.
    Tool,
    /// It was in a file of the project.
    File,
    /// It came from a web page.
    Web,
    /// Another member of the team shared it.
    Teammate,
    /// It was imported from another system.
    Import,
    /// It came with a repository that the user has not trusted.
    Repository,
}

impl Origin {
    pub const ALL: &'static [Origin] = &[
        Origin::User,
        Origin::Assistant,
        Origin::Tool,
        Origin::File,
        Origin::Web,
        Origin::Teammate,
        Origin::Import,
        Origin::Repository,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Assistant => "assistant",
            Origin::Tool => "tool",
            Origin::File => "file",
            Origin::Web => "web",
            Origin::Teammate => "teammate",
            Origin::Import => "import",
            Origin::Repository => "repository",
        }
    }

    /// Said by someone who works here rather than quoted: only such text may be among what always applies.
    pub const fn is_spoken(self) -> bool {
        matches!(self, Origin::User | Origin::Assistant | Origin::Teammate)
    }

    /// Only a user's words, or what a user confirmed, may steer an assistant.
    pub const fn may_become(self, kind: Kind) -> bool {
        !kind.steers() || matches!(self, Origin::User)
    }

    /// Whether text of this origin may retire a memory of that kind and origin.
    ///
    /// What a user said stays valid until a user says otherwise; quoted text retires only other quoted text.
    pub const fn may_supersede(self, old_kind: Kind, old_origin: Origin) -> bool {
        match self {
            Origin::User => true,
            Origin::Assistant | Origin::Teammate | Origin::Import => {
                !old_kind.steers() && !matches!(old_origin, Origin::User)
            }
            Origin::Repository => false,
            Origin::Tool | Origin::File | Origin::Web => {
                !old_kind.steers()
                    && !matches!(old_origin, Origin::User | Origin::Assistant | Origin::Teammate)
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not an origin (user, assistant, tool, file, web, teammate, import, repository)")]
pub struct OriginError(pub String);

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(word: &str) -> Result<Self, OriginError> {
        let lower = word.trim().to_ascii_lowercase();
        Origin::ALL
            .iter()
            .copied()
            .find(|o| o.name() == lower)
            .ok_or_else(|| OriginError(word.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_user_makes_directives_and_rules() {
        for origin in Origin::ALL {
            for kind in [Kind::Directive, Kind::Rule] {
                assert_eq!(origin.may_become(kind), *origin == Origin::User, "{origin} {kind}");
            }
            assert!(origin.may_become(Kind::Fact));
        }
    }

    #[test]
    fn quoted_text_never_retires_what_a_person_said() {
        for origin in Origin::ALL.iter().copied().filter(|origin| *origin != Origin::User) {
            for kind in Kind::ALL {
                assert!(!origin.may_supersede(*kind, Origin::User), "{origin} over a user's {kind}");
            }
            assert!(!origin.may_supersede(Kind::Rule, Origin::Web));
        }
        assert!(Origin::User.may_supersede(Kind::Rule, Origin::User));
        assert!(Origin::Assistant.may_supersede(Kind::Fact, Origin::Assistant));
    }
}
