//! The entry of each assistant for a server that already runs: an address and a header with the token.

use crate::host::{Asset, Host};

/// By assistant. One that is not here cannot send a header, or has no servers at all.
const ENTRIES: &[(&str, &str)] = &[
    ("antigravity", r#"{"serverUrl":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    ("claude-code", r#"{"type":"http","url":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    (
        "cline",
        r#"{"type":"streamableHttp","url":"{url}","headers":{"Authorization":"{authorization}"},"disabled":false,"autoApprove":"{reads}"}"#,
    ),
    (
        "codex",
        r#"{"url":"{url}","http_headers":{"Authorization":"{authorization}"},"tools":"{reads_approved}"}"#,
    ),
    (
        "continue",
        r#"{"name":"hark","type":"streamable-http","url":"{url}","requestOptions":{"headers":{"Authorization":"{authorization}"}}}"#,
    ),
    (
        "copilot-cli",
        r#"{"type":"http","url":"{url}","headers":{"Authorization":"{authorization}"},"tools":["*"]}"#,
    ),
    ("cursor", r#"{"url":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    (
        "droid",
        r#"{"type":"http","url":"{url}","headers":{"Authorization":"{authorization}"},"disabled":false}"#,
    ),
    ("gemini-cli", r#"{"httpUrl":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    (
        "kilo",
        r#"{"type":"remote","url":"{url}","headers":{"Authorization":"{authorization}"},"enabled":true}"#,
    ),
    (
        "opencode",
        r#"{"type":"remote","url":"{url}","headers":{"Authorization":"{authorization}"},"enabled":true}"#,
    ),
    ("qwen-code", r#"{"httpUrl":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    ("vscode", r#"{"type":"http","url":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    ("windsurf", r#"{"serverUrl":"{url}","headers":{"Authorization":"{authorization}"}}"#),
    ("zed", r#"{"url":"{url}","headers":{"Authorization":"{authorization}"}}"#),
];

pub(crate) fn entry(host: &Host) -> Option<&'static str> {
    ENTRIES.iter().find(|(id, _)| *id == host.id).map(|(_, entry)| *entry)
}

/// Whether an assistant can start a server and cannot call one.
pub fn only_starts_servers(host: &Host) -> bool {
    let is_server = |asset: &Asset| {
        matches!(asset, Asset::Server { .. } | Asset::TomlServer { .. } | Asset::YamlServer { .. })
    };
    entry(host).is_none() && host.install.pieces.iter().any(|piece| is_server(&piece.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_of_an_assistant_and_sends_the_token() {
        for (id, entry) in ENTRIES {
            assert!(crate::find(id).is_some(), "{id}");
            let parsed: serde_json::Value = serde_json::from_str(entry).unwrap();
            assert!(
                parsed.is_object() && entry.contains("{url}") && entry.contains("{authorization}"),
                "{id}"
            );
        }
    }
}
