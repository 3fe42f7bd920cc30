//! The pure domain of Hark: what a memory is, and how text is analysed, ranked, budgeted, redacted and
//! written as markdown.
//!
//! Nothing here does I/O, uses SQL, reads a clock or draws random numbers: `now` and keys are parameters, so
//! every rule of the product can be tested as a function.

pub mod budget;
pub mod calendar;
pub mod digest;
pub mod distil;
pub mod entity;
pub mod event;
pub mod failure;
pub mod guidance;
pub mod hindsight;
pub mod id;
pub mod kind;
pub mod learning;
pub mod life;
pub mod lifecycle;
pub mod likeness;
pub mod link;
pub mod markdown;
pub mod memory;
pub mod origin;
pub mod process;
pub mod project;
pub mod quote;
pub mod rank;
pub mod redact;
pub mod retention;
pub mod rule;
pub mod session;
pub mod text;
pub mod tier;
pub mod time;
pub mod vector;
pub mod when;

pub use entity::{Entity, EntityKind};
pub use guidance::{Action, Evidence, Guidance};
pub use id::{IdRef, MemoryId};
pub use kind::Kind;
pub use life::{Feedback, Life, Verdict};
pub use lifecycle::Status;
pub use link::{Link, Relation};
pub use memory::{Memory, Scope};
pub use origin::Origin;
pub use process::ClientProcess;
pub use project::ProjectKey;
pub use redact::{Clean, Raw};
pub use session::{Session, SessionId};
pub use time::Timestamp;
