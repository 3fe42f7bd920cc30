//! Whatever is asked is text, never syntax: every query gets an answer or a clear usage error.

use hark_testkit::Home;
use serde_json::json;

fn home() -> Home {
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    home.remember(
        "The auth fix of v2.1 lives in keep.txt; what's left is the docker-compose pre-commit setup.",
    );
    home.remember("Walruses drain the queue at dawn.");
    home
}

const ODD: &[&str] = &[
    "\"",
    "\"\"",
    "\"unbalanced",
    "'",
    "it's",
    "what's the auth fix",
    "Fix auth?",
    "v2.1 auth",
    "keep.txt",
    "C++",
    "a+b",
    "AND",
    "OR",
    "NOT",
    "auth AND",
    "AND auth",
    "NEAR(auth fix, 2)",
    "auth NOT fix",
    "auth*",
    "*",
    "^auth",
    "title:auth",
    "terms : auth",
    "{auth}",
    "(auth",
    "auth)",
    "-auth",
    "--",
    "auth -- drop",
    "'; DROP TABLE memory; --",
    "%",
    "_",
    "\\",
    "docker-compose pre-commit setup",
    "🦭",
    "🦭🐧 walruses",
    "👩‍👩‍👧‍👦",
    "\u{202e}gnp",
    "a\u{300}\u{301}\u{302}",
    "\t\n",
    "\u{1}\u{2}\u{1b}[31m",
    "\u{feff}auth",
    "ß ẞ ﬃ",
    "界面 設定",
    "NULL",
    "null",
    "0",
    "-1",
    "1e999",
    "?",
    "???",
    ".",
    "...",
    "@",
    "#",
    "!",
    "&",
    "#12",
    "!12",
    "SELECT * FROM memory",
    "lexicon MATCH 'x'",
    "m-",
    "/",
    "//",
    "../../etc/passwd",
    "$(rm -rf /)",
    "`id`",
    "${HOME}",
    "<script>",
];

#[test]
fn no_query_is_syntax() {
    let home = home();
    let mut mcp = home.mcp();
    for query in ODD {
        let answer = mcp.call("memory_recall", &json!({ "query": query }));
        if answer["isError"] == json!(true) {
            let blank = query.chars().all(|c| c.is_whitespace() || c.is_control());
            assert!(blank, "{query:?}: {answer}");
        } else {
            assert!(answer["structuredContent"]["hits"].is_array(), "{query:?}: {answer}");
        }
    }
    // A few through the command line, where arguments can be told from flags.
    for query in ODD.iter().step_by(4) {
        let answer = home.hark(["recall", "--json", "--", query]).ok().json();
        assert_eq!(answer["query"], *query);
    }
    assert_eq!(home.doctor()["memories"], 2);
}

#[test]
fn punctuation_does_not_hide_what_is_there() {
    let home = home();
    for query in [
        "what's the auth fix",
        "v2.1 auth",
        "Fix auth?",
        "keep.txt",
        "docker-compose pre-commit setup",
        "auth fix kubernetes",
        "\"auth fix\"",
    ] {
        let answer = home.recall(query, &[]);
        assert!(
            answer["hits"][0]["title"].as_str().is_some_and(|t| t.contains("auth fix")),
            "{query}: {answer}"
        );
    }
}

#[test]
fn a_hundred_kilobytes_of_text_are_a_query_like_any_other() {
    let home = home();
    let log: String = (0..2_500).map(|n| format!("line {n} walrus error at 0x{n:08x} in queue\n")).collect();
    assert!(log.len() > 100_000);
    let mut mcp = home.mcp();
    let answer = mcp.data("memory_recall", &json!({ "query": log }));
    assert!(answer["hits"].is_array());
    let answer = home.recall(&log[..100_000], &[]);
    assert!(answer["hits"].is_array());
    let one_word = "w".repeat(100_000);
    assert_eq!(home.recall_ids(&one_word, &[]), Vec::<String>::new());
}

