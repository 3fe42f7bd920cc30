//! Generates the values of the table: templates filled with characters from a fixed seed, so that no file
//! here contains anything a scanner would take for a live secret.

/// Pseudo-random numbers that are the same on every run.
pub(crate) struct Draw(u64);

impl Draw {
    /// A separate stream for every name.
    pub(crate) fn of(name: &str) -> Self {
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Draw(seed | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    pub(crate) fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    pub(crate) fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| self.text(HEX, length)).join("-")
    }
}

pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const LETTERS_AND_DIGITS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(crate) const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
pub(crate) const BASE64_URL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

fn alphabet(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "hex" => HEX,
        "HEX" => "0123456789ABCDEF",
        "dig" => "123456789",
        "low" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "up" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "alpha" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "an" => LETTERS_AND_DIGITS,
        "b64" => BASE64,
        "url" => BASE64_URL,
        "B32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "b32" => "abcdefghijklmnopqrstuvwxyz234567",
        "b58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "bech" => "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
        "BECH" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        _ => return None,
    })
}

/// Replaces `{kind:n}` with n characters of that kind, and `{uuid}` with a UUID. Other braces stay.
pub(crate) fn expand(template: &str, draw: &mut Draw) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}') else { break };
        let inner = &rest[open + 1..open + close];
        let (kind, count) = inner.split_once(':').unwrap_or((inner, ""));
        match (kind, alphabet(kind), count.parse::<usize>()) {
            ("uuid", ..) => out.push_str(&draw.uuid()),
            (_, Some(alphabet), Ok(count)) => out.push_str(&draw.text(alphabet, count)),
            _ => {
                out.push('{');
                rest = &rest[open + 1..];
                continue;
            }
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out
}
