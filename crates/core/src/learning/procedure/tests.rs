//! Procedures: what counts as one, and what becomes of its words.

use proptest::prelude::*;

use super::*;

fn trace(session: &str, day: i64, lines: &[(&str, bool)]) -> Trace {
    let mut acts = Vec::new();
    for (place, (line, ok)) in lines.iter().enumerate() {
        let at = Timestamp::from_millis(day * 86_400_000 + place as i64 * 60_000);
        match line.strip_prefix("edit ") {
            Some(file) => acts.push(Act { at, what: Did::Edited(file.to_owned()) }),
            None => acts.extend(acts_of(line, Some(*ok), at)),
        }
    }
    Trace { session: session.to_owned(), acts }
}

fn release(session: &str, day: i64, version: &str) -> Trace {
    trace(
        session,
        day,
        &[
            ("git status", true),
            ("cargo test 2>&1 | tail -3", true),
            (&format!("git tag -a v{version} -m \"Release v{version}\""), true),
            ("ls", true),
            ("git push --tags && cargo publish -p shop", true),
            ("git log -1", true),
        ],
    )
}

#[test]
fn three_releases_in_two_sessions_are_a_procedure() {
    let mut second = release("two", 2, "1.3.0");
    second.acts.extend(release("two", 3, "1.4.0").acts);
    let found = procedures(&[release("one", 1, "1.2.0"), second.clone()]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].steps,
        [
            "cargo test",
            "git tag -a {version} -m \"Release {version}\"",
            "git push --tags",
            "cargo publish -p shop"
        ]
    );
    assert_eq!(found[0].worked(), 3);
    assert_eq!(procedures(&[second.clone()]), [], "one session");
    assert_eq!(procedures(&[release("one", 1, "1.2.0"), release("two", 2, "1.3.0")]), [], "twice");
}

#[test]
fn what_all_work_consists_of_is_no_procedure() {
    let usual = |session: &str, day| {
        trace(
            session,
            day,
            &[
                ("cargo fmt && cargo clippy", true),
                ("cargo test", true),
                ("git add src/a.rs && git commit -m 'Fix the parser'", true),
                ("git push", true),
                ("gh pr create --title x --body y", true),
            ],
        )
    };
    assert_eq!(procedures(&[usual("one", 1), usual("two", 2), usual("three", 3), usual("four", 4)]), []);
    let tests =
        |session: &str, day| trace(session, day, &[("pytest", true), ("pytest", true), ("pytest -q", true)]);
    assert_eq!(procedures(&[tests("one", 1), tests("two", 2), tests("three", 3)]), []);
}

#[test]
fn failures_and_what_ended_them_are_pitfalls() {
    let clean = |session: &str, day| trace(session, day, &[("npm run build", true), ("npm publish", true)]);
    let mended = trace(
        "three",
        3,
        &[("npm run build", true), ("npm publish", false), ("npm login", true), ("npm publish", true)],
    );
    let failed =
        trace("four", 4, &[("npm run build", true), ("npm publish", false), ("edit package.json", true)]);
    let found = procedures(&[clean("one", 1), clean("two", 2), mended, failed]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].worked(), found[0].runs.len()), (3, 4));
    assert_eq!(
        found[0].pitfalls(),
        [
            "`npm publish` failed once, and the run ended there.",
            "`npm publish` failed once; it worked after `npm login`."
        ]
    );
}

#[test]
fn values_that_look_generated_never_stand_in_a_step() {
    let once = |session: &str, day| {
        trace(
            session,
            day,
            &[
                ("docker build -t shop:3a13d16 .", true),
                ("docker push registry.example/shop:2026-11-18", true),
                ("kubectl apply -f k8s/app.yaml --token=[REDACTED:token:ab]", true),
            ],
        )
    };
    let found = procedures(&[once("one", 1), once("two", 2), once("three", 3)]);
    let steps = found[0].steps.join("\n");
    for generated in ["3a13d16", "2026-11-18", "REDACTED"] {
        assert!(!steps.contains(generated), "{steps}");
    }
    assert!(steps.contains("kubectl apply -f k8s/app.yaml --token={secret}"), "{steps}");
}

#[test]
fn runs_that_differ_in_more_than_a_word_are_not_one_procedure() {
    let once = |session: &str, day, what: &str, other: &str| {
        trace(session, day, &[("make release", true), (&format!("rsync -a {what} --to {other}"), true)])
    };
    assert_eq!(
        procedures(&[once("one", 1, "a", "b"), once("two", 2, "c", "d"), once("three", 3, "e", "f")]),
        []
    );
    let found = procedures(&[once("one", 1, "a", "b"), once("two", 2, "c", "b"), once("three", 3, "e", "b")]);
    assert_eq!(found[0].steps, ["make release", "rsync -a {name} --to b"]);
}

#[test]
fn a_step_read_back_has_the_same_shape() {
    for line in [
        "git tag -a {version} -m \"Release {version}\"",
        "npm run build",
        "cargo publish -p shop",
        "git add {files}",
    ] {
        let words = steps_of(line);
        assert_eq!(words.len(), 1, "{line}: {words:?}");
    }
    assert_eq!(shape(&steps_of("git tag -a {version} -m \"Release {version}\"")[0]), "git tag -a _ -m _");
}

fn any_line() -> impl Strategy<Value = (&'static str, bool)> {
    let lines = prop::sample::select(vec![
        "make release",
        "npm publish",
        "git push",
        "cargo test",
        "git tag v1.0.0",
        "ls",
        "edit a.rs",
        "python gen.py",
        "docker build -t a .",
        "git commit -m 'a b'",
    ]);
    (lines, prop::bool::weighted(0.85))
}

proptest! {
    #[test]
    fn order_and_repeats_of_sessions_change_nothing(
        sessions in prop::collection::vec(prop::collection::vec(any_line(), 0..14), 0..6),
        turn in 0usize..6,
    ) {
        let traces: Vec<Trace> =
            sessions.iter().enumerate().map(|(n, lines)| trace(&format!("s{n}"), n as i64, lines)).collect();
        let found = procedures(&traces);
        let mut other = traces.clone();
        other.rotate_left(turn.min(traces.len()));
        other.extend(traces.iter().take(2).cloned());
        prop_assert_eq!(&procedures(&other), &found);
        for procedure in &found {
            prop_assert!(STEPS.contains(&procedure.steps.len()) && procedure.worked() >= RUNS);
        }
    }
}
