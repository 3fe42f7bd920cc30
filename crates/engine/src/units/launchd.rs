//! An agent of launchd.

use std::path::Path;

use super::{Condition, Job, Programs, Wish, failure};

pub(crate) const LABEL: &str = "dev.hark.serve";

/// The agent as a property list. launchd's own log files grow for ever, so hark writes its own, which are rotated.
pub(super) fn agent(job: &Job) -> String {
    let words = std::iter::once(job.program.to_string_lossy().into_owned()).chain(job.arguments.clone());
    let words: String = words.map(|word| format!("\t\t<string>{}</string>\n", escaped(&word))).collect();
    let log = [("HARK_LOG".to_owned(), "info".to_owned()), ("HARK_LOG_FILE".to_owned(), "1".to_owned())];
    let variables: String = job
        .variables
        .iter()
        .chain(&log)
        .map(|(name, value)| {
            format!("\t\t<key>{}</key>\n\t\t<string>{}</string>\n", escaped(name), escaped(value))
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Written by `hark service install`; `hark service uninstall` removes it. -->\n\
         <plist version=\"1.0\">\n\
         <dict>\n\
         \t<key>Label</key>\n\t<string>{LABEL}</string>\n\
         \t<key>ProgramArguments</key>\n\t<array>\n{words}\t</array>\n\
         \t<key>EnvironmentVariables</key>\n\t<dict>\n{variables}\t</dict>\n\
         \t<key>RunAtLoad</key>\n\t<true/>\n\
         \t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n\
         \t<key>ThrottleInterval</key>\n\t<integer>5</integer>\n\
         \t<key>ExitTimeOut</key>\n\t<integer>20</integer>\n\
         \t<key>ProcessType</key>\n\t<string>Background</string>\n\
         \t<key>Umask</key>\n\t<integer>63</integer>\n\
         \t<key>StandardOutPath</key>\n\t<string>/dev/null</string>\n\
         \t<key>StandardErrorPath</key>\n\t<string>/dev/null</string>\n\
         </dict>\n\
         </plist>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn missing(programs: &Programs<'_>) -> Option<String> {
    let why = failure("launchctl", programs.run("launchctl", &["print", &domain(programs)]))?;
    Some(format!("launchd is not available here ({why})"))
}

/// The user's session. Agents of a session that is over would not run.
fn domain(programs: &Programs<'_>) -> String {
    let user = match hark_files::user() {
        Some(user) => user.to_string(),
        None => programs.run("id", &["-u"]).map(|said| said.out).unwrap_or_default(),
    };
    format!("gui/{user}")
}

pub(super) fn ask(programs: &Programs<'_>, wish: Wish, file: &Path) -> Option<String> {
    let domain = domain(programs);
    let target = format!("{domain}/{LABEL}");
    let file = file.to_string_lossy();
    let run = |arguments: &[&str]| programs.run("launchctl", arguments);
    let tell = |arguments: &[&str]| failure("launchctl", run(arguments));
    let is_loaded = || run(&["print", &target]).is_some_and(|said| said.is_ok);
    match wish {
        Wish::Start if is_loaded() => tell(&["kickstart", &target]),
        Wish::Start => tell(&["bootstrap", &domain, &file]),
        // One that is only ended would be started again.
        Wish::Stop | Wish::Disable if is_loaded() => tell(&["bootout", &target]),
        Wish::Stop | Wish::Disable => None,
        Wish::Restart if is_loaded() => tell(&["kickstart", "-k", &target]),
        Wish::Restart => tell(&["bootstrap", &domain, &file]),
        Wish::Enable => {
            // A changed file counts once it is loaded again.
            if is_loaded() {
                run(&["bootout", &target]);
            }
            tell(&["enable", &target])
        }
    }
}

pub(super) fn condition(programs: &Programs<'_>, file: &Path) -> Condition {
    let target = format!("{}/{LABEL}", domain(programs));
    let said = programs.run("launchctl", &["print", &target]).filter(|said| said.is_ok);
    let value = |name: &str| {
        let out = &said.as_ref()?.out;
        out.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(" = ").map(str::to_owned))
    };
    let state = value("state");
    Condition {
        active: state.as_deref() == Some("running"),
        state: state.unwrap_or_else(|| "not loaded".to_owned()),
        enabled: file.exists(),
        pid: value("pid").and_then(|pid| pid.parse().ok()),
        restarts: None,
    }
}
