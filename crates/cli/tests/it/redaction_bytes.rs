//! A secret that redaction catches is nowhere on disk, through whatever door the text came in:
//! every field, a project's name, the client's name and session, a file put there by hand. The
//! proof looks at bytes: files, index, write-ahead log.
#![allow(clippy::print_stderr, reason = "says how much was looked at")]

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hark_core::redact::{Raw, RedactOptions, Redactor};
use hark_testkit::{Home, Mcp, disk};
use serde_json::{Value, json};

/// Below this a piece of a secret is no evidence: four letters occur by chance.
const TELLING: usize = 6;

/// Long enough to tell that a key was stored in part.
const HALF: usize = 16;

/// One text in eight also goes through every other door.
const SAMPLE: usize = 8;

/// The texts of the dev set that hold a secret; `None` where the set is not unpacked.
fn positives() -> Option<Vec<String>> {
    let path = hark_testkit::shared("secrets/dev.jsonl")?;
    let lines = std::fs::read_to_string(&path).expect("the set can be read");
    let cases = lines.lines().filter(|line| !line.trim().is_empty());
    let cases = cases.map(|line| serde_json::from_str::<Value>(line).expect("a line of the set is JSON"));
    Some(
        cases
            .filter(|case| case["label"] == "pos")
            .filter_map(|case| Some(case["text"].as_str()?.to_owned()))
            .collect(),
    )
}

/// The pieces of caught secrets that must not be found anywhere.
#[derive(Default)]
struct Secrets {
    pieces: HashSet<Vec<u8>>,
    /// What may be on disk: the texts without their secrets.
    cleaned: Vec<u8>,
    caught: usize,
}

impl Secrets {
    fn note(&mut self, text: &str) {
        let redactor = Redactor::new(RedactOptions::default(), [0; 32]);
        let (clean, findings) = redactor.clean_with_findings(Raw::new(text));
        self.cleaned.extend(clean.to_ascii_lowercase().bytes().chain([b'\n']));
        // The index also holds identifiers without their separators: `my_password` as `mypassword`.
        let joined = clean.to_ascii_lowercase().replace(['_', '-'], "");
        self.cleaned.extend(joined.bytes().chain([b'\n']));
        self.caught += usize::from(!findings.is_empty());
        for finding in findings {
            let pieces = text[finding.start..finding.end].split_ascii_whitespace();
            // The dashes and words around a private key are no secret.
            let telling = |piece: &&str| piece.len() >= TELLING && !piece.contains("----");
            for piece in pieces.filter(telling) {
                let piece = piece.to_ascii_lowercase().into_bytes();
                // Half a key is a leak too: a title is cut from a text.
                if piece.len() >= 2 * HALF {
                    self.pieces.insert(piece[..HALF].to_vec());
                }
                self.pieces.insert(piece);
            }
        }
    }

    /// The pieces that prove something: none that also stands in a cleaned text, where it is an
    /// ordinary word (`password 'password'`).
    fn telling(&self) -> Needles {
        let innocent = Needles::new(self.pieces.iter()).found_in(&self.cleaned);
        Needles::new(self.pieces.iter().filter(|piece| !innocent.contains(*piece)))
    }
}

/// Many needles, searched for in one pass, in any case.
struct Needles(HashMap<[u8; TELLING], Vec<Vec<u8>>>);

impl Needles {
    fn new<'a>(pieces: impl Iterator<Item = &'a Vec<u8>>) -> Self {
        let mut by_beginning: HashMap<[u8; TELLING], Vec<Vec<u8>>> = HashMap::new();
        for piece in pieces {
            let beginning = piece[..TELLING].try_into().expect("pieces are long enough");
            by_beginning.entry(beginning).or_default().push(piece.clone());
        }
        Needles(by_beginning)
    }

    fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    fn found_in(&self, bytes: &[u8]) -> HashSet<Vec<u8>> {
        let bytes = bytes.to_ascii_lowercase();
        let mut found = HashSet::new();
        for (at, window) in bytes.windows(TELLING).enumerate() {
            let Some(needles) = self.0.get(window) else { continue };
            found.extend(needles.iter().filter(|needle| bytes[at..].starts_with(needle)).cloned());
        }
        found
    }
}

/// Looks at every byte below `folder`, file names included.
fn assert_absent(folder: &Path, secrets: &Secrets) {
    let needles = secrets.telling();
    let files = disk::files(folder);
    let total: usize = files.values().map(Vec::len).sum();
    eprintln!(
        "{} texts with a caught secret, {} pieces looked for in {} files, {total} bytes",
        secrets.caught,
        needles.len(),
        files.len()
    );
    let mut leaks = Vec::new();
    for (path, bytes) in &files {
        for place in [bytes.as_slice(), path.as_os_str().as_encoded_bytes()] {
            for piece in needles.found_in(place) {
                leaks.push(format!("{}: {}", path.display(), String::from_utf8_lossy(&piece)));
            }
        }
    }
    leaks.sort();
    leaks.dedup();
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
}

/// Calls `memory_remember`; a refusal is fine, as long as nothing is kept of it.
fn remember(mcp: &mut Mcp, arguments: &Value) -> bool {
    mcp.call("memory_remember", arguments)["isError"] != json!(true)
}

