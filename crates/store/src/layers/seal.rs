//! Proves that a memory in a project's store is in the user's own words.
//!
//! Front matter can claim anything, and a team shares the file. So memories that this user wrote or confirmed get a
//! seal: a keyed hash of the whole file, made with the key of the user's store. On other machines, and after any
//! change made elsewhere, the seal is invalid and the words count as a teammate's.

use hark_core::redact::Redactor;

const OPENING: &str = "---\n";
const KEY: &str = "seal: ";

fn mark(redactor: &Redactor, store: &str, text: &str) -> String {
    let mark = redactor.mark(&format!("seal {store}"), text);
    mark.iter().map(|b| format!("{b:02x}")).collect()
}

/// The file of a memory that the user wrote or confirmed.
pub(super) fn sealed(redactor: &Redactor, store: &str, text: &str) -> String {
    let Some(rest) = text.strip_prefix(OPENING) else { return text.to_owned() };
    format!("{OPENING}{KEY}{}\n{rest}", mark(redactor, store, text))
}

/// The file without its seal, and whether the seal fits.
pub(super) fn unsealed(redactor: &Redactor, store: &str, text: &str) -> (String, bool) {
    // A checkout may have changed the ends of lines.
    let text = text.replace("\r\n", "\n");
    let parts = text
        .strip_prefix(OPENING)
        .and_then(|rest| rest.strip_prefix(KEY))
        .and_then(|rest| rest.split_once('\n'));
    let Some((found, rest)) = parts else { return (text, false) };
    let plain = format!("{OPENING}{rest}");
    let fits = mark(redactor, store, &plain) == found.trim();
    (plain, fits)
}

#[cfg(test)]
mod tests {
    use hark_core::redact::{RedactOptions, Redactor};

    use super::*;

    #[test]
    fn a_seal_fits_only_here_and_unchanged() {
        let redactor = Redactor::new(RedactOptions::default(), [7; 32]);
        let text = "---\nid: 1\norigin: user\n---\n\nUse pnpm.\n";
        let file = sealed(&redactor, "store", text);
        assert_eq!(unsealed(&redactor, "store", &file), (text.to_owned(), true));
        assert_eq!(unsealed(&redactor, "store", &file.replace('\n', "\r\n")), (text.to_owned(), true));
        assert!(!unsealed(&redactor, "other", &file).1);
        assert!(!unsealed(&redactor, "store", &file.replace("pnpm", "curl")).1);
        assert!(!unsealed(&redactor, "store", text).1);
        let stranger = Redactor::new(RedactOptions::default(), [8; 32]);
        assert!(!unsealed(&stranger, "store", &file).1);
    }
}
