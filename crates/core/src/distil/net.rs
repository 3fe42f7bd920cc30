//! A wide net for lasting statements: corrections, constraints, preferences, decisions, definitions, refusals.
//!
//! The [`rules`](super::rules) find what is unmistakable. This finds what may be lasting, so that somebody can be
//! asked: the assistant that reads the same turn, and later the user. Each sentence gets a score, a sum of weights
//! for the words in it ([`cues`](super::cues)), and those above [`LEAST`] count. Hooks call it with every prompt, so
//! it compiles no patterns until a cheap look has found something.

use std::ops::Range;

use super::compose::{capitalised, finished, one_line};
use super::cues::{
    ADVICE, ASKING, AUXILIARIES, CUES, Cue, FILLERS, GENERAL, GUESSES, ONCE, OPENINGS, OPINIONS, PERSONS,
    PROHIBITIONS, REPORTS, REVIEW, SUBJECTS, TAGS, TASKS, WISHES,
};
use super::own_words::own_words;
use super::sentence::{Sentence, sentences};
use super::{judge, reply};
use crate::kind::Kind;
use crate::text::is_stop_word;

/// A sentence that may be worth a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    pub kind: Kind,
    /// The sentence, with the one before it if it says what this one is about.
    pub text: String,
    /// What the assistant had said, if only that explains the sentence.
    pub answers: Option<String>,
    /// It refers to something that neither the turn nor the reply before it names.
    pub is_dangling: bool,
    pub score: f32,
    /// Its byte range in the turn.
    pub span: Range<usize>,
}

impl Heard {
    /// Whether to ask the assistant about it at once. What is less clear waits for the user, who knows what "it" was;
    /// so does "let's …", which is nearly always about what to do now.
    pub fn is_worth_asking(&self) -> bool {
        let words = normalised(&self.text.to_ascii_lowercase());
        self.score >= LEAST_ASKED && !self.is_dangling && !has(&words, "let's|lets")
    }
}

/// What a statement must score for the assistant to be asked about it.
const LEAST_ASKED: f32 = 3.0;
/// A lower score is not worth a question. Chosen on half of the labelled sessions.
const LEAST: f32 = 2.0;
/// A turn with this many list items is a plan or a specification.
const PLAN: usize = 4;
/// What a point of a plan must score beyond other sentences.
const PLANNED: f32 = 2.0;
/// A longer sentence is a dump or a list without full stops.
const MOST_WORDS: usize = 45;
/// More context than this would bury the sentence it explains.
const CONTEXT: usize = 240;
/// A longer turn is a document.
const MOST_BYTES: usize = 12_000;

/// What may be lasting in a user's turn, given the assistant's message before it; best first.
///
/// What the rules of [`turn`](super::turn) find is not among it.
pub fn heard(text: &str, before: Option<&str>) -> Vec<Heard> {
    if text.len() > MOST_BYTES || !is_worth_a_look(text) {
        return Vec::new();
    }
    let masked = own_words(text);
    let all = sentences(text, &masked);
    let reply = before.map(reply::Reply::new);
    let is_plan = all.iter().filter(|one| one.is_item).count() >= PLAN;
    let mut found = Vec::new();
    for (at, sentence) in all.iter().enumerate() {
        let written = &text[sentence.span.clone()];
        let Some((score, cues)) = score(&sentence.masked, written) else { continue };
        // The points of a plan hold until it is carried out.
        if sentence.is_item && is_plan && score < LEAST + PLANNED {
            continue;
        }
        let is_known = judge::judge(sentence, written).is_some();
        if is_known || reply.as_ref().is_some_and(|reply| reply.holds(written)) {
            continue;
        }
        found.push(composed(text, &all, at, reply.as_ref(), score, &cues));
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.span.start.cmp(&b.span.start)));
    found
}

/// Whether a line has a cue, and is more than a question. Spares most prompts the compilation of patterns.
fn is_worth_a_look(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        let is_single = !line.contains(". ") && !line.contains("? ") && !line.contains("! ");
        let least = if is_single && line.ends_with('?') { LEAST + 1.0 } else { 0.5 };
        weights(&normalised(&line.to_ascii_lowercase())).0 >= least
    })
}

/// The weights of the cues in a sentence, and the cues.
fn weights(words: &str) -> (f32, Vec<Cue>) {
    let mut sum = 0.0;
    let mut found = Vec::new();
    for one in CUES.iter().filter(|one| has(words, one.any)) {
        sum += one.weight;
        found.push(one.cue);
    }
    (sum, found)
}

