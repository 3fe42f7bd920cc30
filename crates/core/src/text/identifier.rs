//! Splits one chunk (`parseJSONFile`, `src/auth.rs`, `group/proj!12`, `v2.1`) into tokens: the whole, for
//! exact matches, and its parts, so that prose finds it.

use super::{Shape, Token, push_word};

pub(super) fn push_tokens(chunk: &str, tokens: &mut Vec<Token>) {
    let chunk = strip_possessive(chunk);
    let is_plain = chunk.chars().all(char::is_alphabetic);
    if is_plain && !has_inner_capital(chunk) {
        push_word(&chunk.to_lowercase(), Shape::Word, tokens);
        return;
    }
    if let Some(joined) = contraction(chunk) {
        push_word(&joined, Shape::Word, tokens);
        return;
    }
    let lower = chunk.to_lowercase();
    push_references(&lower, tokens);
    if is_version(&lower) {
        push_word(&lower, Shape::Whole, tokens);
        if let Some(bare) = lower.strip_prefix('v') {
            push_word(bare, Shape::Whole, tokens);
        }
        return;
    }
    push_wholes(&lower, tokens);
    for segment in chunk.split(|c: char| !c.is_alphanumeric() && !is_inner_mark(c)) {
        push_parts(segment, tokens);
    }
}

/// `don't` → `dont`; only letters and apostrophes.
fn contraction(chunk: &str) -> Option<String> {
    let only_letters = chunk.chars().all(|c| c.is_alphabetic() || is_apostrophe(c));
    let has_apostrophe = chunk.chars().any(is_apostrophe);
    (only_letters && has_apostrophe)
        .then(|| chunk.chars().filter(|c| !is_apostrophe(*c)).collect::<String>().to_lowercase())
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn is_inner_mark(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !is_apostrophe(c)
}

fn strip_possessive(chunk: &str) -> &str {
    ["'s", "’s", "'S", "’S"].iter().find_map(|suffix| chunk.strip_suffix(suffix)).unwrap_or(chunk)
}

fn has_inner_capital(chunk: &str) -> bool {
    let mut before_lower = false;
    for c in chunk.chars() {
        if c.is_uppercase() && before_lower {
            return true;
        }
        before_lower |= c.is_lowercase();
    }
    // `HTTPServer`: capitals, then a lower-case tail that starts inside a new word.
    let capitals = chunk.chars().take_while(|c| c.is_uppercase()).count();
    capitals >= 2 && capitals < chunk.chars().count()
}

/// `#12`, `!12`, `&12`, `@name`, also at the end of `group/proj!12`.
fn push_references(lower: &str, tokens: &mut Vec<Token>) {
    let Some(at) = lower.rfind(['#', '!', '&', '@']) else { return };
    let reference = &lower[at..];
    let name = &reference[1..];
    if reference.starts_with('@') {
        push_word(reference, Shape::Whole, tokens);
    } else if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        push_word(reference, Shape::Whole, tokens);
        if at > 0 {
            push_word(lower, Shape::Whole, tokens);
        }
    }
}

fn is_version(lower: &str) -> bool {
    let bare = lower.strip_prefix('v').unwrap_or(lower);
    bare.contains('.')
        && bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// The exact path, its file name, and the identifier without separators.
fn push_wholes(lower: &str, tokens: &mut Vec<Token>) {
    let trimmed = lower.trim_start_matches(['/', '~', '#', '!', '&', '@']);
    if trimmed.contains('/') || trimmed.contains('\\') {
        let unified = trimmed.replace('\\', "/");
        if !unified.contains(['!', '#', '&', '@']) {
            push_word(&unified, Shape::Whole, tokens);
        }
        let Some(name) = unified.rsplit('/').next() else { return };
        if name.contains('.') {
            push_word(name, Shape::Whole, tokens);
        }
        if name.contains(['_', '-']) {
            push_joined(name.split('.').next().unwrap_or(name), tokens);
        }
        return;
    }
    if trimmed.contains('.') {
        push_word(trimmed, Shape::Whole, tokens);
    }
    push_joined(trimmed, tokens);
}

/// `get_user_by_id` and `getUserById` both become `getuserbyid`.
fn push_joined(text: &str, tokens: &mut Vec<Token>) {
    let joined: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    if joined.chars().any(char::is_alphabetic) && joined != text || text.chars().all(char::is_alphanumeric) {
        push_word(&joined, Shape::Whole, tokens);
    }
}

/// The words inside a segment without separators.
fn push_parts(segment: &str, tokens: &mut Vec<Token>) {
    let parts = split_case(segment);
    for part in &parts {
        push_part(&part.to_lowercase(), parts.len() > 1, tokens);
    }
}

fn push_part(part: &str, inside_identifier: bool, tokens: &mut Vec<Token>) {
    let digits = part.chars().filter(char::is_ascii_digit).count();
    if digits == 0 {
        push_word(part, Shape::Word, tokens);
        return;
    }
    if digits == part.chars().count() {
        // A counter inside an identifier says nothing; a separate number does.
        if !inside_identifier || digits > 2 {
            push_word(part, Shape::Whole, tokens);
        }
        return;
    }
    push_word(part, Shape::Whole, tokens);
    let letters: String = part.chars().take_while(|c| c.is_alphabetic()).collect();
    if letters.chars().count() >= 3 {
        push_word(&letters, Shape::Word, tokens);
    }
}

/// Splits at lower→upper and at the end of an acronym: `parseJSONFile` → parse, JSON, File.
fn split_case(segment: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = segment.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for i in 1..chars.len() {
        let (at, c) = chars[i];
        let before = chars[i - 1].1;
        let after_is_lower = chars.get(i + 1).is_some_and(|(_, next)| next.is_lowercase());
        let hump = c.is_uppercase() && (before.is_lowercase() || before.is_numeric());
        let acronym_end = c.is_uppercase() && before.is_uppercase() && after_is_lower;
        if hump || acronym_end {
            parts.push(&segment[start..at]);
            start = at;
        }
    }
    parts.push(&segment[start..]);
    parts
}
