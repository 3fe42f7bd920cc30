//! Finds where a user corrects the assistant: "no, …", "use X, not Y", "I told you …", "stop …ing".
//!
//! A correction is said against something. So what the assistant did and said before decides: without it, a sentence counts
//! only if it says itself that it was said before. Requests, questions, guesses and reports are no corrections, and only
//! words that the user typed are read at all ([`crate::distil`]).

use std::ops::Range;
use std::sync::LazyLock;

use super::swap::{Swap, swap};
use crate::distil::{Pattern, as_sentence, expand, heard, own_sentences, points_back, turn};
use crate::entity;
use crate::kind::Kind;
use crate::text::terms;

/// Something that the assistant did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act<'a> {
    /// A shell line.
    Ran(&'a str),
    /// The path of a file that it changed.
    Edited(&'a str),
}

/// What a turn answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The assistant's last message.
    pub reply: Option<&'a str>,
    /// What it did lately, oldest first.
    pub acts: &'a [Act<'a>],
    /// The text is the reason for which the user refused a tool call.
    pub is_refusal: bool,
}

/// A correction in the user's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// A sentence that stands alone.
    pub text: String,
    pub wrong: Option<String>,
    pub right: Option<String>,
    /// Normalised names of what it mentions.
    pub entities: Vec<String>,
    /// It says that it was said before.
    pub again: bool,
    /// It says what holds, not only what happened.
    pub lasting: bool,
    /// Its byte range in the turn.
    pub span: Range<usize>,
}

/// A longer turn is a document.
const MOST_BYTES: usize = 12_000;
/// A turn with more corrections is a review or a specification.
const MOST_PER_TURN: usize = 4;
const MOST_WORDS: usize = 45;
const MOST_TEXT: usize = 400;
/// Words of a request that are kept.
const MOST_ASKED: usize = 30;
/// A shorter word is in every command.
const LEAST_LETTERS: usize = 4;

/// "No, …" as an objection.
static REFUSES: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:(?:hm+|uh|oh|ah|ok|okay|well|but|and|sorry|please)[,. ]+)*(?:(?:no|nope|nah|wrong|stop|wait)(?:[,.!:;]+\s*|\s[-–—]+\s*)+|no (?:don't|do not|please|never|always|stop|not|use|you)\b)",
    )
});
/// After which "no" objects to nothing.
static MILD: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^\W*(?:no|nope|nah|wait|stop)\W+(?:that's (?:fine|ok|okay|all|it)|it's (?:fine|ok|okay)|this is (?:fine|ok)|worries|problem|need|thanks|thank|idea|just|leave it|go ahead|keep going|nothing|not yet|for (?:a|one) (?:second|moment|minute)|let me|i(?:'ll| will))\b",
    )
});
/// Something was not as wanted.
static COMPLAINS: LazyLock<Pattern> = LazyLock::new(|| {
    expand(concat!(
        r"\b(?:that's|that is|this is|it's|it is) (?:just |still |simply |completely )?(?:wrong|not right|not correct|incorrect|not what i (?:asked|wanted|meant|said))\b|",
        r"\bnot what i (?:asked|wanted|meant|said)|\byou (?:should(?:n't| not) have|were(?:n't| not) supposed to|got (?:it|that|this) wrong)\b|",
        r"\bwhy (?:did|do|are|would) you (?:still |again |keep |always )?\w+|\bi (?:didn't|did not|never) ask(?:ed)? (?:you )?(?:for|to)\b",
    ))
});
/// "I told you …": what follows was said before.
static TOLD: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:(?:i|we)(?:'ve| have)? (?:already |just |literally |repeatedly )?(?:told|reminded|asked) you(?: (?:already|before|again|now|(?:\w+ )?(?:\w+ )?times?|so|once|twice))*|as i (?:already )?(?:said|told you)(?: (?:before|already))?|like i (?:already )?(?:said|told you)(?: before)?|i(?:'ve| have)? already said|how (?:many times|often) (?:do|must|should|did|have) i (?:have to |need to )?(?:tell|told|say|said|ask|asked|remind)(?: you)?|for the (?:second|third|fourth|last|\w+th) time|once again|you (?:again|still|always|keep|never) (?:forget|forgetting|ignore|ignoring)(?: that)?)[,:;]*\s*",
    )
});
/// Doing it again, without saying what would be right.
static AGAIN: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\byou (?:keep|kept) \w+ing\b|\byou(?:'re| are| have|'ve)? (?:did|done|used|ran|\w+ed|\w+ing)? ?.{0,60}\b(?:yet again|once again)\b|^again,? you \w+|\byou (?:again|once more) \w+",
    )
});
static STOPS: LazyLock<Pattern> = LazyLock::new(|| {
    expand(r"^(?:please )?(?:(?:can|could|would|will) you )?(?:please )?stop (?:\w+ly )?\w{2,}ing\b")
});
static FORBIDS: LazyLock<Pattern> = LazyLock::new(|| {
    expand(r"^(?:please )?(?:you (?:should|must) )?(?:do not|don't|never|always|avoid|from now on)\b")
});
/// The user wants an edit taken back.
static TAKES_BACK: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:(?:no|nope|please|pls|ok|okay|hm+|wait|sorry|actually|and|then|now|so|just|can you|could you|let's|you should|that's wrong)[,.!: ]+)*(?:revert|undo|roll(?:ing)? ?back|take (?:it|that|this|the \w+) back|put (?:it|that|this|the .{1,40}) back|change (?:it|that|this|the .{1,40}) back|restore)\b",
    )
});

