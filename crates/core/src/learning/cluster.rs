//! Which pieces of evidence say the same, and whether there are enough of them.
//!
//! Two pieces belong together if they name the same wrong term, say the same in almost the same words, or share the rare
//! words of both. Two that differ in a negation, a number or a name never do. Nothing is grouped by a category alone.

use std::collections::{BTreeSet, HashMap};

use super::piece::Piece;
use crate::likeness::{Likeness, Sort as Differs, compare};
use crate::text::{is_stop_word, terms};

/// The share of the rarer words of the shorter text that the other must have.
const MOST_OF_THE_WORDS: f32 = 0.6;
/// With vectors that are this near, less is enough.
const NEAR: f32 = 0.6;
const SOME_OF_THE_WORDS: f32 = 0.4;
/// So many telling words must be shared.
const LEAST_SHARED: usize = 2;
/// What is not explicit needs so many pieces.
const PIECES: usize = 3;
const EXPLICIT: usize = 2;
const SESSIONS: usize = 2;

/// Nearness of two texts in meaning, if it can be told.
pub type Cosine<'f> = &'f dyn Fn(&str, &str) -> Option<f32>;

/// Groups pieces, each group in the order of `pieces`; single ones are groups too.
pub fn clusters(pieces: &[Piece], cosine: Cosine<'_>) -> Vec<Vec<usize>> {
    let words = Words::of(pieces.iter().map(|piece| piece.text.as_str()));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..pieces.len() {
        let likeness = |group: &Vec<usize>| {
            let alike = group.iter().filter(|other| words.alike(pieces, at, **other, cosine)).count();
            (alike * 2 > group.len()).then_some(alike)
        };
        // The largest number of pieces like it; of equals, the oldest group.
        let best = groups.iter().enumerate().filter_map(|(place, group)| Some((likeness(group)?, place)));
        match best.max_by_key(|(alike, place)| (*alike, std::cmp::Reverse(*place))) {
            Some((_, place)) => groups[place].push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Whether two pieces alone say the same.
pub fn is_alike(a: &Piece, b: &Piece, cosine: Cosine<'_>) -> bool {
    let both = [a.clone(), b.clone()];
    Words::of(both.iter().map(|piece| piece.text.as_str())).alike(&both, 0, 1, cosine)
}

/// Whether there is enough to propose something: three pieces from two sessions, or two corrections in the user's own words
/// from two sessions. One session is enough only if the user says in it that it was said before.
pub fn is_enough(pieces: &[&Piece]) -> bool {
    let sessions: BTreeSet<&str> = pieces.iter().map(|piece| piece.session.as_str()).collect();
    let explicit: Vec<&&Piece> = pieces.iter().filter(|piece| piece.is_explicit()).collect();
    let sessions_of_explicit: BTreeSet<&str> = explicit.iter().map(|piece| piece.session.as_str()).collect();
    let repeats = explicit.len() >= EXPLICIT && explicit.iter().any(|piece| piece.detail.again);
    (pieces.len() >= PIECES && sessions.len() >= SESSIONS)
        || (explicit.len() >= EXPLICIT && sessions_of_explicit.len() >= SESSIONS)
        || repeats
}

/// Words that say how something is meant, not what it is about.
const FORM: &[&str] = &[
    "always", "never", "should", "must", "use", "using", "used", "want", "need", "keep", "make", "please",
    "instead", "stop", "avoid", "don't", "dont", "also", "rather", "prefer", "thing", "again", "told",
    "just", "really", "only", "wrong", "right", "put", "add", "code", "file", "change", "get", "let",
    "let's", "sure", "way",
];

/// The telling words of a text, each once.
pub(super) fn telling_words(text: &str) -> BTreeSet<String> {
    let is_form = |term: &String| {
        FORM.contains(&term.as_str())
            || is_stop_word(term)
            || FORM.iter().any(|word| crate::text::stem(word) == *term)
    };
    terms(text).into_iter().filter(|term| term.chars().count() > 1 && !is_form(term)).collect()
}

/// The telling words of all texts, and how many texts have each.
struct Words {
    of: Vec<BTreeSet<String>>,
    texts: HashMap<String, usize>,
}

impl Words {
    fn of<'t>(all: impl Iterator<Item = &'t str>) -> Words {
        let of: Vec<BTreeSet<String>> = all.map(telling_words).collect();
        let mut texts: HashMap<String, usize> = HashMap::new();
        for word in of.iter().flatten() {
            *texts.entry(word.clone()).or_default() += 1;
        }
        Words { of, texts }
    }

    /// A word of few texts says more.
    fn weight(&self, word: &str) -> f32 {
        let with = self.texts.get(word).copied().unwrap_or(1) as f32;
        (1.0 + self.of.len() as f32 / with).ln()
    }

    fn sum<'w>(&self, words: impl Iterator<Item = &'w String>) -> f32 {
        words.map(|word| self.weight(word)).sum()
    }

    fn alike(&self, pieces: &[Piece], a: usize, b: usize, cosine: Cosine<'_>) -> bool {
        let (one, other) = (&pieces[a], &pieces[b]);
        match same_pair(one, other) {
            Some(same) => return same,
            None if one.text == other.text => return true,
            None => {}
        }
        match compare(&one.text, &other.text, None) {
            Likeness::Same | Likeness::More | Likeness::Less => return true,
            Likeness::Changed(differences) => {
                let tells = |sort| {
                    matches!(sort, Differs::Negation | Differs::Number | Differs::Identifier | Differs::Name)
                };
                if differences.iter().any(|one| tells(one.sort)) {
                    return false;
                }
            }
            Likeness::Other => {}
        }
        let (of_one, of_other) = (&self.of[a], &self.of[b]);
        let shared: Vec<&String> = of_one.intersection(of_other).collect();
        if shared.len() < LEAST_SHARED {
            return false;
        }
        let least = self.sum(of_one.iter()).min(self.sum(of_other.iter()));
        let share = if least > 0.0 { self.sum(shared.into_iter()) / least } else { 0.0 };
        let is_near = || cosine(&one.text, &other.text).is_some_and(|cosine| cosine >= NEAR);
        share >= MOST_OF_THE_WORDS || (share >= SOME_OF_THE_WORDS && is_near())
    }
}

/// Whether both are about the same wrong term; nothing if one names none.
fn same_pair(a: &Piece, b: &Piece) -> Option<bool> {
    let fold = |term: &Option<String>| term.as_ref().map(|term| term.to_lowercase());
    let (wrong, other_wrong) = (fold(&a.detail.wrong), fold(&b.detail.wrong));
    let (right, other_right) = (fold(&a.detail.right), fold(&b.detail.right));
    // What one wants is what the other forbids.
    if (wrong.is_some() && wrong == other_right) || (right.is_some() && right == other_wrong) {
        return Some(false);
    }
    match (wrong, other_wrong) {
        (Some(wrong), Some(other)) if wrong == other => {
            Some(right.is_none() || other_right.is_none() || right == other_right)
        }
        // "Use pnpm" after "use pnpm, not npm".
        (Some(_), None) | (None, Some(_)) if right.is_some() && right == other_right => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guidance::Sort;
    use crate::learning::Detail;
    use crate::learning::correction::{Context, corrections};
    use crate::time::Timestamp;

    fn said(session: &str, text: &str) -> Piece {
        let refused = Context { is_refusal: true, ..Context::default() };
        let found = corrections(text, &refused).into_iter().next();
        let (text, wrong, right) =
            found.map_or((text.to_owned(), None, None), |one| (one.text, one.wrong, one.right));
        Piece {
            session: session.to_owned(),
            project: None,
            at: Timestamp::from_millis(0),
            sort: Sort::Correction,
            text,
            detail: Detail { wrong, right, own: true, lasting: true, ..Detail::default() },
        }
    }

    fn groups(texts: &[&str]) -> Vec<Vec<usize>> {
        let pieces: Vec<Piece> = texts.iter().map(|text| said("s", text)).collect();
        clusters(&pieces, &|_, _| None)
    }

    #[test]
    fn the_same_in_other_words_is_one_group() {
        for texts in [
            ["use pnpm, not npm", "don't run npm here", "I told you to use pnpm instead of npm"],
            [
                "handlers must be thin",
                "handlers must stay thin, put the logic into services",
                "handlers must be thin, keep the logic out of them",
            ],
            [
                "never edit the generated client by hand",
                "don't edit the generated client",
                "the generated client must not be edited, run the generator",
            ],
        ] {
            assert_eq!(groups(&texts), [[0, 1, 2]], "{texts:?}");
        }
    }

    #[test]
    fn what_only_sounds_alike_is_not() {
        for texts in [
            ["always run the linter before you push", "never run the linter before you push"],
            ["use pnpm, not npm", "use npm, not pnpm"],
            ["use pnpm, not npm", "use vitest, not jest"],
            ["never push to main", "never push to staging"],
            ["always write tests for handlers", "always write docs for commands"],
            ["timeouts must be 30 seconds", "timeouts must be 60 seconds"],
        ] {
            assert_eq!(groups(&texts).len(), 2, "{texts:?}");
        }
    }

    #[test]
    fn enough_is_three_in_two_sessions_or_two_corrections() {
        let correction = |session| said(session, "use pnpm, not npm");
        let undone = |session| Piece { sort: Sort::Undone, ..correction(session) };
        let again = |session| {
            let mut one = correction(session);
            one.detail.again = true;
            one
        };
        let enough = |pieces: &[Piece]| is_enough(&pieces.iter().collect::<Vec<_>>());
        assert!(!enough(&[correction("a")]));
        assert!(!enough(&[correction("a"), correction("a"), correction("a")]), "one session");
        assert!(enough(&[correction("a"), correction("b")]));
        assert!(!enough(&[undone("a"), undone("b")]));
        assert!(!enough(&[correction("a"), undone("b")]));
        assert!(enough(&[undone("a"), undone("b"), undone("b")]));
        assert!(enough(&[correction("a"), again("a")]), "said before, says the user");
        let mut others = correction("b");
        others.detail.own = false;
        assert!(!enough(&[correction("a"), others]), "not the user's words");
    }
}
