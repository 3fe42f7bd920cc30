//! The token of `hark serve` for an assistant's settings, in a type that is never printed by accident.

use std::fmt;

use serde_json::{Value, json};

/// The prefix of tokens that hark makes; others are the user's own.
const MADE: &str = "Bearer hark_";

#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(String);

impl Bearer {
    pub fn new(token: &str) -> Self {
        Bearer(format!("Bearer {token}"))
    }

    /// Stands in for the token in a plan that has none yet or is only displayed.
    pub(crate) fn placeholder() -> Self {
        Bearer::new("TOKEN")
    }

    /// The value of `Authorization`.
    pub(crate) fn header(&self) -> Value {
        json!(self.0)
    }

    /// Whether `header` contains a token that hark made, but not this one.
    pub(crate) fn outdates(&self, header: &Value) -> bool {
        header.as_str().is_some_and(|header| header.starts_with(MADE) && header != self.0)
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}
