//! Work done before: each finished turn is a line in its session, and the most similar one is told with a prompt.

use hark_testkit::Home;
use hark_testkit::hooks::context;
use serde_json::{Value, json};

struct Shop {
    home: Home,
    folder: std::path::PathBuf,
}

impl Shop {
    fn new() -> Shop {
        let home = Home::new(env!("CARGO_BIN_EXE_hark"));
        let folder = home.root().join("shop");
        for file in ["src/cart.py", "src/mail.py", "src/login.py", "src/report.py"] {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "a").expect("a file");
        }
        Shop { home, folder }
    }

    fn event(&self, session: &str, name: &str, mut more: Value) -> String {
        let fields = more.as_object_mut().expect("an object");
        for (key, value) in
            [("session_id", json!(session)), ("cwd", json!(self.folder)), ("hook_event_name", json!(name))]
        {
            fields.insert(key.to_owned(), value);
        }
        context(&self.home.hook("claude-code", name, &more))
    }

    /// One turn: a request, an edit, a test run, closing words.
    fn turn(&self, session: &str, asked: &str, file: &str, said: &str) {
        self.event(session, "UserPromptSubmit", json!({ "prompt": asked }));
        let path = self.folder.join(file);
        let edit = json!({ "tool_name": "Edit", "tool_use_id": format!("{session}-{file}"),
            "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" },
            "tool_response": { "filePath": path } });
        self.event(session, "PostToolUse", edit);
        let run = json!({ "tool_name": "Bash", "tool_use_id": format!("{session}-{file}-test"),
            "tool_input": { "command": "pytest -q" },
            "tool_response": { "stdout": "4 passed in 0.1s", "stderr": "", "interrupted": false } });
        self.event(session, "PostToolUse", run);
        self.event(session, "Stop", json!({ "stop_hook_active": false, "last_assistant_message": said }));
    }

    fn past(&self) {
        self.turn(
            "one",
            "the shopping cart forgets its discount codes after a reload",
            "src/cart.py",
            "The cart keeps discount codes in the session now.",
        );
        self.turn("two", "send order mails in plain text as well", "src/mail.py", "Mails have two parts.");
        self.turn("three", "lock the login after five wrong passwords", "src/login.py", "Logins lock now.");
        // Among a handful of turns nothing stands out.
        for n in 0..24 {
            let asked = format!("task{n} about matter{n} and thing{n} of place{n} on day{n}");
            let said = format!("Thing{n} was changed as you asked.");
            self.turn(&format!("past-{n}"), &asked, &format!("src/x{n}.py"), &said);
        }
        self.turn(
            "four",
            "add a weekly report about returned parcels",
            "src/report.py",
            "The report is there.",
        );
    }
}

#[test]
fn the_most_similar_turn_is_told_once_and_can_be_read() {
    let shop = Shop::new();
    shop.past();
    let prompt = json!({ "prompt": "discount codes vanish from the shopping cart when two tabs are open" });
    let said = shop.event("five", "UserPromptSubmit", prompt.clone());
    let line =
        said.lines().find(|line| line.starts_with("- [t-")).unwrap_or_else(|| panic!("no turn: {said}"));
    assert!(line.contains("forgets its discount codes") && line.contains("src/cart.py"), "{line}");
    assert!(line.contains("`pytest` passed") || line.contains("`pytest -q` passed"), "{line}");
    assert_eq!(said.matches("- [").count(), 1, "one is enough: {said}");
    let id = line[3..].split(']').next().expect("an id");

    let again = shop.event("five", "UserPromptSubmit", prompt);
    assert!(!again.contains(id), "once in a session: {again}");
    let other = json!({ "prompt": "write a poem about the sea and the wind" });
    assert_eq!(shop.event("six", "UserPromptSubmit", other), "", "nothing similar was done");

    let shown = shop.home.hark(["show", id, "--json"]).within(&shop.folder).ok().json();
    let turn = &shown["memories"][0];
    assert_eq!((turn["kind"].as_str(), turn["id"].as_str()), (Some("turn"), Some(id)));
    let body = turn["body"].as_str().expect("a text");
    assert!(body.contains("keeps discount codes in the session"), "{body}");
    let missing = shop.home.hark(["show", "t-00000000"]).within(&shop.folder).fails(1);
    assert!(missing.stderr().contains("no turn has the id"), "{}", missing.stderr());
}

#[test]
fn turns_survive_a_lost_index_and_go_with_their_session() {
    let shop = Shop::new();
    shop.past();
    let question = "discount codes of the shopping cart after a reload";
    let ask = || shop.home.hark(["recall", question, "--json"]).within(&shop.folder).ok().json();
    let before = ask();
    let id = before["turns"][0]["id"].as_str().unwrap_or_else(|| panic!("no turn: {before}")).to_owned();
    shop.home.remove_index();
    assert_eq!(ask()["turns"], before["turns"], "the same ids after a rebuild");
    let text = shop.home.hark(["recall", question]).within(&shop.folder).ok().stdout();
    assert!(text.contains("done before") && text.contains(&id), "{text}");

    let session = shop.home.hark(["show", &id, "--json"]).ok().json()["memories"][0]["session"].clone();
    let session = session.as_str().expect("a session").to_owned();
    shop.home.hark(["forget", "--session", &session, "--yes"]).within(&shop.folder).ok();
    assert!(!ask().to_string().contains(&id), "forgotten with its session");
}

#[test]
fn talk_and_confirmations_are_no_turns_of_their_own() {
    let shop = Shop::new();
    shop.event(
        "one",
        "UserPromptSubmit",
        json!({ "prompt": "explain the gift vouchers and the wallet of the customer" }),
    );
    shop.event(
        "one",
        "Stop",
        json!({ "stop_hook_active": false, "last_assistant_message": "It is a list." }),
    );
    shop.past();
    shop.turn(
        "two-more",
        "keep gift vouchers in the wallet of the customer",
        "src/cart.py",
        "Shall I go on?",
    );
    shop.turn("two-more", "yes, do it", "src/mail.py", "Both files are changed and tested now.");
    let found = shop.home.hark(["recall", "gift vouchers in the wallet of the customer", "--json"]);
    let turns = found.within(&shop.folder).ok().json()["turns"].clone();
    let turns = turns.as_array().cloned().unwrap_or_default();
    assert_eq!(turns.len(), 1, "{turns:?}");
    let text = turns[0]["text"].as_str().expect("a text");
    assert!(text.contains("src/cart.py, src/mail.py") && text.contains("Both files"), "{text}");
}