/// The corrections in a user's turn, in order.
pub fn corrections(text: &str, context: &Context<'_>) -> Vec<Correction> {
    if text.len() > MOST_BYTES {
        return Vec::new();
    }
    let is_first = context.reply.is_none() && context.acts.is_empty() && !context.is_refusal;
    let before = Before::of(context);
    let sentences = own_sentences(text, context.reply);
    let mut statements: Option<Vec<(Range<usize>, String)>> = None;
    let mut upset = context.is_refusal;
    let mut found: Vec<Correction> = Vec::new();
    for (at, one) in sentences.iter().enumerate() {
        let masked = one.masked.as_str();
        let objection = REFUSES.find(masked).filter(|_| !MILD.is_match(masked));
        // "No" may only answer what the assistant asked.
        let objects = objection.is_some() && !before.asked;
        upset |= objects || COMPLAINS.is_match(masked);
        let opening = match &objection {
            Some(found) if masked[found.start()..found.end()].ends_with(|c: char| !c.is_alphanumeric()) => {
                found.end()
            }
            Some(_) => masked.find("no ").map_or(0, |at| at + 3),
            None => 0,
        };
        let (said, written) = (rest(masked, opening), rest_like(&one.written, masked, opening));
        if said.split_whitespace().count() > MOST_WORDS {
            continue;
        }
        if let Some(told) = told(masked, &one.written, said) {
            if let Some(one) = made(&told.0, &told.1, one.span.clone(), true, told.2) {
                push(&mut found, one);
            }
            continue;
        }
        if is_first || one.is_doubtful || one.is_passing {
            continue;
        }
        if AGAIN.is_match(said) && said.split_whitespace().count() >= 4 {
            if let Some(one) =
                made(&as_sentence(written), &swap(said, written), one.span.clone(), true, false)
            {
                push(&mut found, one);
            }
            continue;
        }
        let mut pair = swap(said, written);
        let mut sentence = as_sentence(written);
        // "Don't use npm. Use pnpm."
        if pair.wrong.is_some()
            && pair.right.is_none()
            && let Some(next) = sentences.get(at + 1).filter(|next| next.paragraph == one.paragraph)
            && let Swap { wrong: None, right: Some(right) } = swap(&next.masked, &next.written)
        {
            pair.right = Some(right);
            sentence = format!("{sentence} {}", as_sentence(&next.written));
        }
        let is_ruled = matches!(one.judged, Some(Kind::Constraint | Kind::Convention));
        let used_wrong = pair.wrong.as_deref().is_some_and(|wrong| before.has(wrong));
        let stops = STOPS.is_match(said) && said.split_whitespace().count() >= 3;
        let forbids = FORBIDS.is_match(said) && is_ruled && before.touches(said);
        let counts = if pair.wrong.is_some() {
            upset || used_wrong || (is_ruled && pair.right.is_some())
        } else {
            stops || forbids || (upset && is_ruled)
        };
        if counts {
            // A rule knows which sentence before belongs to this one.
            let statement =
                said_in(&mut statements, text, context.reply, &one.span).filter(|_| pair.wrong.is_none());
            let sentence = statement.unwrap_or(sentence);
            if let Some(one) = made(&sentence, &pair, one.span.clone(), false, true) {
                push(&mut found, one);
            }
        } else if upset && said.split_whitespace().count() >= 4 {
            let statement = said_in(&mut statements, text, context.reply, &one.span);
            if let Some(sentence) = statement
                && let Some(one) = made(&sentence, &pair, one.span.clone(), false, true)
            {
                push(&mut found, one);
            }
        }
    }
    if found.len() > MOST_PER_TURN { Vec::new() } else { found }
}