#[test]
fn an_empty_or_blank_query_finds_nothing_or_says_what_is_missing() {
    let home = home();
    home.hark(["recall"]).fails(2);
    for query in ["", " ", "\n\t "] {
        let outcome = home.hark(["recall", "--json", "--", query]).run();
        match outcome.code {
            Some(0) => assert_eq!(outcome.json()["hits"], json!([]), "{outcome}"),
            Some(1) => assert!(outcome.json()["error"]["hint"].is_string(), "{outcome}"),
            _ => panic!("{outcome}"),
        }
    }
}

#[test]
fn names_that_look_like_sql_are_names() {
    let home = home();
    for name in [
        "it's",
        "a\"b",
        "x'); DROP TABLE memory; --",
        "100%",
        "under_score",
        "back\\slash",
        "プロジェクト",
        "two words",
        "*",
        "-p",
    ] {
        let project = format!("--project={name}");
        let id = home.remember_with(
            "Penguins keep their own notes here.",
            &[&project, &format!("--tag={name}"), &format!("--entity={name}")],
        );
        assert_eq!(home.recall_ids("penguins notes", &[&project]), [id.as_str()], "{name}");
        let tag = format!("--tag={name}");
        assert_eq!(home.recall_ids("penguins notes", &[&project, &tag]), [id.as_str()], "{name}");
        let listed = home.hark(["list", "--json", &project, &tag]).ok().json();
        assert_eq!(listed["memories"][0]["id"], id.as_str(), "{name}");
        home.hark(["context", "--json", &project, "--", name]).ok();
    }
    assert_eq!(home.doctor()["healthy"], true);
}

#[test]
fn nonsense_finds_nothing() {
    let home = home();
    for n in 0..30 {
        home.remember(&format!("Service {n} listens on port {} and logs to the collector.", 8000 + n));
    }
    for query in [
        "medieval falconry glove stitching",
        "qwzx vbnm plok",
        "banana smoothie recipe with oat milk",
        "asdfghjkl",
        "lorem ipsum dolor sit amet",
    ] {
        assert_eq!(home.recall_ids(query, &[]), Vec::<String>::new(), "{query}");
    }
}

#[test]
fn any_text_can_be_stored_and_comes_back_as_it_was() {
    let home = home();
    let texts = [
        "---\nid: fake\n---\n\nfront matter in a body",
        "a line\n---\nanother: line\n---\n",
        "tabs\tand \"quotes\" and 'apostrophes' and \\ backslashes",
        "# heading\n\n- list\n\n```rust\nfn main() {}\n```",
        "emoji 🦭 and 設定 and \u{202e}bidi and zero\u{200b}width",
        "trailing spaces   \nnext line",
        "key: value\n- item: [1, 2\n&anchor *alias !tag %directive @at `tick`",
        "windows\r\nline\r\nends",
    ];
    for text in texts {
        let id = home.remember_with(text, &[&format!("--why={text}"), &format!("--title={text}")]);
        let shown = home.show(&id);
        assert_eq!(shown["body"].as_str().map(str::trim), Some(text.trim()), "{text:?}");
        assert_eq!(shown["why"].as_str(), Some(text.trim()), "{text:?}");
        home.hark(["edit", &id, "--tag", "again"]).ok();
        home.hark(["reindex"]).ok();
        let again = home.show(&id);
        assert_eq!(
            (&again["body"], &again["why"], &again["title"]),
            (&shown["body"], &shown["why"], &shown["title"]),
            "{text:?}"
        );
    }
}

#[test]
fn a_very_long_text_is_stored_or_refused_with_its_size() {
    let home = home();
    let fits = "walrus pipeline words ".repeat(10_000);
    let id =
        home.hark(["remember", "--json", "-"]).stdin(&fits).ok().json()["id"].as_str().unwrap().to_owned();
    assert_eq!(home.show(&id)["body"].as_str().unwrap().len(), fits.trim().len());
    let answer = home.recall("walrus pipeline", &["--detail", "full", "--budget", "500"]);
    assert!(answer["tokens"].as_u64().unwrap() <= 500, "one long memory does not flood the answer");
    let outcome = home.hark(["remember", "-"]).stdin("w ".repeat(1_000_000)).fails(1);
    assert!(outcome.stderr().contains("kB"), "{outcome}");
}
