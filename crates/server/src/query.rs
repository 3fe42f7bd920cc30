//! The query of a URL as pairs.

/// Every `name=value`, in order, decoded; `None` if it is not valid.
pub(crate) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decoded(name)?, decoded(value)?))
        })
        .collect()
}

/// The first value of a name.
pub(crate) fn value(query: &str, name: &str) -> Option<String> {
    pairs(query)?.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded_and_kept_in_order() {
        let all = pairs("a=1&b=x+y%20z&a=%C3%A9&&flag").unwrap();
        let all: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(all, [("a", "1"), ("b", "x y z"), ("a", "é"), ("flag", "")]);
        assert_eq!(value("a=1&b=2&b=3", "b").as_deref(), Some("2"));
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        for bad in ["a=%", "a=%2", "a=%zz", "a=%ff", "%c3=1"] {
            assert_eq!(pairs(bad), None, "{bad}");
        }
    }
}
