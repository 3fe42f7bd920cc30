//! How programs and shells join one text: strings with an operator or only a line end between them, and lines
//! that end in a backslash.

const LONGEST: usize = 120;

/// The length of the joint at `at`, from the quote that closes one string to the one that opens the next, or
/// from the backslash to the first character of the next line; 0 if there is none.
pub(super) fn length(text: &[u8], at: usize) -> usize {
    // A joint is inside a word: `"a" + "b"` is one, `f("") + ""` is not.
    if at == 0 || !is_inside(text[at - 1]) {
        return 0;
    }
    let end = match text.get(at) {
        Some(b'\\') => line_end(text, at + 1).map(|next| past_blanks(text, next).0),
        Some(&quote @ (b'"' | b'\'' | b'`')) => next_string(text, at + 1, quote),
        _ => None,
    };
    end.filter(|&end| text.get(end).is_some_and(|&b| is_inside(b))).map_or(0, |end| end - at)
}

fn is_inside(b: u8) -> bool {
    b.is_ascii_graphic() && !b"\"'`,;(){}[]<>\\".contains(&b) || b >= 0x80
}

/// Where the next string's text begins, after the operator and the quote.
fn next_string(text: &[u8], from: usize, quote: u8) -> Option<usize> {
    let (mut at, mut lines) = past_blanks(text, from);
    let operator: usize = match &text[at.min(text.len())..] {
        [b'.', b'.', ..] | [b'<', b'>', ..] | [b'|', b'|', ..] => 2,
        [b'+' | b'.' | b'&' | b'~', ..] => 1,
        [b'\\', ..] => {
            let next = line_end(text, at + 1)?;
            (at, lines) = (next, true);
            0
        }
        _ => 0,
    };
    let joined = operator > 0;
    at += operator;
    (at, lines) = {
        let (next, more) = past_blanks(text, at);
        (next, lines || more)
    };
    // Visual Basic continues a line after an underscore.
    if joined && text.get(at) == Some(&b'_') {
        let (next, more) = past_blanks(text, at + 1);
        if more {
            at = next;
        }
    }
    at += usize::from(
        text.get(at).is_some_and(|b| b"rbfuRBFU".contains(b)) && text.get(at + 1) == Some(&quote),
    );
    // A quote on the next line may also close something: `"#` ends a raw string.
    let goes_on =
        joined || text.get(at + 1).is_some_and(|b| b.is_ascii_alphanumeric() || b"_-+/=.%".contains(b));
    let found = text.get(at) == Some(&quote) && (joined || lines) && goes_on;
    (found && at - from < LONGEST).then_some(at + 1)
}

/// Skips spaces and line ends; returns whether there was a line end.
fn past_blanks(text: &[u8], from: usize) -> (usize, bool) {
    let blanks =
        text[from.min(text.len())..].iter().take(LONGEST).take_while(|b| b.is_ascii_whitespace()).count();
    (from + blanks, text[from.min(text.len())..from.min(text.len()) + blanks].contains(&b'\n'))
}

fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at..)? {
        [b'\r', b'\n', ..] => Some(at + 2),
        [b'\n', ..] => Some(at + 1),
        _ => None,
    }
}