/// The sentence in which a user asks to take back an edit, if the assistant made one before.
pub fn taken_back(text: &str, context: &Context<'_>) -> Option<String> {
    if text.len() > MOST_BYTES || !context.acts.iter().any(|act| matches!(act, Act::Edited(_))) {
        return None;
    }
    let sentences = own_sentences(text, context.reply);
    let asks = sentences
        .iter()
        .find(|one| TAKES_BACK.is_match(&one.masked) && one.masked.split(' ').count() >= 2)?;
    Some(as_sentence(&asks.written)).filter(|said| said.len() <= MOST_TEXT)
}

/// The telling words of what a user typed, for comparing requests.
pub fn asked_words(text: &str) -> Vec<String> {
    let sentences = own_sentences(text, None);
    let mut words: Vec<String> = Vec::new();
    for one in sentences.iter().filter(|one| !one.masked.contains("qqq")) {
        words.extend(super::cluster::telling_words(&one.written));
    }
    words.retain(|word| word.chars().count() >= LEAST_LETTERS && word.chars().all(char::is_alphabetic));
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_ASKED);
    words
}

/// The first sentence that a user typed in a turn.
pub fn first_words(text: &str) -> Option<String> {
    let first = own_sentences(text, None).into_iter().next()?;
    Some(as_sentence(&first.written)).filter(|said| said.len() <= MOST_TEXT)
}

/// What was told before: the sentence, its terms, and whether it says what holds.
fn told(masked: &str, written: &str, said: &str) -> Option<(String, Swap, bool)> {
    let found = TOLD.find(masked)?;
    // "…, I told you": what was said stands before.
    let after = rest_like(written, masked, found.end());
    let what = if after.split_whitespace().count() >= 2 {
        after.to_owned()
    } else {
        rest_like(written, masked, masked.len() - said.len())
            .get(..found.start().saturating_sub(masked.len() - said.len()))?
            .trim_end_matches([',', ' ', ';', '-', '–', '—'])
            .to_owned()
    };
    let what = what.trim_end_matches(['?', '!', ' ']);
    let lower = what.to_ascii_lowercase();
    let strip = |prefix: &str| lower.strip_prefix(prefix).map(|rest| &what[what.len() - rest.len()..]);
    let sentence = if let Some(rest) = strip("not to ").or_else(|| strip("to not ")) {
        as_sentence(&format!("do not {rest}"))
    } else if let Some(rest) = strip("never to ").or_else(|| strip("to never ")) {
        as_sentence(&format!("never {rest}"))
    } else {
        as_sentence(strip("to ").or_else(|| strip("that ")).unwrap_or(what))
    };
    let plain = sentence.trim_end_matches('.');
    let lower = plain.to_ascii_lowercase();
    // A question about it, or a story of what was said.
    if lower.split_whitespace().count() < 2
        || ["about ", "why ", "what ", "how ", "when "].iter().any(|w| lower.starts_with(w))
    {
        return None;
    }
    Some((sentence.clone(), swap(&lower, plain), true))
}

/// The statement that the tables find in this sentence, with its context; nothing if it needs more of it.
fn said_in(
    statements: &mut Option<Vec<(Range<usize>, String)>>,
    text: &str,
    reply: Option<&str>,
    span: &Range<usize>,
) -> Option<String> {
    let all = statements.get_or_insert_with(|| {
        let sure = turn(text, reply).into_iter().map(|one| (one.span, one.body));
        let caught = heard(text, reply).into_iter().filter(|one| !one.is_dangling && one.answers.is_none());
        sure.chain(caught.map(|one| (one.span, one.text))).collect()
    });
    all.iter().find(|(found, _)| found.start == span.start).map(|(_, text)| text.clone())
}

