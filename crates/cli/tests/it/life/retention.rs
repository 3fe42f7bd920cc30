//! What ages out, what never does, and that nothing is done unasked but putting aside.

use std::collections::BTreeSet;

use hark_testkit::transcripts::Claude;
use hark_testkit::{Home, sqlite};
use serde_json::{Value, json};

use super::home;

const START: &str = "2026-01-01T12:00:00Z";
/// 300 and 400 days later.
const DAY_300: &str = "2026-10-28T12:00:00Z";
const DAY_400: &str = "2027-02-05T12:00:00Z";

struct Store {
    home: Home,
    /// Expected to be archived at day 400, by name.
    old: BTreeSet<String>,
    kept: BTreeSet<String>,
    archived: String,
}

fn set(value: &Value) -> BTreeSet<String> {
    value.as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect()
}

fn store() -> Store {
    let mut home = home().at(START);
    let mut old = BTreeSet::new();
    let mut kept = BTreeSet::new();
    let say = |home: &Home, text: &str, flags: &[&str]| home.remember_with(text, flags);
    old.insert(say(&home, "The office plant is a ficus", &[]));
    old.insert(say(&home, "Buttons are blue", &["--kind", "decision", "--importance", "3"]));
    old.insert(say(&home, "We talked about lunch", &["--kind", "episode"]));
    kept.insert(say(&home, "The printer has no paper", &["--kind", "blocker"]));
    let resolved = say(&home, "The vendor key is missing", &["--kind", "blocker"]);
    home.hark(["resolve", &resolved]).ok();
    old.insert(resolved);

    kept.insert(say(
        &home,
        "Never touch the ledger table by hand",
        &["--kind", "warning", "--importance", "1"],
    ));
    kept.insert(say(&home, "Answer in short sentences", &["--kind", "directive", "--importance", "1"]));
    kept.insert(say(&home, "Check errors twice", &["--kind", "rule", "--importance", "1"]));
    kept.insert(say(&home, "The contract ends in three years", &["--importance", "5"]));
    kept.insert(say(&home, "The audit needs all invoices", &["--importance", "4"]));
    kept.insert(say(&home, "The door code is on the wall", &["--pin", "--importance", "1"]));
    let former = say(&home, "The build takes ten minutes", &[]);
    let confirmed = say(&home, "Staging is reset on sundays", &[]);
    let used = say(&home, "The parser is written by hand", &[]);
    let archived = say(&home, "An old note about nothing", &[]);
    home.hark(["archive", &archived]).ok();

    home.set_now(DAY_300);
    kept.insert(say(&home, "The build takes two minutes", &["--supersedes", &former]));
    kept.insert(former);
    assert_eq!(say(&home, "Staging is reset on sundays.", &[]), confirmed);
    kept.insert(confirmed);
    home.show(&used);
    kept.insert(used);
    kept.insert(archived.clone());
    home.set_now(DAY_400);
    Store { home, old, kept, archived }
}

#[test]
fn four_hundred_days_later_exactly_these_are_put_aside() {
    let Store { home, old, kept, .. } = store();
    let dry = home.hark(["retention", "--all", "--json"]).ok().json();
    assert_eq!(set(&dry["archive"]), old);
    assert_eq!(set(&dry["keep"]), kept);
    assert!(set(&dry["purge"]).is_empty());
    for id in &old {
        assert_ne!(home.show(id)["status"], "archived", "a rehearsal changes nothing");
    }
    // Looking at them was a use: put the clock back to how it was.
}

#[test]
fn applying_it_archives_them_and_the_second_run_finds_nothing() {
    let Store { home, old, .. } = store();
    let done = home.hark(["retention", "--apply", "--json"]).ok().json();
    assert_eq!(set(&done["archive"]), old);
    for id in &old {
        assert_eq!(home.show(id)["status"], "archived");
    }
    // Not injected, and still there on request, marked as archived.
    let prompt = json!({ "session_id": "one", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "Is the office plant a ficus?" });
    assert!(!home.hook("claude-code", "UserPromptSubmit", &prompt).to_string().contains("ficus"));
    assert_eq!(home.recall("office plant ficus", &[])["hits"][0]["status"], "archived");
    assert!(home.recall_ids("office plant ficus", &["--status", "active"]).is_empty());
    let again = home.hark(["retention", "--json"]).ok().json();
    assert!(set(&again["archive"]).is_empty() && set(&again["purge"]).is_empty(), "{again}");
}

