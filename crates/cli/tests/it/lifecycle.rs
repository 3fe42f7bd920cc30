//! The life of a memory: statuses, replacement, history, links, what it is about, and what each
//! state means for recall.

use hark_testkit::Home;
use serde_json::{Value, json};

const NOW: &str = "2026-06-15T12:00:00Z";

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW)
}

fn ids(list: &Value) -> Vec<String> {
    list["memories"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_blocker_is_resolved_and_reopened_and_every_step_is_in_its_history() {
    let home = home();
    let id = home.remember_with("The walrus licence has expired.", &["--kind", "blocker"]);
    let said = home.hark(["resolve", &id, "--json"]).ok().json();
    assert_eq!(
        (&said["changed"][0]["from"], &said["changed"][0]["to"]),
        (&json!("active"), &json!("resolved"))
    );
    assert_eq!(home.show(&id)["status"], "resolved");
    assert!(home.show(&id)["closed"].is_string());
    assert_eq!(ids(&home.hark(["list", "--json"]).ok().json()), Vec::<String>::new());
    assert_eq!(ids(&home.hark(["list", "--status", "resolved", "--json"]).ok().json()), [id.as_str()]);
    assert_eq!(
        home.recall("walrus licence", &[])["hits"][0]["status"],
        "resolved",
        "still known, and said to be over"
    );

    home.hark(["reopen", &id]).ok();
    home.hark(["edit", &id, "--text", "The walrus licence expires in May."]).ok();
    assert_eq!((&home.show(&id)["status"], &home.show(&id)["closed"]), (&json!("active"), &Value::Null));
    let history = home.hark(["history", &id, "--json"]).ok().json();
    let changes: Vec<&str> =
        history["revisions"].as_array().unwrap().iter().map(|r| r["change"].as_str().unwrap()).collect();
    assert_eq!(changes.len(), 3, "{changes:?}");
    let before: Vec<&str> = history["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["before"]["status"].as_str().unwrap())
        .collect();
    assert_eq!(before, ["active", "resolved", "active"]);
    assert_eq!(history["revisions"][2]["before"]["body"], "The walrus licence has expired.");
    assert_eq!(
        (&history["current"]["revision"], &history["current"]["body"]),
        (&json!(4), &json!("The walrus licence expires in May."))
    );
}

#[test]
fn doing_a_thing_twice_is_harmless() {
    let home = home();
    let id = home.remember_with("The walrus licence has expired.", &["--kind", "blocker"]);
    home.hark(["resolve", &id]).ok();
    home.hark(["resolve", &id]).ok();
    assert_eq!(home.show(&id)["revision"], 2, "the second one changed nothing");
    home.hark(["edit", &id, "--importance", "3"]).ok();
    assert_eq!(home.show(&id)["revision"], 2);
}

#[test]
fn what_is_archived_is_marked_in_answers_and_comes_back_whole() {
    let home = home();
    let id = home.remember_with(
        "The walrus licence has expired.",
        &["--kind", "decision", "--tag", "legal", "--project", "zoo"],
    );
    let before = home.show(&id);
    home.hark(["archive", &id]).ok();
    assert_eq!(home.recall("walrus licence", &["--project", "zoo"])["hits"][0]["status"], "archived");
    for (status, found) in [("archived", 1), ("active", 0)] {
        let flags = ["--project", "zoo", "--status", status];
        assert_eq!(home.recall_ids("walrus licence", &flags).len(), found, "{status}");
    }
    home.hark(["show", &id]).ok();
    home.hark(["resolve", &id]).fails(1);
    home.hark(["restore", &id]).ok();
    let after = home.show(&id);
    for field in ["body", "title", "tags", "project", "kind", "created", "status", "importance"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!(home.recall_ids("walrus licence", &["--project", "zoo"]), [id]);
}

#[test]
fn forgetting_is_a_dry_run_until_confirmed_and_then_leaves_no_trace() {
    let home = home();
    let keep = home.remember("Penguins stay.");
    let id = home.remember("The zanzibar walrus licence has expired.");
    home.hark(["edit", &id, "--tag", "legal"]).ok();
    home.hark(["relate", &keep, &id, "--as", "extends"]).ok();
    let dry = home.hark(["forget", &id, "--json"]).ok().json();
    assert_eq!((&dry["forgotten"], &dry["memories"][0]["id"]), (&json!(false), &json!(id)));
    home.hark(["show", &id]).ok();

    let done = home.hark(["forget", &id, "--yes", "--json"]).ok().json();
    assert_eq!(done["forgotten"], true);
    home.hark(["show", &id]).fails(1);
    assert_eq!(home.recall_ids("zanzibar walrus licence", &[]), Vec::<String>::new());
    assert_eq!(home.hark(["links", &keep, "--json"]).ok().json()["links"], json!([]));
    home.hark(["reindex"]).ok();
    assert_eq!(home.doctor()["findings"], json!([]));
    let holding = hark_testkit::disk::holding(&home.store(), "zanzibar");
    assert_eq!(holding, Vec::<std::path::PathBuf>::new(), "not even in the index or the history");
}

#[test]
fn forgetting_several_where_one_is_unknown_forgets_none() {
    let home = home();
    let id = home.remember("Penguins stay.");
    home.hark(["forget", &id, "m-zzzzzzzz", "--yes"]).fails(1);
    home.hark(["show", &id]).ok();
    home.hark(["resolve", &id, "m-zzzzzzzz"]).fails(1);
    assert_eq!(home.show(&id)["status"], "active", "all or nothing");
}

#[test]
fn a_successor_is_linked_both_ways_and_ranks_above_what_it_replaces() {
    let home = home();
    let old = home.remember_with(
        "The session store is Redis with a ten minute expiry.",
        &["--kind", "decision", "--importance", "5"],
    );
    let said = home
        .hark([
            "remember",
            "The session store is Postgres.",
            "--kind",
            "decision",
            "--importance",
            "1",
            "--supersedes",
            &old,
            "--json",
        ])
        .ok()
        .json();
    let new = said["id"].as_str().unwrap().to_owned();
    assert_eq!(said["superseded"], old.as_str());
    assert_eq!(
        (&home.show(&old)["status"], &home.show(&old)["superseded_by"]),
        (&json!("superseded"), &json!(new))
    );
    let links = |id: &str| home.hark(["links", id, "--json"]).ok().json()["links"].clone();
    assert_eq!((&links(&new)[0]["relation"], &links(&new)[0]["id"]), (&json!("supersedes"), &json!(old)));
    assert_eq!((&links(&old)[0]["relation"], &links(&old)[0]["id"]), (&json!("superseded_by"), &json!(new)));
    // The old one fits the words better and still comes second.
    let found = home.recall_ids("session store redis ten minute expiry", &[]);
    assert_eq!(found, [new.as_str(), old.as_str()]);

    home.hark(["restore", &old]).ok();
    let restored = home.show(&old);
    assert_eq!(
        (&restored["status"], &restored["superseded_by"]),
        (&json!("active"), &Value::Null),
        "a replacement can be undone"
    );
    let changes = home.hark(["history", &old, "--json"]).ok().json()["revisions"].as_array().unwrap().len();
    assert_eq!(changes, 2);
}

#[test]
fn superseding_by_relate_is_the_same_as_on_remember() {
    let home = home();
    let old = home.remember("The session store is Redis.");
    let new = home.remember("The session store is Postgres.");
    home.hark(["relate", &new, &old, "--as", "supersedes"]).ok();
    assert_eq!(
        (&home.show(&old)["status"], &home.show(&old)["superseded_by"]),
        (&json!("superseded"), &json!(new))
    );
    assert_eq!(home.recall_ids("session store", &[]), [new, old]);
}

#[test]
fn forgetting_a_successor_does_not_leave_its_predecessor_pointing_nowhere() {
    let home = home();
    let old = home.remember("The session store is Redis.");
    let new = home.remember_with("The session store is Postgres.", &["--supersedes", &old]);
    home.hark(["forget", &new, "--yes"]).ok();
    assert_eq!(home.show(&old)["superseded_by"], Value::Null);
}

#[test]
fn two_memories_cannot_both_be_replaced_by_each_other() {
    let home = home();
    let one = home.remember("The session store is Redis.");
    let two = home.remember("The session store is Postgres.");
    home.hark(["relate", &two, &one, "--as", "supersedes"]).ok();
    let turned = home.hark(["relate", &one, &two, "--as", "supersedes"]).run();
    // Refused, or the first one is back: never nothing that holds.
    let active: Vec<&String> =
        [&one, &two].into_iter().filter(|id| home.show(id)["status"] == "active").collect();
    assert_eq!(active.len(), 1, "{turned}");
}

#[test]
fn a_chain_of_successors_ranks_newest_first() {
    let home = home();
    let a = home.remember("The deploy window is Monday morning.");
    let b = home.remember_with("The deploy window is Tuesday morning.", &["--supersedes", &a]);
    let c = home.remember_with("The deploy window is Wednesday morning.", &["--supersedes", &b]);
    let found = home.recall_ids("when is the deploy window", &[]);
    assert_eq!(found[0], c, "{found:?}");
}

#[test]
fn links_carry_relation_and_weight_and_can_be_removed() {
    let home = home();
    let a = home.remember("The gate opens late.");
    let b = home.remember("The walrus overslept.");
    home.hark(["relate", &a, &b, "--as", "caused-by", "--weight", "0.25"]).ok();
    let link = |id: &str| home.hark(["links", id, "--json"]).ok().json()["links"].clone();
    assert_eq!((&link(&a)[0]["relation"], &link(&a)[0]["weight"]), (&json!("caused_by"), &json!(0.25)));
    assert_eq!((&link(&b)[0]["relation"], &link(&b)[0]["id"]), (&json!("causes"), &json!(a)));
    home.hark(["relate", &a, &b, "--as", "caused_by", "--weight", "0.75"]).ok();
    assert_eq!(link(&a).as_array().unwrap().len(), 1, "said again it replaces the link");
    assert_eq!(link(&a)[0]["weight"], 0.75);
    home.hark(["relate", &a, &b, "--as", "caused_by", "--remove"]).ok();
    assert_eq!((link(&a), link(&b)), (json!([]), json!([])));
    home.hark(["relate", &a, &a]).fails(1);
    home.hark(["relate", &a, "m-zzzzzzzz"]).fails(1);
    home.hark(["relate", &a, &b, "--weight", "7"]).fails(1);
    home.hark(["relate", &a, &b, "--as", "likes"]).fails(2);
}

#[test]
fn what_is_linked_comes_along() {
    let home = home();
    let a = home.remember("Rolling back the api means kubectl rollout undo.");
    let b = home.remember("Ask Priya first on Thursdays.");
    for n in 0..20 {
        home.remember(&format!("Unrelated gardening note {n} about tulips and soil."));
    }
    home.hark(["relate", &a, &b, "--as", "context"]).ok();
    let answer = home.recall("kubectl rollout undo", &[]);
    let hit = answer["hits"].as_array().unwrap().iter().find(|h| h["id"] == json!(b));
    let hit = hit.unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(hit["tiers"], json!(["graph"]));
    assert_eq!(answer["hits"][0]["id"], json!(a), "and never before what was asked for");
}

#[test]
fn context_finds_everything_about_a_file_an_issue_a_merge_request_and_a_person() {
    let home = home();
    let file = home.remember("Tokens are checked in src/auth/token.rs before anything else.");
    let named = home.remember_with("Careful there.", &["--file", "src/auth/token.rs"]);
    let issue = home.remember("Login loops were fixed in #388 by clearing the cookie.");
    let other = home.remember("Ports 3881 and 1388 are free.");
    let request = home.remember("Reviewed in group/proj!12, merged on Friday.");
    let bare = home.remember("Also see !12 for the follow-up.");
    let person = home.remember("Ask @ann about billing.");
    let context = |reference: &str| {
        let mut found = ids(&home.hark(["context", reference, "--json"]).ok().json());
        found.sort();
        found
    };
    let sorted = |wanted: &[&String]| {
        let mut wanted: Vec<String> = wanted.iter().map(|id| (*id).clone()).collect();
        wanted.sort();
        wanted
    };
    assert_eq!(context("src/auth/token.rs"), sorted(&[&file, &named]));
    assert_eq!(context("token.rs"), sorted(&[&file, &named]), "by its last part as well");
    assert_eq!(context("#388"), sorted(&[&issue]), "not {other}");
    assert!(context("group/proj!12").contains(&request), "{:?}", context("group/proj!12"));
    assert!(context("!12").contains(&bare));
    assert_eq!(context("@ann"), sorted(&[&person]));
    assert_eq!(context("#12"), Vec::<String>::new(), "an issue is not a merge request");
    assert!(!context("#388").contains(&other));
    home.hark(["context", ""]).fails(1);
}

#[test]
fn a_file_of_one_project_is_not_that_file_of_another() {
    let home = home();
    let mine = home.remember_with("src/main.rs starts the server.", &["--project", "alpha"]);
    let theirs = home.remember_with("src/main.rs parses flags.", &["--project", "beta"]);
    let everywhere = home.remember_with("Every src/main.rs is short.", &["--global"]);
    let in_alpha = ids(&home.hark(["context", "src/main.rs", "--project", "alpha", "--json"]).ok().json());
    assert!(in_alpha.contains(&mine) && !in_alpha.contains(&theirs), "{in_alpha:?}");
    assert!(in_alpha.contains(&everywhere), "what holds everywhere holds here");
    let all = ids(&home.hark(["context", "src/main.rs", "--all-projects", "--json"]).ok().json());
    assert_eq!(all.len(), 3);
}

#[test]
fn global_memories_are_seen_from_every_project_and_mentions_of_them_are_one_entity() {
    let home = home();
    let one = home.remember_with("!9 needs two reviewers.", &["--global"]);
    let two = home.remember_with("!9 was merged by @kim.", &["--global"]);
    let about = ids(&home.hark(["context", "!9", "--project", "anything", "--json"]).ok().json());
    assert_eq!(about.len(), 2, "both mentions belong to one entity");
    let links = home.hark(["links", &one, "--json"]).ok().json();
    assert_eq!(links["entities"].as_array().unwrap().len(), 1, "{links}");
    assert_eq!(links["entities"][0]["memories"], 2);
    assert_eq!(home.recall_ids("merged by kim", &["--project", "something-else"])[0], two);
    assert_eq!(home.show(&one)["project"], Value::Null);
}

#[test]
fn the_same_text_in_two_projects_is_two_memories_each_seen_at_home() {
    let home = home();
    let a = home.remember_with("Run the linter before committing.", &["--project", "p/a"]);
    let b = home.remember_with("Run the linter before committing.", &["--project", "p/b"]);
    assert_ne!(a, b);
    assert_eq!(home.recall_ids("linter committing", &["--project", "p/a"]), [a]);
    assert_eq!(home.recall_ids("linter committing", &["--project", "p/b"]), [b]);
}

#[test]
fn texts_that_differ_in_one_word_are_both_kept() {
    let home = home();
    let always = home.remember("Always run the linter before committing code.");
    let never = home.remember("Never run the linter before committing code.");
    let one = home.remember("The staging host is db-stg-1.");
    let two = home.remember("The staging host is db-stg-2.");
    for id in [&always, &never, &one, &two] {
        assert_eq!(home.show(id)["status"], "active");
    }
    assert_eq!(home.recall_ids("staging host db-stg-2", &[])[0], two);
}

#[test]
fn expired_memories_are_no_longer_offered() {
    let home = home();
    let span = home.remember_with("The staging walrus sleeps until Friday.", &["--expires", "3d"]);
    let date = home.remember_with("The staging penguin sleeps until July.", &["--expires", "2026-07-01"]);
    assert_eq!(home.recall_ids("staging sleeps", &[]).len(), 2);
    let later = |now: &str| {
        let answer = home.hark(["recall", "staging sleeps", "--json"]).now(now).ok().json();
        answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|h| h["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(later("2026-06-18T11:00:00Z").contains(&span), "an hour before");
    assert_eq!(later("2026-06-18T13:00:00Z"), [date], "an hour after, on the same day");
    assert_eq!(later("2026-07-02"), Vec::<String>::new());
    home.hark(["show", &span]).now("2027-01-01").ok();
    home.hark(["remember", "x y z", "--expires", "soonish"]).fails(1);
}

#[test]
fn as_of_shows_what_was_known_then() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_hark")).at("2026-01-10T00:00:00Z");
    let old = home.remember("The session store is Redis.");
    home.set_now("2026-03-10T00:00:00Z");
    let new = home.remember_with("The session store is Postgres.", &["--supersedes", &old]);
    home.set_now("2026-05-10T00:00:00Z");
    home.hark(["archive", &new]).ok();
    assert_eq!(home.recall_ids("session store", &["--as-of", "2026-02-01"]), [old.as_str()]);
    assert_eq!(home.recall_ids("session store", &["--as-of", "2026-04-01"]), [new.as_str()]);
    assert_eq!(home.recall_ids("session store", &["--as-of", "2025-12-01"]), Vec::<String>::new());
    assert_eq!(home.recall_ids("session store", &[]), [old, new], "one is replaced, the other archived");
    home.hark(["recall", "x", "--as-of", "someday"]).fails(1);
}

#[test]
fn pinned_and_important_memories_come_first_among_equals() {
    let home = home();
    let plain = home.remember("Backups of the walrus table run at noon.");
    let vital = home.remember_with("Backups of the walrus table run at dawn.", &["--importance", "5"]);
    let found = home.recall_ids("backups of the walrus table", &[]);
    assert_eq!(found, [vital, plain]);
}

#[test]
fn old_decisions_outlast_old_events() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_hark")).at("2023-01-01T00:00:00Z");
    let event = home.remember_with("Walrus ingestion was moved to the night.", &["--kind", "event"]);
    let decision = home.remember_with("Walrus ingestion is moved to the night.", &["--kind", "decision"]);
    home.set_now(NOW);
    assert_eq!(home.recall_ids("walrus ingestion night", &[]), [decision, event]);
}

#[test]
fn detail_levels_show_less_or_more_and_explain_says_why() {
    let home = home();
    let long =
        format!("The walrus pipeline has stages. {}", "Stage notes follow here with many words. ".repeat(60));
    home.remember_with(&long, &["--title", "Walrus pipeline", "--why", "throughput"]);
    let text = |level: &str| {
        home.recall("walrus pipeline", &["--detail", level])["hits"][0]["text"].as_str().unwrap().to_owned()
    };
    let (index, summary, full) = (text("index"), text("summary"), text("full"));
    assert_eq!(index, "");
    assert!(!summary.is_empty() && summary.len() < full.len(), "{} < {}", summary.len(), full.len());
    assert!(full.contains("Why: throughput"), "{full}");

    assert!(home.recall("walrus pipeline", &[])["hits"][0].get("explain").is_none());
    let explained = home.recall("walrus pipeline", &["--explain"]);
    let reasons = explained["hits"][0]["explain"].as_array().unwrap().clone();
    let tiers = explained["hits"][0]["tiers"].as_array().unwrap().clone();
    for tier in tiers {
        assert!(reasons.iter().any(|reason| reason["source"] == tier), "{tier} is explained: {explained}");
    }
    assert!(home.hark(["recall", "walrus pipeline", "--explain"]).ok().stdout().contains("the same words"));
    home.hark(["recall", "x", "--detail", "novel"]).fails(2);
}

#[test]
fn tags_are_counted_and_edited() {
    let home = home();
    let a = home.remember_with("One walrus.", &["--tag", "zoo", "--tag", "Sea"]);
    home.remember_with("Two walruses.", &["--tag", "zoo"]);
    home.remember("An untagged walrus.");
    let tags = home.hark(["tags", "--json"]).ok().json();
    assert_eq!(tags["tags"][0], json!({ "tag": "zoo", "memories": 2 }));
    home.hark(["edit", &a, "--untag", "zoo", "--tag", "land"]).ok();
    assert_eq!(home.show(&a)["tags"], json!(["Sea", "land"]));
    let tags = home.hark(["tags", "--json"]).ok().json();
    assert_eq!(tags["tags"].as_array().unwrap().iter().find(|t| t["tag"] == "zoo").unwrap()["memories"], 1);
}

#[test]
fn an_edit_changes_what_is_found() {
    let home = home();
    let id = home
        .remember_with("The queue is drained by walruses.", &["--kind", "fact", "--why", "they are strong"]);
    home.hark([
        "edit",
        &id,
        "--text",
        "The queue is drained by penguins.",
        "--why",
        "they are punctual",
        "--title",
        "Queue staff",
    ])
    .ok();
    assert_eq!(home.recall_ids("penguins", &[]), [id.as_str()]);
    assert_eq!(home.recall_ids("punctual", &[]), [id.as_str()]);
    assert_eq!(home.recall_ids("walruses", &[]), Vec::<String>::new());
    assert_eq!(home.recall_ids("strong", &[]), Vec::<String>::new());
    assert_eq!(home.doctor()["findings"], json!([]));
    home.hark(["edit", &id, "--kind", "decision"]).ok();
    assert!(home.file_of(&id).starts_with(home.memories().join("decision")), "a new kind moves the file");
    assert_eq!(hark_testkit::disk::notes(&home.memories()).len(), 1);
    home.hark(["edit", &id, "--why", ""]).ok();
    assert!(home.show(&id).get("why").is_none());
}

#[test]
fn freshness_tells_whether_the_files_are_still_there() {
    let home = home();
    let repo = hark_testkit::git::repository(&home, "shop");
    let run = |args: &[&str]| home.hark(args).within(&repo).ok().json();
    run(&["remember", "The walrus parser lives here.", "--file", "src/deep/lib.rs", "--json"]);
    run(&["remember", "The walrus lexer lived here.", "--file", "src/gone.rs", "--json"]);
    run(&["remember", "The walrus has no file.", "--json"]);
    let answer = run(&["recall", "walrus", "--json"]);
    let freshness = |word: &str| {
        let hit = answer["hits"]
            .as_array()
            .unwrap()
            .iter()
            .find(|h| h["title"].as_str().unwrap().contains(word))
            .unwrap();
        hit["freshness"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        [freshness("parser"), freshness("lexer"), freshness("no file")],
        ["fresh", "stale", "unverified"]
    );
}
