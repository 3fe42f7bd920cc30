//! Turns a sentence into a self-contained memory: title, body and reason, in the user's words.

use std::ops::Range;
use std::sync::LazyLock;

use super::pattern::Pattern;

use super::judge::Finding;
use super::rules::expand;
use super::sentence::Sentence;

const TITLE: usize = 90;
/// More context than this would bury the sentence it explains.
const CONTEXT: usize = 240;

static REASON: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:because|since|so that|otherwise|due to|in order to|to avoid|to not|as it|given that|the reason)\b",
    )
});

/// A sentence that gives the reason for the one before.
static REASON_FOLLOWS: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:because|since|otherwise|the reason|this is because|that way|that's because|so that|we can always)\b",
    )
});

/// Sentences that form one candidate.
pub(super) struct Composed {
    pub(super) span: Range<usize>,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) why: Option<String>,
}

/// `None` if it refers to something that is missing.
pub(super) fn compose(text: &str, all: &[Sentence], at: usize, finding: &Finding) -> Option<Composed> {
    let sentence = &all[at];
    let written = one_line(&text[sentence.span.clone()]);
    let said = start_at(&written, finding.opening);
    let before = at.checked_sub(1).and_then(|index| all.get(index)).filter(|_| !sentence.is_item);
    let after = all
        .get(at + 1)
        .filter(|next| next.paragraph == sentence.paragraph && REASON_FOLLOWS.is_match(&next.masked));

    let mut body = String::new();
    if finding.points_back {
        let context = before.map(|one| one_line(&text[one.span.clone()]))?;
        if context.len() > CONTEXT || context.split_whitespace().count() < 3 {
            return None;
        }
        body.push_str(&finished(&context));
        body.push(' ');
    }
    body.push_str(&finished(&said));
    let mut why = reason(&said);
    if let Some(next) = after {
        let given = one_line(&text[next.span.clone()]);
        if given.len() <= CONTEXT {
            body.push(' ');
            body.push_str(&finished(&given));
            why = why.or(Some(given));
        }
    }
    Some(Composed { span: sentence.span.clone(), title: title(&said), body, why })
}

/// Masked text is folded to one line in the same way, so its offsets match.
fn start_at(written: &str, opening: usize) -> String {
    let rest = written.get(opening..).unwrap_or(written).trim();
    let inner = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    capitalised(inner.filter(|inner| !inner.contains(['(', ')'])).unwrap_or(rest))
}

/// With a capital letter, unless it begins with a name.
pub(super) fn capitalised(rest: &str) -> String {
    let mut chars = rest.chars();
    // `we` now starts a sentence; an identifier stays unchanged.
    let first_word = rest.split_whitespace().next().unwrap_or("");
    let plain = first_word.chars().all(|c| c.is_ascii_lowercase() || c == '\'' || c == ',');
    match chars.next() {
        Some(first) if plain => first.to_uppercase().chain(chars).collect(),
        _ => rest.to_owned(),
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn finished(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '。', '！', '？', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// The part of a sentence that gives the reason. It looks at the sentence as written: offsets in the masked one
/// differ where a quotation holds several blanks.
fn reason(said: &str) -> Option<String> {
    let found = REASON.find(&said.to_ascii_lowercase())?.start();
    let given = unfinished(said.get(found..)?);
    (found > 8 && given.split_whitespace().count() >= 4).then(|| given.to_owned())
}

/// Without the full stop, and without a bracket that was opened outside.
fn unfinished(text: &str) -> &str {
    let mut text = text.trim().trim_end_matches(['.', '!', ' ']);
    while text.ends_with(')') && text.matches(')').count() > text.matches('(').count() {
        text = text[..text.len() - 1].trim_end_matches(['.', '!', ' ']);
    }
    text
}

pub(super) fn title(said: &str) -> String {
    let said = unfinished(said);
    let Some((end, _)) = said.char_indices().nth(TITLE) else { return said.to_owned() };
    let cut = &said[..end];
    let at_word = cut.rfind(char::is_whitespace).filter(|at| *at > TITLE / 2).unwrap_or(cut.len());
    format!("{}…", cut[..at_word].trim_end_matches([',', ':', ' ', '-']))
}
