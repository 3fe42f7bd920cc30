//! Grades events by value, so that most can be forgotten without losing what matters.
//!
//! A pure function of the event: the same event has the same grade, whatever its source.

use serde::{Deserialize, Serialize};

use crate::event::EventKind;

/// From essential to worthless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Tier {
    /// Kept in full: what a person asked for, what failed, what a compaction kept.
    S,
    /// Kept as a line: changes, commands that worked, substantial replies.
    M,
    /// One fact of many: what was looked at, narration.
    L,
    /// Nothing: hark's own tools, empty text.
    #[default]
    N,
}

impl Tier {
    pub const ALL: &'static [Tier] = &[Tier::S, Tier::M, Tier::L, Tier::N];

    pub const fn name(self) -> &'static str {
        match self {
            Tier::S => "S",
            Tier::M => "M",
            Tier::L => "L",
            Tier::N => "N",
        }
    }

    pub fn from_name(name: &str) -> Tier {
        Tier::ALL.iter().copied().find(|tier| tier.name() == name).unwrap_or_default()
    }
}

/// What is known about an event when it is graded.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub kind: EventKind,
    pub ok: Option<bool>,
    /// Whether it is about one of hark's own tools.
    pub ours: bool,
    /// It changed files.
    pub touches: bool,
    pub target: &'a str,
    pub body: &'a str,
}

/// Shorter replies say what is about to be done, not what was found.
const NARRATION: usize = 160;

pub fn grade(facts: &Facts<'_>) -> Tier {
    let said = facts.body.trim();
    match facts.kind {
        _ if facts.ours => Tier::N,
        EventKind::Prompt if said.is_empty() => Tier::N,
        EventKind::Prompt | EventKind::Compaction => Tier::S,
        EventKind::Tool if facts.ok == Some(false) => Tier::S,
        EventKind::Tool if facts.touches => Tier::M,
        // An event that only looked has no body.
        EventKind::Tool if said.is_empty() && facts.target.is_empty() => Tier::N,
        EventKind::Tool if said.is_empty() => Tier::L,
        EventKind::Tool => Tier::M,
        EventKind::Task => Tier::M,
        EventKind::Reply if said.is_empty() => Tier::N,
        EventKind::Reply if said.len() < NARRATION => Tier::L,
        EventKind::Reply => Tier::M,
        EventKind::Start | EventKind::End | EventKind::Before | EventKind::Other => Tier::N,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(kind: EventKind, ok: Option<bool>, target: &str, body: &str) -> Tier {
        grade(&Facts { kind, ok, ours: false, touches: false, target, body })
    }

    #[test]
    fn prompts_and_failures_are_worth_most() {
        let long = "x".repeat(200);
        assert_eq!(tier(EventKind::Prompt, None, "", "use tabs"), Tier::S);
        assert_eq!(tier(EventKind::Tool, Some(false), "make", "error"), Tier::S);
        assert_eq!(tier(EventKind::Tool, Some(true), "make", "ok"), Tier::M);
        assert_eq!(tier(EventKind::Tool, Some(true), "src/a.rs", ""), Tier::L);
        assert_eq!(tier(EventKind::Reply, None, "", "Let me look."), Tier::L);
        assert_eq!(tier(EventKind::Reply, None, "", &long), Tier::M);
        assert_eq!(tier(EventKind::End, None, "", "exit"), Tier::N);
    }

    #[test]
    fn our_own_tools_are_worth_nothing() {
        let own = Facts {
            kind: EventKind::Tool,
            ok: Some(false),
            ours: true,
            touches: false,
            target: "deploy",
            body: "",
        };
        assert_eq!(grade(&own), Tier::N);
    }

    #[test]
    fn names_are_read_back() {
        for tier in Tier::ALL {
            assert_eq!(Tier::from_name(tier.name()), *tier);
        }
        assert_eq!(Tier::from_name("?"), Tier::N);
    }
}