#[test]
fn an_importance_10_warning_is_there_after_90_days_and_after_ten_years() {
    let mut home = home().at(START);
    // Other tools count to ten; five is the most here.
    let id = home.remember_with(
        "Never restart the ledger during settlement",
        &["--kind", "warning", "--importance", "5"],
    );
    for day in ["2026-04-01T12:00:00Z", "2036-01-01T12:00:00Z"] {
        home.set_now(day);
        home.hark(["retention", "--apply"]).ok();
        home.hark(["work"]).ok();
        assert_eq!(home.show(&id)["status"], "active");
        assert_eq!(home.recall_ids("restart the ledger", &[]), [id.as_str()]);
    }
}

#[test]
fn nothing_is_removed_unless_that_was_asked_for() {
    let Store { home, archived, .. } = store();
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), "[retention]\npurge = true\n").unwrap();
    let dry = home.hark(["retention", "--json"]).ok().json();
    assert_eq!(set(&dry["purge"]), BTreeSet::from([archived.clone()]));
    home.hark(["show", &archived]).ok();
    home.hark(["retention", "--apply"]).ok();
    home.hark(["show", &archived]).fails(1);
    assert!(hark_testkit::disk::holding(&home.store(), "An old note about nothing").is_empty());
    // The user may say it again.
    home.remember("An old note about nothing");
}

#[test]
fn kinds_have_windows_of_their_own() {
    let mut home = home().at(START);
    let decision = home.remember_with("Buttons are blue", &["--kind", "decision"]);
    let task = home.remember_with("Water the plant", &["--kind", "task"]);
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), "[retention]\nkinds = { decision = 0, task = 30 }\n").unwrap();
    home.set_now("2026-02-15T12:00:00Z");
    let dry = home.hark(["retention", "--json"]).ok().json();
    assert_eq!(set(&dry["archive"]), BTreeSet::from([task]));
    home.set_now("2036-02-15T12:00:00Z");
    let dry = home.hark(["retention", "--all", "--json"]).ok().json();
    assert!(set(&dry["keep"]).contains(&decision), "{dry}");
}

#[test]
fn the_worker_does_it_once_a_day() {
    let Store { home, old, .. } = store();
    sqlite::used_for(&home.database(), 400, DAY_400);
    let done = home.hark(["work", "--json"]).ok().json();
    assert_eq!(done["retired"], old.len());
    let again = home.hark(["work", "--json"]).ok().json();
    assert_eq!(again["retired"], 0);
}

