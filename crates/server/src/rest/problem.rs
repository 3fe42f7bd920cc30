//! Why a request has no answer: a status, and what to do about it.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use hark_engine::ErrorKind;
use hark_engine::{EngineError, StoreError};
use serde_json::json;

use crate::calls::Trouble;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) error: String,
    pub(crate) hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>, hint: impl Into<String>) -> Self {
        Problem { status, error: error.into(), hint: Some(hint.into()).filter(|hint| !hint.is_empty()) }
    }

    /// A short word for programs, the same for every problem with this status.
    pub(crate) fn code(&self) -> &'static str {
        match self.status {
            StatusCode::BAD_REQUEST => "bad_request",
            StatusCode::UNAUTHORIZED => "unauthorized",
            StatusCode::FORBIDDEN => "forbidden",
            StatusCode::NOT_FOUND => "not_found",
            StatusCode::METHOD_NOT_ALLOWED => "method_not_allowed",
            StatusCode::REQUEST_TIMEOUT => "timeout",
            StatusCode::CONFLICT => "conflict",
            StatusCode::PAYLOAD_TOO_LARGE => "too_large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
            StatusCode::UNPROCESSABLE_ENTITY => "unprocessable",
            StatusCode::TOO_MANY_REQUESTS => "too_many_requests",
            StatusCode::SERVICE_UNAVAILABLE => "storage",
            _ => "internal",
        }
    }
}

impl From<Trouble> for Problem {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Failed(error) => error.into(),
            Trouble::Panicked => Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the operation failed unexpectedly",
                "this is a bug in the server; its standard error output says more",
            ),
        }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let status = match (&error, error.kind()) {
            (EngineError::Store(StoreError::Ambiguous { .. } | StoreError::SessionsAlike { .. }), _) => {
                StatusCode::CONFLICT
            }
            // The file changed in the hands of somebody else.
            (EngineError::Store(StoreError::Unreadable { .. }), _) => StatusCode::CONFLICT,
            (EngineError::Store(StoreError::Untrusted { .. }), _) => StatusCode::FORBIDDEN,
            (EngineError::Config { .. }, _) => StatusCode::SERVICE_UNAVAILABLE,
            (_, ErrorKind::NotFound) => StatusCode::NOT_FOUND,
            (_, ErrorKind::User) => StatusCode::UNPROCESSABLE_ENTITY,
            (_, ErrorKind::Storage) => StatusCode::SERVICE_UNAVAILABLE,
            (_, ErrorKind::Internal) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem { status, hint: error.hint(), error: error.to_string() }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.error, "hint": self.hint, "code": self.code() }));
        let mut response = (self.status, body).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        }
        response
    }
}
