//! Settings of other programs: after an install and an uninstall every byte is back, and a file that cannot
//! be edited is never touched.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hark_hosts::{Hooks, Needs, Options, Owner, Scope, Surroundings, Vault};
use tempfile::TempDir;

/// One file of each sort, with the assistant that uses it.
const FILES: &[(&str, &str)] = &[
    ("claude-code", ".claude.json"),
    ("claude-code", ".claude/settings.json"),
    ("claude-code", ".claude/CLAUDE.md"),
    ("codex", ".codex/config.toml"),
    ("codex", ".codex/AGENTS.md"),
    ("opencode", ".config/opencode/opencode.jsonc"),
    ("continue", ".continue/config.yaml"),
    ("aider", ".aider.conf.yml"),
    ("zed", ".config/zed/settings.json"),
];

/// The first byte selects the file; the rest is its content.
pub fn settings(input: &[u8]) {
    let Some((which, bytes)) = input.split_first() else { return };
    let (host, name) = FILES[usize::from(*which) % FILES.len()];
    let folder = temporary();
    let home = folder.path().join("home");
    let file = home.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(&file, bytes).expect("written");

    let around = around(&home);
    let host = hark_hosts::find(host).expect("known");
    let options = Options::new(Scope::User, Hooks::Full);
    let mut vault = Vault::open(&around.data).expect("a vault");
    let plan = hark_hosts::install(&around, &vault.manifest, &[host], &options);
    let refused: Vec<PathBuf> = plan.refused.iter().map(|refused| refused.path.clone()).collect();
    for why in plan.refused.iter().map(|refused| &refused.why) {
        assert!(!why.what.is_empty() && !why.fix.is_empty(), "{name}: refused without a reason");
    }
    let outcome = plan.apply(&mut vault);
    assert!(outcome.trouble.is_empty(), "{name}: {:?}", outcome.trouble);
    let edited = fs::read(&file).expect("still there");
    if refused.contains(&file) {
        same(name, "refused", &edited, bytes);
    }

    let again = hark_hosts::install(&around, &vault.manifest, &[host], &options);
    assert!(again.changes.is_empty(), "{name}: a second install changes {:?}", again.changes);
    for gate in [false, true] {
        let _ = hark_hosts::inspect(&around, &vault.manifest, Needs { gate, binding_rules: gate });
    }

    let owners = BTreeSet::from([Owner { host: host.id.to_owned(), project: None }]);
    let plan = hark_hosts::uninstall(&around, &vault.manifest, &owners);
    assert!(plan.refused.is_empty(), "{name}: {:?}", plan.refused);
    let outcome = plan.apply(&mut vault);
    assert!(outcome.trouble.is_empty(), "{name}: {:?}", outcome.trouble);
    same(name, "uninstalled", &fs::read(&file).expect("back again"), bytes);
    if !refused.contains(&file) {
        taken_out_by_hand(name, &around, &mut vault, &file, bytes);
    }
}

/// The user added a line end after the install, so hark removes its own part instead of restoring the file.
fn taken_out_by_hand(name: &str, around: &Surroundings, vault: &mut Vault, file: &Path, bytes: &[u8]) {
    let (host, _) = FILES.iter().find(|(_, known)| *known == name).expect("known");
    let host = hark_hosts::find(host).expect("known");
    let options = Options::new(Scope::User, Hooks::Full);
    let _ = hark_hosts::install(around, &vault.manifest, &[host], &options).apply(vault);
    let mut edited = fs::read(file).expect("there");
    edited.push(b'\n');
    fs::write(file, &edited).expect("written");
    let owners = BTreeSet::from([Owner { host: host.id.to_owned(), project: None }]);
    let plan = hark_hosts::uninstall(around, &vault.manifest, &owners);
    if !plan.refused.is_empty() {
        return;
    }
    let _ = plan.apply(vault);
    let left = fs::read(file).unwrap_or_default();
    let ours = String::from_utf8_lossy(&left).matches("hark").count();
    let theirs = String::from_utf8_lossy(bytes).matches("hark").count();
    assert!(ours <= theirs, "{name}: something of ours is left\n{}", String::from_utf8_lossy(&left));
}

fn same(name: &str, when: &str, found: &[u8], meant: &[u8]) {
    assert_eq!(String::from_utf8_lossy(found), String::from_utf8_lossy(meant), "{name}: {when}");
    assert_eq!(found, meant, "{name}: {when}");
}

fn around(home: &Path) -> Surroundings {
    Surroundings {
        home: home.to_owned(),
        config: home.join(".config"),
        app_config: home.join(".config"),
        project: None,
        data: home.join(".local/share/hark"),
        executable: PathBuf::from("/usr/bin/hark"),
        hark_home: None,
        vars: BTreeMap::new(),
        path: Vec::new(),
        bearer: None,
    }
}

/// In memory if possible: thousands of files are written and none of them matters.
fn temporary() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("hark-harness-").tempdir_in(folder).expect("a folder")
}
