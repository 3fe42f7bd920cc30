//! Decides whether a sentence says something lasting: questions, guesses, reports and requests do not.

use std::sync::LazyLock;

use super::pattern::Pattern;

use super::rules::{CONCRETE, Compiled, GENERAL, LASTING, RULES, SOUND, expand};
use super::sentence::Sentence;
use crate::text::is_stop_word;

/// Opening words without content.
static OPENING: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:(?:and|but|so|also|ok|okay|okey|yeah|yes|yep|yup|sure|cool|great|right|well|hmm+|ah|oh|uh|alright|perfect|nice|good|thanks|thank you|then|now|btw|actually|i mean|i think|i guess|i feel like|i'd say|basically|in general|to be clear|one more thing|quick thing|one thing|another thing|again|sorry|my point is|stop for a second|wait|exactly|agreed|correct|fair|got it|makes sense|->)(?:[\s,:;.!—–-]+|$))+",
    )
});

static QUESTION: LazyLock<Pattern> = LazyLock::new(|| {
    expand(concat!(
        r"\?\W*$|^(?:can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|am) (?:you|we|i|it|this|that|there|the|they|he|she|any|all|my|our|these|those)\b|",
        r"^(?:what|why|how|where|which|who|whose|what's|how's|where's|isn't|aren't|doesn't|didn't|wouldn't|couldn't|shouldn't|don't (?:we|you)|any (?:idea|chance|reason|thoughts)|question|q:|learning q)\b",
    ))
});

/// A guess, or a question whether something is so.
static GUESS: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:what if|how about|maybe|perhaps|wonder|wondering|might|suppose|imagine|let's say|not sure|if i understand|in theory|potentially|should we|do we|could (?:we|you|it|be|this|that)|would (?:it|that|this|be)|can (?:we|you)|shall we|any suggestions|or is|i assume|presumably|apparently|it (?:seems|looks|appears)|seems like|looks like|feels like|hopefully|does that make sense|or something like)\b",
    )
});

/// What is to be kept in mind.
static NOTED: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:(?:we|you) (?:should|must|need to|have to) )?(?:keep|bear) in mind\b|^(?:please )?note that\b",
    )
});

/// A condition: what follows applies only sometimes.
static CONDITION: LazyLock<Pattern> =
    LazyLock::new(|| expand(r"^(?:if|in case|assuming|unless|given that|let us say)\b"));
static FIRM: LazyLock<Pattern> =
    LazyLock::new(|| expand(r"\b(?:always|never|must|have to|has to|do not|don't)\b"));

/// Someone else's words.
static REPORT: LazyLock<Pattern> = LazyLock::new(|| {
    expand(concat!(
        r"\b(?:says?|said|saying|states|claims?|suggests?|suggested|according to|told (?:me|us)|asked|complains?|reported)\b[^.]{0,40}(?::|,|that\b|{q})|",
        r"\b(?:the |this |an? |your |its )?(?:error|message|comments?|output|logs?|page|website|readme|docs?|documentation|article|review|reviewer|bot|feedback|summary|tool|response|prompt|file|commit message|issue|ticket|email) (?:says?|said|states?|reads|claims?|suggests?|mentions?|tells?|wants?|asks|instructs?|recommends?)\b|",
        r"\b(?:you (?:also )?said|i got (?:this|the following|feedback)|we got a report|ignore (?:all |any |the )?(?:previous|prior|above|earlier))\b",
    ))
});

/// Someone else's words that the user adopts or rejects in the same sentence.
static TAKEN_OVER: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:whatever|no matter what) (?:it|they|he|she|that|this)(?: \w+)? (?:says?|said|claims?|wants?)\b|\b(?:and|but) i (?:agree|decided|insist|want)\b",
    )
});

/// News and its consequence: only the consequence lasts.
static CONSEQUENCE: LazyLock<Pattern> =
    LazyLock::new(|| expand(r"[,;]? so,? (?:from now on|please always|please never|always|never)\b"));

/// It is about the present moment.
static MOMENT: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:yet|this time|right now|at the moment|at this point|today|tomorrow|tonight|yesterday|just now|for this (?:pr|commit|session|branch|one|task|change)|in this (?:pr|commit|session|branch|case)|rest of (?:this|the) session|until (?:then|i|we)|so far|a (?:second|minute|moment)|for a bit|first cut|this (?:commit|pr|branch|session|change|one) (?:only|first))\b",
    )
});

