//! Units and agents. `systemctl`, `journalctl` and `launchctl` are stand-ins that record what they are asked; real are the
//! files, `systemd-analyze`, the parser of property lists, and the command that the unit names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hark_testkit::{Hark, Home, Serve, skip};
use serde_json::Value;

use super::{home, put, signal};

/// Answers like the manager, and notes each call in `calls`. `state` says whether the unit runs.
const SYSTEMCTL: &str = "#!/bin/sh
echo \"systemctl $*\" >> @/calls
case \"$*\" in
*broken*) echo 'no such unit' >&2; exit 1 ;;
*--property=Version*) echo Version=252 ;;
*'show hark.service'*)
  state=$(cat @/state 2>/dev/null || echo inactive)
  sub=dead; pid=0
  [ $state = active ] && sub=running && pid=4711
  printf 'ActiveState=%s\\nSubState=%s\\nUnitFileState=enabled\\nMainPID=%s\\nNRestarts=2\\n' $state $sub $pid ;;
*' start '*|*' restart '*) echo active > @/state ;;
*' stop '*|*' --now '*) echo inactive > @/state ;;
esac
";
const JOURNALCTL: &str = "#!/bin/sh
echo \"journalctl $*\" >> @/calls
echo '2026-06-01T12:00:00+0000 host hark[4711]: serving MCP at http://127.0.0.1:9824/mcp; stop with Ctrl-C'
";
const LAUNCHCTL: &str = "#!/bin/sh
echo \"launchctl $*\" >> @/calls
case \"$1\" in
print) case \"$2\" in
  */dev.hark.serve) [ -e @/state ] || exit 113; printf 'dev.hark.serve = {\\n\\tstate = running\\n\\tpid = 4711\\n}\\n' ;;
  esac ;;
bootstrap|kickstart) echo > @/state ;;
bootout) rm -f @/state ;;
esac
";

struct Machine {
    home: Home,
    bin: PathBuf,
}

