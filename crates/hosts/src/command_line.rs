//! The line by which an assistant's shell starts `hark hook`.
//!
//! It must do no harm when the binary is gone or broken: several assistants take a non-zero exit
//! as "block this". `test … && … || …` means the same in sh, bash, zsh and fish.

use std::path::Path;

/// `when_gone` is what is printed if hark cannot run; otherwise nothing is.
pub(crate) fn hook(
    executable: &Path,
    hark_home: Option<&Path>,
    host: &str,
    event: &str,
    when_gone: Option<&str>,
) -> String {
    let program = executable.to_string_lossy();
    if cfg!(windows) {
        return format!("\"{program}\" {}", mark(host, event));
    }
    let program = quote(&program);
    let store = hark_home.map(|home| format!("HARK_HOME={} ", quote(&home.to_string_lossy())));
    let otherwise = when_gone.map_or_else(|| "true".to_owned(), |said| format!("echo {}", quote(said)));
    format!(
        "test -x {program} && {}{program} {} || {otherwise}",
        store.unwrap_or_default(),
        mark(host, event)
    )
}

/// What tells our lines from others' in an assistant's settings.
pub(crate) fn mark(host: &str, event: &str) -> String {
    format!("hook {host} {event}")
}

/// What is said at the start of a session when hark is gone.
pub(crate) fn gone(executable: &Path) -> String {
    format!(
        "Hark does not run from {}, so there is no memory in this session. To mend it, install hark and run `hark install`; to be rid of this line, remove the hark hooks.",
        executable.display()
    )
}

/// One word for a shell.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_when_they_must_be() {
        assert_eq!(quote("/usr/bin/hark"), "/usr/bin/hark");
        assert_eq!(quote("/Users/ann/My Tools/hark"), "'/Users/ann/My Tools/hark'");
        assert_eq!(quote("it's"), r"'it'\''s'");
    }

    #[cfg(unix)]
    #[test]
    fn a_missing_binary_harms_nobody() {
        let missing = Path::new("/nowhere/it's/hark");
        let silent = hook(missing, None, "claude-code", "Stop", None);
        let saying =
            hook(missing, Some(Path::new("/a b")), "claude-code", "SessionStart", Some(r#"{"a":"b c"}"#));
        for (line, printed) in [(silent, ""), (saying, "{\"a\":\"b c\"}\n")] {
            let done = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert!(done.status.success(), "{line}");
            assert_eq!(String::from_utf8_lossy(&done.stdout), printed);
        }
    }
}
