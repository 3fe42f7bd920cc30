//! The JSON of every command, as others parse it. Ids and machine-dependent values are redacted;
//! time stands still. A change here is a change of contract.

use std::ops::Range;

use hark_testkit::Home;
use serde_json::Value;

const NOW: &str = "2026-06-15T12:00:00Z";

/// Replaces what differs between runs: ids by the order in which they are met, paths, costs.
struct Tame {
    seen: Vec<String>,
    root: String,
}

impl Tame {
    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    match key.as_str() {
                        // Texts with random ids in them count differently from run to run.
                        "micros" | "millis" | "per_second" | "file_bytes" | "index_bytes" | "score"
                        | "words" | "rank" | "value" | "effect" | "tokens" => {
                            *field = Value::from("[number]");
                        }
                        "embedding" => *field = Value::from("[model]"),
                        "Authorization" => *field = Value::from("[token]"),
                        // How a hit was found is the ranking's business; that it is told is ours.
                        "tiers" => *field = Value::from(vec!["[tier]"]),
                        "explain" => {
                            field.as_array_mut().expect("reasons").truncate(1);
                            field[0]["source"] = Value::from("[source]");
                            self.value(field);
                        }
                        _ => self.value(field),
                    }
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut out = without_mark(&text.replace(&self.root, "[root]"));
        let names: Vec<String> = ids(&out)
            .iter()
            .map(|(place, kind)| {
                let found = out[place.clone()].to_owned();
                let at = self.seen.iter().position(|seen| *seen == found).unwrap_or_else(|| {
                    self.seen.push(found);
                    self.seen.len() - 1
                });
                format!("[{kind}{at}]")
            })
            .collect();
        for ((place, _), name) in ids(&out.clone()).into_iter().zip(names).rev() {
            out.replace_range(place, &name);
        }
        out
    }
}

/// Every store has its own marks for secrets, and every folder its own for a project without git.
fn without_mark(text: &str) -> String {
    let mut out = text.to_owned();
    if let Some(start) = out.find("[REDACTED:")
        && let Some(end) = out[start..].find(']')
    {
        out.replace_range(start..=start + end, "[REDACTED]");
    }
    match out.strip_prefix("work-") {
        Some(mark) if mark.len() == 8 && mark.bytes().all(|b| b.is_ascii_hexdigit()) => "[folder]".to_owned(),
        _ => out,
    }
}

/// Short ids, their tails in file names, whole ids.
fn ids(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let is_tail = |b: &u8| b.is_ascii_digit() || (b.is_ascii_lowercase() && !b"ilou".contains(b));
    let mut found = Vec::new();
    for start in 0..bytes.len() {
        let rest = &bytes[start..];
        let tail_at = |from: usize| rest.len() >= from + 8 && rest[from..from + 8].iter().all(is_tail);
        if (rest.starts_with(b"m-") || rest.starts_with(b"s-")) && tail_at(2) {
            found.push((start..start + 10, "id"));
        } else if rest.starts_with(b"_") && tail_at(1) && rest.get(9) == Some(&b'.') {
            found.push((start + 1..start + 9, "tail"));
        } else if rest.len() >= 36
            && rest[8] == b'-'
            && rest[13] == b'-'
            && rest[18] == b'-'
            && rest[23] == b'-'
            && rest[14] == b'7'
        {
            found.push((start..start + 36, "uuid"));
        }
    }
    found
}

