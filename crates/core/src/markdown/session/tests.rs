//! Session files as hark and as people write them, read and written back.

use proptest::prelude::*;

use super::*;
use crate::project::ProjectKey;
use crate::redact::{Clean, Raw, RedactOptions, Redactor};
use crate::session::*;
use crate::time::Timestamp;

fn as_is(raw: Raw) -> Clean {
    Redactor::new(RedactOptions { emails: false, private_spans: false }, [0; 32]).clean(raw)
}

fn clean(text: &str) -> Clean {
    as_is(Raw::new(text))
}

fn session() -> Session {
    let now = Timestamp::from_millis(1_772_548_320_123);
    let mut s = Session::new(SessionId::new(now, [9; 10]), clean("claude-code"), clean("f9d6-470"), now);
    s.project = ProjectKey::new(&clean("github.com/acme/shop"));
    s
}

#[test]
fn a_session_reads_well_on_disk() {
    let mut s = session();
    s.apply(
        Report {
            goal: Some(clean("Fix the login")),
            done: vec![clean("found the cause")],
            pending: Some(vec![clean("write a test\nfor the\n\nrace"), clean("ship")]),
            references: vec![Pointer { to: clean("https://acme.dev/1"), label: Some(clean("the report")) }],
            ..Report::default()
        },
        s.started,
    );
    s.files.push(FileTouch {
        path: clean("src/auth.rs"),
        op: FileOp::Modified,
        from: None,
        edits: 3,
        first: s.started,
        last: s.started,
    });
    s.summarise(clean("Fixed it.\n## not a heading"));
    let text = render(&s);
    let expected = "---\nid: 019cb41c-eb7b-7909-8909-090909090909\nhost: claude-code\nhost_session: f9d6-470\n\
        project: github.com/acme/shop\nstatus: open\nstarted: 2026-03-03T14:32:00.123Z\n\
        updated: 2026-03-03T14:32:00.123Z\ntool_calls: 0\nsummary_by: hark-MARK\n---\n\n## Goal\n\n\
        Fix the login\n\n## Work completed\n\n- found the cause\n\n## Work to be completed\n\n- write a test\n  \
        for the\n\n  race\n- ship\n\n## Files touched\n\n### Modified\n\n- `src/auth.rs`, 3 times, \
        2026-03-03T14:32:00.123Z to 2026-03-03T14:32:00.123Z\n\n## References\n\n- `https://acme.dev/1`: the report\n\n\
        ## Checkpoints\n\n- 2026-03-03T14:32:00.123Z agent: goal, 1 done, 2 pending\n\n## Summary\n\nFixed it.\n\
        \\## not a heading\n";
    assert_eq!(text, expected.replace("hark-MARK", &extract_mark("Fixed it.\n## not a heading")));
    assert_eq!(parse(&text, &as_is).unwrap(), s);
    assert_eq!(file_name(&s), "2026-03-03_14-32_claude-code_fix-the-login_144gj289.md");
}

#[test]
fn unknown_keys_and_sections_survive() {
    let mut s = session();
    s.goal = Some(clean("Fix it"));
    let text = render(&s).replace("tool_calls: 0\n", "tool_calls: 0\nreviewed_by: ann # why\n");
    let text = format!("{text}\n## My notes\n\nkeep *this*\n\n- and this\n");
    let read = parse(&text, &as_is).unwrap();
    assert_eq!((read.unknown.len(), read.unknown_sections.len()), (1, 1));
    assert_eq!(render(&read), text);
}

#[test]
fn text_above_the_first_heading_stays_there() {
    let mut s = session();
    s.goal = Some(clean("Fix it"));
    s.summary = Some(Summary { text: clean("Fixed it."), extracted: true });
    let text = render(&s).replacen("\n## Goal", "\nA note of mine.\n\n## Goal", 1);
    let once = parse(&text, &as_is).unwrap();
    assert_eq!(render(&once), text);
    let again = parse(&render(&once), &as_is).unwrap();
    assert_eq!(again.summary.unwrap().text.as_str(), "Fixed it.");
}

#[test]
fn hand_written_files_need_little() {
    let text = "---\r\nid: 019cb41c-eb7b-7909-8909-090909090909\r\n---\r\n\r\n## work to be completed\r\n\r\n* one\r\n\
        two\r\n\r\n## Files touched\r\n- src/a.rs\r\n### Deleted\r\n- `b c.rs`\r\n## References\r\n\
        - [the title](https://a.b/c)\r\n## Summary\r\nMine.\r\n";
    let s = parse(text, &as_is).unwrap();
    assert_eq!(s.pending.iter().map(|p| p.to_string()).collect::<Vec<_>>(), ["one", "two"]);
    let files: Vec<_> = s.files.iter().map(|f| (f.path.to_string(), f.op)).collect();
    assert_eq!(files, [("src/a.rs".to_owned(), FileOp::Modified), ("b c.rs".to_owned(), FileOp::Deleted)]);
    assert_eq!(s.references[0].label.as_deref(), Some("the title"));
    assert!(!s.summary.unwrap().extracted, "somebody wrote it");
    assert_eq!(s.started.to_string(), "2026-03-03T14:32:00.123Z");
}