impl Machine {
    fn new() -> Machine {
        let home = home();
        let bin = home.root().join("bin");
        for (name, text) in [("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL), ("launchctl", LAUNCHCTL)] {
            put(&bin.join(name), &text.replace('@', &home.root().display().to_string()));
            make_executable(&bin.join(name));
        }
        Machine { home, bin }
    }

    fn hark(&self, words: &[&str]) -> Hark {
        let path = std::env::join_paths(
            std::iter::once(self.bin.clone())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        self.home.hark(words).env("PATH", path.unwrap()).env("HARK_SERVE_PORT", "0")
    }

    /// `hark service …`, as JSON.
    fn service(&self, words: &[&str]) -> Value {
        self.hark(&[&["service"], words, &["--json"]].concat()).ok().json()
    }

    /// What the managers were asked since the last time.
    fn calls(&self) -> Vec<String> {
        let file = self.home.root().join("calls");
        let calls = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(file);
        calls
            .lines()
            .filter(|line| !line.contains(" show ") && !line.contains(" print "))
            .map(str::to_owned)
            .collect()
    }

    fn unit(&self) -> PathBuf {
        self.home.root().join("xdg/config/systemd/user/hark.service")
    }

    fn agent(&self) -> PathBuf {
        self.home.user().join("Library/LaunchAgents/dev.hark.serve.plist")
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_unit_is_written_started_asked_about_and_removed_without_a_trace() {
    let machine = Machine::new();
    let folder = machine.home.root().join("xdg/config");
    let before = fs::read_dir(&folder).unwrap().count();
    let shown = machine.service(&[]);
    assert_eq!((&shown["installed"], &shown["active"]), (&false.into(), &false.into()), "{shown}");
    let planned = machine.service(&["install", "--dry-run"]);
    assert!(planned["diff"].as_str().unwrap().contains("+Restart=on-failure"), "{planned}");
    assert!(!machine.unit().exists() && machine.calls().is_empty());

    let done = machine.service(&["install"]);
    assert_eq!(
        (&done["changed"], &done["kept"], &done["active"]),
        (&true.into(), &false.into(), &true.into()),
        "{done}"
    );
    assert_eq!(
        machine.calls(),
        [
            "systemctl --user daemon-reload",
            "systemctl --user enable hark.service",
            "systemctl --user start hark.service"
        ]
    );
    let shown = machine.service(&["status"]);
    assert_eq!((&shown["installed"], &shown["edited"]), (&true.into(), &false.into()), "{shown}");
    assert_eq!((&shown["state"], &shown["pid"]), (&"active (running)".into(), &4711.into()), "{shown}");
    let again = machine.service(&["install"]);
    assert_eq!(again["changed"], false, "{again}");
    machine.calls();

    for (word, state) in
        [("stop", "inactive (dead)"), ("start", "active (running)"), ("restart", "active (running)")]
    {
        assert_eq!(machine.service(&[word])["state"], state);
        assert_eq!(machine.calls(), [format!("systemctl --user {word} hark.service")]);
    }
    let logs = machine.service(&["logs", "-n", "7"]);
    assert!(logs["lines"][0].as_str().unwrap().contains("serving MCP"), "{logs}");
    assert!(machine.calls()[0].contains("--unit hark.service --lines 7"));

    let gone = machine.service(&["uninstall"]);
    assert_eq!((&gone["changed"], &gone["kept"]), (&true.into(), &false.into()), "{gone}");
    assert_eq!(
        machine.calls(),
        ["systemctl --user disable --now hark.service", "systemctl --user daemon-reload"]
    );
    assert!(!machine.unit().exists());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), before, "folders that were made are gone");
    machine.hark(&["service", "start"]).fails(1);
}

#[test]
fn a_unit_of_the_users_own_is_kept_and_brought_back() {
    let machine = Machine::new();
    let own = "[Service]\nExecStart=/usr/bin/env true\n";
    put(&machine.unit(), own);
    let kept = machine.service(&["install"]);
    assert_eq!((&kept["changed"], &kept["kept"]), (&false.into(), &true.into()), "{kept}");
    assert!(kept["notes"].to_string().contains("stays"), "{kept}");
    assert_eq!(fs::read_to_string(machine.unit()).unwrap(), own);
    assert_eq!(machine.service(&[])["edited"], true);
    machine.service(&["uninstall"]);
    assert_eq!(fs::read_to_string(machine.unit()).unwrap(), own);

    let replaced = machine.service(&["install", "--replace"]);
    assert_eq!((&replaced["changed"], &replaced["kept"]), (&true.into(), &false.into()), "{replaced}");
    let ours = fs::read_to_string(machine.unit()).unwrap();
    assert!(ours.contains("Restart=on-failure"), "{ours}");

    // What the user changes afterwards stays too, and is what comes back.
    let changed = ours.replace("RestartSec=2", "RestartSec=9");
    fs::write(machine.unit(), &changed).unwrap();
    let kept = machine.service(&["install", "--no-server"]);
    assert_eq!((&kept["changed"], &kept["kept"]), (&false.into(), &true.into()), "{kept}");
    assert_eq!(fs::read_to_string(machine.unit()).unwrap(), changed);
    let replaced = machine.service(&["install", "--no-server", "--replace"]);
    assert_eq!(replaced["changed"], true);
    assert!(fs::read_to_string(machine.unit()).unwrap().contains(" work --watch\n"));
    machine.service(&["uninstall"]);
    assert_eq!(fs::read_to_string(machine.unit()).unwrap(), changed);
}

#[test]
fn byte_for_byte_what_was_there_comes_back() {
    let machine = Machine::new();
    let own = "\u{feff}# my unit\r\n[Service]\r\nExecStart=/bin/true\r\n";
    put(&machine.unit(), own);
    machine.service(&["install", "--replace"]);
    machine.service(&["uninstall"]);
    assert_eq!(fs::read(machine.unit()).unwrap(), own.as_bytes());
}

#[test]
fn the_unit_passes_systemds_own_check() {
    let machine = Machine::new();
    machine.service(&["install"]);
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return skip("systemd-analyze is not installed (Debian package systemd)");
    }
    let runtime = machine.home.root().join("run");
    fs::create_dir(&runtime).unwrap();
    let checked = Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify"])
        .arg(machine.unit())
        .env("HOME", machine.home.user())
        .env("XDG_RUNTIME_DIR", &runtime)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success() && !said.contains("hark.service"), "{said}");

    // The check can fail.
    let broken =
        fs::read_to_string(machine.unit()).unwrap().replace("Restart=on-failure", "Restart=sometimes");
    fs::write(machine.unit(), broken).unwrap();
    let checked = Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify"])
        .arg(machine.unit())
        .env("HOME", machine.home.user())
        .env("XDG_RUNTIME_DIR", &runtime)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&checked.stderr).contains("sometimes"));
}

/// The command and the variables that the unit names.
fn command_of(unit: &str, home: &Home) -> Command {
    let value = |name: &'static str| unit.lines().filter_map(move |line| line.strip_prefix(name));
    let line = value("ExecStart=").next().expect("ExecStart");
    let words: Vec<&str> = line.split(' ').collect();
    assert!(!line.contains('"'), "no path of this test needs quotes: {line}");
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env_clear().current_dir("/");
    // What systemd itself gives to a unit of a user.
    command.env("HOME", home.user()).env("PATH", "/usr/bin:/bin");
    for variable in value("Environment=") {
        let (name, value) = variable.trim_matches('"').split_once('=').expect("a variable");
        command.env(name, value);
    }
    command
}

