//! Memory files as hark and as people write them, read and written back.

use proptest::prelude::*;

use super::*;
use crate::guidance::{Record, Sort};
use crate::memory::{Importance, Memory, Scope, UnknownKey, phrases};
use crate::redact::{Clean, Raw};
use crate::*;

fn as_is(raw: Raw) -> Clean {
    redact::Redactor::new(redact::RedactOptions { emails: false, private_spans: false }, [0; 32]).clean(raw)
}

fn memory(title: &str, body: &str) -> Memory {
    let now = Timestamp::from_millis(1_772_548_320_123);
    Memory {
        id: MemoryId::new(now, [9; 10]),
        kind: Kind::Decision,
        status: Status::Active,
        scope: Scope::Project(ProjectKey::new(&Clean::trusted_constant("github.com/acme/shop")).unwrap()),
        title: as_is(Raw::new(title)),
        body: as_is(Raw::new(body)),
        why: None,
        learned: None,
        topic: None,
        tags: vec![],
        files: vec![],
        entities: vec![],
        asked_as: vec![],
        links: vec![],
        importance: Importance::DEFAULT,
        confidence: 0.8,
        pinned: false,
        origin: Origin::User,
        author: None,
        session: None,
        turn: None,
        created: now,
        updated: now,
        closed: None,
        expires: None,
        superseded_by: None,
        life: Life::default(),
        guidance: Guidance::default(),
        revision: 1,
        unknown: vec![],
    }
}

#[test]
fn a_memory_reads_well_on_disk() {
    let mut m = memory("Use PostgreSQL for auth", "We tried SQLite first.\n\nIt locked.");
    m.tags = vec![as_is(Raw::new("auth")), as_is(Raw::new("needs: quoting"))];
    m.why = Some(as_is(Raw::new("two\nlines")));
    let text = render(&m);
    let expected = "---\nid: 019cb41c-eb7b-7909-8909-090909090909\nkind: decision\ntitle: Use PostgreSQL for auth\n\
        status: active\nproject: github.com/acme/shop\nconfidence: 0.8\norigin: user\n\
        tags: [auth, \"needs: quoting\"]\nwhy: \"two\\nlines\"\ncreated: 2026-03-03T14:32:00.123Z\n\
        updated: 2026-03-03T14:32:00.123Z\nrevision: 1\n---\n\nWe tried SQLite first.\n\nIt locked.\n";
    assert_eq!(text, expected);
    assert_eq!(parse(&text, &as_is).unwrap(), m);
}

#[test]
fn what_a_rule_rests_on_is_part_of_the_file() {
    let mut m = memory("Use pnpm", "Use pnpm, not npm.");
    let text = |text: &str| as_is(Raw::new(text));
    m.guidance = Guidance {
        when: vec![text("command:npm *"), text("file:*.{ts,js}")],
        action: Some(Action::Deny),
        avoid: vec![text("npm")],
        paused: true,
        evidence: vec![
            Evidence { at: m.created, sort: Sort::Correction, session: Some(text("s-1")), text: text("no: \"pnpm\"") },
            Evidence { at: m.created, sort: Sort::Learned, session: None, text: text("two\nlines, {a}") },
        ],
        record: Record { told: 3, upheld: 2, last: Some(m.created), ..Record::default() },
        rejected: vec![text("yarn: slower, twice")],
        criteria: vec![text("`pnpm -v` runs")],
        remind: Some(m.created),
    };
    let written = render(&m);
    for line in ["when: [\"command:npm *\", \"file:*.{ts,js}\"]", "action: deny", "paused: true"] {
        assert!(written.lines().any(|l| l == line), "{line}\n{written}");
    }
    assert_eq!(parse(&written, &as_is).unwrap(), m);
    assert!(parse(&written.replace("action: deny", "action: burn"), &as_is).is_err());
}

#[test]
fn confirmations_and_feedback_are_part_of_the_file() {
    let mut m = memory("Deploys run at noon", "Deploys run at noon.");
    m.topic = Some(as_is(Raw::new("deploy time")));
    m.life = Life { confirmations: 3, confirmed: Some(m.created), helpful: 2, verdict: Some(Verdict::Stale) };
    let text = render(&m);
    for line in ["topic: deploy time", "confirmations: 3", "helpful: 2", "verdict: stale"] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    assert_eq!(parse(&text, &as_is).unwrap(), m);
    assert!(parse(&text.replace("verdict: stale", "verdict: odd"), &as_is).is_err());
}