fn made(text: &str, pair: &Swap, span: Range<usize>, again: bool, lasting: bool) -> Option<Correction> {
    let text = without_no(text);
    let named = pair.wrong.is_some() || pair.right.is_some();
    if text.len() > MOST_TEXT
        || telling(&text) < if named { 1 } else { 2 }
        || (!named && needs_context(&text))
    {
        return None;
    }
    let entities = entity::extract(&text).into_iter().map(|one| one.norm).collect();
    Some(Correction {
        text,
        wrong: pair.wrong.clone(),
        right: pair.right.clone(),
        entities,
        again,
        lasting,
        span,
    })
}

/// Whether a sentence refers to something that it does not name. "This project" is where it was said.
fn needs_context(text: &str) -> bool {
    let mut text = text.to_ascii_lowercase();
    for place in ["repo", "repository", "project", "codebase"] {
        text = text.replace(&format!("this {place}"), &format!("our {place}"));
    }
    points_back(&text)
}

/// "No, handlers must be thin" says that handlers must be thin.
fn without_no(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match REFUSES.find(&lower) {
        Some(found)
            if found.start() == 0 && lower[..found.end()].ends_with(|c: char| !c.is_alphanumeric()) =>
        {
            as_sentence(&text[found.end()..])
        }
        _ => text.to_owned(),
    }
}

fn telling(text: &str) -> usize {
    let mut found = terms(text);
    found.sort_unstable();
    found.dedup();
    found.len()
}

fn push(found: &mut Vec<Correction>, one: Correction) {
    if found.iter().all(|other| other.text != one.text) {
        found.push(one);
    }
}

fn rest(masked: &str, from: usize) -> &str {
    masked.get(from..).unwrap_or(masked).trim_start()
}

/// The same part of the sentence as typed. Where gaps in quotes make the lengths differ, the end is the same.
fn rest_like<'t>(written: &'t str, masked: &str, from: usize) -> &'t str {
    let left = masked.len().saturating_sub(from);
    let at = if written.len() == masked.len() { from } else { written.len().saturating_sub(left) };
    written.get(at..).unwrap_or(written).trim_start()
}

/// What the assistant said and did, for lookups.
struct Before {
    text: String,
    words: Vec<String>,
    asked: bool,
}

impl Before {
    fn of(context: &Context<'_>) -> Before {
        let mut text = String::from(" ");
        for act in context.acts {
            let (Act::Ran(part) | Act::Edited(part)) = act;
            text.push_str(&part.to_lowercase());
            text.push(' ');
        }
        let mut words = terms(&text);
        words.sort_unstable();
        words.dedup();
        let reply = context.reply.unwrap_or("");
        let asked = reply.trim_end().trim_end_matches(['*', '_', ')']).ends_with('?');
        text.push_str(&reply.to_lowercase());
        text.push(' ');
        Before { text, words, asked }
    }

    /// Whether the assistant used this word.
    fn has(&self, term: &str) -> bool {
        let term = term.to_lowercase();
        let is_edge = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
        self.text.match_indices(&term).any(|(at, _)| {
            is_edge(self.text[..at].chars().next_back())
                && is_edge(self.text[at + term.len()..].chars().next())
        })
    }

