//! Text from a store, made safe to show; and numbers with their nouns.

/// Stored text can contain anything; a terminal must not obey it.
pub fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}

/// Words of a memory, session or event: an assistant may read them in a shell of its own.
pub fn words(text: &str) -> String {
    hark_core::quote::quoted(&safe(text)).into_owned()
}

/// `1 memory`, `2 memories`.
pub fn count(n: impl TryInto<u64>, one: &str, many: &str) -> String {
    let n: u64 = n.try_into().unwrap_or(0);
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_text_cannot_steer_the_terminal() {
        assert_eq!(safe("a\u{1b}[31mb\nc"), "a\u{fffd}[31mb\nc");
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        assert_eq!(count(1_u64, "memory", "memories"), "1 memory");
        assert_eq!(count(0_u64, "memory", "memories"), "0 memories");
    }
}