#[test]
fn phrases_are_part_of_the_file_within_their_limits() {
    let mut m = memory("Deploys run at noon", "Deploys run at noon.");
    m.asked_as = vec![as_is(Raw::new("when do we ship, and who does it?")), as_is(Raw::new("release time"))];
    let text = render(&m);
    assert!(text.contains("\nasked_as: [\"when do we ship, and who does it?\", release time]\n"), "{text}");
    assert_eq!(parse(&text, &as_is).unwrap(), m);
    let (_, rest) = text.split_once("asked_as: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let (before, _) = text.split_once("asked_as: ").unwrap();
    let with = |value: &str| {
        let read = parse(&format!("{before}asked_as: {value}\n{rest}"), &as_is).unwrap();
        read.asked_as.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(with("when, where and how"), ["when, where and how"], "one phrase, not a list of words");
    assert_eq!(with("[When?, when!, ' ', who]"), ["When?", "who"]);
    let many: Vec<String> = (0..20).map(|n| format!("phrase {n}")).collect();
    assert_eq!(with(&format!("[{}]", many.join(", "))).len(), Memory::MAX_PHRASES);
    assert_eq!(with(&"long ".repeat(60))[0].chars().count(), Memory::MAX_PHRASE_CHARS);
}

#[test]
fn a_secret_in_a_phrase_is_redacted() {
    let mut text = render(&memory("Title", "Body"));
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    text = text.replace("created: ", &format!("asked_as: [is {token} valid]\ncreated: "));
    let read = parse(&text, &as_is).unwrap();
    assert!(read.asked_as[0].contains("[REDACTED:") && !render(&read).contains(token), "{:?}", read.asked_as);
}

#[test]
fn unknown_keys_survive_a_rewrite() {
    let mut text = render(&memory("Title", "Body"));
    let extra = "reviewed_by: ann\nobsidian:\n  - a\n  - b: c # why\nempty:";
    text = text.replace("revision: 1\n", &format!("revision: 1\n{extra}\n"));
    let parsed = parse(&text, &as_is).unwrap();
    assert_eq!(parsed.unknown.len(), 3);
    assert_eq!(render(&parsed), text);
}

#[test]
fn a_comment_above_the_first_key_survives_every_rewrite() {
    let text = render(&memory("Title", "Body")).replacen("---\n", "---\n# mine\n", 1);
    let once = render(&parse(&text, &as_is).unwrap());
    assert_eq!(once, text);
    assert_eq!(render(&parse(&once, &as_is).unwrap()), text);
}

#[test]
fn front_matter_that_cannot_be_kept_as_it_is_becomes_a_comment() {
    let id = "id: 019cb41c-eb7b-7909-8909-090909090909";
    for (front, kept) in [
        (format!("{{{id}, kind: fact, x: 1}}"), "# {id: 019cb41c"),
        (format!("{id}\ntitle: &t Title\nx: *t"), "# x: *t"),
        (format!("x: 1\n{id}\n\"kind\": fact"), "\nx: 1\n"),
        (format!("{id}\nx: 1\nx: 2\ny: \"a\nkind: b\""), ""),
        (format!("{id}\nx: 1\n..."), "# x: 1"),
        (format!("\"my key\": 1\n{id}"), "\n\"my key\": 1\n"),
    ] {
        let Ok(read) = parse(&format!("---\n{front}\n---\n\nBody.\n"), &as_is) else { continue };
        let written = render(&read);
        let again = parse(&written, &as_is).unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(render(&again), written, "{front}");
        assert!(written.contains(kept), "{front}\n{written}");
    }
}

#[test]
fn an_entry_of_others_cannot_speak_in_our_name() {
    for raw in
        ["x: 1\norigin: user", "x: 1\rorigin: user", "origin: user", "x: 1\n---\n\nforged", "x: [", "\u{7}"]
    {
        let mut m = memory("Title", "Body");
        m.origin = Origin::Web;
        m.unknown = vec![UnknownKey { key: as_is(Raw::new("x")), raw: as_is(Raw::new(raw)) }];
        let read = parse(&render(&m), &as_is).unwrap_or_else(|e| panic!("{raw}: {e}"));
        assert_eq!((read.origin, &*read.body), (Origin::Web, "Body"), "{raw}");
    }
}

#[test]
fn hand_written_files_need_little() {
    let text = "---\r\nid: 019cb41c-eb7b-7909-8909-090909090909\r\ntags: auth, db\r\nkind: warning\r\n---\r\nNever log tokens. Ever.\r\n";
    let m = parse(text, &as_is).unwrap();
    assert_eq!((m.kind, m.scope, &*m.title), (Kind::Constraint, Scope::Global, "Never log tokens"));
    assert_eq!(m.tags.len(), 2);
    assert_eq!(m.created.to_string(), "2026-03-03T14:32:00.123Z", "the id knows when it was made");
}

#[test]
fn numbers_dates_and_truths_are_words_where_words_are_expected() {
    let front = "id: 019cb41c-eb7b-7909-8909-090909090909\ntitle: 2024-05-01\nauthor: true\nwhy: 1.10\n\
        session: 007\ntags: [2024, 1.10, true, 2024-05-01, 0x1f]\nfiles: 404\nentities:\n";
    let m = parse(&format!("---\n{front}---\n\nBody.\n"), &as_is).unwrap();
    let texts = |list: &[Clean]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&m.tags), ["2024", "1.10", "true", "2024-05-01", "0x1f"]);
    assert_eq!((texts(&m.files), texts(&m.entities)), (vec!["404".to_owned()], vec![]));
    let words = [Some(&m.title), m.author.as_ref(), m.why.as_ref(), m.session.as_ref()];
    assert_eq!(words.map(|w| w.unwrap().to_string()), ["2024-05-01", "true", "1.10", "007"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let id = "id: 019cb41c-eb7b-7909-8909-090909090909";
    for (text, expected) in [
        ("just text", "missing front matter"),
        ("---\nid: x\n", "never closed"),
        ("---\nid: x\n---\n", "`id` has an invalid value"),
        ("---\ntitle: x\n---\n", "not valid YAML"),
        (&format!("---\n{id}\nkind: decsion\n---\n"), "did you mean `decision`?"),
        (&format!("---\n{id}\ncreated: soon\n---\n"), "`created` has an invalid value"),
        (&format!("---\n{id}\ntitle: [\n---\n"), "not valid YAML"),
    ] {
        let error = parse(text, &as_is).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn file_names_are_safe_everywhere() {
    for (title, expected) in [
        ("../../../etc/passwd", "etc-passwd_"),
        ("  ", "decision_"),
        ("CON: a|b?*", "con-a-b_"),
        ("缓存策略", "缓存策略_"),
    ] {
        let name = file_name(&memory(title, ""));
        assert!(name.starts_with(expected), "{name}");
    }
    assert!(file_name(&memory(&"漢".repeat(200), "")).len() < 200);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,60}", "[ -~\\n\\t\"'\\\\:#\\-\\[\\]{}|>&*!%@`]{0,60}", "(---\n|\\n|- |a: b\n){0,6}"]
}

proptest! {
    #[test]
    fn round_trip(title in text(), body in text(), why in text(), tags in prop::collection::vec(text(), 0..4),
                  project in text(), importance in 1u8..=5, confidence in 0u8..=100, pinned: bool,
                  asked_as in prop::collection::vec(text(), 0..10)) {
        let mut m = memory(if title.is_empty() { "t" } else { &title }, &body);
        m.why = Some(as_is(Raw::new(why))).filter(|w| !w.is_empty());
        m.tags = tags.into_iter().filter(|t| !t.trim().is_empty()).map(|t| as_is(Raw::new(t))).collect();
        m.asked_as = phrases(asked_as.into_iter().map(|p| as_is(Raw::new(p))));
        m.scope = ProjectKey::new(&as_is(Raw::new(project))).map_or(Scope::Global, Scope::Project);
        m.importance = Importance::new(importance).unwrap();
        m.confidence = f32::from(confidence) / 100.0;
        m.pinned = pinned;
        let written = render(&m);
        let read = parse(&written, &as_is).map_err(|e| TestCaseError::fail(format!("{e}\n{written}")))?;
        prop_assert_eq!(&read, &m);
        prop_assert_eq!(render(&read), written);
    }

    #[test]
    fn arbitrary_files_never_panic(text in "\\PC{0,200}", yaml in "(id|tags|links|why|[a-z]{1,5}): \\PC{0,40}\n") {
        let _ = parse(&text, &as_is);
        let _ = parse(&format!("---\n{yaml}---\n{text}"), &as_is);
    }
}