    /// Whether a sentence is about something that the assistant just did.
    fn touches(&self, said: &str) -> bool {
        terms(said)
            .iter()
            .any(|term| term.chars().count() >= LEAST_LETTERS && self.words.binary_search(term).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn after<'a>(reply: &'a str, acts: &'a [Act<'a>]) -> Context<'a> {
        Context { reply: Some(reply), acts, is_refusal: false }
    }

    fn texts(text: &str, context: &Context<'_>) -> Vec<String> {
        corrections(text, context).into_iter().map(|one| one.text).collect()
    }

    const DONE: &str = "I installed the package and updated the handler.";
    const ACTS: &[Act<'static>] = &[Act::Ran("npm install left-pad"), Act::Edited("src/handlers/user.ts")];

    #[test]
    fn corrections_stand_alone() {
        for (text, expected) in [
            ("no, use pnpm, not npm", "Use pnpm, not npm."),
            ("use pnpm instead of npm here", "Use pnpm instead of npm here."),
            ("I told you three times to use pnpm, not npm!", "Use pnpm, not npm."),
            ("I already told you not to run npm in this repo", "Do not run npm in this repo."),
            ("don't use npm, use pnpm", "Don't use npm, use pnpm."),
            ("no, handlers must never contain business logic", "Handlers must never contain business logic."),
            ("stop adding comments to every line", "Stop adding comments to every line."),
            ("never touch files under src/handlers by hand", "Never touch files under src/handlers by hand."),
            ("That's wrong. We use date-fns here, not moment.", "We use date-fns here, not moment."),
            ("you keep using npm in this repository", "You keep using npm in this repository."),
        ] {
            assert_eq!(texts(text, &after(DONE, ACTS)), [expected], "{text}");
        }
    }

    #[test]
    fn requests_questions_and_answers_are_no_corrections() {
        for text in [
            "now add a test for the handler",
            "use the new parser in the importer",
            "can you use pnpm instead of npm?",
            "why do you use npm?",
            "yes, do it",
            "no, that's fine",
            "no worries, go on",
            "no need to change the tests",
            "stop for a second",
            "it still fails with the same error",
            "maybe we should use pnpm instead of npm",
            "don't commit yet",
            "rename the handler to UserHandler instead of Handler",
            "```\nuse pnpm, not npm\n```",
            "> no, use pnpm, not npm",
            "the README says: use pnpm, not npm",
            "I found \"use pnpm, not npm\" in the readme",
            "no, not that one",
            "wait, there are merge conflicts let's deal with that first",
        ] {
            assert_eq!(texts(text, &after(DONE, ACTS)), [""; 0], "{text}");
        }
    }

    #[test]
    fn nothing_was_done_before_the_first_prompt() {
        let first = Context::default();
        assert_eq!(texts("use pnpm, not npm", &first), [""; 0]);
        assert_eq!(texts("never touch src/generated", &first), [""; 0]);
        assert_eq!(texts("I told you to use pnpm, not npm", &first), ["Use pnpm, not npm."]);
    }

    #[test]
    fn a_no_may_only_answer_a_question() {
        let asked = after("Shall I also move the tests?", ACTS);
        assert_eq!(texts("no, the tests must stay next to the code", &asked), [""; 0]);
        let told = after("I moved the tests.", ACTS);
        assert_eq!(
            texts("no, the tests must stay next to the code", &told),
            ["The tests must stay next to the code."]
        );
    }

    #[test]
    fn the_terms_are_kept() {
        let found = corrections("use pnpm, not npm", &after(DONE, ACTS));
        assert_eq!((found[0].right.as_deref(), found[0].wrong.as_deref()), (Some("pnpm"), Some("npm")));
        let found = corrections("Don't use npm. Use pnpm.", &after(DONE, ACTS));
        assert_eq!((found[0].right.as_deref(), found[0].wrong.as_deref()), (Some("pnpm"), Some("npm")));
    }

    #[test]
    fn the_reason_of_a_refusal_counts() {
        let refused = Context { reply: None, acts: &[], is_refusal: true };
        assert_eq!(texts("use pnpm, not npm", &refused), ["Use pnpm, not npm."]);
        assert_eq!(
            texts("we should never push to main directly", &refused),
            ["We should never push to main directly."]
        );
        assert_eq!(texts("why don't you just clone it?", &refused), [""; 0]);
    }

    #[test]
    fn edits_are_taken_back_only_if_there_was_one() {
        assert_eq!(
            taken_back("no, revert the change in the handler", &after(DONE, ACTS)).as_deref(),
            Some("No, revert the change in the handler.")
        );
        assert_eq!(taken_back("please undo that", &after(DONE, &[Act::Ran("ls")])), None);
        assert_eq!(taken_back("add a revert command", &after(DONE, ACTS)), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(no, |use |not |I told you |don't |stop |İé日|`a  b` |\"q  q\" |npm|pnpm|[.,!?\n -]|\\PC{0,6}){0,30}") {
            for context in [Context::default(), after(&text, ACTS), Context { is_refusal: true, ..Context::default() }] {
                for one in corrections(&text, &context) {
                    prop_assert!(text.get(one.span.clone()).is_some() && !one.text.trim().is_empty());
                }
                taken_back(&text, &context);
            }
        }

        /// Text in a fence is never the user's.
        #[test]
        fn fenced_text_is_nobodys_correction(text in "(no, |use pnpm, not npm|I told you to use pnpm |never push to main|[.\n ]){0,12}") {
            let fenced = format!("```\n{text}\n```");
            prop_assert!(corrections(&fenced, &after(DONE, ACTS)).is_empty());
        }
    }
}
