//! Filters apply inside the search, even if other memories match the words better; a budget is never
//! exceeded.

use std::sync::{Mutex, OnceLock};

use hark_core::budget::estimate_tokens;
use hark_core::{Kind, Status};
use hark_engine::ops::scope::ReadScope;
use hark_engine::ops::{list, recall, remember, status};
use hark_engine::recall::Detail;
use hark_engine::{Caller, Clock, Config, Engine, Home};
use hark_testkit::corpus;
use proptest::prelude::*;
use tempfile::TempDir;

const NOW: &str = "2026-09-01T12:00:00Z";

fn engine_at(folder: &TempDir, now: &str) -> Engine {
    let place = Home::new(folder.path().join("store"));
    Engine::open(place, Config::default(), Clock::from_setting(Some(now)).unwrap()).unwrap()
}

fn keep(engine: &mut Engine, text: &str, with: impl FnOnce(&mut remember::Request)) -> String {
    let mut request = remember::Request { text: text.to_owned(), ..remember::Request::default() };
    with(&mut request);
    remember::run(engine, &Caller::user(None), request).unwrap().id
}

fn found(engine: &mut Engine, query: &str, with: impl FnOnce(&mut recall::Request)) -> Vec<String> {
    let mut request = recall::Request { query: query.to_owned(), ..recall::Request::default() };
    with(&mut request);
    let answer = recall::run(engine, &Caller::user(None), &request).unwrap();
    answer.hits.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn filters_find_the_one_among_thousands_that_fit_the_words_better() {
    const QUERY: &str = "walrus queue drained at dawn";
    let folder = tempfile::tempdir().unwrap();
    let mut old = engine_at(&folder, "2025-01-01T00:00:00Z");
    let ancient =
        keep(&mut old, "A walrus near the queue, long ago.", |r| r.scope.project = Some("mine".into()));
    drop(old);
    let mut engine = engine_at(&folder, NOW);
    for n in 0..2_500 {
        keep(
            &mut engine,
            &format!("The walrus queue is drained at dawn by crew {n}, walrus queue drained."),
            |r| {
                r.scope.project = Some("theirs".into());
                r.importance = Some(5);
            },
        );
    }
    let kind = keep(&mut engine, "One walrus decision about a queue.", |r| {
        r.kind = Some(Kind::Decision);
        r.scope.project = Some("theirs".into());
        r.importance = Some(1);
    });
    let tag = keep(&mut engine, "One walrus with a label by the queue.", |r| {
        r.tags = vec!["rare".into(), "common".into()];
        r.scope.project = Some("theirs".into());
        r.importance = Some(1);
    });
    let mine = keep(&mut engine, "One walrus of my own, with a queue.", |r| {
        r.scope.project = Some("mine".into());
        r.importance = Some(1);
    });
    let resolved = keep(&mut engine, "One walrus blocker in the queue.", |r| {
        r.kind = Some(Kind::Blocker);
        r.scope.project = Some("theirs".into());
    });
    let request = status::Request { ids: vec![resolved.clone()] };
    status::run(&mut engine, &Caller::user(None), &request, Status::Resolved, "resolve").unwrap();

    let theirs = |r: &mut recall::Request| r.scope.project = Some("theirs".into());
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.kinds = vec![Kind::Decision];
        }),
        [kind],
        "kind"
    );
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.tags = vec!["rare".into()];
        }),
        [tag.as_str()],
        "tag"
    );
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.tags = vec!["rare".into(), "common".into()];
        }),
        [tag.as_str()],
        "tags"
    );
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.tags = vec!["rare".into(), "absent".into()];
        }),
        Vec::<String>::new()
    );
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.tags = vec!["RARE".into()];
        }),
        [tag],
        "tags are words, not spellings"
    );
    assert_eq!(
        found(&mut engine, QUERY, |r| {
            theirs(r);
            r.statuses = vec![Status::Resolved];
        }),
        [resolved],
        "status"
    );
    let here = found(&mut engine, QUERY, |r| r.scope.project = Some("mine".into()));
    assert_eq!(here.len(), 2, "project: {here:?}");
    assert!(here.contains(&mine) && here.contains(&ancient));
    let since = found(&mut engine, QUERY, |r| {
        r.scope.project = Some("mine".into());
        r.since = Some("30d".into());
    });
    assert_eq!(since, [mine], "since");
    let then = found(&mut engine, QUERY, |r| {
        r.scope.all_projects = true;
        r.as_of = Some("2025-06-01".into());
    });
    assert_eq!(then, [ancient], "as of");

    let scope = ReadScope { project: Some("theirs".to_owned()), all_projects: false };
    let listed = list::Request { kinds: vec![Kind::Decision], scope, ..list::Request::default() };
    assert_eq!(list::run(&mut engine, &Caller::user(None), &listed).unwrap().total, 1);
}

/// One engine with the corpus, shared by all cases.
fn with_corpus<T>(work: impl FnOnce(&mut Engine) -> T) -> T {
    static SHARED: OnceLock<Mutex<(TempDir, Engine)>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = engine_at(&folder, NOW);
        for note in corpus::notes() {
            let request = serde_json::from_value(note.arguments()).unwrap();
            remember::run(&mut engine, &Caller::user(None), request).unwrap();
        }
        keep(
            &mut engine,
            &format!(
                "A deploy log that never ends. {}",
                "deploy step ran and failed again 設定 🦭 ".repeat(3_000)
            ),
            |r| {
                r.scope.global = true;
            },
        );
        Mutex::new((folder, engine))
    });
    work(&mut shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner).1)
}

fn any_query() -> impl Strategy<Value = String> {
    let known: Vec<String> = corpus::questions().into_iter().map(|q| q.query).collect();
    prop_oneof![4 => prop::sample::select(known), 1 => Just("deploy log step failed".to_owned()), 1 => "\\PC{0,60}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_never_exceeds_its_budget(
        query in any_query(),
        budget in prop_oneof![0usize..60, 60usize..4_000],
        limit in 0usize..40,
        detail in prop::sample::select(vec![Detail::Index, Detail::Summary, Detail::Full]),
    ) {
        let mut request = recall::Request { query, budget: Some(budget), limit: Some(limit), detail: Some(detail), ..recall::Request::default() };
        request.scope.all_projects = true;
        let answer = with_corpus(|engine| recall::run(engine, &Caller::user(None), &request)).unwrap();
        prop_assert!(answer.tokens <= budget, "{} of {budget}", answer.tokens);
        prop_assert_eq!(answer.tokens, answer.hits.iter().map(|hit| hit.tokens).sum::<usize>());
        prop_assert!(answer.hits.len() <= limit.max(1));
        for hit in &answer.hits {
            prop_assert!(estimate_tokens(&hit.title) + estimate_tokens(&hit.text) <= hit.tokens, "what is said is counted");
        }
        let scores: Vec<f32> = answer.hits.iter().map(|hit| hit.score).collect();
        prop_assert!(scores.iter().all(|score| score.is_finite() && *score > 0.0), "{scores:?}");
        let mut ids: Vec<&String> = answer.hits.iter().map(|hit| &hit.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), answer.hits.len(), "no memory twice");
    }
}