#[test]
fn an_old_history_is_not_put_aside_the_day_it_is_read() {
    let mut home = home().at("2026-11-16T12:00:00Z");
    let project = hark_testkit::git::repository(&home, "shop");
    let mut file = Claude::new("old", &project.display().to_string());
    file.prompt("We decided to keep the ledger in Postgres because the importer needs it.").says("Done.");
    let path = home.user().join(".claude/projects/-shop/old.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, file.text()).unwrap();
    home.hark(["ingest"]).ok();
    let done = home.hark(["work", "--json"]).ok().json();
    assert_eq!((&done["distilled"], &done["retired"]), (&json!(1), &json!(0)), "{done}");
    // Asked for, it goes by what the dates say; left alone, by when it came.
    let dry = home.hark(["retention", "--all-projects", "--json"]).ok().json();
    assert_eq!(dry["archive"].as_array().map(Vec::len), Some(1), "{dry}");
    home.set_now("2027-06-16T12:00:00Z");
    sqlite::used_for(&home.database(), 200, "2027-06-16T12:00:00Z");
    assert_eq!(home.hark(["work", "--json"]).ok().json()["retired"], 1);
}

/// What a worker does at a time.
fn work(home: &mut Home, now: &str) -> Value {
    home.set_now(now);
    home.hark(["work", "--json"]).ok().json()
}

#[test]
fn a_clock_that_is_years_ahead_puts_nothing_aside() {
    let mut home = home().at(START);
    let ids: Vec<String> =
        (0..6).map(|n| home.remember(&format!("The office plant number {n} is a ficus"))).collect();
    let soon = home.remember_with("The badge is valid this week", &["--expires", "2026-01-08T00:00:00Z"]);
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), "[retention]\npurge = true\n").unwrap();
    for jump in ["2031-01-01T12:00:00Z", "2036-01-01T12:00:00Z", "2046-06-01T12:00:00Z"] {
        let done = work(&mut home, jump);
        assert_eq!(done["retired"], 0, "{jump}: {done}");
    }
    // Back again, and on for a while: nothing was lost, and nothing is frozen.
    assert_eq!(work(&mut home, "2026-01-02T12:00:00Z")["retired"], 0);
    for id in ids.iter().chain([&soon]) {
        assert_eq!(home.show(id)["status"], "active");
    }
    work(&mut home, "2026-01-09T12:00:00Z");
    assert_eq!(work(&mut home, "2026-01-11T12:00:00Z")["retired"], 1, "what expired goes on the second day");
    assert_eq!(home.show(&soon)["status"], "archived");
}

#[test]
fn memories_age_by_the_days_on_which_hark_was_used() {
    let mut home = home().at(START);
    std::fs::create_dir_all(home.user_config().parent().unwrap()).unwrap();
    std::fs::write(home.user_config(), "[retention]\narchive = 5\n").unwrap();
    let id = home.remember("The office plant is a ficus");
    // Four days of use in a year do not make it five days old.
    for month in ["03", "05", "07", "09"] {
        assert_eq!(work(&mut home, &format!("2026-{month}-01T12:00:00Z"))["retired"], 0);
    }
    assert_eq!(work(&mut home, "2026-09-02T12:00:00Z")["retired"], 1);
    assert_eq!(home.show(&id)["status"], "archived");
}

#[test]
fn snapshots_go_on_after_a_clock_that_was_ahead_or_behind() {
    let mut home = home().at(START);
    let made = |home: &mut Home, now: &str, text: &str| {
        home.set_now(now);
        home.remember(text);
        work(home, now)["backed_up"] == json!(true)
    };
    assert!(made(&mut home, "2026-01-01T12:00:00Z", "The office plant is a ficus"));
    assert!(made(&mut home, "2036-01-01T12:00:00Z", "Ten years later the plant is a tree"));
    for n in 2..12 {
        let (now, text) = (format!("2026-01-{n:02}T12:30:00Z"), format!("On day {n} the plant got water"));
        assert!(made(&mut home, &now, &text), "{now}");
        assert!(!made(&mut home, &now, &format!("On day {n} it also got light")), "once a day");
    }
    // The last ones are kept, and the newest is the one that was made last.
    let list = home.hark(["backup", "list", "--json"]).ok().json();
    let names: Vec<&str> =
        list["snapshots"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 7, "{list}");
    assert!(names[0].starts_with("2026-01-11") && names[6].starts_with("2026-01-05"), "{names:?}");
    // A clock that is behind does not stop them either.
    assert!(made(&mut home, "2001-01-01T12:00:00Z", "The battery of the clock was empty"));
    assert!(!made(&mut home, "2001-01-01T13:00:00Z", "And it still is"));
    assert!(made(&mut home, "2026-01-13T12:00:00Z", "Now it has a new one"));
}

#[test]
fn sessions_end_after_a_clock_that_was_ahead() {
    let mut home = home().at("2036-01-01T12:00:00Z");
    let event = json!({ "session_id": "one", "cwd": home.work(), "hook_event_name": "UserPromptSubmit",
        "prompt": "build the exporter" });
    home.hook("claude-code", "UserPromptSubmit", &event);
    let done = work(&mut home, "2026-01-01T12:00:00Z");
    assert_eq!(done["expired"], 1, "{done}");
}
