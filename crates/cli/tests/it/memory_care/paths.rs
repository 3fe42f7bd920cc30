//! Files are named from where the caller stands and stored from the root of the project.

use std::fs;

use hark_testkit::git::repository;
use serde_json::json;

use super::{home, ids, remember_in};

#[test]
fn a_file_of_a_package_is_stored_from_the_root() {
    let home = home();
    let mono = repository(&home, "mono");
    let web = mono.join("packages/web");
    fs::create_dir_all(&web).unwrap();
    fs::create_dir_all(mono.join("packages/api")).unwrap();
    fs::write(web.join("vite.config.ts"), "").unwrap();
    fs::write(mono.join("packages/api/vite.config.ts"), "").unwrap();
    let id = remember_in(&home, &web, &["The alias for icons lives here.", "--file", "vite.config.ts"]);
    assert_eq!(home.show(&id)["files"], json!(["packages/web/vite.config.ts"]));
    let hit = home.hark(["recall", "alias for icons", "--json"]).within(&mono).ok().json();
    assert_eq!(hit["hits"][0]["freshness"], "fresh", "{hit}");
    for (folder, file, found) in [
        (&mono, "packages/web/vite.config.ts", true),
        (&web, "vite.config.ts", true),
        (&web, "./vite.config.ts", true),
        (&web, "packages/web/vite.config.ts", true),
        (&mono, "vite.config.ts", true),
        (&mono, "packages/api/vite.config.ts", false),
    ] {
        let told = home.hark(["context", file, "--json"]).within(folder).ok().json();
        assert_eq!(ids(&told["memories"]) == [id.clone()], found, "{file} in {}: {told}", folder.display());
    }
    // The other ways to name it, and a file that does not exist yet.
    let absolute = web.join("vite.config.ts");
    home.hark(["edit", &id, "--file", absolute.to_str().unwrap(), "--file", "../api/new.ts"])
        .within(&web)
        .ok();
    assert_eq!(home.show(&id)["files"], json!(["packages/web/vite.config.ts", "packages/api/new.ts"]));
    // What is outside stays as it was written.
    let outside = remember_in(&home, &web, &["The shell is set up in a dot file.", "--file", "~/.zshrc"]);
    assert_eq!(home.show(&outside)["files"], json!(["~/.zshrc"]));
}

#[test]
fn the_variable_names_the_project_instead_of_the_folder() {
    let home = home();
    let shop = repository(&home, "shop");
    let said = home
        .hark(["remember", "Jars are glass.", "--json"])
        .env("HARK_PROJECT", "acme/jars")
        .within(&shop)
        .ok()
        .json();
    assert_eq!(said["project"], "acme/jars");
    let recall = |name: &str| {
        let told = home.hark(["recall", "jars glass", "--json"]).env("HARK_PROJECT", name).within(&shop).ok();
        ids(&told.json()["hits"])
    };
    assert_eq!(recall("jars"), [said["id"].as_str().unwrap()], "by the last part of its key");
    assert!(recall("").is_empty() && recall("other").is_empty());
    // A flag is nearer than a variable.
    let flag = home
        .hark(["remember", "Lids are steel.", "--project", "lids", "--json"])
        .env("HARK_PROJECT", "acme/jars")
        .ok()
        .json();
    assert_eq!(flag["project"], "lids");
    // Hooks obey it, too.
    let event = json!({ "session_id": "one", "cwd": shop, "hook_event_name": "UserPromptSubmit", "prompt": "look at the lids" });
    home.hark(["hook", "claude-code", "UserPromptSubmit"])
        .env("HARK_PROJECT", "acme/jars")
        .stdin(event.to_string())
        .ok();
    let sessions = home.hark(["sessions", "--project", "acme/jars", "--json"]).ok().json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1, "{sessions}");
}

#[test]
fn context_lists_the_sessions_that_touched_a_file() {
    let home = home();
    let shop = repository(&home, "shop");
    fs::write(shop.join("src/cart.rs"), "").unwrap();
    let edit = |session: &str, file: &str| {
        let payload = json!({ "session_id": session, "cwd": shop, "hook_event_name": "PostToolUse", "tool_name": "Edit",
            "tool_input": { "file_path": shop.join(file), "old_string": "a", "new_string": "b" }, "tool_response": { "success": true } });
        home.hook("claude-code", "PostToolUse", &payload);
    };
    edit("one", "src/cart.rs");
    edit("two", "src/deep/lib.rs");
    let told = home.hark(["context", "cart.rs", "--json"]).within(shop.join("src")).ok().json();
    assert_eq!(told["sessions"].as_array().unwrap().len(), 1, "{told}");
    let id = told["sessions"][0]["id"].as_str().unwrap();
    let shown = home.hark(["context", "src/cart.rs"]).within(&shop).ok();
    assert!(shown.stdout().contains(id), "{shown}");
    assert_eq!(home.hark(["sessions", "show", id, "--json"]).ok().json()["host_session"], "one");
    let nobody = home.hark(["context", "src/none.rs"]).within(&shop).ok();
    assert!(nobody.stderr().contains("nothing is known"), "{nobody}");
}
