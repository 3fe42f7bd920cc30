//! A unit of systemd's manager for a user.

use super::{Condition, Job, Programs, Wish, failure};

pub(crate) const UNIT: &str = "hark.service";

/// What a user's unit may restrict without namespaces, which many systems do not give to users. Memory that is written
/// and executed is not forbidden: a command of `history.summarise` may be a program with a just-in-time compiler.
const HARDENING: &str = "\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
UMask=0077
";

pub(super) fn unit(job: &Job) -> String {
    let program = quoted(&job.program.to_string_lossy());
    // A dollar sign means a variable in arguments, though not in the name of the program.
    let arguments: Vec<String> = job.arguments.iter().map(|word| quoted(&word.replace('$', "$$"))).collect();
    let variables: String = job
        .variables
        .iter()
        .map(|(name, value)| format!("Environment={}\n", quoted(&format!("{name}={value}"))))
        .collect();
    format!(
        "# Written by `hark service install`; `hark service uninstall` removes it.\n\
         [Unit]\n\
         Description=Hark, memory for coding assistants\n\
         StartLimitIntervalSec=300\n\
         StartLimitBurst=10\n\
         \n\
         [Service]\n\
         Type=exec\n\
         ExecStart={program} {}\n\
         {variables}\
         Restart=on-failure\n\
         RestartSec=2\n\
         TimeoutStopSec=20\n\
         StandardOutput=journal\n\
         StandardError=journal\n\
         SyslogIdentifier=hark\n\
         {HARDENING}\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        arguments.join(" ")
    )
}

/// Quotes where it must, and doubles the sign of specifiers.
fn quoted(word: &str) -> String {
    let doubled = word.replace('%', "%%");
    let is_plain = |c: char| c.is_alphanumeric() || "/._-=:,+@%$".contains(c);
    if !doubled.is_empty() && doubled.chars().all(is_plain) {
        return doubled;
    }
    format!("\"{}\"", doubled.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Why this machine's systemd cannot run a unit of a user.
pub(super) fn missing(programs: &Programs<'_>) -> Option<String> {
    let said = programs.run("systemctl", &["--user", "show", "--property=Version"]);
    let why = failure("systemctl", said)?;
    Some(format!("systemd is not available here for users ({why})"))
}

pub(super) fn ask(programs: &Programs<'_>, wish: Wish) -> Option<String> {
    let tell = |arguments: &[&str]| {
        let arguments = [&["--user"], arguments].concat();
        failure("systemctl", programs.run("systemctl", &arguments))
    };
    match wish {
        Wish::Start => tell(&["start", UNIT]),
        Wish::Stop => tell(&["stop", UNIT]),
        Wish::Restart => tell(&["restart", UNIT]),
        Wish::Enable => tell(&["daemon-reload"]).or_else(|| tell(&["enable", UNIT])),
        Wish::Disable => tell(&["disable", "--now", UNIT]),
    }
}

/// After the file is gone.
pub(crate) fn forget(programs: &Programs<'_>) {
    let _ = programs.run("systemctl", &["--user", "daemon-reload"]);
}

pub(super) fn condition(programs: &Programs<'_>) -> Condition {
    const ASKED: &str = "--property=ActiveState,SubState,UnitFileState,MainPID,NRestarts";
    let said = programs.run("systemctl", &["--user", "show", UNIT, ASKED]);
    let out = said.filter(|said| said.is_ok).map(|said| said.out).unwrap_or_default();
    let value = |name: &str| {
        out.lines()
            .find_map(|line| line.split_once('=').filter(|(key, _)| *key == name))
            .map_or("", |(_, v)| v)
    };
    let active = value("ActiveState");
    Condition {
        active: active == "active",
        state: match (active, value("SubState")) {
            ("", _) => "unknown".to_owned(),
            (active, "") => active.to_owned(),
            (active, sub) => format!("{active} ({sub})"),
        },
        enabled: value("UnitFileState") == "enabled",
        pid: value("MainPID").parse().ok().filter(|pid| *pid > 0),
        restarts: value("NRestarts").parse().ok(),
    }
}

/// The last lines of the journal, or why they cannot be had.
pub(crate) fn logs(programs: &Programs<'_>, lines: usize) -> Result<Vec<String>, String> {
    let count = lines.to_string();
    let said = programs.run(
        "journalctl",
        &["--user", "--unit", UNIT, "--lines", &count, "--no-pager", "--output", "short-iso"],
    );
    match said {
        Some(said) if said.is_ok => Ok(said.out.lines().map(str::to_owned).collect()),
        said => Err(failure("journalctl", said).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn names_with_spaces_quotes_and_signs_stay_what_they_are() {
        let job = Job {
            program: PathBuf::from("/opt/my tools/hark"),
            arguments: vec!["serve".to_owned(), "100%$x".to_owned()],
            variables: vec![("HARK_HOME".to_owned(), "/home/a \"b\"".to_owned())],
        };
        let text = unit(&job);
        assert!(text.contains("ExecStart=\"/opt/my tools/hark\" serve 100%%$$x\n"), "{text}");
        assert!(text.contains("Environment=\"HARK_HOME=/home/a \\\"b\\\"\"\n"), "{text}");
    }
}
