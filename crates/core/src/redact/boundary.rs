//! Where a token may begin. Transcripts are full of nested JSON and encoded URLs, so an escape such as `\n`
//! or `%3D` right before a token ends a word just as a space does.

/// Whether a word can begin at `at`.
pub(super) fn before(text: &[u8], at: usize) -> bool {
    if at == 0 || !text[at - 1].is_ascii_alphanumeric() {
        return true;
    }
    if at >= 2 && text[at - 2] == b'\\' && matches!(text[at - 1], b'n' | b'r' | b't' | b'b' | b'f') {
        return true;
    }
    if at >= 3 && text[at - 3] == b'%' && text[at - 2..at].iter().all(u8::is_ascii_hexdigit) {
        return true;
    }
    // `\u0022`, and terminal colours: `\x1b[31m`, written out or as the raw byte.
    if at >= 6 && text[at - 6..].starts_with(b"\\u") {
        return true;
    }
    text[at - 1] == b'm' && text[at.saturating_sub(8)..at].contains(&b'[')
}

/// The same for a keyword, which may begin with punctuation and so has its own boundary.
pub(super) fn before_keyword(text: &[u8], at: usize) -> bool {
    !text[at].is_ascii_alphanumeric() || before(text, at)
}

/// Where the line that contains `at` begins.
pub(super) fn line_start(text: &[u8], at: usize, limit: usize) -> usize {
    let low = at.saturating_sub(limit);
    text[low..at].iter().rposition(|&b| b == b'\n').map_or(low, |i| low + i + 1)
}

/// The first position of `byte`; fast if it is rare.
pub(super) fn find(text: &[u8], byte: u8) -> Option<usize> {
    let (chunks, rest) = text.as_chunks::<64>();
    let chunk = chunks.iter().position(|chunk| chunk.contains(&byte)).unwrap_or(chunks.len());
    let from = chunk * 64;
    let tail = if chunk < chunks.len() { &chunks[chunk][..] } else { rest };
    tail.iter().position(|&b| b == byte).map(|at| from + at)
}
