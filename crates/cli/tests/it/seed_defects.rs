//! What went wrong in this product's predecessors, one test per defect of storage or search.
//!
//! Defects that other tests here already cover:
//!
//! | predecessor | defect | test |
//! |---|---|---|
//! | total-agent-memory | d1.8 SQL built from a project name | `query_safety::names_that_look_like_sql_are_names` |
//! | total-agent-memory | d1.9 query read as FTS syntax | `query_safety::punctuation_does_not_hide_what_is_there` |
//! | total-agent-memory | d1.10 reinforced links grow weaker | `lifecycle::links_carry_relation_and_weight_and_can_be_removed` |
//! | total-agent-memory | d1.13 nonsense is answered | `query_safety::nonsense_finds_nothing`, `recall_quality` |
//! | total-agent-memory | d3 migrations raced to death | `first_start::ten_first_starts_on_an_empty_home_all_succeed` |
//! | total-agent-memory | d6 a correction ranks below the old value | `lifecycle::a_successor_is_linked_both_ways_and_ranks_above_what_it_replaces` |
//! | total-agent-memory | d6 blank records are saved | `contract::exit_codes_say_whose_fault_it_is` |
//! | total-agent-memory | d6 a long record floods the answer | `query_safety::a_very_long_text_is_stored_or_refused_with_its_size` |
//! | openCodeMemory | 1c.2 the index cannot be rebuilt from files | `reindex` |
//! | openCodeMemory | 1c.8 absent words and punctuation hide hits | `query_safety::punctuation_does_not_hide_what_is_there` |
//! | openCodeMemory | 1c.11 appends lost under load | `storm` |
//! | openCodeMemory | 1c.14 a subfolder misses the project's store | `projects::the_nearest_project_store_upwards_is_used_and_the_global_one_is_not` |
//! | openCodeMemory | 1c.20 markdown not escaped | `query_safety::any_text_can_be_stored_and_comes_back_as_it_was` |
//! | opencode-memory | 2c.2 NULL project splits entities | `lifecycle::global_memories_are_seen_from_every_project_and_mentions_of_them_are_one_entity` |
//! | opencode-memory | 2c.3 near-duplicates destroy newer truth | `lifecycle::texts_that_differ_in_one_word_are_both_kept`, `…::the_same_text_in_two_projects_…` |
//! | opencode-memory | 2c.4 an edit corrupts the full-text index | `lifecycle::an_edit_changes_what_is_found` |
//! | opencode-memory | 2c.5 archiving loses fields | `lifecycle::what_is_archived_is_offered_only_on_request_and_comes_back_whole` |
//! | opencode-memory | 2c.7 "database is locked" | `storm` |
//! | opencode-memory | 2c.10 filters after the search | `filters_and_budget` (engine) |
//! | opencode-memory | 2c.12 project from the server's own folder | `projects::the_project_of_a_server_is_its_clients_root_not_its_own_folder` |
//! | opencode-memory | 2c.17 same-day expiry is late | `lifecycle::expired_memories_are_no_longer_offered` |
//! | sessionmem | 1c.2 search is not semantic | `recall_quality` (engine) |
//! | sessionmem | 1c.5 a duplicate id is an opaque error | `hand_edits::two_files_with_one_id_are_both_kept_one_is_used_and_the_doctor_says_so` |
//! | sessionmem | 1c.6 two clones are two projects | `projects::clones_of_one_remote_are_one_project_however_its_address_is_spelt` |
//! | sessionmem | 1c.9 redaction misses and over-redacts | tests of `hark-core` |
//! | CodeMemory | 2c.7 no project scoping | `projects`, `lifecycle::a_file_of_one_project_is_not_that_file_of_another` |

use std::collections::BTreeSet;

use hark_testkit::{Home, disk, note, sqlite};
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

#[test]
fn total_agent_memory_d1_4_an_update_names_its_memory_and_never_guesses() {
    let home = home();
    let id = home.remember("Docker containers reach the host as host.docker.internal.");
    let mut mcp = home.mcp();
    for name in ["pizza toppings", "docker", "the first one", "*", ""] {
        mcp.refused("memory_update", &json!({ "ids": [name], "action": "edit", "text": "Pineapple." }));
        home.hark(["edit", "--text", "Pineapple.", "--", name]).fails(1);
    }
    assert_eq!(home.show(&id)["revision"], 1);
}

