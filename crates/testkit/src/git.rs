//! Git repositories for tests, isolated from any user's settings.

use std::path::{Path, PathBuf};

use crate::home::Home;

/// Runs git in `folder`.
pub fn git(home: &Home, folder: &Path, args: &[&str]) {
    let mut command = home.program("git");
    command.current_dir(folder).args([
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=tester@invalid",
        "-c",
        "commit.gpgsign=false",
    ]);
    let output = command.args(args).output().unwrap_or_else(|e| panic!("git: {e}"));
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit, below the home's root.
pub fn repository(home: &Home, name: &str) -> PathBuf {
    let folder = home.root().join(name);
    std::fs::create_dir_all(folder.join("src/deep")).expect("a folder");
    std::fs::write(folder.join("src/deep/lib.rs"), format!("// {name}\n")).expect("a file");
    git(home, &folder, &["init", "-q", "-b", "main"]);
    git(home, &folder, &["add", "."]);
    // The message makes each repository's root commit unique.
    git(home, &folder, &["commit", "-q", "-m", &format!("start of {name}")]);
    folder
}