/// The score of a sentence and its cues, if it reaches [`LEAST`].
fn score(masked: &str, written: &str) -> Option<(f32, Vec<Cue>)> {
    let words = normalised(masked);
    let (mut sum, cues) = weights(&words);
    let is = |cue: Cue| cues.contains(&cue);
    let count = masked.split_whitespace().count();
    // It announces something that is elsewhere.
    if sum == 0.0 || count < 4 || masked.trim_end().ends_with(':') || is_machine(written) {
        return None;
    }
    let said = without_opening(&words);
    let asks = masked.trim_end_matches([' ', ')']).ends_with('?');
    let is_question = is_question(said);
    let prohibits = begins(said.strip_prefix("no ").unwrap_or(said), PROHIBITIONS);
    let refuses = ["no ", "nope ", "nah "].iter().any(|no| said.starts_with(no)) && count > 5;
    let is_task = !prohibits && !refuses && is_task(said);
    let is_report = has(&words, REPORTS);
    let confirms = asks && said.split_whitespace().last().is_some_and(|word| is_one_of(word, TAGS));
    let is_guess = confirms || has(&words, GUESSES);
    let is_plain = count >= 6 && !(asks || is_question || is_task || is_report || is_guess);
    let weighs = [
        (begins(said, GENERAL), 1.0),
        (is_concrete(written, masked), 0.5),
        (refuses, 2.0),
        (is_plain, 0.5),
        (begins(said, ADVICE), 1.0),
        (prohibits, 0.5),
        (prohibits && (is(Cue::Instead) || is(Cue::Reason)), 1.0),
        (begins(said, OPINIONS) && (is(Cue::Modal) || is(Cue::Choose) || is(Cue::Stance)), 0.5),
        (begins(said, REVIEW) && !has(&words, PERSONS), -2.5),
        (asks, -3.0),
        (is_question, -2.0),
        (is_task, -2.0),
        (is_report, -2.0),
        (is_guess, -1.5),
        (has(&words, ONCE), -1.5),
        (count < 6, -1.5),
        (count > MOST_WORDS, -3.0),
    ];
    sum += weighs.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum::<f32>();
    (sum >= LEAST).then_some((sum, cues))
}

/// In words that a phrase can be compared with: one blank before and after each.
fn normalised(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 2);
    words.push(' ');
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '/' | '.' | '-');
    for word in text.replace('’', "'").split(|c: char| !kept(c)) {
        let word = word.trim_matches(['.', '\'', '-']);
        if !word.is_empty() {
            words.push_str(word);
            words.push(' ');
        }
    }
    words
}

fn has(words: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| {
        words.match_indices(phrase).any(|(at, _)| {
            words.as_bytes().get(at.wrapping_sub(1)) == Some(&b' ')
                && words.as_bytes().get(at + phrase.len()) == Some(&b' ')
        })
    })
}

/// `said` begins with a word and ends with a blank.
fn begins(said: &str, phrases: &str) -> bool {
    phrases.split('|').any(|phrase| said.strip_prefix(phrase).is_some_and(|rest| rest.starts_with(' ')))
}

fn is_one_of(word: &str, words: &str) -> bool {
    words.split('|').any(|one| one == word)
}

fn without_opening(words: &str) -> &str {
    let mut said = words.trim_start();
    loop {
        let skipped = OPENINGS.split('|').find_map(|opening| {
            said.strip_prefix(opening).and_then(|rest| rest.strip_prefix(' ')).filter(|rest| !rest.is_empty())
        });
        match skipped {
            Some(rest) => said = rest,
            None => return said,
        }
    }
}

fn is_question(said: &str) -> bool {
    let mut words = said.split(' ');
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    is_one_of(first, ASKING)
        || (is_one_of(first, AUXILIARIES) && is_one_of(second, SUBJECTS))
        || (first == "don't" && matches!(second, "we" | "you"))
}

/// A question, a guess or a report.
pub(super) fn is_doubtful(masked: &str) -> bool {
    let words = normalised(masked);
    let asks = masked.trim_end_matches([' ', ')']).ends_with('?');
    asks || is_question(without_opening(&words)) || has(&words, GUESSES) || has(&words, REPORTS)
}

/// About this task or moment.
pub(super) fn is_passing(masked: &str) -> bool {
    has(&normalised(masked), ONCE)
}

