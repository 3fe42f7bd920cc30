//! Detects code. Nothing is parsed: code in any language is full of symbols that are rare in prose, and its
//! lines are indented or end in such a symbol.

/// Symbols that structure code.
const MARKS: &[u8] = b"(){}[]=<>;_\"`:/\\|&+*#@$%^~";
/// Their minimum share among non-space characters. Nearly all functions have more; most prose has less than
/// half of it.
const LEAST_SHARE: f32 = 0.05;
/// A shorter text is not enough to tell.
const LEAST_BYTES: usize = 40;
/// Only this much is examined: the rest is similar.
const MOST_BYTES: usize = 2_000;

/// Whether a text is code, or most of it.
pub fn is_code(text: &str) -> bool {
    let (mut all, mut marks) = (0usize, 0usize);
    let (mut lines, mut structured) = (0usize, 0usize);
    let mut left = MOST_BYTES;
    for line in text.lines().take_while(|line| {
        let fits = left > 0;
        left = left.saturating_sub(line.len() + 1);
        fits
    }) {
        let bytes = line.as_bytes();
        let Some(last) = bytes.trim_ascii_end().last() else { continue };
        lines += 1;
        let is_indented = bytes.starts_with(b"  ") || bytes.starts_with(b"\t");
        structured += usize::from(is_indented || b"{}();:[]\\".contains(last));
        for byte in bytes.iter().take(MOST_BYTES).filter(|byte| !byte.is_ascii_whitespace()) {
            all += 1;
            marks += usize::from(MARKS.contains(byte));
        }
    }
    lines >= 2 && 2 * structured >= lines && all >= LEAST_BYTES && marks as f32 >= LEAST_SHARE * all as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_distinguished_from_prose() {
        for code in [
            "def chunked(items, n):\n    \"\"\"Split a list.\"\"\"\n    return [items[i:i+n] for i in range(0, len(items), n)]",
            "fn open(path: &Path) -> Result<Self, Error> {\n    let file = File::open(path)?;\n    Ok(Self { file })\n}",
            "const sum = (a, b) => a + b;\nexport default function twice(x) { return sum(x, x); }",
        ] {
            assert!(is_code(code), "{code}");
        }
        for prose in [
            "We chose PostgreSQL over MySQL for the billing service because of its JSON support (see #12).",
            "To roll back a deploy run `kubectl rollout undo deployment/api`, then watch the error rate.",
            "Die Übersetzung ist fertig; bitte noch einmal lesen, bevor sie hinausgeht.",
            "x = 1",
            "Notes on `hark.db`:\n- `memories/` is the truth\n- `hark.db` is an index, see `hark reindex`",
            "",
        ] {
            assert!(!is_code(prose), "{prose}");
        }
    }
}
