//! The rules on small texts: what they find, and what they leave alone.

use super::rules::RULES;
use super::*;

fn shapes(text: &str) -> Vec<&'static str> {
    turn(text, None).into_iter().map(|one| one.rule).collect()
}

#[test]
fn every_rule_finds_its_examples_and_leaves_the_others() {
    let mut wrong = Vec::new();
    for one in RULES.iter() {
        let rule = one.rule;
        let fits = |text: &str| one.is_match(text) && !one.is_excluded(text);
        for yes in rule.yes {
            if !fits(&yes.to_ascii_lowercase()) {
                wrong.push(format!("{}: pattern misses {yes:?}", rule.name));
            }
            if !shapes(yes).contains(&rule.name) {
                wrong.push(format!("{}: {yes:?} became {:?}", rule.name, shapes(yes)));
            }
        }
        for no in rule.no {
            if shapes(no).contains(&rule.name) {
                wrong.push(format!("{}: takes {no:?}", rule.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_the_users_own_yields_nothing() {
    let said = "Never commit generated files to the repository.";
    assert_eq!(shapes(said), ["always-never"], "the control");
    for wrapped in [
        format!("look at this:\n```\n{said}\n```"),
        format!("look at this:\n~~~text\n{said}"),
        format!("> {said}\n\nwhat do you think?"),
        format!("the page has \"{said}\" in it"),
        format!("it printed `{said}` and stopped"),
        format!("they have ‘a sign’ and “{said}” there"),
        format!("<system-reminder>{said}</system-reminder>\nfix the test"),
        format!("<hark-memory>\n{said}\n</hark-memory>"),
        format!("<file_contents>\nx\n</file_contents>\n{said}\n</file_contents>"),
        format!("<tool_result>\n{said}"),
        format!("# Notes\n\n{said}"),
        format!("Implement the following plan:\n\n{said}\n{}", "More of the plan follows here. ".repeat(20)),
        format!("    {said}"),
        format!("[Request interrupted by user] {said}"),
        format!("The README says: {said}"),
        format!("the commit message states that you should: {said}"),
        "2026-02-12T10:28:41 [wingman] never commit generated files to the repository".to_owned(),
        "hint: never commit generated files\nhint: always use tabs\nhint: use git pull".to_owned(),
    ] {
        assert_eq!(shapes(&wrapped), [""; 0], "{wrapped}");
    }
}

#[test]
fn requests_questions_and_guesses_yield_nothing() {
    for text in [
        "fix the test",
        "add a button to the toolbar",
        "can you always run the linter?",
        "should we use zod for validation?",
        "what if we never cache this?",
        "maybe we should use postgres instead of sqlite",
        "let's add a few table tests",
        "let's go with option 2",
        "yes",
        "commit and push",
        "why do we use redis here",
        "mise run build is failing",
        "I think this was just fixed",
        "if the test fails, look at the log",
        "don't commit yet",
        "never mind",
    ] {
        assert_eq!(shapes(text), [""; 0], "{text}");
    }
}

#[test]
fn a_memory_stands_alone_and_gives_its_reason() {
    let found =
        turn("ok, so let's use pnpm for everything because npm breaks the lockfile. then fix the test", None);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.kind, Kind::Decision);
    assert_eq!(one.title, "Let's use pnpm for everything because npm breaks the lockfile");
    assert_eq!(one.why.as_deref(), Some("because npm breaks the lockfile"));

    let found =
        turn("The deploy script reads secrets.env. It must never be committed to the repository.", None);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        one.body,
        "The deploy script reads secrets.env. It must never be committed to the repository."
    );
    assert_eq!(turn("It must never be committed to the repository.", None), [], "nothing says what `it` is");
}

#[test]
fn no_turn_makes_a_directive_or_a_rule() {
    for one in RULES.iter() {
        assert!(!one.rule.kind.steers(), "{}", one.rule.name);
    }
}

#[test]
fn an_assistants_decision_counts_once_the_user_agrees() {
    let reply = "I looked at both.\n\nDecision: keep SQLite as the only store and drop the Postgres branch.";
    let found = turn("yes, do it", Some(reply));
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((one.kind, one.origin), (Kind::Decision, Origin::Assistant));
    assert!(one.body.contains("keep SQLite"), "{}", one.body);
    assert_eq!(turn("no, not that", Some(reply)), []);
    assert_eq!(turn("yes, do it", Some("I could keep SQLite.")), []);
}

#[test]
fn a_command_that_alone_repaired_a_check_is_a_procedure() {
    let ran = |command, ok| Step::Ran { command, ok: Some(ok) };
    let repaired =
        [ran("npm test", false), ran("ls node_modules", true), ran("npm ci", true), ran("npm test", true)];
    let found = recoveries(&repaired);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.origin), (3, Origin::Assistant));
    assert_eq!(found[0].1.body, "When `npm test` failed, running `npm ci` made it pass.");
    let edited = [ran("npm test", false), Step::Edited, ran("npm ci", true), ran("npm test", true)];
    assert_eq!(recoveries(&edited), []);
    let two = [ran("npm test", false), ran("npm ci", true), ran("make db", true), ran("npm test", true)];
    assert_eq!(recoveries(&two), []);
    assert_eq!(recoveries(&[ran("npm ci", true), ran("npm test", true)]), []);
}

#[test]
fn other_languages_do_no_harm() {
    for text in [
        "Kannst du bitte den Test reparieren?",
        "Der Build schlägt fehl, schau mal nach",
        "¿puedes arreglar la prueba?",
        "Corrige le test s'il te plaît",
        "修复这个测试",
        "テストを直してください",
        "почини тест пожалуйста",
    ] {
        assert_eq!(shapes(text), [""; 0], "{text}");
    }
}

fn caught(text: &str) -> Vec<String> {
    heard(text, None).into_iter().map(|one| one.text).collect()
}

#[test]
fn the_net_catches_what_may_be_lasting() {
    for text in [
        "the load balancer keeps idle connections for an hour",
        "no, remove it again, the risk that somebody relies on the order is too big",
        "I think the importer should only look at the header, it should not depend on the file size",
        "so we can't really prevent duplicates on the client side",
        "I don't think doing this in bash is a good idea",
        "given that we can't block the checkout, the tax lookup has to be optional",
        "we already moved the invoices to the new service, the old tables are no longer used",
        "I told you, the staging database is shared with the sales team",
        "we only support the last two versions, so that the matrix stays small",
    ] {
        let found = !caught(text).is_empty() || !shapes(text).is_empty();
        assert!(found, "{text}");
    }
}

#[test]
fn the_net_lets_tasks_questions_and_reports_pass() {
    for text in [
        "fix the failing test in the parser",
        "can you explain how the cache works?",
        "run the tests again and commit",
        "it still fails with the same error",
        "I got an error when I ran the build",
        "what should we do with the old branch?",
        "yes",
        "let's push and test it again",
        "To suppress this warning in future sessions, run:",
        "don't change anything yet, just let me know",
        "Feb  9 09:56:48.839 |DEBU| hook invoked hook=stop must=never always=1",
        "can you clarify this:\n\n  The queue must never hold more than one job, because workers\n  should always take the newest one.",
        "```\nthe api must never be called twice\n```",
    ] {
        assert_eq!(caught(text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_copied_from_the_reply_is_not_the_users() {
    let reply = "I looked at it. Never touch the archive from the importer, because it is read by billing.";
    let copied =
        "Never touch the archive from the importer, because it is read by billing.\n\nwhat does that mean?";
    assert_eq!(heard(copied, Some(reply)), []);
    assert_eq!(turn(copied, Some(reply)), []);
    assert_ne!(turn(copied, None), [], "the control");
}

#[test]
fn a_caught_statement_stands_alone_or_names_what_it_answers() {
    let found = heard("He is sure that the agent rebased. So we can't really prevent that.", None);
    assert_eq!(found[0].text, "He is sure that the agent rebased. We can't really prevent that.");
    let found =
        heard("no, this is fine, it has too much risk", Some("Shall I retry failed uploads as well?"));
    assert_eq!(found[0].answers.as_deref(), Some("Shall I retry failed uploads as well?"));
    assert!(heard("no, this is fine, it has too much risk", None)[0].is_dangling);
    let whole = "keep in mind that exports (and their logs) should never leave the region (by law)";
    let found = heard(&format!("ok, {whole}, I guess"), None);
    assert!(found.iter().all(|one| one.text.contains("(by law)")), "{found:?}");
}

#[test]
fn no_letter_and_no_bracket_is_lost() {
    let [one] = &turn("let's use \"two  words\" for all of it because npm breaks the lockfile", None)[..]
    else {
        panic!()
    };
    assert_eq!(one.why.as_deref(), Some("because npm breaks the lockfile"));
    let [one] = &turn("always write dates in UTC (and name the column so)", None)[..] else { panic!() };
    assert_eq!(one.title, "Always write dates in UTC (and name the column so)");
    let [one] = &turn("the files must be named session-<start date>-first part of the id", None)[..] else {
        panic!()
    };
    assert!(one.body.ends_with("session-<start date>-first part of the id."), "{}", one.body);
}

mod properties {
    use super::super::{heard, own_words::own_words, turn};
    use proptest::prelude::*;

    /// Pieces that make real turns difficult.
    fn turns() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("```".to_owned()),
            Just("<a-b>".to_owned()),
            Just("</a-b>".to_owned()),
            Just("\n".to_owned()),
            Just("\n\n".to_owned()),
            Just("> ".to_owned()),
            Just("- ".to_owned()),
            Just("“".to_owned()),
            Just("\"".to_owned()),
            Just("'".to_owned()),
            Just("`".to_owned()),
            Just("never use é instead of 日本. ".to_owned()),
            Just("we use Foo.bar because ".to_owned()),
            Just("(we always run it)".to_owned()),
            Just("Low Severity\n".to_owned()),
            "\\PC{0,12}",
            Just(" ".to_owned()),
            Just("\r\n".to_owned()),
            Just("İstanbul ".to_owned()),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_text_panics_and_spans_are_valid(text in turns()) {
            prop_assert_eq!(own_words(&text).len(), text.len());
            for one in turn(&text, Some(&text)) {
                prop_assert!(text.get(one.span.clone()).is_some(), "{:?}", one.span);
                prop_assert!(!one.body.trim().is_empty() && !one.title.trim().is_empty());
                prop_assert!(one.confidence < 0.9);
            }
            for one in heard(&text, Some(&text)).into_iter().chain(heard(&text, None)) {
                prop_assert!(text.get(one.span.clone()).is_some() && !one.text.trim().is_empty());
            }
        }

        #[test]
        fn fenced_text_yields_nothing(text in turns()) {
            let fenced = format!("```\n{}\nnever push to the main branch\n```", text.replace("```", "").replace("~~~", ""));
            prop_assert!(turn(&fenced, None).is_empty());
        }
    }
}
