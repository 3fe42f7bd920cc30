//! Files that a person writes in the store itself. The file is theirs; everything else is ours.

use std::fs;

use hark_testkit::{disk, note};

use super::imports::{line_by_line, whole_memory, whole_session};
use super::secrets::{Planted, home};

#[test]
fn no_line_of_a_file_reaches_the_index() {
    let home = home();
    let mut planted = Planted::new();
    home.remember("something, so that there is a store");
    let mut number = 0;
    for (at, (_, text)) in
        line_by_line(whole_memory, "memory", &mut planted, &mut number).into_iter().enumerate()
    {
        note::drop_in(&home.memories(), &format!("decision/{at}.md"), text);
    }
    fs::create_dir_all(home.store().join("sessions")).unwrap();
    for (at, (_, text)) in
        line_by_line(whole_session, "session", &mut planted, &mut number).into_iter().enumerate()
    {
        fs::write(home.store().join(format!("sessions/{at}.md")), text).unwrap();
    }
    for command in [&["list"][..], &["sessions"], &["doctor"], &["reindex"], &["recall", "body"], &["work"]] {
        let _ = home.hark(command).run();
    }
    assert!(planted.count() > 120, "{}", planted.count());
    assert!(
        home.hark(["list", "--all-projects", "--status", "superseded", "--json"]).ok().json()["total"]
            .as_u64()
            > Some(30)
    );
    let is_theirs = |path: &std::path::Path| path.extension().is_some_and(|e| e == "md");
    // A snapshot is a copy of their files, packed.
    planted.assert_absent(&home.store(), |path| !is_theirs(path));
    assert!(!disk::files(&home.store().join("backups")).is_empty());
}

/// When hark writes such a file again, the secret leaves it.
#[test]
fn what_hark_writes_again_is_clean() {
    let home = home();
    let mut planted = Planted::new();
    let mut number = 0;
    for (at, (id, text)) in
        line_by_line(whole_memory, "memory", &mut planted, &mut number).into_iter().enumerate()
    {
        let path = note::drop_in(&home.memories(), &format!("decision/{at}.md"), text);
        if home.hark(["edit", &id, "--importance", "2"]).run().code != Some(0) {
            // Not a memory any more: kept as it is, and named by doctor.
            fs::remove_file(path).unwrap();
        }
    }
    assert!(disk::notes(&home.memories()).len() > 30);
    planted.assert_absent(&home.store(), |_| true);
}
