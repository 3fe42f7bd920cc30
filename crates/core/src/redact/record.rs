//! Records that were read from JSON, and the two ways to make them records that may be kept.
//!
//! [`Clean`] cannot be deserialised, and neither can anything that holds it. What can is the same type
//! with [`Raw`] in its place, `Memory<Raw>` for example. It becomes a `Memory` through the redactor, or,
//! for a record that we wrote ourselves, through [`own_record`].

use serde::de::DeserializeOwned;

use super::text::{Clean, Raw};

/// Something whose texts have not passed redaction.
///
/// Implementations name every field of what they build, so that a new text does not compile until it
/// goes through the door as well.
pub trait Unredacted: Sized {
    type Redacted;

    /// Takes every text through `clean`, which is the redactor.
    fn redacted(self, clean: &dyn Fn(Raw) -> Clean) -> Self::Redacted;
}

/// Reads a record that only ever received [`Clean`] text: a row of our own index, a line of our own
/// history. Not for anything that came from outside, such as an import.
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