#[test]
fn no_caught_secret_is_on_disk() {
    let Some(texts) = positives() else { return };
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut secrets = Secrets::default();
    let mut mcp = home.mcp();
    let mut kept = 0;
    for (i, text) in texts.iter().enumerate() {
        secrets.note(text);
        kept += usize::from(remember(&mut mcp, &json!({ "text": text })));
        if i % SAMPLE != 0 {
            continue;
        }
        // One field at a time, so that a refusal of one does not excuse the others.
        for arguments in [
            json!({ "text": format!("note {i}"), "title": text }),
            json!({ "text": format!("note {i}"), "why": text }),
            json!({ "text": format!("note {i}"), "learned": text }),
            json!({ "text": format!("note {i}"), "tags": [text] }),
            json!({ "text": format!("note {i}"), "files": [text] }),
            json!({ "text": format!("note {i}"), "entities": [text] }),
        ] {
            remember(&mut mcp, &arguments);
        }
        mcp.call("memory_recall", &json!({ "query": text }));
    }
    assert!(kept * 10 >= texts.len() * 9, "only {kept} of {} texts were kept", texts.len());

    // While the server is up, the write-ahead log holds what is not in the database yet.
    assert_absent(home.root(), &secrets);
    drop(mcp);
    assert_absent(home.root(), &secrets);
}

#[test]
fn nor_after_an_edit_from_the_command_line() {
    let Some(texts) = positives() else { return };
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut secrets = Secrets::default();
    for text in texts.iter().step_by(texts.len() / 6) {
        secrets.note(text);
        let id = home.remember("the release runs on tuesdays");
        for flag in ["--title", "--why", "--learned", "--tag", "--file", "--entity"] {
            let _ = home.hark(["remember", flag, text, "--", "a note with one more field"]).run();
        }
        let _ = home.hark(["edit", &id, "--text", text]).run();
        let _ = home.hark(["edit", &id, "--title", text]).run();
        let _ = home.hark(["recall", "--", text]).run();
    }
    assert_absent(home.root(), &secrets);
}

#[test]
fn nor_as_the_name_of_a_project() {
    let Some(texts) = positives() else { return };
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut secrets = Secrets::default();
    let mut mcp = home.mcp();
    for text in texts.iter().step_by(SAMPLE) {
        secrets.note(text);
        remember(&mut mcp, &json!({ "text": "a note in a project with an odd name", "project": text }));
        mcp.call("memory_recall", &json!({ "query": "odd name", "project": text }));
    }
    let text = &texts[texts.len() / 2];
    secrets.note(text);
    let _ = home.hark(["remember", "--project", text, "--", "the same from the command line"]).run();
    assert_absent(home.root(), &secrets);
}

#[test]
fn nor_from_the_remote_of_a_repository() {
    let token: String =
        "ghp".chars().chain(['_']).chain("aZ3bY4cX5dW6eV7fU8gT9hS0aZ3bY4cX5dW6".chars()).collect();
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let remote = format!("https://x-access-token:{token}@github.com/acme/shop.git");
    let repository = home.work().join("shop");
    std::fs::create_dir_all(repository.join(".git")).expect("a folder");
    std::fs::write(repository.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a file");
    std::fs::write(repository.join(".git/config"), format!("[remote \"origin\"]\n\turl = {remote}\n"))
        .expect("a file");
    let mut secrets = Secrets::default();
    secrets.note(&token);
    let said = home.hark(["remember", "--json", "--", "the shop sells tea"]).within(&repository).ok().json();
    assert_eq!(said["project"], "github.com/acme/shop");
    assert_absent(&home.store(), &secrets);
}

#[test]
fn nor_does_the_caller_leave_one() {
    let Some(texts) = positives() else { return };
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let mut secrets = Secrets::default();
    for text in texts.iter().filter(|text| !text.contains('\n')).step_by(texts.len() / 6) {
        secrets.note(text);
        let mut mcp = home.mcp();
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": text, "version": text },
        });
        // A second handshake renames the client, or is refused; the stateless way names it per call.
        let _ = mcp.ask("initialize", &hello);
        mcp.call("memory_remember", &json!({ "text": "said by a client with an odd name", "origin": text }));
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": text, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
            "sessionId": text,
            "claudecode/sessionId": text,
        });
        let params = json!({
            "name": "memory_remember",
            "arguments": { "text": "said in a session with an odd name" },
            "_meta": meta,
        });
        let _ = mcp.ask("tools/call", &params);
    }
    assert_absent(home.root(), &secrets);
}

#[test]
fn the_index_does_not_hold_what_a_hand_put_into_a_file() {
    let Some(texts) = positives() else { return };
    let home = Home::new(env!("CARGO_BIN_EXE_hark"));
    let id = home.remember("the importer reads rows in batches");
    let note = home.file_of(&id);
    let mut secrets = Secrets::default();
    let original = std::fs::read_to_string(&note).expect("the note is a file");
    let mut edited = original;
    // A file is its owner's: the secret stays there until they take it out.
    for text in texts.iter().filter(|text| !text.contains('\n')).step_by(texts.len() / 40) {
        secrets.note(text);
        edited.push_str(text);
        edited.push_str("\n\n");
    }
    std::fs::write(&note, edited).expect("the note can be written");
    let beside = note.with_file_name("by-hand.md");
    let body = texts.iter().find(|text| text.contains("PRIVATE KEY")).cloned().unwrap_or_default();
    secrets.note(&body);
    std::fs::write(&beside, format!("# a key somebody pasted\n\n{body}\n")).expect("a note by hand");

    for arguments in [vec!["recall", "--", "importer batches"], vec!["list"], vec!["reindex"], vec!["doctor"]]
    {
        let _ = home.hark(arguments).run();
    }
    let needles = secrets.telling();
    assert!(needles.len() > 20, "{} pieces", needles.len());
    for (path, bytes) in disk::files(&home.store()) {
        if path.extension().is_some_and(|extension| extension == "md") {
            continue;
        }
        let found = needles.found_in(&bytes);
        let found: Vec<_> = found.iter().map(|piece| String::from_utf8_lossy(piece)).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
    let shown = home.hark(["show", &id]).run();
    assert!(needles.found_in(format!("{shown:?}").as_bytes()).is_empty(), "shown: {shown:?}");
}
