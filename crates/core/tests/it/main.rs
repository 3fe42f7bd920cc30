//! The rules of the product, each through the crate's own door.

mod budget;
mod distil_injection;
mod every_text;
mod pasted_words;
mod redaction;
mod redaction_dev_set;
mod redaction_forms;
mod redaction_survivors;
