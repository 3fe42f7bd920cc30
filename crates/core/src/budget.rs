//! Tokens: an estimate that errs on the high side, and truncation to a hard limit.
//!
//! A real tokenizer costs megabytes and a slow start. The estimate counts per character class, so that real
//! tokenizers stay below it for prose, code and CJK; a test compares it with one.

/// A high estimate of how many tokens a model will count for `text`.
pub fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0usize;
    let mut word = 0usize;
    let mut digits = 0usize;
    let mut spaces = 0usize;
    let flush = |word: &mut usize, digits: &mut usize, tokens: &mut usize| {
        *tokens += word.div_ceil(5) + digits.div_ceil(3);
        (*word, *digits) = (0, 0);
    };
    let mut previous = '\0';
    for c in text.chars() {
        let hump = c.is_ascii_uppercase() && previous.is_ascii_lowercase();
        if hump {
            flush(&mut word, &mut digits, &mut tokens);
        }
        if c.is_ascii_alphabetic() {
            word += 1;
        } else if c.is_ascii_digit() {
            digits += 1;
        } else {
            flush(&mut word, &mut digits, &mut tokens);
            tokens += match c {
                ' ' => 0,
                '\n' | '\t' | '\r' => 1,
                c if c.is_ascii() => 1,
                c if (c as u32) < 0x0530 => 1,
                c if (c as u32) < 0x1_0000 => 2,
                _ => 3,
            };
            // A single space joins the next word; runs of spaces are separate tokens.
            spaces = if c == ' ' { spaces + 1 } else { 0 };
            if spaces > 0 && spaces % 8 == 2 {
                tokens += 1;
            }
        }
        previous = c;
    }
    flush(&mut word, &mut digits, &mut tokens);
    tokens
}

/// Truncates `text` at a word so that its estimate fits `cap`, with an ellipsis.
pub fn truncate_to_tokens(text: &str, cap: usize) -> String {
    if estimate_tokens(text) <= cap {
        return text.to_owned();
    }
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fits = |count: usize| {
        let end = boundaries.get(count).copied().unwrap_or(text.len());
        estimate_tokens(&text[..end]) + estimate_tokens("…") <= cap
    };
    let (mut low, mut high) = (0usize, boundaries.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    if low == 0 {
        return String::new();
    }
    let cut = &text[..boundaries.get(low).copied().unwrap_or(text.len())];
    let at_word = cut.rfind(char::is_whitespace).filter(|at| *at * 2 > cut.len()).unwrap_or(cut.len());
    format!("{}…", cut[..at_word].trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_text_fits(text in "\\PC{0,400}", cap in 0usize..80) {
            prop_assert!(estimate_tokens(&truncate_to_tokens(&text, cap)) <= cap);
        }
    }

    #[test]
    fn short_text_is_untouched() {
        assert_eq!(truncate_to_tokens("hello world", 50), "hello world");
        assert_eq!(estimate_tokens(""), 0);
    }
}
