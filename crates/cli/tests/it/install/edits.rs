//! Users who edit around and inside what hark wrote, files that are broken, links.

use std::fs;
use std::path::PathBuf;

use super::layouts::{Layout, THEME, broken, content};
use super::machine::{Entry, HOSTS, Machine, SCOPES, changed, is_ours, put};

fn furnished(layout: Layout) -> (Machine, Vec<PathBuf>) {
    let machine = Machine::new();
    let mut files = Vec::new();
    for scope in SCOPES {
        files.extend(machine.would_change(HOSTS, scope).into_iter().filter(|path| !is_ours(path)));
    }
    files.sort();
    files.dedup();
    for path in &files {
        put(path, content(path, layout));
    }
    (machine, files)
}

fn replace(machine: &Machine, files: &[PathBuf], old: &str, new: &str) -> usize {
    let mut count = 0;
    for path in files {
        let text = machine.read(path);
        if text.contains(old) {
            fs::write(path, text.replace(old, new)).unwrap();
            count += 1;
        }
    }
    count
}

#[test]
fn edits_around_us_stay() {
    for layout in [Layout::Pretty, Layout::Commented, Layout::Windows, Layout::Minified] {
        let (machine, files) = furnished(layout);
        let original = machine.tree();
        for scope in SCOPES {
            machine.install(HOSTS, scope);
        }
        assert_eq!(replace(&machine, &files, THEME, "light-theme"), files.len(), "{layout:?}");
        machine.hark(&["uninstall"]).ok();
        replace(&machine, &files, "light-theme", THEME);
        for (path, entry) in machine.tree() {
            assert_eq!(Some(&entry), original.get(&path), "{layout:?} {}", path.display());
        }
        assert_eq!(machine.tree(), original, "{layout:?}");
    }
}

#[test]
fn edits_around_us_survive_an_install_between() {
    let (machine, files) = furnished(Layout::Pretty);
    let original = machine.tree();
    machine.hark(&[&["install", "--hooks", "none"], HOSTS].concat()).ok();
    replace(&machine, &files, THEME, "light-theme");
    // Now there is something to add, and what the user wrote becomes part of the original.
    machine.install(HOSTS, "user");
    machine.hark(&["uninstall"]).ok();
    replace(&machine, &files, "light-theme", THEME);
    assert_eq!(machine.tree(), original);
}

#[test]
fn edits_inside_stay_until_we_go() {
    let (machine, files) = furnished(Layout::Pretty);
    let original = machine.tree();
    machine.install(HOSTS, "user");
    let inside = replace(&machine, &files, "[\"mcp\"]", "[\"mcp\", \"--tools\", \"all\"]")
        + replace(&machine, &files, "\"timeout\": 10", "\"timeout\": 11")
        // Lines of the user in a block stay even then; see `wiring`.
        + replace(&machine, &files, "## Memory (hark)\n", "\n## Memory (hark)\n\n");
    assert!(inside > 15, "{inside}");
    let edited = machine.tree();
    let report = machine.install(HOSTS, "user");
    assert_eq!(machine.tree(), edited, "what the user changed in ours is the user's");
    assert!(report.to_string().contains("you changed"), "{report}");
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), original);
}

#[test]
fn what_the_user_removed_comes_back_only_when_asked() {
    let (machine, files) = furnished(Layout::Pretty);
    let original = machine.tree();
    machine.install(HOSTS, "user");
    let installed = machine.tree();
    for path in &files {
        put(path, content(path, Layout::Pretty));
    }
    machine.hark(&["uninstall", "--dry-run"]).ok();
    machine.install(HOSTS, "user");
    assert_eq!(machine.tree(), installed);
    for path in &files {
        put(path, content(path, Layout::Pretty));
    }
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), original);
}

#[test]
fn a_broken_file_is_left_alone_and_the_others_are_done() {
    for host in HOSTS {
        let machine = Machine::new();
        let files = machine.would_change(&[host], "user");
        let Some(bad) = files.iter().find(|path| !is_ours(path)).cloned() else { continue };
        let (text, line) = broken(&bad).expect("a format");
        put(&bad, text);
        let outcome = machine.hark(&["install", host, "--json"]).fails(1);
        let report = outcome.json();
        assert_eq!(machine.read(&bad), text, "{host}: untouched");
        let refused = &report["refused"][0];
        assert_eq!(machine.path(refused["file"].as_str().unwrap()), bad);
        assert!(refused["line"].as_u64().is_some_and(|l| l.abs_diff(line) <= 1), "{host}: {refused}");
        assert!(!refused["fix"].as_str().unwrap().is_empty());
        assert_eq!(changed(&report).len(), files.len() - 1, "{host}: the others are done: {report}");
        let words = machine.hark(&["install", host]).fails(1);
        assert!(words.stdout().contains("not changed") && words.stdout().contains("fix: "), "{words}");
        // Once mended, it goes through; and a file that breaks later stops only itself.
        put(&bad, content(&bad, Layout::Pretty));
        machine.install(&[host], "user");
        let installed = machine.read(&bad);
        put(&bad, text);
        machine.hark(&["uninstall", host]).fails(1);
        assert_eq!(machine.read(&bad), text, "{host}: untouched");
        put(&bad, installed);
        machine.hark(&["uninstall", host]).ok();
        assert_eq!(machine.read(&bad).as_bytes(), content(&bad, Layout::Pretty), "{host}");
    }
}

