//! The shape of a value: how random it is, how wordy, and whether it is plainly a placeholder.

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f32 {
    if value.is_empty() {
        return 0.0;
    }
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f32;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let p = count as f32 / length;
            -p * p.log2()
        })
        .sum()
}

pub(super) fn digits(value: &[u8]) -> usize {
    value.iter().filter(|b| b.is_ascii_digit()).count()
}

pub(super) fn letters(value: &[u8]) -> usize {
    value.iter().filter(|b| b.is_ascii_alphabetic()).count()
}

pub(super) fn has_both_cases(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase)
}

pub(super) fn is_hex(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_hexdigit)
}

pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

pub(super) fn contains(value: &[u8], needle: &str) -> bool {
    let needle = needle.as_bytes();
    let Some((&first, rest)) = needle.split_first() else { return true };
    let Some(last) = value.len().checked_sub(needle.len()) else { return false };
    (0..=last).any(|at| {
        value[at].eq_ignore_ascii_case(&first) && value[at + 1..at + needle.len()].eq_ignore_ascii_case(rest)
    })
}

/// The longest run of characters in which each differs from the previous one by `step`.
fn longest_run(value: &[u8], step: u8) -> usize {
    let mut longest = 1.min(value.len());
    let mut run = 1;
    for pair in value.windows(2) {
        let follows = pair[0].is_ascii_alphanumeric()
            && pair[1].to_ascii_lowercase() == pair[0].to_ascii_lowercase().wrapping_add(step);
        run = if follows { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}

/// Filler such as `xxxxxxxx`, `********` or `0000-0000`: little but one repeated character. Applied to every
/// kind of secret, even those with a distinctive prefix.
pub(super) fn is_filler(value: &[u8]) -> bool {
    if value.len() < 4 {
        return false;
    }
    let run = longest_run(value, 0).max(value.split(|b| b"-_. ".contains(b)).map(same).sum());
    run * 2 > value.len() && run >= 4
}

fn same(part: &[u8]) -> usize {
    if part.len() > 1 && part.iter().all(|b| b == &part[0]) { part.len() } else { 0 }
}

/// A token blanked out for display: more than half of it is runs of `x`, `0`, `1`, `*` or dots. Runs of other
/// letters may be a careless fake, but nobody blanks with them.
pub(super) fn is_blanked(value: &[u8]) -> bool {
    let mut blank = 0;
    let mut at = 0;
    while at < value.len() {
        let run = value[at..].iter().take_while(|&&b| b == value[at]).count();
        if run >= 4 && b"xX01*.".contains(&value[at]) {
            blank += run;
        }
        at += run;
    }
    blank * 2 > value.len()
}

/// `abcdefgh…`, `12345678`: typed in order. Not applied to passwords.
pub(super) fn is_typed_in_order(value: &[u8]) -> bool {
    is_typed(value, 9)
}

/// The same for a run of at least `length`.
pub(super) fn is_typed(value: &[u8], length: usize) -> bool {
    longest_run(value, 1) >= length
}

const STAND_INS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "your_",
    "your-",
    "yours",
    "insert",
    "replace",
    "dummy",
    "redacted",
    "sample",
    "xxxx",
    "todo",
    "goes_here",
    "goes-here",
    "put_your",
    "enter_",
    "enter-",
    "not_set",
    "not-set",
    "notset",
    "my_secret",
    "mysecret",
    "my-secret",
    "fake_",
    "fake-",
    "secret_here",
    "key_here",
    "token_here",
    "put-your",
    "_here",
    "-here",
    "not-a-real",
    "notareal",
    "...",
    "***",
    "lorem",
    "foobar",
    "foo-bar",
    "foo_bar",
    "undefined",
    "&lt;",
    "default_",
];

/// Whether a value is obviously not the secret: `<your-secret>`, `EXAMPLE`, `xxxx`.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let bracketed = value.starts_with(b"<") || value.ends_with(b">");
    bracketed || is_filler(value) || STAND_INS.iter().any(|word| contains(value, word))
}

/// Whether a value refers to a secret stored elsewhere: `$VAR`, `${VAR}`, `{{ var }}`, `%VAR%`,
/// `process.env.X`, `os.environ["X"]`, `<%= x %>`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    const INSIDE: &[&str] = &[
        "process.env",
        "environ",
        "getenv",
        "env[",
        "env(",
        "env.",
        "secrets.",
        "vault:",
        "arn:aws:secretsmanager",
        "import.meta",
        "op://",
        "ssm:",
        "keychain",
    ];
    match value {
        [b'$', next, ..] if next.is_ascii_alphabetic() || b"_{(".contains(next) => {
            // `$ecret!1` is a password; `$SECRET` and `$secret` are variables.
            value[1..].iter().all(|b| b.is_ascii_alphanumeric() || b"_:{}()-.[]'\"/#=$*".contains(b))
                || b"{(".contains(next)
        }
        [b'%', .., b'%'] | [b'{', .., b'}'] | [b'[', .., b']'] | [b'(', ..] | [b'@', .., b'@'] => true,
        [b'%', _] | [b'!', b'A'..=b'Z', ..] => true,
        _ => INSIDE.iter().any(|mark| contains(value, mark)) || is_interpolated(value),
    }
}

