//! Rules: when one applies, and what its record says about it.

mod standing;
mod trigger;

pub use standing::{PROMOTE_CONFIDENCE, PROMOTE_IMPORTANCE, QUIET_DAYS, Retire, confidence, retire};
pub use trigger::{Deed, Trigger, TriggerError};
