//! Install and uninstall: every assistant, every scope, every layout, byte for byte.

use std::fs;

use super::layouts::{LAYOUTS, Layout, content};
use super::machine::{HOSTS, Machine, SCOPES, changed, is_ours, put};

/// Writes settings where these assistants have theirs.
fn furnish(machine: &Machine, hosts: &[&str], layout: Layout) {
    for scope in SCOPES {
        for path in machine.would_change(hosts, scope).iter().filter(|path| !is_ours(path)) {
            put(path, content(path, layout));
        }
    }
}

#[test]
fn each_assistant_alone_comes_and_goes() {
    let machine = Machine::new();
    let bare = machine.tree();
    for host in HOSTS {
        for scope in SCOPES {
            let report = machine.install(&[host], scope);
            let installed = machine.tree();
            let alone = ["claude-desktop"].contains(host) && *scope == "project";
            assert_eq!(changed(&report).is_empty(), alone, "{host} {scope}: {report}");
            for shown in changed(&report) {
                assert!(machine.read(&machine.path(&shown)).contains("hark"), "{shown}");
            }
            assert_eq!(changed(&machine.install(&[host], scope)), Vec::<String>::new(), "{host} {scope}");
            assert_eq!(machine.tree(), installed, "{host} {scope}: installed twice");
            machine.uninstall(&[host], scope);
            assert_eq!(machine.tree(), bare, "{host} {scope}");
        }
    }
}

#[test]
fn each_assistant_leaves_settings_as_they_were() {
    for host in HOSTS {
        let machine = Machine::new();
        furnish(&machine, &[host], Layout::Commented);
        let before = machine.tree();
        for scope in SCOPES {
            machine.install(&[host], scope);
        }
        assert_ne!(machine.tree(), before, "{host}");
        for scope in SCOPES {
            machine.uninstall(&[host], scope);
        }
        assert_eq!(machine.tree(), before, "{host}");
    }
}

#[test]
fn all_assistants_in_every_layout() {
    for layout in LAYOUTS {
        let machine = Machine::new();
        furnish(&machine, HOSTS, *layout);
        let before = machine.tree();
        for scope in SCOPES {
            machine.install(HOSTS, scope);
        }
        let installed = machine.tree();
        assert_ne!(installed, before);
        for scope in SCOPES {
            let again = machine.install(HOSTS, scope);
            assert_eq!(changed(&again), Vec::<String>::new(), "{layout:?} {scope}");
        }
        assert_eq!(machine.tree(), installed, "{layout:?}");
        machine.hark(&["uninstall"]).ok();
        assert_eq!(machine.tree(), before, "{layout:?}");
    }
}

#[test]
fn ten_installs_are_one() {
    let machine = Machine::new();
    furnish(&machine, HOSTS, Layout::Pretty);
    let before = machine.tree();
    machine.install(HOSTS, "user");
    let once = machine.tree();
    let manifest = fs::read(machine.home.store().join("install/manifest.json")).unwrap();
    for _ in 0..9 {
        machine.install(HOSTS, "user");
    }
    assert_eq!(machine.tree(), once);
    assert_eq!(fs::read(machine.home.store().join("install/manifest.json")).unwrap(), manifest);
    machine.uninstall(&[], "user");
    assert_eq!(machine.tree(), before);
}

#[test]
fn one_leaves_and_the_others_stay() {
    let machine = Machine::new();
    furnish(&machine, HOSTS, Layout::Windows);
    let before = machine.tree();
    machine.install(HOSTS, "project");
    let rules = machine.home.work().join("AGENTS.md");
    for (at, host) in HOSTS.iter().enumerate() {
        machine.uninstall(&[host], "project");
        let shared = HOSTS[at + 1..].iter().any(|left| ["droid", "antigravity"].contains(left));
        assert_eq!(machine.read(&rules).contains("BEGIN hark"), shared, "after {host}");
    }
    assert_eq!(machine.tree(), before);
}

#[test]
fn scopes_are_independent() {
    let machine = Machine::new();
    furnish(&machine, HOSTS, Layout::Pretty);
    let before = machine.tree();
    machine.install(HOSTS, "user");
    let user_only = machine.tree();
    machine.install(HOSTS, "project");
    machine.uninstall(&[], "project");
    assert_eq!(machine.tree(), user_only);
    machine.install(HOSTS, "project");
    machine.uninstall(&[], "user");
    machine.install(HOSTS, "user");
    machine.uninstall(&[], "project");
    assert_eq!(machine.tree(), user_only);
    machine.uninstall(&[], "user");
    assert_eq!(machine.tree(), before);
}
