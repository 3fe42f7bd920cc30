//! An entry that calls `hark serve` over HTTP instead of starting `hark mcp`.
//!
//! `hark install --http` writes one and keeps it current. One that the user wrote stays unchanged. It may only lack the token: then hark adds the header as
//! a separate edit, which `hark uninstall` removes.

use serde_json::{Value, json};

use crate::bearer::Bearer;
use crate::edit::{Edit, Refusal};
use crate::manifest::{EditRecord, FileRecord};

const AUTHORIZATION: &str = "Authorization";

/// How to satisfy a wish for `hark mcp`.
#[derive(Debug, PartialEq)]
pub(super) enum Fit {
    /// There is no HTTP entry in its place.
    AsWished,
    /// There is one, and this header belongs in it.
    Header { edit: Edit, lacking: bool },
    /// There is one with a token of the user's own.
    Complete,
    /// There is one without a token, and hark must not add it.
    ByHand(&'static str),
}

/// `shared` means that others read the file too, so no token may go into it.
pub(super) fn fit(
    wish: &Edit,
    body: &str,
    bearer: Option<&Bearer>,
    shared: bool,
    record: Option<&FileRecord>,
) -> Result<Fit, Refusal> {
    let is_ours =
        |record: &EditRecord| record.edit.key() == wish.key() && record.edit.server().is_some_and(calls_us);
    // One that hark wrote is replaced as a whole.
    if record.is_some_and(|record| record.edits.iter().any(is_ours)) {
        return Ok(Fit::AsWished);
    }
    let Some(entry) = wish.in_its_place(body)?.filter(calls_us) else { return Ok(Fit::AsWished) };
    let bearer = bearer.cloned().unwrap_or_else(Bearer::placeholder);
    let (edit, path) = match wish {
        Edit::JsonEntry { path, .. } => {
            let path: Vec<String> = inside(path, &["headers", AUTHORIZATION]);
            (Edit::JsonEntry { path, value: bearer.header() }, &["headers", AUTHORIZATION][..])
        }
        Edit::TomlTable { path, .. } => {
            let value = json!({ AUTHORIZATION: bearer.header() });
            (
                Edit::TomlTable { path: inside(path, &["http_headers"]), value },
                &["http_headers", AUTHORIZATION][..],
            )
        }
        _ if authorized(&entry) => return Ok(Fit::Complete),
        _ => {
            return Ok(Fit::ByHand(
                "add `requestOptions: { headers: { Authorization: \"Bearer TOKEN\" } }` to it; \
                 `hark install generic` prints the token",
            ));
        }
    };
    let shown = path.iter().try_fold(&entry, |here, name| here.get(name));
    let recorded = record.is_some_and(|r| r.edits.iter().any(|record| record.edit.key() == edit.key()));
    Ok(match shown {
        // Added by hark earlier: it stays unless the token has changed.
        Some(shown) if recorded && !bearer.outdates(shown) => {
            Fit::Header { edit: with_header(edit, shown), lacking: false }
        }
        Some(shown) if recorded || bearer.outdates(shown) => Fit::Header { edit, lacking: true },
        _ if authorized(&entry) => Fit::Complete,
        _ if shared => Fit::ByHand(
            "this file belongs to the project and may be shared; move the entry to your own settings, where \
             `hark install` adds the token",
        ),
        _ => Fit::Header { edit, lacking: true },
    })
}

fn inside(path: &[String], names: &[&str]) -> Vec<String> {
    path.iter().cloned().chain(names.iter().map(|name| (*name).to_owned())).collect()
}

fn with_header(edit: Edit, header: &Value) -> Edit {
    match edit {
        Edit::JsonEntry { path, .. } => Edit::JsonEntry { path, value: header.clone() },
        Edit::TomlTable { path, .. } => Edit::TomlTable { path, value: json!({ AUTHORIZATION: header }) },
        other => other,
    }
}

/// Whether an entry refers to a `hark serve` on this machine. Assistants name the address differently.
fn calls_us(entry: &Value) -> bool {
    let names = ["url", "httpUrl", "serverUrl", "uri"];
    let Some(url) = names.iter().find_map(|name| entry.get(name)?.as_str()) else { return false };
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    // `127.0.0.1:9824@evil.example` is the host `evil.example`, which must not receive the token.
    if authority.contains('@') {
        return false;
    }
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host).to_ascii_lowercase();
    ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str()) && path.trim_end_matches('/') == "mcp"
}

/// Whether an entry has a token, in any assistant's format.
fn authorized(entry: &Value) -> bool {
    let headers = ["headers", "http_headers", "env_http_headers"].map(|name| entry.get(name));
    let more = entry.get("requestOptions").and_then(|options| options.get("headers"));
    let named = |headers: &Value| {
        headers.as_object().is_some_and(|h| h.keys().any(|name| name.eq_ignore_ascii_case(AUTHORIZATION)))
    };
    headers.into_iter().flatten().chain(more).any(named)
        || ["bearer_token", "bearer_token_env_var", "apiKey"].iter().any(|name| entry.get(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_on_this_machine_is_ours() {
        for (url, ours) in [
            ("http://127.0.0.1:9824/mcp", true),
            ("http://localhost:1234/mcp/", true),
            ("http://[::1]:9824/mcp", true),
            ("http://127.0.0.1/mcp", true),
            ("https://127.0.0.1:9824/mcp", false),
            ("http://memory.example:9824/mcp", false),
            ("http://127.0.0.1.evil.example/mcp", false),
            ("http://127.0.0.1:9824@evil.example/mcp", false),
            ("http://127.0.0.1:9824/sse", false),
            ("http://127.0.0.1:9824", false),
        ] {
            for name in ["url", "httpUrl", "serverUrl"] {
                assert_eq!(calls_us(&json!({ name: url })), ours, "{url}");
            }
        }
        assert!(!calls_us(&json!({ "command": "hark", "args": ["mcp"] })));
        assert!(!calls_us(&json!("http://127.0.0.1:9824/mcp")));
    }

    #[test]
    fn tokens_are_recognised_in_every_format() {
        for entry in [
            json!({ "headers": { "authorization": "Bearer x" } }),
            json!({ "http_headers": { "Authorization": "Bearer x" } }),
            json!({ "env_http_headers": { "Authorization": "TOKEN" } }),
            json!({ "bearer_token_env_var": "TOKEN" }),
            json!({ "requestOptions": { "headers": { "Authorization": "Bearer x" } } }),
        ] {
            assert!(authorized(&entry), "{entry}");
        }
        for entry in
            [json!({}), json!({ "headers": {} }), json!({ "headers": { "X-Hark-Project-Dir": "/p" } })]
        {
            assert!(!authorized(&entry), "{entry}");
        }
    }
}