#[test]
fn bytes_that_are_no_text_are_left_alone() {
    let machine = Machine::new();
    let path = machine.home.user().join(".claude/settings.json");
    put(&path, b"{\"a\": \"\xff\xfe\"}");
    machine.hark(&["install", "claude-code"]).fails(1);
    assert_eq!(fs::read(&path).unwrap(), b"{\"a\": \"\xff\xfe\"}");
}

#[test]
fn copies_of_our_files_that_the_user_changed_are_kept() {
    let machine = Machine::new();
    machine.install(&["claude-code"], "user");
    let command = machine.home.user().join(".claude/commands/hark-recall.md");
    let mine = machine.read(&command) + "\nAnswer in Dutch.\n";
    put(&command, &mine);
    let again = machine.install(&["claude-code"], "user");
    assert!(again.to_string().contains("you changed"), "{again}");
    assert_eq!(machine.read(&command), mine);
    let report = machine.uninstall(&[], "user");
    assert!(report.to_string().contains("so it stays"), "{report}");
    assert_eq!(machine.read(&command), mine);
    assert!(!machine.home.user().join(".claude/commands/hark-forget.md").exists());
}

#[test]
fn settings_of_the_same_name_that_are_not_ours_are_never_changed() {
    let machine = Machine::new();
    let own =
        "{\"mcpServers\":{\"hark\":{\"command\":\"/opt/hark\",\"args\":[\"mcp\",\"--tools\",\"all\"]}}}";
    let cursor = machine.home.user().join(".cursor/mcp.json");
    put(&cursor, own);
    let command = machine.home.user().join(".cursor/commands/hark-recall.md");
    put(&command, "my own\n");
    let before = machine.tree();
    let report = machine.install(&["cursor"], "user");
    assert!(report.to_string().contains("`hark install` did not add it"), "{report}");
    assert_eq!((machine.read(&cursor).as_str(), machine.read(&command).as_str()), (own, "my own\n"));
    machine.uninstall(&[], "user");
    assert_eq!(machine.tree(), before);
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (machine, files) = furnished(Layout::Commented);
    let dotfiles = machine.home.root().join("dotfiles");
    // In a project a link that leads out of it is refused; see the tests of trust.
    let files: Vec<PathBuf> =
        files.into_iter().filter(|path| path.starts_with(machine.home.user())).collect();
    for (number, path) in files.iter().enumerate() {
        let real = dotfiles.join(number.to_string()).join("file");
        put(&real, fs::read(path).unwrap());
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        fs::remove_file(path).unwrap();
        // Half of them by a relative way.
        let relative = PathBuf::from(format!("../dotfiles/{number}/file"));
        let depth = path.strip_prefix(machine.home.root()).unwrap().components().count() - 2;
        let up: PathBuf = std::iter::repeat_n("..", depth).collect();
        symlink(if number % 2 == 0 { real.clone() } else { up.join(relative) }, path).unwrap();
        assert!(path.exists());
    }
    // One leads to nothing yet.
    let dangling = machine.home.user().join(".claude/CLAUDE.md");
    fs::remove_file(&dangling).unwrap();
    symlink(dotfiles.join("claude.md"), &dangling).unwrap();
    let before = machine.tree();
    machine.install(HOSTS, "user");
    machine.install(HOSTS, "project");
    let links = |machine: &Machine| machine.tree().values().filter(|e| matches!(e, Entry::Link(_))).count();
    assert_eq!(links(&machine), before.values().filter(|e| matches!(e, Entry::Link(_))).count());
    assert!(machine.read(&dotfiles.join("claude.md")).contains("BEGIN hark"));
    for (number, _) in files.iter().enumerate().filter(|(_, path)| **path != dangling) {
        let real = dotfiles.join(number.to_string()).join("file");
        assert!(machine.read(&real).contains("hark"), "{number}");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }
    machine.hark(&["uninstall"]).ok();
    assert_eq!(machine.tree(), before);
}