fn is_task(said: &str) -> bool {
    let mut rest = said;
    for wish in WISHES.split('|') {
        if let Some(after) = said.strip_prefix(wish).and_then(|rest| rest.strip_prefix(' ')) {
            rest = after;
            break;
        }
    }
    let mut words = rest.split(' ').skip_while(|word| rest.len() < said.len() && is_one_of(word, FILLERS));
    let verb = words.next().unwrap_or("");
    let next = words.next().unwrap_or("");
    (is_one_of(verb, TASKS) && next != "not") || (verb == "need" && matches!(next, "a" | "an"))
}

/// A line of a diff, a comment, a prompt of a shell, a column of a screen.
pub(super) fn is_machine(written: &str) -> bool {
    written.trim_start().starts_with(['+', '#', '*', '$', '>', '|'])
        || ["//", "[ ", " > ", " * "].iter().any(|mark| written.contains(mark))
        || written.matches('=').count() > 2
}

/// Names code, a path or an abbreviation.
fn is_concrete(written: &str, masked: &str) -> bool {
    masked.contains("qqq")
        || written.split_whitespace().any(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let inner = word.get(1..).unwrap_or("");
            inner.contains(['/', '_', '.']) || inner.chars().any(char::is_uppercase)
        })
}

fn composed(
    text: &str,
    all: &[Sentence],
    at: usize,
    reply: Option<&reply::Reply<'_>>,
    score: f32,
    cues: &[Cue],
) -> Heard {
    let sentence = &all[at];
    let written = one_line(&text[sentence.span.clone()]);
    let said = bare(&written);
    let mut heard = Heard {
        kind: kind(cues),
        text: finished(&capitalised(said)),
        answers: None,
        is_dangling: false,
        score,
        span: sentence.span.clone(),
    };
    if !points_back(said) {
        return heard;
    }
    let previous = at.checked_sub(1).and_then(|before| all.get(before)).filter(|one| {
        one.paragraph == sentence.paragraph && !one.is_item && one.masked.split_whitespace().count() > 3
    });
    let previous = previous.map(|one| one_line(&text[one.span.clone()]));
    match previous.filter(|one| one.len() <= CONTEXT && !one.ends_with('?')) {
        Some(one) => heard.text = format!("{} {}", finished(&capitalised(bare(&one))), heard.text),
        None => {
            heard.answers = reply.and_then(reply::Reply::last_sentence);
            heard.is_dangling = heard.answers.is_none();
        }
    }
    heard
}

/// A sentence as written, without openings and the brackets around all of it.
fn bare(written: &str) -> &str {
    let inner = written.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut said = inner
        .filter(|inner| !inner.contains(['(', ')']))
        .unwrap_or(written)
        .trim_start_matches(['-', '>', ' ']);
    loop {
        let lower = said.to_ascii_lowercase();
        let opening = OPENINGS.split('|').find(|opening| {
            lower.strip_prefix(opening).is_some_and(|rest| rest.starts_with([' ', ',', '.', ':', '!']))
        });
        let Some(opening) = opening else { return said };
        let rest = said[opening.len()..].trim_start_matches([' ', ',', '.', ':', '!', '-']);
        // "So far …", "now that …" begin the statement itself.
        if rest.split_whitespace().count() < 3 || rest.starts_with("to ") {
            return said;
        }
        said = rest;
    }
}

/// Whether it makes sense only together with what was said before.
pub(super) fn points_back(said: &str) -> bool {
    let lower = normalised(&said.to_ascii_lowercase());
    let content = lower.split(' ').filter(|word| word.len() > 2 && !is_stop_word(word)).count();
    let refers = has(&lower, "this|that|it|they|them|these|those");
    let subject = begins(lower.trim_start(), "it|this|that|they|these|those|he|she|them|it's|that's|no");
    subject || content < 3 || (refers && content < 5)
}

fn kind(cues: &[Cue]) -> Kind {
    let is = |cue: Cue| cues.contains(&cue);
    if is(Cue::Choose) || is(Cue::Accept) {
        Kind::Decision
    } else if is(Cue::Always) || is(Cue::Cannot) || is(Cue::Not) || is(Cue::Ensure) {
        Kind::Constraint
    } else if is(Cue::Should) || is(Cue::Stance) || is(Cue::Want) || is(Cue::Habit) || is(Cue::Lasting) {
        Kind::Convention
    } else {
        Kind::Fact
    }
}
