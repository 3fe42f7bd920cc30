//! One project, one identity, wherever its files are.

use std::fs;
use std::path::Path;

use hark_testkit::Home;
use hark_testkit::git::{git, repository};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// The key that a new memory made in this folder gets.
fn project(home: &Home, folder: &Path) -> String {
    let said = home.hark(["remember", "A probe of the project.", "--json"]).within(folder).ok().json();
    let key = said["project"].as_str().map_or_else(|| "(global)".to_owned(), str::to_owned);
    home.hark(["forget", said["id"].as_str().unwrap(), "--yes"]).within(folder).ok();
    key
}

fn sees(home: &Home, folder: &Path, id: &str) -> bool {
    let answer = home.hark(["recall", "walruses drain the queue", "--json"]).within(folder).ok().json();
    answer["hits"].as_array().unwrap().iter().any(|hit| hit["id"] == id)
}

fn store(home: &Home, folder: &Path) -> String {
    let said = home.hark(["remember", "Walruses drain the queue.", "--json"]).within(folder).ok().json();
    said["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_subfolder_and_a_worktree_are_the_repository() {
    let home = home();
    let repo = repository(&home, "shop");
    let id = store(&home, &repo);
    assert!(sees(&home, &repo.join("src/deep"), &id));
    let tree = home.root().join("shop-feature");
    git(&home, &repo, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "feature"]);
    assert!(sees(&home, &tree, &id) && sees(&home, &tree.join("src"), &id));
    assert_eq!(project(&home, &repo), project(&home, &tree));
    assert!(!sees(&home, &repository(&home, "other"), &id), "another repository is another project");
}

#[test]
fn clones_of_one_remote_are_one_project_however_its_address_is_spelt() {
    let home = home();
    let keys: Vec<String> = [
        "git@git.example.org:acme/shop.git",
        "https://git.example.org/acme/shop",
        "https://someone:secret@git.example.org/acme/shop.git",
        "ssh://git@git.example.org:2222/acme/shop.git",
    ]
    .iter()
    .enumerate()
    .map(|(n, remote)| {
        let repo = repository(&home, &format!("clone-{n}"));
        git(&home, &repo, &["remote", "add", "origin", remote]);
        project(&home, &repo)
    })
    .collect();
    assert_eq!(keys, vec!["git.example.org/acme/shop"; 4]);
}

#[test]
fn a_moved_repository_without_a_remote_is_still_the_same_project() {
    let home = home();
    let repo = repository(&home, "shop");
    let id = store(&home, &repo);
    let moved = home.root().join("elsewhere/better-name");
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::rename(&repo, &moved).unwrap();
    assert!(sees(&home, &moved, &id));
    let copy = home.root().join("second-clone");
    git(&home, home.root(), &["clone", "-q", moved.to_str().unwrap(), copy.to_str().unwrap()]);
    assert!(sees(&home, &copy, &id), "a clone from a local path shares its root commit");
}

#[test]
fn a_repository_that_gains_a_remote_keeps_its_memories() {
    let home = home();
    let repo = repository(&home, "shop");
    let id = store(&home, &repo);
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    assert!(sees(&home, &repo, &id));
    let later = store(&home, &repo);
    assert!(sees(&home, &repo, &later) && sees(&home, &repo, &id));
    home.hark(["reindex"]).ok();
    assert!(sees(&home, &repo, &id), "and after a rebuild of the index");
    home.remove_index();
    assert!(sees(&home, &repo, &id) && sees(&home, &repo, &later), "and after its loss");
}

#[test]
fn a_new_repository_without_commits_is_a_project() {
    let home = home();
    let folder = home.root().join("fresh");
    fs::create_dir_all(&folder).unwrap();
    git(&home, &folder, &["init", "-q"]);
    let id = store(&home, &folder);
    assert!(sees(&home, &folder, &id));
    fs::write(folder.join("a"), "a").unwrap();
    git(&home, &folder, &["add", "."]);
    git(&home, &folder, &["commit", "-q", "-m", "first"]);
    assert!(sees(&home, &folder, &id), "its first commit changes nothing");
}

