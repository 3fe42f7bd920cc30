//! How much of a project a test run covers: build tags, scripts for a part of the tests, patterns of names.

/// Whether the run `own` includes the tests that `theirs` ran, as far as tags and scripts tell. A build without a tag
/// leaves out the files that need it.
pub(super) fn includes(own: &str, theirs: &str) -> bool {
    match (part(theirs), part(own)) {
        (None, _) | (_, Some("ci" | "all" | "full")) => true,
        (Some(wanted), own) => own == Some(wanted),
    }
}

/// `integration` of `-tags=integration`, `test:integration`, `test-integration`.
fn part(key: &str) -> Option<&str> {
    let words: Vec<&str> = key.split(' ').collect();
    let tag = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("-tags") {
        Some("") => words.get(at + 1).copied(),
        Some(value) => value.strip_prefix('='),
        None => None,
    });
    let script = words.iter().skip(1).take(2).find_map(|word| {
        ["test:", "test-", "tests:"]
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .filter(|p| !p.is_empty())
    });
    tag.or(script)
}

/// Whether a pattern like `TestAdd|TestSub` or `^TestAdd$` selects this test.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    pattern.split('|').map(|part| part.trim_matches(['^', '$', '(', ')'])).any(|part| {
        part.len() >= 5
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && (name == part || name.starts_with(part) && part.starts_with("Test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_scripts() {
        assert!(includes("go test -tags=integration ./...", "go test ./a"));
        assert!(!includes("go test ./...", "go test -tags integration ./a"));
        assert!(includes("mise run test:integration", "go test -tags=integration ./a"));
        assert!(includes("npm run test:all", "npm run test:e2e"));
        assert!(!includes("npm run test:unit", "npm run test:e2e"));
    }

    #[test]
    fn patterns_of_names() {
        assert!(matches("TestAdd|TestSub", "TestSub"));
        assert!(matches("TestAdd", "TestAdd_Twice"));
        assert!(!matches("src/a.test.ts", "TestAdd"));
    }
}
