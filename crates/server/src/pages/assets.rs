//! Style and scripts, compiled in. Their URL contains a hash of all of them, so that browsers keep them until they change.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

macro_rules! assets {
    ($($name:literal),+ $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../assets/", $name)))),+];
    };
}

assets!(
    "hark.css",
    "theme.js",
    "hark.js",
    "call.js",
    "keys.js",
    "rows.js",
    "memory.js",
    "inbox.js",
    "rules.js",
    "search.js",
    "live.js",
    "slider.js",
    "settings.js"
);

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in FILES {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(12).collect()
});

pub(crate) fn version() -> &'static str {
    &VERSION
}

pub(crate) async fn file(Path((version, name)): Path<(String, String)>) -> Response {
    let Some((_, text)) = FILES.iter().find(|(known, _)| *known == name).filter(|_| version == *VERSION)
    else {
        return (StatusCode::NOT_FOUND, "Not Found\n").into_response();
    };
    let kind =
        if name.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, *text).into_response()
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn scripts_are_small_and_fetch_nothing_from_elsewhere() {
        let scripts = FILES.iter().filter(|(name, _)| name.ends_with(".js"));
        let size: usize = scripts.map(|(_, text)| text.len()).sum();
        assert!(size <= 100_000, "{size} bytes");
        for (name, text) in FILES {
            assert!(!text.contains("http://") && !text.contains("https://"), "{name}");
        }
    }
}
