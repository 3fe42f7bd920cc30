//! What a rule, insight, skill, decision or reminder has besides its text: when it applies, what Hark does then, what it
//! rests on, and what came of it.
//!
//! Stored in the memory's file, so that it survives a lost index.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::redact::{Clean, Raw, Unredacted};
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Guidance<T = Clean> {
    /// Triggers as written, such as `command:npm *`; see [`crate::rule::Trigger`].
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<T>,
    /// What Hark does when a trigger matches; only rules have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// What the mistake looks like in a command or an edit, so that Hark can tell whether it was made again.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<T>,
    /// The user switched it off for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// What it was concluded from, oldest first.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence<T>>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Record::is_new")]
    pub record: Record,
    /// Options that a decision rejected, each with its reason.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<T>,
    /// How to tell that a requirement is met.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<T>,
    /// When to remind of it, or to review it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind: Option<Timestamp>,
}

impl<T> Default for Guidance<T> {
    fn default() -> Self {
        Guidance {
            when: Vec::new(),
            action: None,
            avoid: Vec::new(),
            paused: false,
            evidence: Vec::new(),
            record: Record::default(),
            rejected: Vec::new(),
            criteria: Vec::new(),
            remind: None,
        }
    }
}

impl<T> Guidance<T> {
    pub fn is_empty(&self) -> bool {
        let Guidance { when, action, avoid, paused, evidence, record, rejected, criteria, remind } = self;
        when.is_empty()
            && action.is_none()
            && avoid.is_empty()
            && !paused
            && evidence.is_empty()
            && record.is_new()
            && rejected.is_empty()
            && criteria.is_empty()
            && remind.is_none()
    }
}

impl Unredacted for Guidance<Raw> {
    type Redacted = Guidance;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Guidance {
        Guidance {
            when: self.when.redacted(clean),
            action: self.action,
            avoid: self.avoid.redacted(clean),
            paused: self.paused,
            evidence: self.evidence.redacted(clean),
            record: self.record,
            rejected: self.rejected.redacted(clean),
            criteria: self.criteria.redacted(clean),
            remind: self.remind,
        }
    }
}

/// What Hark does when a rule applies, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Tells the model, at the trigger or, without one, at the start.
    Tell,
    /// Tells the model before the matching tool call.
    Warn,
    /// Lets the user decide, where the client can ask.
    Ask,
    /// Refuses the tool call, with the reason.
    Deny,
}

impl Action {
    pub const ALL: &'static [Action] = &[Action::Tell, Action::Warn, Action::Ask, Action::Deny];

    pub const fn name(self) -> &'static str {
        match self {
            Action::Tell => "tell",
            Action::Warn => "warn",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }
    }

    /// Whether it can keep a tool call from running.
    pub const fn binds(self) -> bool {
        matches!(self, Action::Ask | Action::Deny)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Action::ALL.iter().copied().find(|action| action.name() == word.trim());
        found.ok_or_else(|| "use tell, warn, ask or deny".to_owned())
    }
}

/// One thing that happened, from which something may be learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub struct Evidence<T = Clean> {
    pub at: Timestamp,
    pub sort: Sort,
    /// The client's id of the session in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<T>,
    /// In the words of whoever said or did it.
    pub text: T,
}

impl Unredacted for Evidence<Raw> {
    type Redacted = Evidence;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Evidence {
        Evidence {
            at: self.at,
            sort: self.sort,
            session: self.session.redacted(clean),
            text: self.text.redacted(clean),
        }
    }
}

/// What sort of evidence it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// The user corrected the assistant.
    Correction,
    /// The user refused a tool call and said why.
    Rejection,
    /// The user took back what the assistant had edited.
    Undone,
    /// A failure that cost something.
    Failure,
    /// The same commands in the same order, with success.
    Procedure,
    /// Somebody said that this was learned.
    Learned,
}

impl Sort {
    pub const ALL: &'static [Sort] =
        &[Sort::Correction, Sort::Rejection, Sort::Undone, Sort::Failure, Sort::Procedure, Sort::Learned];

    pub const fn name(self) -> &'static str {
        match self {
            Sort::Correction => "correction",
            Sort::Rejection => "rejection",
            Sort::Undone => "undone",
            Sort::Failure => "failure",
            Sort::Procedure => "procedure",
            Sort::Learned => "learned",
        }
    }

    /// Whether the user said so in words.
    pub const fn is_explicit(self) -> bool {
        matches!(self, Sort::Correction | Sort::Rejection)
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Sort {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Sort::ALL.iter().copied().find(|sort| sort.name() == word.trim());
        found.ok_or_else(|| format!("unknown sort of evidence `{}`", word.chars().take(40).collect::<String>()))
    }
}

/// What came of a rule or a skill, counted in sessions: in one session a rule is either upheld or broken, however often it
/// matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Record {
    /// Sessions in which a model was told.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub told: u32,
    /// Sessions in which a trigger matched.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub matched: u32,
    /// Matched, and the mistake was not made. Of a skill: it worked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub upheld: u32,
    /// The mistake was made although the model was told. Of a skill: it failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub broken: u32,
    /// The user let it happen.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub overruled: u32,
    /// When it last matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Record {
    pub fn is_new(&self) -> bool {
        *self == Record::default()
    }
}