#[test]
fn a_folder_without_git_is_its_own_project() {
    let home = home();
    let (one, two) = (home.root().join("one/notes"), home.root().join("two/notes"));
    fs::create_dir_all(&one).unwrap();
    fs::create_dir_all(&two).unwrap();
    let id = store(&home, &one);
    assert!(sees(&home, &one, &id) && !sees(&home, &two, &id));
    assert_eq!(project(&home, &home.user()), "(global)", "the home folder is no project");
}

#[test]
fn a_store_of_a_folder_further_down_goes_before_one_further_up() {
    let home = home();
    let folder = home.root().join("plain");
    let inner = folder.join("inner");
    fs::create_dir_all(inner.join("deep")).unwrap();
    home.hark(["init"]).within(&folder).ok();
    home.hark(["init"]).within(&inner).ok();
    home.hark(["remember", "Walruses drain the queue."]).within(&folder).ok();
    home.hark(["remember", "Seals fill the queue."]).within(inner.join("deep")).ok();
    for store in [&folder, &inner] {
        assert_eq!(hark_testkit::disk::notes(&store.join(".hark/memories")).len(), 1, "{}", store.display());
    }
}

#[test]
fn a_project_store_may_be_moved_with_its_folder() {
    let home = home();
    let folder = home.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    home.hark(["init"]).within(&folder).ok();
    let id = store(&home, &folder);
    let moved = home.root().join("plain-moved");
    fs::rename(&folder, &moved).unwrap();
    let origin = || {
        let found = home.hark(["recall", "walruses", "--json"]).within(&moved).ok().json();
        assert_eq!(found["hits"][0]["id"], id, "{found}");
        found["hits"][0]["origin"].as_str().unwrap().to_owned()
    };
    assert_eq!(origin(), "repository", "at another place it is asked for again");
    home.hark(["trust"]).within(&moved).ok();
    assert_eq!(origin(), "user", "and what was written here still counts");
}

#[test]
fn an_alias_joins_two_projects() {
    let home = home();
    let old = repository(&home, "old");
    git(&home, &old, &["remote", "add", "origin", "https://git.example.org/acme/old.git"]);
    let new = repository(&home, "new");
    git(&home, &new, &["remote", "add", "origin", "https://git.example.org/acme/new.git"]);
    let id = store(&home, &new);
    assert!(!sees(&home, &old, &id));
    fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    fs::write(
        home.user_config(),
        "[projects]\nalias = { \"git.example.org/acme/old\" = \"git.example.org/acme/new\" }\n",
    )
    .unwrap();
    assert!(sees(&home, &old, &id));
    assert_eq!(project(&home, &old), "git.example.org/acme/new");
}

#[test]
fn a_project_is_named_by_its_last_part_or_by_its_folder() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    let id = store(&home, &repo);
    for name in ["shop", "git.example.org/acme/shop", repo.to_str().unwrap()] {
        assert_eq!(home.recall_ids("walruses", &["--project", name]), [id.as_str()], "{name}");
    }
    home.remember_with("Another shop.", &["--project", "git.example.org/rival/shop"]);
    let outcome = home.hark(["recall", "walruses", "--project", "shop"]).fails(1);
    assert!(outcome.stderr().contains("acme/shop") && outcome.stderr().contains("rival/shop"), "{outcome}");
}

#[test]
fn the_project_of_a_server_is_its_clients_root_not_its_own_folder() {
    let home = home();
    let repo = repository(&home, "shop");
    git(&home, &repo, &["remote", "add", "origin", "https://git.example.org/acme/shop.git"]);
    let start = |folder: &Path, roots: &[&Path]| {
        let mut command = home.program(home.binary());
        command.arg("mcp").current_dir(folder);
        hark_testkit::Mcp::start_in(command, roots)
    };
    let text = serde_json::json!({ "text": "Walruses drain the queue." });
    let said = start(&repo, &[]).data("memory_remember", &text);
    assert_eq!(said["project"], "git.example.org/acme/shop", "from the folder it was started in");
    let said = start(&home.user(), &[&repo]).data("memory_remember", &text);
    assert_eq!(said["project"], "git.example.org/acme/shop", "from the client's root");
}