#[test]
fn a_summary_that_was_edited_is_no_longer_ours() {
    let mut s = session();
    s.summarise(clean("Taken from events."));
    let text = render(&s);
    assert!(parse(&text, &as_is).unwrap().summary.unwrap().extracted);
    let edited = text.replace("Taken from", "Rewritten from");
    assert!(!parse(&edited, &as_is).unwrap().summary.unwrap().extracted);
}

#[test]
fn names_cannot_leave_the_folder() {
    let mut s = session();
    s.goal = Some(clean("../../../evil"));
    assert!(file_name(&s).contains("_evil_"), "{}", file_name(&s));
    s.goal = Some(clean(&"漢".repeat(300)));
    assert!(file_name(&s).len() < 220);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "[ -~\\n\\t\"'\\\\:#\\-\\[\\]{}|>&*!%@`]{0,60}",
        "(## Goal\n|---\n|\\n|- |\\\\## x\n|### Deleted\n|  a\n){0,6}"
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..4)
}

fn tidied(texts: &[String]) -> Vec<Clean> {
    texts.iter().filter_map(|t| clean(t).tidy()).collect()
}

#[test]
fn text_below_an_empty_heading_is_first_before_and_after_a_rewrite() {
    let text = format!("{}\n## My notes\n\nmine\n\n##\n\nloose\n", render(&session()));
    let first = parse(&text, &as_is).unwrap();
    assert_eq!(parse(&render(&first), &as_is).unwrap(), first);
}

proptest! {
    #[test]
    fn round_trip(goal in text(), done in texts(), pending in texts(), work in texts(), decisions in texts(),
                  labels in texts(), paths in texts(), summary in text(), title in text(), op in 0usize..4) {
        let mut s = session();
        s.goal = clean(&goal).tidy();
        s.title = Some(clean(&title)).filter(|t| !t.is_empty());
        (s.done, s.pending, s.work, s.decisions) = (tidied(&done), tidied(&pending), tidied(&work), tidied(&decisions));
        let pointer = |l: &String| Pointer { to: clean(l), label: Some(clean(l)) }.tidy();
        s.plans = labels.iter().filter_map(pointer).collect();
        s.files = paths.iter().filter(|p| !p.is_empty()).map(|p| FileTouch {
            path: clean(p), op: FileOp::ALL[op], from: Some(clean(p)), edits: op as u32 + 1,
            first: s.started, last: s.updated,
        }).collect();
        s.summary = clean(&summary).tidy().map(|text| Summary { text, extracted: op % 2 == 0 });
        let written = render(&s);
        let read = parse(&written, &as_is).map_err(|e| TestCaseError::fail(format!("{e}\n{written}")))?;
        prop_assert_eq!(&read, &s, "{}", written);
        prop_assert_eq!(render(&read), written);
    }

    #[test]
    fn arbitrary_files_never_panic(text in "\\PC{0,200}", body in "(## [A-Z][a-z]{0,6}\n|- \\PC{0,20}\n|`\\PC{0,9}\n){0,8}") {
        let _ = parse(&text, &as_is);
        let _ = parse(&format!("---\nid: 019cb41c-eb7b-7909-8909-090909090909\n---\n{body}"), &as_is);
    }
}

#[test]
fn turns_survive_being_written() {
    let mut s = session();
    let said = clean(&"All tests pass | done. ".repeat(40));
    let check = Check { command: clean("mise run `test`"), passed: true };
    let files = vec![clean("a b.go"), clean("c.go"), clean("a b.go"), clean("odd`name")];
    s.add_turn(Turn::new(s.started, &clean("fix the\nlogin | form"), files, Some(check), &said).unwrap());
    let later = Timestamp::from_millis(s.started.as_millis() + 1_000);
    s.add_turn(Turn::new(later, &clean("- then | the rest"), vec![], None, &clean("")).unwrap());
    let text = render(&s);
    assert!(text.contains("fix the login ¦ form | `a b.go`, `c.go`, "), "{text}");
    assert_eq!(parse(&text, &as_is).unwrap(), s);
    assert_eq!((s.turns.len(), s.turns[0].files.len()), (2, 3));
    assert!(Turn::new(later, &clean(" "), vec![], None, &said).is_none());
}