#[test]
fn total_agent_memory_d1_5_a_timeline_needs_no_limit() {
    let home = home();
    let ids: Vec<String> = (0..3).map(|n| home.remember(&format!("Event number {n}."))).collect();
    let shown = home.hark(["timeline", "--json"]).ok().json();
    let listed: Vec<&str> =
        shown["memories"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(listed, ids);
}

#[test]
fn total_agent_memory_d1_7_an_index_has_kinds_and_the_same_order() {
    let home = home();
    for (kind, text) in [
        ("decision", "The walrus queue is drained at dawn."),
        ("lesson", "Draining the queue at noon starves the walrus."),
        ("fact", "A walrus weighs a ton."),
    ] {
        home.remember_with(text, &["--kind", kind]);
    }
    let ask = |detail: &str| -> Vec<(String, String)> {
        let hits = home.recall("walrus queue", &["--detail", detail])["hits"].as_array().unwrap().clone();
        hits.iter()
            .map(|h| (h["id"].as_str().unwrap().to_owned(), h["kind"].as_str().unwrap().to_owned()))
            .collect()
    };
    let index = ask("index");
    assert_eq!(index, ask("full"));
    assert_eq!(index.len(), 3);
    let kinds: BTreeSet<&str> = index.iter().map(|(_, kind)| kind.as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["decision", "fact", "lesson"]));
}

#[test]
fn total_agent_memory_d1_11_episodes_are_found_by_meaning() {
    let home = home();
    let id = home.remember_with(
        "Spent the afternoon hunting a data race between goroutines; a mutex around the map fixed it.",
        &["--kind", "episode"],
    );
    home.remember_with("Renamed the billing tables and rewrote the report.", &["--kind", "episode"]);
    assert_eq!(home.recall_ids("concurrency problem with goroutines", &[]).first(), Some(&id));
}

#[test]
fn total_agent_memory_d2_typos_find_what_was_meant() {
    let home = home();
    let wanted = [
        (
            "dokcer netowrking",
            home.remember("Docker networking: containers reach the host as host.docker.internal."),
        ),
        ("kuberntes rollbck", home.remember("A Kubernetes rollback is kubectl rollout undo.")),
        ("postgress timout", home.remember("The Postgres statement timeout is thirty seconds.")),
    ];
    for n in 0..40 {
        home.remember(&format!("Axum handler {n} reports to sentry with helm chart {n}."));
    }
    for (query, id) in wanted {
        assert_eq!(home.recall_ids(query, &[]).first(), Some(&id), "{query}");
    }
}

