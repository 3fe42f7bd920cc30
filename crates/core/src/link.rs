//! Links from a memory to another memory.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::MemoryId;
use crate::origin::Origin;

macro_rules! relations {
    ($($variant:ident = $name:literal / $inverse:literal,)*) => {
        /// How one memory relates to another.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Relation { $($variant,)* }

        impl Relation {
            pub const ALL: &'static [Relation] = &[$(Relation::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Relation::$variant => $name,)* }
            }

            /// The name of the link seen from its target.
            pub const fn inverse_name(self) -> &'static str {
                match self { $(Relation::$variant => $inverse,)* }
            }
        }
    };
}

relations! {
    Supersedes = "supersedes" / "superseded_by",
    Extends = "extends" / "extended_by",
    Contradicts = "contradicts" / "contradicts",
    CausedBy = "caused_by" / "causes",
    Fixes = "fixes" / "fixed_by",
    SameEntity = "same_entity" / "same_entity",
    Sequence = "sequence" / "preceded_by",
    Context = "context" / "context_of",
    Related = "related" / "related",
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a relation (supersedes, extends, contradicts, caused_by, fixes, same_entity, sequence, context, related)"
)]
pub struct RelationError(pub String);

impl FromStr for Relation {
    type Err = RelationError;

    fn from_str(word: &str) -> Result<Self, RelationError> {
        let lower = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        let aliased = match lower.as_str() {
            "relates_to" | "related_to" | "relates" => "related",
            "causedby" | "caused" => "caused_by",
            "resolves" | "solves" => "fixes",
            "conflicts" | "conflicts_with" => "contradicts",
            other => other,
        };
        Relation::ALL
            .iter()
            .copied()
            .find(|r| r.name() == aliased)
            .ok_or_else(|| RelationError(word.chars().take(40).collect()))
    }
}

/// One directed, weighted link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    pub to: MemoryId,
    pub relation: Relation,
    #[serde(default = "full_weight")]
    pub weight: f32,
    #[serde(default = "user_origin")]
    pub origin: Origin,
}

fn full_weight() -> f32 {
    1.0
}

fn user_origin() -> Origin {
    Origin::User
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_spellings() {
        for relation in Relation::ALL {
            assert_eq!(relation.name().parse::<Relation>().unwrap(), *relation);
        }
        assert_eq!("caused-by".parse::<Relation>().unwrap(), Relation::CausedBy);
        assert!("likes".parse::<Relation>().is_err());
    }
}
