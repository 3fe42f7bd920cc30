//! The secret that a caller must send. Only its hash is kept, so nothing here can print it.

use std::fmt;

use axum::http::{HeaderMap, header};

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// Longer ones do not fit into a header of every client.
const LONGEST: usize = 512;

/// Where clients that have no field for `Authorization` send the token.
const API_KEY: &str = "x-api-key";

/// What `Authorization: Bearer …` or `X-API-Key: …` must hold.
#[derive(Clone)]
pub struct Token(blake3::Hash);

/// Why a text cannot be a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token has {SHORTEST} to {LONGEST} characters: ASCII letters, digits and punctuation, no spaces")]
pub struct BadToken;

/// How a request stands with the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Right,
    Wrong,
    Nothing,
}

impl Token {
    pub fn new(text: &str) -> Result<Self, BadToken> {
        let fits = (SHORTEST..=LONGEST).contains(&text.len());
        if !fits || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken);
        }
        Ok(Token(blake3::hash(text.as_bytes())))
    }

    /// Takes the same time whatever is shown: hashes of blake3 are compared so. One wrong header is enough to refuse.
    pub(crate) fn shown_in(&self, headers: &HeaderMap) -> Shown {
        let bearer = one(headers, header::AUTHORIZATION.as_str(), |value| {
            let (scheme, token) = value.split_at(value.len().min("Bearer ".len()));
            scheme.eq_ignore_ascii_case(b"Bearer ") && self.is(token)
        });
        let key = one(headers, API_KEY, |value| self.is(value));
        match (bearer, key) {
            (Shown::Nothing, other) | (other, Shown::Nothing) => other,
            (Shown::Right, Shown::Right) => Shown::Right,
            _ => Shown::Wrong,
        }
    }

    /// Proves to who has the same token that a server on this port holds it, without showing it.
    pub fn proof(&self, challenge: &str, port: u16) -> String {
        blake3::keyed_hash(self.0.as_bytes(), format!("{port} {challenge}").as_bytes()).to_string()
    }

    fn is(&self, text: &[u8]) -> bool {
        blake3::hash(text.trim_ascii()) == self.0
    }

    /// Names the caller that shows it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        *self.0.as_bytes()
    }
}

/// How the only header of this name stands; two are wrong.
fn one(headers: &HeaderMap, name: &str, is_right: impl FnOnce(&[u8]) -> bool) -> Shown {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Shown::Nothing,
        (Some(value), None) if is_right(value.as_bytes()) => Shown::Right,
        (Some(_), _) => Shown::Wrong,
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "hark_0123456789abcdef";

    fn shown(values: &[&str]) -> Shown {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        Token::new(TEXT).unwrap().shown_in(&headers)
    }

    #[test]
    fn only_the_whole_token_of_the_right_scheme_is_right() {
        assert_eq!(shown(&[&format!("Bearer {TEXT}")]), Shown::Right);
        assert_eq!(shown(&[&format!("bearer  {TEXT}")]), Shown::Right);
        assert_eq!(shown(&[]), Shown::Nothing);
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            TEXT,
            &format!("Basic {TEXT}"),
            &format!("Bearer {}", &TEXT[..TEXT.len() - 1]),
            &format!("Bearer {TEXT}0"),
            &format!("Bearer {}", TEXT.to_uppercase()),
        ] {
            assert_eq!(shown(&[wrong]), Shown::Wrong, "{wrong}");
        }
        let right = format!("Bearer {TEXT}");
        assert_eq!(shown(&[&right, &right]), Shown::Wrong);
    }

    #[test]
    fn a_key_in_its_own_header_is_as_good() {
        let token = Token::new(TEXT).unwrap();
        let with = |bearer: Option<&str>, key: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(API_KEY, key.parse().unwrap());
            if let Some(bearer) = bearer {
                headers.insert(header::AUTHORIZATION, bearer.parse().unwrap());
            }
            token.shown_in(&headers)
        };
        assert_eq!(with(None, TEXT), Shown::Right);
        assert_eq!(with(Some(&format!("Bearer {TEXT}")), TEXT), Shown::Right);
        for wrong in ["", "x", &format!("Bearer {TEXT}")] {
            assert_eq!(with(None, wrong), Shown::Wrong, "{wrong}");
        }
        assert_eq!(with(Some("Bearer wrong"), TEXT), Shown::Wrong);
        assert_eq!(with(Some(&format!("Bearer {TEXT}")), "wrong"), Shown::Wrong);
    }

    #[test]
    fn what_is_short_or_does_not_fit_into_a_header_is_no_token() {
        for bad in ["", "short", "with a space in it", "line\nend-0123456789", "ümlaut-0123456789"] {
            assert!(Token::new(bad).is_err(), "{bad}");
        }
        assert!(Token::new(&"x".repeat(LONGEST + 1)).is_err());
        assert!(!format!("{:?}", Token::new(TEXT).unwrap()).contains("0123"));
    }
}
