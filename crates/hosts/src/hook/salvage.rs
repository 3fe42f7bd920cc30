//! Reads as much of a broken JSON object as possible: a client that was cut off has still identified itself.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The object in `input`, or the readable part of a broken one.
pub(super) fn object(input: &[u8]) -> Map<String, Value> {
    let text = String::from_utf8_lossy(input);
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        return object;
    }
    let mut found = Map::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let _ = Gather(&mut found).deserialize(&mut deserializer);
    found
}

/// Keeps each member that was read, even if a later one fails.
struct Gather<'m>(&'m mut Map<String, Value>);

impl<'de> DeserializeSeed<'de> for Gather<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Gather<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            if key.len() > 200 {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: Value = members.next_value()?;
            self.0.insert(key, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_before_the_cut_are_kept() {
        let whole = br#"{"session_id":"a","cwd":"/x","tool_input":{"command":"ls"},"n":1}"#;
        assert_eq!(object(whole).len(), 4);
        assert_eq!(object(&whole[..40])["session_id"], "a");
        for broken in [&b""[..], b"[]", b"null", b"{", b"\xff\xfe{}", b"{\"a\":1}}", b"not json"] {
            let _ = object(broken);
        }
        assert_eq!(object("\u{feff}{\"a\":1}".as_bytes())["a"], 1);
    }
}