#[test]
fn json_shapes() {
    let home = Home::new(env!("CARGO_BIN_EXE_hark")).at(NOW);
    let mut tame = Tame { seen: Vec::new(), root: home.root().to_str().unwrap().to_owned() };
    let mut shape = |name: &str, code: i32, args: &[&str]| -> Value {
        // Which assistants this machine has is not part of a shape.
        let raw = home.hark([args, &["--json"]].concat()).env("PATH", "").fails(code).json();
        let binary = serde_json::to_string(home.binary()).unwrap();
        let mut tamed: Value =
            serde_json::from_str(&raw.to_string().replace(binary.trim_matches('"'), "[hark]")).unwrap();
        tame.value(&mut tamed);
        insta::assert_json_snapshot!(name, tamed);
        raw
    };
    let id = |value: &Value| value["id"].as_str().unwrap().to_owned();
    let a = id(&shape(
        "remember",
        0,
        &[
            "remember",
            "Walruses drain the queue in src/queue.rs, see #12.",
            "--kind",
            "decision",
            "--title",
            "Queue staff",
            "--why",
            "they are strong",
            "--learned",
            "feed them",
            "--tag",
            "zoo",
            "--file",
            "src/queue.rs",
            "--entity",
            "@ann",
            "--importance",
            "4",
            "--project",
            "zoo/app",
            "--expires",
            "2027-01-01",
        ],
    ));
    let b = id(&shape(
        "remember_superseding",
        0,
        &["remember", "Penguins drain the queue.", "--global", "--supersedes", &a],
    ));
    shape(
        "remember_redacting",
        0,
        &["remember", "token ghp_16C7e42F292c6912E7710c838347Ae178B4a", "--project", "zoo/vault"],
    );
    shape("recall", 0, &["recall", "who drains the queue", "--project", "zoo/app", "--explain"]);
    shape("recall_nothing", 0, &["recall", "medieval falconry glove stitching"]);
    shape("show", 0, &["show", &a, &b]);
    shape("list", 0, &["list", "--project", "zoo/app"]);
    shape("timeline", 0, &["timeline", "--all-projects", "--status", "superseded"]);
    shape("edit", 0, &["edit", &b, "--tag", "zoo"]);
    shape("resolve", 0, &["resolve", &b]);
    shape("reopen", 0, &["reopen", &b]);
    shape("archive", 0, &["archive", &b]);
    shape("restore", 0, &["restore", &b]);
    shape("relate", 0, &["relate", &a, &b, "--as", "context", "--weight", "0.5"]);
    shape("links", 0, &["links", &a]);
    shape("history", 0, &["history", &a]);
    shape("context", 0, &["context", "#12", "--project", "zoo/app"]);
    shape("failures", 0, &["failures", "src/queue.rs", "--project", "zoo/app"]);
    shape("tags", 0, &["tags", "--all-projects"]);
    let saved = [
        "checkpoint",
        "--session",
        "own",
        "--goal",
        "Feed the walruses",
        "--done",
        "bought fish",
        "--pending",
        "feed",
    ];
    shape("checkpoint", 0, &saved);
    shape("sessions", 0, &["sessions", "search", "walruses"]);
    shape("sessions_show", 0, &["sessions", "show", "own"]);
    shape("sessions_files", 0, &["sessions", "files", "own"]);
    shape("resume", 0, &["resume", "--for", "codex"]);
    shape("distil", 0, &["distil"]);
    shape("ledger", 0, &["ledger"]);
    shape("work", 0, &["work", "--until-idle"]);
    shape("error_unknown_session", 1, &["sessions", "show", "s-zzzzzzzz"]);
    shape("stats", 0, &["stats"]);
    shape("doctor", 0, &["doctor"]);
    shape("install_dry", 0, &["install", "claude-desktop", "--dry-run"]);
    shape("install", 0, &["install", "zed"]);
    shape("install_nothing_found", 0, &["install", "generic"]);
    shape("doctor_wired", 0, &["doctor"]);
    shape("uninstall", 0, &["uninstall"]);
    shape("init", 0, &["init", "zed"]);
    let out = home.root().join("all.json").to_str().unwrap().to_owned();
    shape("export", 0, &["export", &out]);
    shape("import", 0, &["import", &out, "--dry-run"]);
    shape("reindex", 0, &["reindex"]);
    shape("config", 0, &["config"]);
    shape("forget_dry", 0, &["forget", &b]);
    shape("forget", 0, &["forget", &b, "--yes"]);
    shape("error_unknown_id", 1, &["show", "m-zzzzzzzz"]);
    shape("error_not_an_id", 1, &["show", "hello"]);
}
