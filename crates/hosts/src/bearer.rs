//! The token of `hark serve`, on its way into an assistant's settings. Nothing prints it by accident.

use std::fmt;

use serde_json::{Value, json};

/// Tokens that hark makes begin so; others are the user's own.
const MADE: &str = "Bearer hark_";

#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(String);

impl Bearer {
    pub fn new(token: &str) -> Self {
        Bearer(format!("Bearer {token}"))
    }

    /// What a plan shows where there is no token yet, or where it is only shown.
    pub(crate) fn placeholder() -> Self {
        Bearer::new("TOKEN")
    }

    /// The value of `Authorization`.
    pub(crate) fn header(&self) -> Value {
        json!(self.0)
    }

    /// Whether `header` holds a token that hark made, but not this one.
    pub(crate) fn outdates(&self, header: &Value) -> bool {
        header.as_str().is_some_and(|header| header.starts_with(MADE) && header != self.0)
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(…)")
    }
}