#[test]
fn total_agent_memory_d3_a_first_start_needs_no_network() {
    let home = home();
    let mut command = home.program("unshare");
    command.args(["-n"]).arg(home.binary()).args(["remember", "--json", "Stored without a network."]);
    let probe = std::process::Command::new("unshare").args(["-n", "true"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        hark_testkit::skip("no private network here");
        return;
    }
    hark_testkit::Hark::new(command).ok();
    let answer = home.recall("stored without network", &[]);
    assert!(
        answer["hits"][0]["tiers"].to_string().contains("vector"),
        "by meaning, with nothing downloaded: {answer}"
    );
}

#[test]
fn opencodememory_1c_9_one_title_in_one_minute_is_many_files() {
    let home = home().at("2026-06-15T12:00:00Z");
    let ids: BTreeSet<String> =
        (0..6).map(|n| home.remember_with(&format!("Body {n}."), &["--title", "Fix auth"])).collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(disk::notes(&home.memories()).len(), 6);
    home.hark(["reindex"]).ok();
    assert_eq!(home.doctor()["memories"], 6);
}

#[test]
fn opencodememory_1c_10_no_name_leads_out_of_the_store() {
    let home = home();
    let outside = || -> BTreeSet<std::path::PathBuf> {
        let all = disk::files(home.root()).into_keys();
        all.filter(|path| !path.starts_with("store")).collect()
    };
    let before = outside();
    for evil in ["../../../evil", "/tmp/evil", "..\\..\\evil", "con", "a/b/c", "....//wicked", "nul"] {
        let id = home.remember_with(
            &format!("{evil} is a name."),
            &["--title", evil, "--project", evil, "--tag", evil, "--file", evil],
        );
        let file = home.file_of(&id);
        assert_eq!(file.parent(), Some(home.memories().join("fact").as_path()), "{evil}");
    }
    assert_eq!(outside(), before);
    // A file may not lead the store elsewhere either.
    note::drop_in(
        &home.memories(),
        "fact/x.md",
        note::text(5, "Kind with a path", "x").replace("kind: fact", "kind: ../../evil"),
    );
    home.hark(["edit", &note::short(5), "--tag", "x"]).fails(1);
    assert_eq!(outside(), before);
}

#[test]
fn opencode_memory_2c_8_a_memory_has_one_set_of_vectors_however_often_it_is_written() {
    let home = home();
    let id = home.remember("The queue is drained by walruses.");
    let count = || -> (i64, i64) {
        let db = sqlite::open(&home.database());
        let read = |sql: &str| db.query_row(sql, [], |row| row.get(0)).unwrap();
        (read("SELECT count(*) FROM passage"), read("SELECT coalesce(sum(used), 0) FROM chunk"))
    };
    let before = count();
    for n in 0..4 {
        home.hark(["edit", &id, "--text", &format!("The queue is drained by {n} walruses.")]).ok();
        home.hark(["resolve", &id]).ok();
        home.hark(["reopen", &id]).ok();
        note::edit(&home.file_of(&id), |text| text.replace("drained by", "emptied by"));
        home.hark(["reindex"]).ok();
    }
    assert_eq!(count().0, before.0);
    assert_eq!(home.recall_ids("queue walruses", &[]), [id]);
    assert_eq!(home.findings(), "[]");
}

#[test]
fn opencode_memory_2c_11_twelve_is_not_twelve_hundred_and_fifty() {
    let home = home();
    let licences = home.remember_with("We are short of 1250 licences.", &["--kind", "blocker"]);
    let request = home.remember_with("Waiting for !12 to be merged.", &["--kind", "blocker"]);
    let found = home.hark(["context", "!12", "--json"]).ok().json();
    assert_eq!(
        (found["memories"].as_array().unwrap().len(), &found["memories"][0]["id"]),
        (1, &json!(request))
    );
    home.hark(["resolve", &request]).ok();
    assert_eq!(home.show(&licences)["status"], "active");
}

#[test]
fn sessionmem_1c_3_a_tag_filter_works_beside_untagged_memories() {
    let home = home();
    let tagged = home.remember_with("The tagged walrus drains the queue.", &["--tag", "zoo"]);
    home.remember("An untagged walrus drains the queue.");
    note::drop_in(
        &home.memories(),
        "fact/null.md",
        note::text(6, "A null walrus queue", "x").replace("kind: fact", "kind: fact\ntags: null"),
    );
    note::drop_in(
        &home.memories(),
        "fact/empty.md",
        note::text(7, "An empty walrus queue", "x").replace("kind: fact", "kind: fact\ntags: []"),
    );
    assert_eq!(home.recall_ids("walrus queue", &["--tag", "zoo"]), [tagged.as_str()]);
    assert_eq!(home.recall_ids("walrus queue", &["--all-projects"]).len(), 4);
    let listed = home.hark(["list", "--tag", "zoo", "--json"]).ok().json();
    assert_eq!((listed["total"].as_i64(), &listed["memories"][0]["id"]), (Some(1), &json!(tagged)));
}

#[test]
#[cfg(unix)]
fn codememory_2c_9_nobody_else_on_the_machine_can_read_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    home.remember("The queue is drained by walruses.");
    home.hark(["edit", &home.remember("Something else."), "--tag", "x"]).ok();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let open: Vec<String> = disk::files(&home.store())
        .into_keys()
        .filter(|file| {
            let path = home.store().join(file);
            let shut = path
                .ancestors()
                .skip(1)
                .take_while(|dir| dir.starts_with(home.store()))
                .any(|dir| mode(dir) & 0o077 == 0);
            !shut && mode(&path) & 0o077 != 0
        })
        .map(|file| file.display().to_string())
        .collect();
    assert_eq!(open, Vec::<String>::new());
}

#[test]
fn codememory_2c_10_many_calls_at_once_on_one_server_all_succeed() {
    let home = home();
    let mut mcp = home.mcp();
    let mut waiting = BTreeSet::new();
    for n in 0..60 {
        let sent = match n % 3 {
            0 => mcp.send_call(
                "memory_remember",
                &json!({ "text": format!("Note {n} of a busy client about walruses.") }),
            ),
            1 => mcp.send_call("memory_recall", &json!({ "query": "busy walruses" })),
            _ => mcp.send_call("memory_list", &json!({})),
        };
        waiting.insert(sent.unwrap());
    }
    while !waiting.is_empty() {
        let answer = mcp.answer().unwrap();
        assert!(answer["result"].is_object() && answer["result"]["isError"] != json!(true), "{answer}");
        assert!(waiting.remove(&answer["id"].as_i64().unwrap()), "{answer}");
    }
    assert_eq!(home.doctor()["memories"], 20);
}

#[test]
fn codememory_2c_3_stdout_of_a_first_start_holds_only_the_answer() {
    let home = home();
    let outcome = home.hark(["recall", "anything", "--json"]).ok();
    assert_eq!(outcome.json()["hits"], Value::Array(Vec::new()));
    assert_eq!(outcome.stderr(), "");
}
