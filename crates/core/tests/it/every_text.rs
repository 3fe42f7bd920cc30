//! Every text of every external record must pass the redactor; a record with a new text field fails here
//! until it does.
//!
//! The records are written out field by field, so that a new field does not compile until it is added. Then a
//! secret replaces each string in turn: either the record is refused (the string is an id, a time, a kind),
//! or the secret is gone afterwards.

use hark_core::event::{Arrival, Event, EventKind, Recorded, Touch};
use hark_core::guidance::{Record, Sort};
use hark_core::memory::{Importance, UnknownKey};
use hark_core::redact::{Clean, Raw, RedactOptions, Redactor, Unredacted};
use hark_core::session::{
    Check, Checkpoint, CheckpointBy, FileOp, FileTouch, Pointer, SessionStatus, Summary, Turn, UnknownSection,
};
use hark_core::{
    Action, Evidence, Guidance, Kind, Life, Link, Memory, MemoryId, Origin, ProjectKey, Relation, Scope, Session, SessionId, Status,
    Timestamp, Verdict,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const NOW: Timestamp = Timestamp::from_millis(1_772_548_320_123);

fn words(text: &'static str) -> Clean {
    Clean::trusted_constant(text)
}

fn unknown() -> Vec<UnknownKey> {
    vec![UnknownKey { key: words("colour"), raw: words("colour: blue") }]
}

fn memory() -> Memory {
    Memory {
        id: MemoryId::new(NOW, [1; 10]),
        kind: Kind::Decision,
        status: Status::Superseded,
        scope: Scope::Project(ProjectKey::new(&words("github.com/acme/shop")).unwrap()),
        title: words("title"),
        body: words("body"),
        why: Some(words("why")),
        learned: Some(words("learned")),
        topic: Some(words("topic")),
        tags: vec![words("tag")],
        files: vec![words("src/file.rs")],
        entities: vec![words("entity")],
        asked_as: vec![words("how is it asked for")],
        links: vec![Link {
            to: MemoryId::new(NOW, [2; 10]),
            relation: Relation::Fixes,
            weight: 1.0,
            origin: Origin::User,
        }],
        importance: Importance::DEFAULT,
        confidence: 0.5,
        pinned: true,
        origin: Origin::User,
        author: Some(words("author")),
        session: Some(words("session")),
        turn: Some(words("turn")),
        created: NOW,
        updated: NOW,
        closed: Some(NOW),
        expires: Some(NOW),
        superseded_by: Some(MemoryId::new(NOW, [3; 10])),
        life: Life { confirmations: 2, confirmed: Some(NOW), helpful: 1, verdict: Some(Verdict::Stale) },
        guidance: Guidance {
            when: vec![words("command:npm *")],
            action: Some(Action::Warn),
            avoid: vec![words("npm")],
            paused: true,
            evidence: vec![Evidence {
                at: NOW,
                sort: Sort::Correction,
                session: Some(words("session")),
                text: words("said"),
            }],
            record: Record { told: 1, last: Some(NOW), ..Record::default() },
            rejected: vec![words("option")],
            criteria: vec![words("criterion")],
            remind: Some(NOW),
        },
        revision: 2,
        unknown: unknown(),
    }
}

fn pointer() -> Pointer {
    Pointer { to: words("docs/plan.md"), label: Some(words("plan")) }
}

fn session() -> Session {
    Session {
        id: SessionId::new(NOW, [1; 10]),
        host: words("host"),
        host_session: words("host session"),
        project: ProjectKey::new(&words("github.com/acme/shop")),
        parent: Some(words("parent")),
        status: SessionStatus::Closed,
        title: Some(words("title")),
        goal: Some(words("goal")),
        done: vec![words("done")],
        pending: vec![words("pending")],
        work: vec![words("work")],
        decisions: vec![words("decision")],
        plans: vec![pointer()],
        references: vec![pointer()],
        files: vec![FileTouch {
            path: words("src/new.rs"),
            op: FileOp::Renamed,
            from: Some(words("src/old.rs")),
            edits: 1,
            first: NOW,
            last: NOW,
        }],
        checkpoints: vec![Checkpoint { at: NOW, by: CheckpointBy::Agent, note: words("note") }],
        turns: vec![Turn {
            at: NOW,
            asked: words("asked"),
            files: vec![words("src/new.rs")],
            check: Some(Check { command: words("cargo test"), passed: true }),
            said: words("said"),
        }],
        summary: Some(Summary { text: words("summary"), extracted: true }),
        branch: Some(words("branch")),
        head_start: Some(words("head")),
        head_end: Some(words("head")),
        folder: Some(words("/folder")),
        transcript: Some(words("/transcript.jsonl")),
        started: NOW,
        updated: NOW,
        ended: Some(NOW),
        tool_calls: 3,
        unknown: unknown(),
        unknown_sections: vec![UnknownSection { heading: words("heading"), text: words("text") }],
    }
}

fn arrival() -> Arrival {
    Arrival {
        host: words("host"),
        via: words("via"),
        host_session: words("host session"),
        parent: Some(words("parent")),
        once: Some(words("once")),
        folder: Some(words("/folder")),
        transcript: Some(words("/transcript.jsonl")),
        ours: true,
        recorded: Some(Recorded::Timed),
        process: None,
        event: Event {
            at: NOW,
            kind: EventKind::Tool,
            tool: Some(words("tool")),
            target: Some(words("target")),
            ok: Some(true),
            body: words("body"),
            touches: vec![Touch { path: words("new.rs"), op: FileOp::Renamed, from: Some(words("old.rs")) }],
        },
    }
}

/// Paths of every string in a value.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| strings(item, &format!("{at}/{i}"), found));
        }
        Value::Object(map) => map.iter().for_each(|(key, item)| strings(item, &format!("{at}/{key}"), found)),
        _ => {}
    }
}

/// Puts the secret into each place in turn. Returns how many places contain text.
fn examine<T>(record: &T::Redacted) -> usize
where
    T: Unredacted + DeserializeOwned,
    T::Redacted: Serialize,
{
    let redactor = Redactor::new(RedactOptions::default(), [7; 32]);
    let written = serde_json::to_value(record).unwrap();
    // It reads back unchanged: nothing here depends on a field that is not written.
    let same: T = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(same.redacted(&|raw| redactor.clean(raw))).unwrap(), written);
    let mut places = Vec::new();
    strings(&written, "", &mut places);
    let mut texts = 0;
    for place in &places {
        let mut planted = written.clone();
        *planted.pointer_mut(place).unwrap() = Value::from(format!("key {SECRET} here"));
        let Ok(raw) = serde_json::from_value::<T>(planted) else { continue };
        texts += 1;
        let kept = serde_json::to_string(&raw.redacted(&|raw| redactor.clean(raw))).unwrap();
        assert!(!kept.contains(SECRET), "{place}: {kept}");
        assert!(kept.contains("[REDACTED:"), "{place} was lost instead: {kept}");
    }
    texts
}

#[test]
fn no_text_of_a_record_passes_unredacted() {
    assert_eq!(examine::<Memory<Raw>>(&memory()), 21);
    assert_eq!(examine::<Session<Raw>>(&session()), 31);
    assert_eq!(examine::<Arrival<Raw>>(&arrival()), 12);
}