/// Something is broken, which is news and not knowledge.
static BROKEN: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:fail(?:s|ed|ing|ure|ures)?|broken|broke|crash(?:es|ed|ing)?|not working|doesn't work|don't work|didn't work|stopped working|(?:an?|the|this|these|that|gets?|getting|got|following|with|same|throws?) (?:errors?|exceptions?)|stack ?trace|missing|still (?:not|shows?|there|see|getting)|weird|strange|stuck|hangs?|flaky|conflicts?|happened|keeps? (?:failing|happening))\b",
    )
});

static GENERALITY: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:always|never|every|each|all|any|ever|whenever|wherever|everywhere|anywhere|anything|in general|from now on|going forward|in (?:this|the|our) (?:repo|project|codebase|code base|app|team)|in (?:the )?future|by default|across|without|unless|everybody|nobody)\b",
    )
});

/// It makes sense only together with what was said before.
static POINTING: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:it|this|that|they|these|those|he|she|them|its|the (?:same|other|former|latter|second|first) (?:one|thing)?)\b",
    )
});

/// Begins like that but refers to nothing.
static EXPLETIVE: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"^(?:(?:it's|it is) (?:not |also |very )?\w+ (?:that|to)\b|it sounds like\b|(?:that|this)(?:'s| is) (?:wrong|not (?:right|correct|true)|incorrect|why)\b|this (?:is an? \w+, |repo|repository|project|codebase|app|service|team|monorepo|cli|library))",
    )
});

/// Requests to the assistant about a turn, not about the work.
static CHATTER: LazyLock<Pattern> = LazyLock::new(|| {
    expand(
        r"\b(?:let me know|tell me|show me|give me|explain|i'?ll (?:let|be|get|check|try)|you(?:'re| are) right|good (?:catch|point|idea|job)|well done|try again|go ahead|move on|next (?:one|step)|haha|lol)\b",
    )
});

/// A sentence that matches a rule.
pub(super) struct Finding {
    pub(super) rule: &'static Compiled,
    /// The offset of its real beginning in the masked sentence.
    pub(super) opening: usize,
    /// It makes no sense without the previous sentence.
    pub(super) points_back: bool,
    pub(super) confidence: f32,
}

/// A question, a guess or someone else's words.
pub(super) fn is_doubtful(masked: &str) -> bool {
    let said = masked[OPENING.find(masked).map_or(0, |found| found.end())..].trim();
    let is = |pattern: &Pattern| pattern.is_match(said) || pattern.is_match(masked);
    is(&QUESTION) || (is(&GUESS) && !NOTED.is_match(said)) || is(&REPORT) || said.ends_with(':')
}

/// About the present moment.
pub(super) fn is_passing(masked: &str) -> bool {
    MOMENT.is_match(masked)
}

/// Judges one sentence; `original` is the sentence as written.
pub(super) fn judge(sentence: &Sentence, original: &str) -> Option<Finding> {
    let whole = sentence.masked.as_str();
    let opening = OPENING.find(whole).map_or(0, |found| found.end());
    let follows = CONSEQUENCE.find(&whole[opening..]).and_then(|found| {
        let so = found.as_str().find("so").map(|at| opening + found.start() + at + 2)?;
        Some(so + (whole[so..].len() - whole[so..].trim_start_matches([',', ' ']).len()))
    });
    let opening = follows.unwrap_or(opening);
    let said = whole[opening..].trim_end_matches(['.', '!', ' ', ')']);
    let words = said.split_whitespace().count();
    // A colon announces something that is elsewhere.
    if said.ends_with(':') {
        return None;
    }
    if !(3..=70).contains(&words) && !has_ideographs(said) {
        return None;
    }
    let is = |pattern: &Pattern| pattern.is_match(said) || pattern.is_match(whole);
    // "Keep in mind that users might be offline" states a possibility; it guesses nothing.
    if is(&QUESTION) || (is(&GUESS) && !NOTED.is_match(said)) {
        return None;
    }
    // Of a quote, only what the user adds counts.
    let (said, whole) = match TAKEN_OVER.find(said) {
        Some(found) if is(&REPORT) => (&said[found.start()..], &said[found.start()..]),
        None if is(&REPORT) => return None,
        _ => (said, whole),
    };
    if CONDITION.is_match(said) && !FIRM.is_match(said) {
        return None;
    }
    let holds = properties(said, original);
    let found = RULES.iter().find(|one| {
        let rule = one.rule;
        (holds & rule.needs) == rule.needs
            // Corrections begin with words that are openings elsewhere.
            && (one.is_match(said) || one.is_match(whole))
            && !one.is_excluded(whole)
    })?;
    let points_back = POINTING.is_match(said) && !EXPLETIVE.is_match(said);
    if content_words(said) < if holds & CONCRETE == 0 { 2 } else { 1 } && !has_ideographs(said) {
        return None;
    }
    let mut confidence = found.rule.confidence;
    for (doubtful, by) in [
        (CHATTER.is_match(said), 0.15),
        (MOMENT.is_match(said), 0.08),
        (BROKEN.is_match(said), 0.08),
        (points_back, 0.06),
        (words > 45, 0.08),
    ] {
        if doubtful {
            confidence -= by;
        }
    }
    (confidence >= LEAST).then_some(Finding { rule: found, opening, points_back, confidence })
}

