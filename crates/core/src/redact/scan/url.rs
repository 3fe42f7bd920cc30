//! Passwords in URLs: `scheme://user:password@host`, and codes in their parameters.

use std::ops::Range;

use super::super::shape;

/// At `://`. The password extends to the last `@` before the path, because people forget to encode it.
pub(in super::super) fn userinfo(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let scheme = text[at.saturating_sub(20)..at]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b))
        .count();
    if scheme < 2 {
        return;
    }
    let mut from = at + 3;
    // Several hosts, each with its own credentials: `user:pass@a,user:pass@b`.
    loop {
        let length = text[from..].iter().take(600).take_while(|b| !ends_authority(**b)).count();
        let authority = &text[from..from + length];
        let Some(sign) = last_sign(authority) else { return };
        let first = authority[..sign]
            .iter()
            .position(|&b| b == b',')
            .filter(|&comma| authority[..comma].contains(&b'@'));
        let sign = first.and_then(|comma| last_sign(&authority[..comma])).unwrap_or(sign);
        let user = &authority[..sign];
        match user.iter().position(|&b| b == b':') {
            Some(colon) => {
                let password = &user[colon + 1..];
                if is_literal(password) {
                    out.push(from + colon + 1..from + sign);
                }
            }
            // `https://<token>@host`: a long random word is not a user name.
            None if user.len() >= 20 && shape::is_random(user) => out.push(from..from + sign),
            None => {}
        }
        let after = from + sign + 1;
        let Some(comma) =
            text[after..].iter().take(300).take_while(|b| !ends_authority(**b)).position(|&b| b == b',')
        else {
            return;
        };
        from = after + comma + 1;
    }
}

/// At `code=`, as a parameter: the OAuth code that is exchanged for a token.
pub(in super::super) fn code(text: &[u8], at: usize, out: &mut Vec<Range<usize>>) {
    let parameter = at > 0 && b"?&".contains(&text[at - 1]) || text[..at].ends_with(b"&amp;");
    let start = at + b"code=".len();
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"_.~%/+=-".contains(b);
    let length = text[start..].iter().take(2048).take_while(is_part).count();
    if parameter && length >= 16 {
        out.push(start..start + length);
    }
}

fn ends_authority(b: u8) -> bool {
    b.is_ascii_whitespace() || b"\"'`<>/\\?#|".contains(&b)
}

fn last_sign(authority: &[u8]) -> Option<usize> {
    let sign = authority.iter().rposition(|&b| b == b'@')?;
    let host = authority.get(sign + 1)?;
    (host.is_ascii_alphanumeric() || b"[%*$({".contains(host)).then_some(sign)
}

fn is_literal(password: &[u8]) -> bool {
    !password.is_empty()
        && !shape::is_reference(password)
        && !shape::is_filler(password)
        && !password.starts_with(b"[REDACTED")
        && !password.iter().all(|b| b"*.".contains(b))
        && (password.len() > 3 || !password.starts_with(b"%"))
        && (password.len() > 5 || !password.iter().all(u8::is_ascii_digit))
        && !password.starts_with(b"//")
        && !shape::contains(password, "your")
}
