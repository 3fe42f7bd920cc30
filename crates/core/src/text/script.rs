//! Splits folded text into runs: words of alphabetic scripts (including the joiners in identifiers, paths and
//! references) and ideographic runs.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run<'a> {
    /// A chunk such as `getUserById`, `src/auth.rs`, `#12`, `don't`.
    Word(&'a str),
    /// A run of a script without spaces.
    Ideographs(&'a str),
}

pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c as u32,
        0x2e80..=0x2fdf | 0x3005..=0x3007 | 0x3040..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0x1100..=0x11ff | 0xf900..=0xfaff | 0x20000..=0x3134f
        | 0x0e00..=0x0e7f)
}

fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || is_mark(c)) && !is_ideograph(c)
}

/// Vowel signs of Indic and Arabic scripts are part of their word.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x0591..=0x05c7 | 0x0610..=0x061a | 0x064b..=0x065f | 0x0900..=0x0903 | 0x093a..=0x094f
        | 0x0981..=0x0983 | 0x09bc..=0x09cd | 0x0a01..=0x0a4d | 0x0b82..=0x0bcd | 0x0c00..=0x0c4d)
}

/// Characters that join a chunk if something wordlike follows.
fn joins(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '\'' | '’' | '#' | '!' | '&' | '@' | '+')
}

/// Characters that may open a chunk: `#12`, `@maria`, `.env`, `/etc`, `_private`.
fn opens(c: char) -> bool {
    matches!(c, '#' | '!' | '&' | '@' | '.' | '/' | '_' | '~')
}

pub(super) fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let c = rest.chars().next()?;
            if is_ideograph(c) {
                let end = rest.find(|c| !is_ideograph(c)).unwrap_or(rest.len());
                let (run, after) = rest.split_at(end);
                rest = after;
                return Some(Run::Ideographs(run));
            }
            let next_is_word = |text: &str| text.chars().nth(1).is_some_and(is_word);
            if is_word(c) || (opens(c) && next_is_word(rest)) {
                let end = chunk_end(rest);
                let (run, after) = rest.split_at(end);
                rest = after;
                return Some(Run::Word(run));
            }
            rest = &rest[c.len_utf8()..];
        }
    })
}

/// The end of the chunk at the start of `text`. A joiner counts only between wordlike characters; `::` and
/// doubles like `->` split, and so does `//` after the colon of a scheme.
fn chunk_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut end = 0;
    while let Some((at, c)) = chars.next() {
        if is_word(c) {
            end = at + c.len_utf8();
            continue;
        }
        let next = chars.peek().map(|(_, next)| *next);
        let opening = at == 0 && opens(c);
        if opening || (joins(c) && next.is_some_and(|n| is_word(n) || (n == '.' && c == '/'))) {
            continue;
        }
        break;
    }
    end
}