#[test]
fn the_command_of_the_unit_starts_stops_and_starts_again_after_a_kill() {
    let machine = Machine::new();
    let id = machine.home.remember("The walrus is fast.");
    machine.service(&["install"]);
    let unit = fs::read_to_string(machine.unit()).unwrap();
    let named = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let real = machine.home.binary().canonicalize().unwrap();
    assert_eq!(named, format!("{} serve", real.display()), "the program itself, not a link to it");

    let ask = |server: &Serve| {
        let token = fs::read_to_string(machine.home.store().join("serve.token")).unwrap();
        let call = serde_json::json!({ "name": "memory_get", "arguments": { "ids": [id] } });
        let answer = server.ask(Some(&format!("Bearer {}", token.trim())), "tools/call", &call);
        assert!(answer.body.contains("walrus is fast"), "{}", answer.body);
    };
    let first = Serve::start(command_of(&unit, &machine.home));
    ask(&first);
    assert_eq!(first.request("GET", "/health", &[], "").status, 200);
    // SIGKILL.
    drop(first);
    let second = Serve::start(command_of(&unit, &machine.home));
    ask(&second);
    signal(second.pid(), "TERM");
    assert_eq!(second.wait(), Some(0), "systemd must not take a stop for a failure");
    ask(&Serve::start(command_of(&unit, &machine.home)));
}

#[test]
fn without_a_manager_the_error_says_what_to_do() {
    let machine = Machine::new();
    put(
        &machine.bin.join("systemctl"),
        "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n",
    );
    make_executable(&machine.bin.join("systemctl"));
    for words in [&["service", "install"][..], &["service", "start"]] {
        let refused = machine.hark(words).fails(1).stderr();
        for part in ["Failed to connect to bus", "hark serve", "@reboot", "crontab -e"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
    }
    assert!(!machine.unit().exists(), "nothing is left behind");
    let shown = machine.service(&[]);
    assert!(shown["unavailable"]["hint"].as_str().unwrap().contains("@reboot"), "{shown}");
    let refused =
        machine.home.hark(["service", "install"]).env("PATH", machine.home.root()).fails(1).stderr();
    assert!(refused.contains("was not found on the PATH"), "{refused}");
}

#[test]
fn an_agent_of_launchd_is_a_property_list_and_is_loaded_and_unloaded() {
    let machine = Machine::new();
    let launchd = |word: &str| machine.service(&[word, "--manager", "launchd"]);
    let done = launchd("install");
    assert_eq!((&done["manager"], &done["active"]), (&"launchd".into(), &true.into()), "{done}");
    let calls = machine.calls();
    assert!(
        calls[0].starts_with("launchctl enable gui/") && calls[0].ends_with("/dev.hark.serve"),
        "{calls:?}"
    );
    assert!(calls[1].starts_with("launchctl bootstrap gui/") && calls[1].ends_with(".plist"), "{calls:?}");

    let script = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    match Command::new("python3").args(["-c", script]).arg(machine.agent()).output() {
        Err(_) => skip("python3 is not installed"),
        Ok(parsed) => {
            assert!(parsed.status.success(), "{}", String::from_utf8_lossy(&parsed.stderr));
            let agent: Value = serde_json::from_slice(&parsed.stdout).unwrap();
            let real = machine.home.binary().canonicalize().unwrap();
            assert_eq!(agent["ProgramArguments"], serde_json::json!([real, "serve"]));
            assert_eq!((&agent["Label"], &agent["RunAtLoad"]), (&"dev.hark.serve".into(), &true.into()));
            assert_eq!(agent["KeepAlive"]["SuccessfulExit"], false);
            let variables = &agent["EnvironmentVariables"];
            assert_eq!(variables["HARK_HOME"], machine.home.store().to_str().unwrap());
            assert_eq!(
                (&variables["HARK_LOG_FILE"], &agent["StandardErrorPath"]),
                (&"1".into(), &"/dev/null".into())
            );
        }
    }
    assert_eq!(launchd("stop")["active"], false);
    assert_eq!(launchd("start")["active"], true);
    machine.calls();
    launchd("restart");
    assert!(machine.calls()[0].starts_with("launchctl kickstart -k gui/"));
    put(&machine.home.store().join("logs/hark.log"), "one\ntwo\nthree\n");
    let logs = machine.service(&["logs", "-n", "2", "--manager", "launchd"]);
    assert_eq!(logs["lines"], serde_json::json!(["two", "three"]));
    launchd("uninstall");
    assert!(!machine.agent().exists() && machine.calls()[0].starts_with("launchctl bootout gui/"));
}

#[test]
fn a_purge_stops_the_service_and_an_uninstall_of_assistants_does_not() {
    let machine = Machine::new();
    machine.service(&["install"]);
    machine.hark(&["uninstall"]).ok();
    assert!(machine.unit().exists());
    machine.calls();
    machine.hark(&["uninstall", "--purge", "--yes"]).ok();
    assert_eq!(machine.calls(), ["systemctl --user disable --now hark.service"]);
    assert!(!machine.unit().exists() && !machine.home.store().exists());
}
