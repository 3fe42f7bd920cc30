//! Private key blocks: PEM, OpenSSH, PGP and PuTTY, as a whole, even if the end is missing, newlines are
//! written as `\n`, or the lines are strings joined by a program.

use std::ops::Range;

use super::super::shape;

const FOOTER_WITHIN: usize = 64 * 1024;

/// At `-----BEGIN` or `---- BEGIN`.
pub(in super::super) fn block(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let header = &text[at..text.len().min(at + 120)];
    let Some(dashes) = header.iter().skip(10).position(|&b| b == b'-').map(|i| i + 10) else {
        return;
    };
    let label = &header[..dashes];
    if !shape::contains(label, "private key") || label.contains(&b'\n') {
        return;
    }
    let body = at + dashes + text[at + dashes..].iter().take_while(|&&b| b == b'-').count();
    let rest = &text[body..text.len().min(body + FOOTER_WITHIN)];
    let run = body_length(rest);
    // A header without a key is documentation.
    let material = rest[..run].iter().filter(|b| b.is_ascii_alphanumeric()).count();
    if material < 16 {
        // Not base64, but closed like a key: redact whatever is inside.
        let end = rest[..rest.len().min(2000)].windows(9).position(|window| window == b"-----END ");
        if let Some(end) = end.filter(|&end| rest[..end].trim_ascii().len() >= 16) {
            out.push(at..body + end + footer_length(&rest[end..]));
        }
        return;
    }
    if shape::is_filler(squeezed(&rest[..run.min(400)]).as_slice()) {
        return;
    }
    out.push(at..body + run + footer_length(&rest[run..]));
}

/// At `PuTTY-User-Key-File-`: from the private lines to their end.
pub(in super::super) fn putty(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let rest = &text[at..text.len().min(at + FOOTER_WITHIN)];
    let mark = b"Private-Lines:";
    let ends = |at: &usize| rest[*at..].starts_with(mark) || rest[*at..].starts_with(b"PuTTY-User-Key");
    let Some(found) = (20..rest.len().min(8192)).find(ends).filter(|&i| rest[i..].starts_with(mark)) else {
        return;
    };
    let count = rest[found..].iter().position(|&b| b == b'\n').unwrap_or(mark.len());
    let start = found + count;
    out.push(at + start..at + start + body_length(&rest[start..]));
}

/// The length of a run of base64 lines, whatever the lines are wrapped in.
fn body_length(rest: &[u8]) -> usize {
    let mut at = 0;
    let mut end = 0;
    while at < rest.len() {
        let b = rest[at];
        if b.is_ascii_alphanumeric() || b"+/=".contains(&b) {
            let word =
                rest[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
            // Strings joined by a program: `"…" +`.
            if rest[at..at + word].iter().all(|b| b"+/=".contains(b)) {
                at += word;
                continue;
            }
            // Headers inside a block (`Proc-Type: 4,ENCRYPTED`, `Version: …`) are part of it.
            let line = rest[at..].iter().take(120).position(|&b| b == b'\n').unwrap_or(0);
            let header = rest[at..at + line].windows(2).any(|pair| pair == b": ");
            if header {
                at += line;
                continue;
            }
            let escape = at > 0 && rest[at - 1] == b'\\';
            let key_like = word >= 16 || end > 0 && ends_block(rest, at + word) || escape;
            if !key_like {
                break;
            }
            at += word;
            end = at;
        } else if b.is_ascii_whitespace() || b"\"'\\+,`|#*>;._-()[]{}:".contains(&b) {
            if b == b'-' && rest[at..].starts_with(b"-----") || at - end > 200 {
                break;
            }
            at += 1;
        } else {
            break;
        }
    }
    end
}

/// A short last line of base64 is followed by the end of the block.
fn ends_block(rest: &[u8], at: usize) -> bool {
    let tail = &rest[at..rest.len().min(at + 24)];
    tail.iter().all(|b| !b.is_ascii_alphanumeric() || b"nrt".contains(b)) || shape::contains(tail, "-----")
}

fn footer_length(rest: &[u8]) -> usize {
    let look = &rest[..rest.len().min(200)];
    let Some(open) = look.windows(5).position(|window| window == b"-----" || window == b"---- ") else {
        return 0;
    };
    let dashed = look[..open].iter().all(|b| !b.is_ascii_alphanumeric() || b"nr".contains(b));
    if !dashed || !shape::contains(&look[open..], "end ") {
        return 0;
    }
    let label = open + 5;
    look[label..].windows(4).position(|window| window == b"----").map_or(0, |close| {
        let close = label + close;
        close + look[close..].iter().take_while(|&&b| b == b'-').count()
    })
}

fn squeezed(body: &[u8]) -> Vec<u8> {
    body.iter().copied().filter(u8::is_ascii_alphanumeric).collect()
}
