//! Records that were read from JSON, and the two ways to turn them into records that may be stored.
//!
//! [`Clean`] cannot be deserialised, and neither can anything that contains it. The same type with [`Raw`] in
//! its place can, for example `Memory<Raw>`. It becomes a `Memory` through the redactor or, for a record that
//! hark wrote itself, through [`own_record`].

use serde::de::DeserializeOwned;

use super::text::{Clean, Raw};

/// Something whose texts have not passed redaction.
///
/// Implementations name every field of what they build, so that a new text field does not compile until it is
/// redacted as well.
pub trait Unredacted: Sized {
    type Redacted;

    /// Passes every text through `clean`, which is the redactor.
    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Self::Redacted;
}

/// Reads a record that only ever received [`Clean`] text: a row of hark's own index, a line of its own
/// history. Not for anything external, such as an import.
pub fn own_record<T: Unredacted + DeserializeOwned>(json: &str) -> serde_json::Result<T::Redacted> {
    let record: T = serde_json::from_str(json)?;
    Ok(record.redacted(&|raw| Clean::already_redacted(raw.into_inner())))
}

impl Unredacted for Raw {
    type Redacted = Clean;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Clean {
        clean(self)
    }
}

impl<T: Unredacted> Unredacted for Option<T> {
    type Redacted = Option<T::Redacted>;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Self::Redacted {
        self.map(|inner| inner.redacted(clean))
    }
}

impl<T: Unredacted> Unredacted for Vec<T> {
    type Redacted = Vec<T::Redacted>;

    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Self::Redacted {
        self.into_iter().map(|item| item.redacted(clean)).collect()
    }
}
