//! Splits text into sentences, and detects those in which people say something about themselves. A question
//! about oneself ("which racket did I buy?") is answered by what one said about oneself, not by questions
//! about rackets.

/// One sentence of a text, or one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'t> {
    pub text: &'t str,
    /// People speak about themselves and do not ask.
    pub tells_of_self: bool,
}

/// Words for the speaker, in lower case. Those that are not English are common only in their own language.
const SELF: [&str; 24] = [
    "i", "im", "ive", "my", "mine", "myself", "we", "weve", "our", "ours", "ich", "mir", "mein", "meine",
    "wir", "unser", "unsere", "je", "mon", "nous", "notre", "yo", "mi", "nuestro",
];
/// Words for the recipient: in a question they say nothing ("show me the diff").
const TOLD: [&str; 2] = ["me", "us"];

/// The sentences of a text that contain a word, in order.
pub fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(end(rest));
            rest = after;
            if sentence.chars().any(char::is_alphanumeric) {
                let asks = sentence.trim_end().ends_with(['?', '？']);
                return Some(Sentence {
                    text: sentence,
                    tells_of_self: !asks && has_word(sentence, &[&SELF, &TOLD]),
                });
            }
        }
        None
    })
}

/// Whether the question is about the person who asks.
pub fn asks_about_self(question: &str) -> bool {
    has_word(question, &[&SELF])
}

/// The part before an apostrophe is a word: "I'd".
fn has_word(text: &str, lists: &[&[&str]]) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        // "US" is the country.
        let is_name = word.len() > 1 && word.chars().all(char::is_uppercase);
        let mut known = lists.iter().flat_map(|list| list.iter());
        !is_name && known.any(|own| word.eq_ignore_ascii_case(own))
    })
}

/// The end of the first sentence: at a line end, after a full stop followed by a space, or after one that
/// needs no space.
fn end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' => chars.peek().is_some_and(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(text: &str) -> Vec<(&str, bool)> {
        sentences(text).map(|s| (s.text.trim(), s.tells_of_self)).collect()
    }

    #[test]
    fn statements_about_oneself_are_distinguished_from_questions_and_facts() {
        let text = "Which racket is best? By the way, I bought mine in v1.2 of the shop! Do I need more?\nIt is red.";
        assert_eq!(
            told(text),
            [
                ("Which racket is best?", false),
                ("By the way, I bought mine in v1.2 of the shop!", true),
                ("Do I need more?", false),
                ("It is red.", false),
            ]
        );
        assert_eq!(
            told("昨日買った。いいですか？\n\n***\n"),
            [("昨日買った。", false), ("いいですか？", false)]
        );
    }

    #[test]
    fn the_speaker_is_recognised_in_several_forms_but_not_in_names() {
        for text in [
            "I’ve moved",
            "it's MY house: my own",
            "I'd rather not",
            "We use Postgres",
            "das ist mein Auto",
            "I",
        ] {
            assert!(asks_about_self(text), "{text}");
        }
        for text in ["the US market", "show me the diff", "for i32 in items", "mining", "", "💡"] {
            assert!(!asks_about_self(text), "{text}");
        }
        assert_eq!(told("She gave me a lamp."), [("She gave me a lamp.", true)]);
    }

    proptest! {
        #[test]
        fn sentences_are_pieces_in_order(text in "(\\PC{0,20}[ \\n.?!。]){0,40}") {
            let mut at = 0;
            for sentence in sentences(&text) {
                let place = sentence.text.as_ptr() as usize - text.as_ptr() as usize;
                prop_assert!(place >= at && place + sentence.text.len() <= text.len());
                at = place + sentence.text.len();
            }
        }
    }
}
