//! A table of modern and wrapped secrets, and what must stay unchanged: hashes, ids, data URIs and whole
//! documents. The rules have their own examples; these were written without looking at them.
#![allow(clippy::print_stderr)]

mod documents;
mod held_out;
mod look_alikes;
mod made_up;
mod plain;
mod wrapped;
mod wraps;

use hark_core::redact::{Raw, RedactOptions, Redactor};

use made_up::Draw;
use wraps::Wrap;

/// A piece of a secret of this length reveals something.
const PIECE: usize = 6;
const LEAST_CAUGHT: f64 = 0.95;
const LEAST_FORMS: usize = 150;

/// A secret in its context, between `«` and `»`.
pub(crate) struct Form {
    name: &'static str,
    text: &'static str,
    wrap: Wrap,
}

impl Form {
    pub(crate) const fn new(name: &'static str, text: &'static str, wrap: Wrap) -> Self {
        Form { name, text, wrap }
    }

    pub(crate) const fn plain(name: &'static str, text: &'static str) -> Self {
        Form { name, text, wrap: wraps::plain }
    }

    /// The text, and its secrets both as written and unwrapped.
    fn made_up(&self, round: usize) -> (String, Vec<String>) {
        let mut draw = Draw::of(&format!("{} {round}", self.name));
        let filled = made_up::expand(self.text, &mut draw);
        let (mut text, mut secrets) = (String::new(), Vec::new());
        for (i, part) in filled.split(['«', '»']).enumerate() {
            if i % 2 == 0 {
                text.push_str(part);
                continue;
            }
            let wrapped = (self.wrap)(part);
            text.push_str(&wrapped);
            secrets.extend([wrapped, part.to_owned()]);
        }
        assert!(!secrets.is_empty(), "{}: no secret is marked", self.name);
        (text, secrets)
    }
}

fn redactor() -> Redactor {
    Redactor::new(RedactOptions::default(), [7; 32])
}

/// A piece of `secret` that is still in `clean`.
fn leftover<'a>(clean: &str, secret: &'a str) -> Option<&'a str> {
    let words = secret.split(|c: char| c.is_whitespace() || "\"'«»".contains(c));
    words.filter(|word| word.len() >= PIECE.min(secret.len())).find_map(|word| {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let pieces =
            ends.windows(PIECE.min(ends.len() - 1) + 1).map(|span| &word[span[0]..span[span.len() - 1]]);
        pieces.into_iter().find(|piece| clean.contains(*piece))
    })
}

/// The text without its placeholders, whose names may look like the beginning of a token.
fn without_placeholders(clean: &str) -> String {
    let mut parts = clean.split("[REDACTED:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + " " + part.split_once(']').map_or(part, |(_, after)| after))
}

/// How many forms are fully redacted, and a line for each that is not.
fn caught(forms: &[Form]) -> (usize, Vec<String>) {
    let redactor = redactor();
    let mut missed = Vec::new();
    for form in forms {
        // Several rounds, because some generated values look like words.
        let miss = (0..3).find_map(|round| {
            let (text, secrets) = form.made_up(round);
            let clean = redactor.clean(Raw::new(text.as_str()));
            let again = redactor.clean(Raw::new(clean.as_str()));
            assert_eq!(again, clean, "{}: cleaning twice changes more", form.name);
            let kept = without_placeholders(&clean);
            let left = secrets.iter().find_map(|secret| leftover(&kept, secret))?;
            Some(format!("{}: {left:?} of {text:?} is in {:?}", form.name, clean.as_str()))
        });
        missed.extend(miss);
    }
    (forms.len() - missed.len(), missed)
}

fn check(part: &str, forms: &[Form]) {
    let (caught, missed) = caught(forms);
    for line in &missed {
        eprintln!("missed  {line}");
    }
    let share = caught as f64 / forms.len() as f64;
    eprintln!("{part}: {caught}/{} caught = {share:.4}", forms.len());
    assert!(share >= LEAST_CAUGHT, "{part}: {share:.4}, missed:\n{}", missed.join("\n"));
}

#[test]
fn plain_forms_are_caught() {
    check("plain", plain::FORMS);
}

#[test]
fn wrapped_forms_are_caught_whole() {
    check("wrapped", wrapped::FORMS);
}

#[test]
fn held_out_forms_are_caught() {
    check("held out", held_out::FORMS);
}

#[test]
fn the_table_is_long_and_its_names_are_unique() {
    let all = || plain::FORMS.iter().chain(wrapped::FORMS).chain(held_out::FORMS);
    assert!(all().count() >= LEAST_FORMS, "{}", all().count());
    let mut names: Vec<&str> = all().map(|form| form.name).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
