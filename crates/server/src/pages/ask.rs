//! Runs operations for a page.

use std::cell::Cell;

use hark_core::Timestamp;
use hark_engine::{Caller, EngineError, ops};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::text::shown;
use crate::pool::Pool;

/// One person who reads pages.
pub(crate) struct Reader<'a> {
    pool: &'a Pool,
    caller: Caller,
    /// The first answer looks at the files.
    has_looked: Cell<bool>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(pool: &'a Pool) -> Self {
        Reader { pool, caller: Caller::reader(), has_looked: Cell::new(false) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.pool.now()
    }

    /// The response of an operation, as the fields that the page draws.
    pub(crate) fn ask<T: DeserializeOwned>(&self, name: &str, arguments: Value) -> Result<T, EngineError> {
        let operation =
            ops::find(name).filter(|operation| operation.surfaces.page.is_on()).ok_or_else(|| {
                EngineError::invalid(format!("no page may run `{name}`"), "report this as a bug")
            })?;
        let Value::Object(arguments) = arguments else {
            return Err(EngineError::invalid("arguments are an object", "report this as a bug"));
        };
        let data = if self.has_looked.replace(true) {
            self.pool.data_again(operation, arguments, &self.caller)?
        } else {
            self.pool.data(operation, arguments, &self.caller)?
        };
        serde_json::from_value(visible(data)).map_err(|e| {
            EngineError::invalid(format!("the response of `{name}`: {e}"), "report this as a bug")
        })
    }
}

/// Every text of a response without characters that would act instead of being seen.
fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shown(&text)),
        Value::Array(items) => items.into_iter().map(visible).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, inner)| (key, visible(inner))).collect(),
        other => other,
    }
}
