//! The query of a URL: filters that a page takes, and links that keep them.

/// Names and values in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Query(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// The same with one value changed; an empty one removes it.
    pub(crate) fn with(&self, name: &str, value: &str) -> Query {
        let mut pairs: Vec<_> = self.0.iter().filter(|(known, _)| known != name).cloned().collect();
        if !value.is_empty() {
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Query(pairs)
    }

    /// Only these names.
    pub(crate) fn only(&self, names: &[&str]) -> Query {
        Query(self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).cloned().collect())
    }

    pub(crate) fn after(&self, path: &str) -> String {
        let pairs: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut ahead = rest.clone();
                let hex =
                    [ahead.next(), ahead.next()].map(|digit| digit.and_then(|d| (d as char).to_digit(16)));
                match hex {
                    [Some(high), Some(low)] => {
                        bytes.push((high * 16 + low) as u8);
                        rest = ahead;
                    }
                    _ => bytes.push(b'%'),
                }
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b':' => {
                out.push(byte as char);
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let query = Query::default().with("q", "a b&c=d%").with("project", "github.com/acme/shop");
        let url = query.after("/search");
        assert_eq!(url, "/search?q=a%20b%26c%3Dd%25&project=github.com/acme/shop");
        assert_eq!(Query::parse(url.split_once('?').unwrap().1), query);
        assert_eq!(Query::parse("q=%zz+1&empty=&x").get("q"), Some("%zz 1"));
        assert_eq!(query.with("q", "").after("/"), "/?project=github.com/acme/shop");
    }
}
