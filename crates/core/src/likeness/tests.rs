//! Pairs that must, and must not, count as the same.

use proptest::prelude::*;

use super::*;

fn verdict(a: &str, b: &str) -> Likeness {
    compare(a, b, None)
}

fn sorts(a: &str, b: &str) -> Vec<Sort> {
    match verdict(a, b) {
        Likeness::Changed(differences) => differences.into_iter().map(|d| d.sort).collect(),
        other => panic!("{a:?} and {b:?} are {other:?}"),
    }
}

#[test]
fn only_what_says_nothing_is_taken_away() {
    assert_eq!(normalised("  The  **linter** runs, always!\n"), "the linter runs always");
    assert_eq!(normalised("see !12 and `v1.2` (twice)."), "see !12 and v1.2 twice");
    assert_ne!(normalised("uses db-stg-1"), normalised("uses db-stg-2"));
    assert_eq!(normalised(" … -- "), "");
}

#[test]
fn always_and_never_are_not_the_same() {
    assert_eq!(
        sorts("Always run the linter before pushing", "Never run the linter before pushing"),
        [Sort::Negation]
    );
    assert_eq!(
        sorts("Run the linter before pushing", "Don't run the linter before pushing"),
        [Sort::Negation]
    );
    assert_eq!(verdict("Never push to main", "Do not push to main"), Likeness::Same);
    assert_eq!(verdict("Always run the linter", "run the linter, please!"), Likeness::Same);
}

#[test]
fn machines_numbers_and_names_are_told_apart() {
    assert_eq!(
        sorts("The staging database is on db-stg-1", "The staging database is on db-stg-2"),
        [Sort::Identifier]
    );
    assert_eq!(sorts("The timeout is 30 seconds", "The timeout is 45 seconds"), [Sort::Number]);
    assert_eq!(
        sorts("Ask Maria about the billing service", "Ask Jonas about the billing service"),
        [Sort::Name]
    );
    assert_eq!(
        sorts("The cache backend of the shop is redis", "The cache backend of the shop is memcached"),
        [Sort::Word]
    );
    assert_eq!(
        verdict("See !12 for the deploy script", "We own 1250 licences of the editor"),
        Likeness::Other
    );
}

#[test]
fn opposites_and_arrangements_are_told_apart() {
    assert_eq!(sorts("Enable caching in the gateway", "Disable caching in the gateway"), [Sort::Word]);
    assert_eq!(sorts("Run migrations before the deploy", "Run migrations after the deploy"), [Sort::Word]);
    assert_eq!(sorts("The scheduler calls the exporter", "The exporter calls the scheduler"), [Sort::Order]);
    assert_eq!(sorts("Prefer tabs over spaces", "Prefer spaces over tabs"), [Sort::Order]);
    assert_eq!(
        sorts("Copy it from bucket-a to bucket-b", "Copy it from bucket-b to bucket-a"),
        [Sort::Order]
    );
    assert_eq!(
        verdict("The main ledger runs on db-prod-1", "On db-prod-1 runs the main ledger"),
        Likeness::Same
    );
}

#[test]
fn repeats_in_other_words_are_the_same() {
    for (a, b) in [
        ("Deploys are frozen on Fridays.", "On Fridays, deploys are frozen"),
        ("We use PostgreSQL for the ledger", "the ledger: we utilise postgresql"),
        ("Delete the temp files after the import", "After the import, remove the temp files!"),
        ("Note that the config folder is read-only", "The configuration directory is read only"),
    ] {
        assert_eq!(verdict(a, b), Likeness::Same, "{a} / {b}");
    }
}

#[test]
fn what_is_added_is_seen() {
    let (short, long) = ("Redis keeps the user sessions", "Redis keeps the user sessions and shopping carts");
    assert_eq!(verdict(short, long), Likeness::More);
    assert_eq!(verdict(long, short), Likeness::Less);
    // An additional number makes a different statement.
    assert!(matches!(
        verdict("Redis keeps the user sessions", "Redis keeps the user sessions for 14 days"),
        Likeness::Changed(_)
    ));
}

#[test]
fn near_texts_share_a_band_and_scopes_keep_them_apart() {
    let a = bands("shop fact", "The nightly export of invoices writes to the archive bucket");
    let b = bands("shop fact", "The nightly export of invoices writes to the backup bucket");
    assert_eq!(a.len(), BANDS);
    assert!(a.iter().zip(&b).any(|(x, y)| x == y));
    let other = bands("shop decision", "The nightly export of invoices writes to the archive bucket");
    assert!(a.iter().all(|band| !other.contains(band)));
    assert!(bands("shop fact", "the of and").is_empty());
}

proptest! {
    #[test]
    fn nothing_panics_and_every_text_equals_itself(a in "\\PC{0,80}", b in "\\PC{0,80}") {
        let _ = compare(&a, &b, Some(0.5));
        prop_assert_eq!(compare(&a, &a, None), Likeness::Same);
    }

    #[test]
    fn a_different_number_is_never_the_same(n in 1u32..9_999, m in 1u32..9_999) {
        prop_assume!(n != m);
        let text = |n: u32| format!("the retry limit of the gateway is {n}");
        prop_assert!(matches!(compare(&text(n), &text(m), None), Likeness::Changed(_)));
    }
}
