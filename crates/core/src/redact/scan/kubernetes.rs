//! Kubernetes `Secret` manifests: every value under `data` and `stringData`, whatever its name.

use std::ops::Range;

use super::super::shape;

const WITHIN: usize = 8 * 1024;

/// At `kind: Secret`, in YAML. The document is what is between the `---` lines around it.
pub(in super::super) fn secret(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let word = text[at..].iter().take(24).position(|b| b.eq_ignore_ascii_case(&b's'));
    let end = word.map_or(at, |i| at + i + b"secret".len());
    if text.get(end).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return;
    }
    let low = at.saturating_sub(WITHIN);
    let mark = text[low..at].windows(6).rposition(|w| w.starts_with(b"\n---") || w == b"kind: ");
    let start = match mark.map(|i| low + i) {
        // A second kind in one document: the first has already been handled.
        Some(mark)
            if text[mark] == b'k'
                && text[at..].starts_with(b"kind: S")
                && text[mark..].starts_with(b"kind: Secret") =>
        {
            return;
        }
        Some(mark) if text[mark] == b'\n' => mark + 4,
        _ => low,
    };
    let high = text.len().min(at + WITHIN);
    let stop = text[at..high].windows(4).position(|w| w == b"\n---").map_or(high, |i| at + i);
    let mut under_data: Option<usize> = None;
    let mut line_at = start;
    for line in text[start..stop].split(|&b| b == b'\n') {
        let here = line_at;
        line_at += line.len() + 1;
        let indent = line.iter().take_while(|b| b" -".contains(b)).count();
        let body = line[indent..].trim_ascii_end();
        if body.is_empty() || body.starts_with(b"#") {
            continue;
        }
        if body == b"data:" || body == b"stringData:" {
            under_data = Some(indent);
            continue;
        }
        let Some(parent) = under_data else { continue };
        if indent <= parent {
            under_data = None;
            continue;
        }
        let value = body.iter().position(|&b| b == b':').map_or(0, |colon| colon + 1);
        let value = value + body[value..].iter().take_while(|b| b" \"'|>-".contains(b)).count();
        let raw = body[value.min(body.len())..].trim_ascii_end();
        let raw = raw.strip_suffix(b"\"").or_else(|| raw.strip_suffix(b"'")).unwrap_or(raw);
        if raw.len() >= 4
            && !shape::is_reference(raw)
            && !shape::is_filler(raw)
            && !raw.starts_with(b"[REDACTED")
        {
            out.push(here + indent + value..here + indent + value + raw.len());
        }
    }
}
