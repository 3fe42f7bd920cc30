//! Asking in other words: the encoder is heard at once, an answer says how sure it is, and the newest note on a subject
//! stands first.

use hark_testkit::Home;
use serde_json::{Value, json};

fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_hark"))
}

/// Notes that have nothing to do with what the tests ask.
const OTHERS: [&str; 6] = [
    "Invoices are rendered with wkhtmltopdf; the template is templates/invoice.html.",
    "The staging cluster has three nodes in eu-west-1.",
    "Feature flags live in flags.toml and are read once at start.",
    "Photos are resized to 1600 pixels before upload.",
    "The on-call rota changes on Monday at nine.",
    "Log lines are JSON; the field for the request is trace_id.",
];

fn with_others() -> Home {
    let home = home();
    for note in OTHERS {
        home.remember(note);
    }
    home
}

fn hits(home: &Home, question: &str, more: &[&str]) -> Vec<Value> {
    let args = ["recall", question, "--json"].into_iter().chain(more.iter().copied());
    home.hark(args).ok().json()["hits"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_note_is_found_in_other_words_in_the_first_second() {
    let home = with_others();
    let id = home.remember("We use pnpm, never npm.");
    let found = hits(&home, "package manager", &[]);
    assert_eq!(found.first().map(|hit| &hit["id"]), Some(&json!(id)), "{found:?}");
}

#[test]
fn nonsense_finds_nothing() {
    let home = with_others();
    for nonsense in ["qwlekj zxmcn asdkjh", "hhhhhhhhhhhh", "0xdeadbeef 0x0badf00d", "gribble snorf wemplet"]
    {
        assert_eq!(hits(&home, nonsense, &[]), Vec::<Value>::new(), "{nonsense}");
    }
}

#[test]
fn what_is_uncertain_stands_apart_and_is_at_most_three() {
    let home = with_others();
    home.remember("We use pnpm, never npm.");
    let found = hits(&home, "package manager", &[]);
    let perhaps = found.iter().filter(|hit| hit["certainty"] == "perhaps").count();
    assert!(perhaps <= 3, "{found:?}");
    let order: Vec<usize> = found
        .iter()
        .map(|hit| match hit["certainty"].as_str() {
            Some("sure" | "likely") => 0,
            _ => 1,
        })
        .collect();
    assert!(order.is_sorted(), "certain hits come first: {found:?}");
    let said = home.hark(["recall", "package manager"]).ok().stdout();
    let heading = if order.first() == Some(&1) { "No certain match. Perhaps:" } else { "Less certain:" };
    assert_eq!(said.contains(heading), order.contains(&1), "{said}");
    let exact = hits(&home, "pnpm or npm", &[]);
    assert_ne!(exact[0]["certainty"], "perhaps", "{exact:?}");
}

fn amended() -> (Home, String, String) {
    let mut home = with_others();
    home.set_now("2026-03-01T10:00:00Z");
    let older = home.remember("The request timeout of the payment client is 5 seconds.");
    home.set_now("2026-08-01T10:00:00Z");
    let newer = home.remember("The request timeout of the payment client is now 30 seconds.");
    home.set_now("2026-09-01T10:00:00Z");
    (home, older, newer)
}

#[test]
fn the_newest_note_on_a_subject_stands_first_and_says_what_was_before() {
    let (home, older, newer) = amended();
    let found = hits(&home, "what is the timeout of the payment client", &[]);
    assert_eq!((&found[0]["id"], &found[1]["id"]), (&json!(newer), &json!(older)), "{found:?}");
    assert_eq!(found[0]["before"]["id"], json!(older), "{found:?}");
    let said = home.hark(["recall", "timeout of the payment client"]).ok().stdout();
    assert!(said.contains("since 2026-08, before: The request timeout of the payment client is 5"), "{said}");
}

#[test]
fn who_asks_for_the_past_gets_it() {
    let (home, older, newer) = amended();
    let found = hits(&home, "what was the timeout of the payment client previously", &[]);
    assert_eq!(found[0]["id"], json!(older), "{found:?}");
    let then = hits(&home, "timeout of the payment client", &["--as-of", "2026-05-01"]);
    assert_eq!(then.iter().map(|hit| &hit["id"]).collect::<Vec<_>>(), [&json!(older)], "{then:?}");
    assert!(found.iter().any(|hit| hit["id"] == json!(newer)));
}

#[test]
fn other_wordings_are_fused() {
    let home = with_others();
    let id = home.remember("Deploys are frozen from 20 December to 3 January.");
    let found = hits(&home, "qqq", &["--also", "deploy freeze in december", "--also", "frozen releases"]);
    assert_eq!(found.first().map(|hit| &hit["id"]), Some(&json!(id)), "{found:?}");
    let mut mcp = home.mcp();
    let told = mcp.data("memory_recall", &json!({ "query": "qqq", "also": ["deploy freeze in december"] }));
    assert_eq!(told["hits"][0]["id"], json!(id), "{told}");
    assert!(told["hits"][0]["certainty"].is_string(), "{told}");
}

#[test]
fn a_pasted_log_finds_its_cause() {
    let home = with_others();
    let id = home
        .remember("Lock wait timeouts in the nightly job: the vacuum holds the table; run it after 4 am.");
    let log = "2026-03-01T10:22:31.113Z INFO job 0x7f3a9c started\n\
               2026-03-01T10:22:32.113Z INFO reading /srv/app/releases/20260301/config.yml\n\
               2026-03-01T10:23:31.113Z ERROR [worker-3] nightly job failed: lock wait timeout exceeded\n\
               2026-03-01T10:23:31.114Z INFO worker-3 exits with 1";
    let found = hits(&home, log, &[]);
    assert_eq!(found.first().map(|hit| &hit["id"]), Some(&json!(id)), "{found:?}");
}

#[test]
fn a_better_match_in_another_project_is_mentioned() {
    let home = with_others();
    home.remember_with(
        "Terraform state of the VPN gateway is in the bucket tf-vpn.",
        &["--project", "infra"],
    );
    let said = home.hark(["recall", "terraform state of the vpn gateway", "--project", "shop"]).ok();
    assert!(said.stderr().contains("1 better match in project infra"), "{}", said.stderr());
    let everywhere = home.hark(["recall", "terraform state of the vpn gateway", "--all-projects"]).ok();
    assert!(!everywhere.stderr().contains("better match"), "{}", everywhere.stderr());
}