/// Whether it contains a template expression: `a${X}b`, `{{ x }}`, `$(cmd)`, `#{x}`, `<%= x %>`. If it is
/// never closed, or contains anything but an expression, it is punctuation that someone chose.
fn is_interpolated(value: &[u8]) -> bool {
    const MARKS: &[(&[u8], &[u8])] =
        &[(b"${", b"}"), (b"{{", b"}}"), (b"$(", b")"), (b"<%", b"%>"), (b"#{", b"}")];
    let find = |text: &[u8], mark: &[u8]| text.windows(mark.len()).position(|window| window == mark);
    MARKS.iter().any(|(open, close)| {
        let Some(at) = find(value, open) else { return false };
        let inside = &value[at + open.len()..];
        // The value may have been truncated inside the expression.
        let inside = &inside[..find(inside, close).unwrap_or(inside.len())];
        let closed = at + open.len() + inside.len() < value.len();
        let plain =
            |b: &u8| b.is_ascii_alphanumeric() || b"_.-|:$?/'\"()[], @=%*+\t".contains(b) || *b == b' ';
        inside.iter().all(plain)
            && (closed || value.len() < 24)
            && !(closed && is_random(inside) && inside.len() >= 24)
    })
}

/// Made of words or numbers joined by separators: `fits_on_one_line`, `rc0.15.0`, `Key128Bit` are names of
/// things. Random text mixes letters and digits within its parts.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let mut parts = 0;
    let wordy = value.split(|b| b"-_./: ".contains(b)).filter(|part| !part.is_empty()).all(|part| {
        parts += 1;
        let digits = digits(part);
        let short_number = digits == part.len() && part.len() <= 8;
        let trailing = part.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let leading_version = part[0].eq_ignore_ascii_case(&b'v') && digits + 1 == part.len();
        short_number
            || leading_version
            || (digits == 0 && pronounceable(part))
            || (digits == trailing && digits <= 2 && part.len() - digits >= 2 && pronounceable(part))
    });
    wordy && parts > 0
}

/// Letters that could be words: vowels as in words, and upper case only as in camel case.
fn pronounceable(part: &[u8]) -> bool {
    let all = letters(part);
    if all <= 4 {
        return true;
    }
    let vowels = part.iter().filter(|b| b"aeiouyAEIOUY".contains(b)).count();
    let upper = part.iter().filter(|b| b.is_ascii_uppercase()).count();
    let camel = upper == all || upper * 3 <= all;
    let mut consonants = 0;
    let mut worst = 0;
    for b in part {
        consonants = if b"aeiouyAEIOUY".contains(b) || !b.is_ascii_alphabetic() { 0 } else { consonants + 1 };
        worst = worst.max(consonants);
    }
    camel && vowels * 6 >= all && worst <= 5
}

/// Whether a value looks random, as keys and tokens do.
pub(super) fn is_random(value: &[u8]) -> bool {
    let (digits, letters) = (digits(value), letters(value));
    let length = value.len();
    if length < 10 || is_wordy(value) {
        return false;
    }
    if digits == length {
        return length >= 14 && entropy(value) >= 2.0;
    }
    let floor = match length {
        0..16 => 2.6,
        16..24 => 3.0,
        _ if is_hex(value) || is_uuid(value) => 2.8,
        _ => 3.2,
    };
    let mixed = if digits == 0 {
        length >= 16 && (has_both_cases(value) || letters < length) && entropy(value) >= 3.6
    } else {
        letters > 0
    };
    mixed && entropy(value) >= floor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filler_is_distinguished_from_secrets() {
        for filler in ["xxxxxxxx", "XXXX-XXXX-XXXX", "hf_xxxxxxxxxxxxxxxx", "********"] {
            assert!(is_filler(filler.as_bytes()), "{filler}");
        }
        for secret in ["hunter2", "a1b2c3d4e5f6", "aabbccddeeff"] {
            assert!(!is_filler(secret.as_bytes()), "{secret}");
        }
    }

    #[test]
    fn names_of_things_are_wordy() {
        for name in ["fits_on_one_line", "rc0-15-0", "MonthlyReport-3.4", "my-service-v2", "token2"] {
            assert!(is_wordy(name.as_bytes()), "{name}");
        }
        for random in ["9f8e7d6c5b4a", "Xk3vQ9zLm2Tr", "q3x9k2v8b1n5m7c4z6"] {
            assert!(!is_wordy(random.as_bytes()), "{random}");
        }
    }

    #[test]
    fn references_are_not_values() {
        for reference in ["$DB_PASSWORD", "${X}", "{{ x }}", "%PASSWORD%", "process.env.X", "<%= x %>"] {
            assert!(is_reference(reference.as_bytes()), "{reference}");
        }
        for value in ["super$ecret", "$ecret!word9", "hunter2"] {
            assert!(!is_reference(value.as_bytes()), "{value}");
        }
    }
}
