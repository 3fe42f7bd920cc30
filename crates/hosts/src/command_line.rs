//! The command line with which an assistant's shell starts `hark hook`, for every shell that assistants use.
//!
//! It must be harmless when the binary is missing or broken: several assistants treat a non-zero exit as
//! "block this". `test … && … || …` means the same in sh, bash, zsh and fish.

use std::path::Path;

/// The shell that reads the line. Outside Windows it is always [`Shell::Posix`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "it is called so")]
pub enum Shell {
    /// Any Unix shell, and Git Bash.
    Posix,
    Cmd,
    PowerShell,
}

impl Shell {
    /// The shell on this system, for an assistant that uses `windows` on Windows.
    pub(crate) fn here(windows: Shell) -> Shell {
        if cfg!(windows) { windows } else { Shell::Posix }
    }
}

/// `when_gone` is printed if hark cannot run; without it, nothing is.
pub(crate) fn hook(
    shell: Shell,
    executable: &Path,
    hark_home: Option<&Path>,
    host: &str,
    event: &str,
    when_gone: Option<&str>,
) -> String {
    let program = executable.to_string_lossy();
    let store = hark_home.map(Path::to_string_lossy);
    let call = mark(host, event);
    match shell {
        Shell::Posix => {
            let program = quote(&program);
            let store = store.map(|store| format!("HARK_HOME={} ", quote(&store))).unwrap_or_default();
            let otherwise =
                when_gone.map_or_else(|| "true".to_owned(), |said| format!("echo {}", quote(said)));
            format!("test -x {program} && {store}{program} {call} || {otherwise}")
        }
        // File names on Windows cannot contain quotes.
        Shell::Cmd => {
            let store = store.map(|store| format!("set \"HARK_HOME={store}\"& ")).unwrap_or_default();
            let otherwise =
                when_gone.map(|said| format!(" else (echo {})", quote_for_cmd(said))).unwrap_or_default();
            format!("{store}if exist \"{program}\" (\"{program}\" {call}){otherwise} & exit 0")
        }
        Shell::PowerShell => {
            let program = quote_for_powershell(&program);
            let set = |store| format!("$env:HARK_HOME = {}; ", quote_for_powershell(store));
            let store = store.as_deref().map(set).unwrap_or_default();
            let say = |said| format!(" else {{ {} }}", quote_for_powershell(said));
            let otherwise = when_gone.map(say).unwrap_or_default();
            format!(
                "{store}if (Test-Path -LiteralPath {program}) {{ & {program} {call} }}{otherwise}; exit 0"
            )
        }
    }
}

/// Text that distinguishes hark's lines from others in an assistant's settings.
pub(crate) fn mark(host: &str, event: &str) -> String {
    format!("hook {host} {event}")
}

/// The message at the start of a session when hark is missing.
pub(crate) fn gone(executable: &Path) -> String {
    format!(
        "Hark cannot run from {}, so there is no memory in this session. To fix this, install hark and run `hark install`; to stop this message, remove the hark hooks.",
        executable.display()
    )
}

/// One word for a Unix shell.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Text that `echo` prints verbatim.
fn quote_for_cmd(text: &str) -> String {
    let mut quoted = String::new();
    for c in text.chars() {
        if "^&<>|()\"".contains(c) {
            quoted.push('^');
        }
        quoted.push(c);
    }
    quoted
}

fn quote_for_powershell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
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
    fn a_missing_binary_is_harmless() {
        let missing = Path::new("/nowhere/it's/hark");
        let silent = hook(Shell::Posix, missing, None, "claude-code", "Stop", None);
        let saying = hook(
            Shell::Posix,
            missing,
            Some(Path::new("/a b")),
            "claude-code",
            "SessionStart",
            Some(r#"{"a":"b c"}"#),
        );
        for (line, printed) in [(silent, ""), (saying, "{\"a\":\"b c\"}\n")] {
            let done = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert!(done.status.success(), "{line}");
            assert_eq!(String::from_utf8_lossy(&done.stdout), printed);
        }
    }

    /// Not tested on Windows; the expected lines follow the documentation of its shells.
    #[test]
    fn windows_shells_have_their_own_quoting() {
        let program = Path::new(r"C:\Users\Ann O'Hara\bin\hark.exe");
        let store = Path::new(r"D:\mem ory");
        let line = |shell, said| hook(shell, program, None, "codex", "Stop", said);
        assert_eq!(
            line(Shell::Cmd, None),
            r#"if exist "C:\Users\Ann O'Hara\bin\hark.exe" ("C:\Users\Ann O'Hara\bin\hark.exe" hook codex Stop) & exit 0"#
        );
        assert_eq!(
            line(Shell::Cmd, Some(r#"{"a":"b (c) & d"}"#)),
            r#"if exist "C:\Users\Ann O'Hara\bin\hark.exe" ("C:\Users\Ann O'Hara\bin\hark.exe" hook codex Stop) else (echo {^"a^":^"b ^(c^) ^& d^"}) & exit 0"#
        );
        assert_eq!(
            line(Shell::PowerShell, Some(r#"{"a":"it's"}"#)),
            r#"if (Test-Path -LiteralPath 'C:\Users\Ann O''Hara\bin\hark.exe') { & 'C:\Users\Ann O''Hara\bin\hark.exe' hook codex Stop } else { '{"a":"it''s"}' }; exit 0"#
        );
        let stored = |shell| hook(shell, Path::new(r"C:\hark.exe"), Some(store), "codex", "Stop", None);
        assert!(stored(Shell::Cmd).starts_with(r#"set "HARK_HOME=D:\mem ory"& if exist "C:\hark.exe" "#));
        assert!(stored(Shell::PowerShell).starts_with(r"$env:HARK_HOME = 'D:\mem ory'; if (Test-Path "));
        // Git Bash takes a path in single quotes literally.
        assert_eq!(
            hook(Shell::Posix, Path::new(r"C:\hark.exe"), None, "codex", "Stop", None),
            r"test -x 'C:\hark.exe' && 'C:\hark.exe' hook codex Stop || true"
        );
        for shell in [Shell::Posix, Shell::Cmd, Shell::PowerShell] {
            assert!(line(shell, None).contains(&mark("codex", "Stop")), "uninstalling looks for it");
        }
    }
}
