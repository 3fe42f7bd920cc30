//! The failure of a command: a message, a hint and an exit code.

use std::process::ExitCode;

use hark_engine::{EngineError, ErrorKind};
use hark_server::ServeError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// 1: an error in the request.
    User,
    /// 3: an error in the store.
    Storage,
    /// 70: a bug in hark.
    Internal,
}

#[derive(Debug)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
    hint: Option<String>,
    /// The JSON that the command has already printed contains the error.
    told: bool,
}

impl Failure {
    pub(crate) fn user(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { kind: FailureKind::User, message: message.into(), hint: Some(hint.into()), told: false }
    }

    pub(crate) fn storage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Storage, message: message.into(), hint: Some(hint.into()), told: false }
    }

    /// The command has printed its JSON; there must be no second one.
    pub(crate) fn told(mut self) -> Self {
        self.told = true;
        self
    }

    /// Prints the failure to stderr (with `--json` also as JSON to stdout) and returns the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if json && !self.told {
            let error = serde_json::json!({ "error": { "message": self.message, "hint": self.hint } });
            crate::ui::print(&format!("{error}\n"));
        }
        crate::ui::report_error(&self.message, self.hint.as_deref());
        ExitCode::from(match self.kind {
            FailureKind::User => 1,
            FailureKind::Storage => 3,
            FailureKind::Internal => 70,
        })
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let kind = match error.kind() {
            ErrorKind::User | ErrorKind::NotFound => FailureKind::User,
            ErrorKind::Storage => FailureKind::Storage,
            ErrorKind::Internal => FailureKind::Internal,
        };
        Failure { kind, message: error.to_string(), hint: error.hint(), told: false }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Failure { kind: FailureKind::User, message: error.to_string(), hint: None, told: false }
    }
}
