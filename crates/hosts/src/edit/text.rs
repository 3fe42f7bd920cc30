//! Converts the bytes of a text file to text and back without loss: byte order mark, line ends.

use super::Refusal;

const BOM: &str = "\u{feff}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    bom: bool,
    pub(crate) body: String,
}

impl Text {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Text, Refusal> {
        let text = std::str::from_utf8(bytes).map_err(|e| {
            Refusal::new("it is not UTF-8 text", "save it as UTF-8")
                .at(&String::from_utf8_lossy(bytes), e.valid_up_to())
        })?;
        let body = text.strip_prefix(BOM);
        Ok(Text { bom: body.is_some(), body: body.unwrap_or(text).to_owned() })
    }

    /// Another text with the same encoding details.
    pub(crate) fn with(&self, body: String) -> Text {
        Text { bom: self.bom, body }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = if self.bom { BOM.as_bytes().to_vec() } else { Vec::new() };
        bytes.extend_from_slice(self.body.as_bytes());
        bytes
    }
}

/// The line end this text uses.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// `text` with the line ends of `like`.
pub(super) fn with_line_ends_of(text: &str, like: &str) -> String {
    match line_end(like) {
        "\n" => text.to_owned(),
        end => text.replace('\n', end),
    }
}

/// What must separate `text` from a paragraph after it.
pub(super) fn gap(text: &str) -> String {
    let end = line_end(text);
    if text.is_empty() || text.ends_with(&format!("{end}{end}")) {
        String::new()
    } else if text.ends_with('\n') {
        end.to_owned()
    } else {
        format!("{end}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_survives() {
        for bytes in [&b"\xef\xbb\xbf{}\r\n"[..], b"{}", b""] {
            assert_eq!(Text::decode(bytes).unwrap().encode(), bytes);
        }
        assert_eq!(Text::decode(b"a\nb\xff").unwrap_err().line, Some(2));
    }
}
