//! Parses a message, and reports precisely what is wrong with an invalid one.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcError, JsonRpcMessage,
    RequestId,
};
use serde_json::Value;

/// Methods whose parameters have a known form in every version. `rmcp` takes a request it cannot read for
/// one it does not know; the client deserves to hear that its parameters are wrong rather than that there
/// is no such method.
const KNOWN: [&str; 10] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

pub(super) type Refusal = Box<JsonRpcError>;

pub(super) fn read(text: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    match serde_json::from_slice(text) {
        Ok(message) => understood(message),
        Err(error) => Err(match serde_json::from_slice::<Value>(text) {
            Ok(value) => malformed(&value, &error),
            Err(error) => refusal(None, ErrorCode::PARSE_ERROR, format!("Parse error: {error}")),
        }),
    }
}

pub(super) fn read_value(value: &Value) -> Result<ClientJsonRpcMessage, Refusal> {
    match serde_json::from_value(value.clone()) {
        Ok(message) => understood(message),
        Err(error) => Err(malformed(value, &error)),
    }
}

pub(super) fn refusal(id: Option<RequestId>, code: ErrorCode, message: String) -> Refusal {
    Box::new(JsonRpcError::new(id, ErrorData::new(code, message, None)))
}

fn understood(message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
    if let JsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(custom) = &request.request
        && (KNOWN.contains(&custom.method.as_str()) || opens_badly(&request.request))
    {
        let message = format!("Invalid params for {}", custom.method);
        return Err(refusal(Some(request.id.clone()), ErrorCode::INVALID_PARAMS, message));
    }
    Ok(message)
}

/// A handshake that cannot be read. Versions without a handshake describe themselves in `_meta`, and for
/// them there is no such method.
fn opens_badly(request: &ClientRequest) -> bool {
    request.method() == "initialize" && request.get_meta().protocol_version().is_none()
}

fn malformed(value: &Value, error: &serde_json::Error) -> Refusal {
    let id = value.get("id");
    let id = id.and_then(|id| serde_json::from_value(id.clone()).ok());
    refusal(id, ErrorCode::INVALID_REQUEST, format!("Invalid request: {error}"))
}

/// For HTTP, where the message goes on as bytes: whether it is an `initialize`, or the error to answer.
pub(crate) fn peek(text: &[u8]) -> Result<bool, String> {
    let refused = match read(text) {
        Ok(JsonRpcMessage::Request(request)) => {
            return Ok(matches!(request.request, ClientRequest::InitializeRequest(_)));
        }
        Ok(_) => return Ok(false),
        Err(refused) => refused,
    };
    Err(serde_json::to_string(&refused).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &[u8]) -> (Option<RequestId>, i32) {
        let error = read(text).unwrap_err();
        (error.id, error.error.code.0)
    }

    #[test]
    fn errors_carry_code_and_id() {
        assert_eq!(error(b"{"), (None, -32700));
        assert_eq!(error(b"\"\xff\""), (None, -32700));
        assert_eq!(error(b"5"), (None, -32600));
        assert_eq!(error(b"{}"), (None, -32600));
        assert_eq!(
            error(br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#),
            (Some(RequestId::Number(3)), -32600)
        );
        assert_eq!(
            error(br#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":7}}"#),
            (Some(RequestId::Number(4)), -32602)
        );
        assert_eq!(
            error(br#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}"#),
            (Some(RequestId::String("a".into())), -32602)
        );
    }

    #[test]
    fn a_byte_order_mark_is_ignored() {
        let text = b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        assert!(read(text).is_ok());
    }
}