/// A lower confidence is not worth a memory.
const LEAST: f32 = 0.55;

fn properties(said: &str, original: &str) -> u8 {
    let mut holds = 0;
    if is_concrete(said, original) {
        holds |= CONCRETE;
    }
    if GENERALITY.is_match(said) {
        holds |= GENERAL;
    }
    if !MOMENT.is_match(said) {
        holds |= LASTING;
    }
    if !BROKEN.is_match(said) {
        holds |= SOUND;
    }
    holds
}

/// Whether it names code, a path, an identifier, a number with a meaning, or a product.
fn is_concrete(said: &str, original: &str) -> bool {
    let quoted = said.contains("qqq");
    let named = original.split_whitespace().enumerate().any(|(place, word)| {
        let word = word
            .trim_matches(|c: char| matches!(c, ',' | ':' | ';' | '(' | ')' | '!' | '?' | '"'))
            .trim_end_matches('.');
        let inner = word.get(1..).unwrap_or("");
        let marked = inner.contains(['/', '_', '.', '@', ':'])
            || word.starts_with(['/', '.', '@', '~']) && word.len() > 2;
        let capital = inner.chars().any(char::is_uppercase) && word.chars().any(char::is_alphabetic);
        let proper =
            place > 0 && word.starts_with(char::is_uppercase) && word.len() > 2 && !word.starts_with("I'");
        let tool = word.len() > 1 && word.chars().any(|c| c.is_ascii_digit());
        marked
            || capital
            || proper
            || tool
            || word.starts_with("--")
            || word.to_ascii_lowercase().split('-').any(|part| KNOWN.contains(&part))
    });
    quoted || named
}

/// Names of tools that look like ordinary words.
const KNOWN: &[&str] = &[
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "node",
    "pip",
    "poetry",
    "uv",
    "conda",
    "cargo",
    "rust",
    "python",
    "ruby",
    "rails",
    "django",
    "flask",
    "react",
    "vue",
    "svelte",
    "next",
    "vite",
    "vitest",
    "jest",
    "pytest",
    "mocha",
    "docker",
    "podman",
    "kubernetes",
    "helm",
    "terraform",
    "ansible",
    "postgres",
    "mysql",
    "sqlite",
    "redis",
    "mongo",
    "kafka",
    "prisma",
    "drizzle",
    "supabase",
    "firebase",
    "aws",
    "gcp",
    "azure",
    "vercel",
    "netlify",
    "heroku",
    "git",
    "github",
    "gitlab",
    "jira",
    "linear",
    "slack",
    "eslint",
    "prettier",
    "ruff",
    "black",
    "mypy",
    "tailwind",
    "zod",
    "graphql",
    "grpc",
    "rest",
    "json",
    "yaml",
    "toml",
    "make",
    "just",
    "mise",
    "bazel",
    "gradle",
    "maven",
    "java",
    "kotlin",
    "swift",
    "typescript",
    "javascript",
    "golang",
    "go",
    "elixir",
    "phoenix",
    "ecto",
    "tabs",
    "spaces",
    "lodash",
];

fn content_words(said: &str) -> usize {
    let words = said.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '/' || c == '.'));
    words.filter(|word| word.chars().count() > 2 && !is_stop_word(word) && !MARKS.contains(word)).count()
}

/// Words that make up a rule and say nothing about the subject.
const MARKS: &[&str] = &[
    "always", "never", "should", "must", "use", "using", "let's", "lets", "want", "need", "keep", "make",
    "don't", "instead", "please",
];

fn has_ideographs(text: &str) -> bool {
    text.chars().filter(|c| matches!(*c as u32, 0x3040..=0x30ff | 0x4e00..=0x9fff | 0xac00..=0xd7af)).count()
        >= 6
}
