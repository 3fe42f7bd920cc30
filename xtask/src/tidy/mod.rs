//! Checks that no compiler makes: file sizes, headers, leftovers, absolute paths of a developer's machine,
//! files tracked in git, and dependencies.

mod dependencies;
mod sources;
mod tracked;

use crate::failure::{Failure, Outcome};

/// Every complaint at once: a list is easier to work off than a first finding.
pub(crate) fn run() -> Outcome {
    let mut complaints = sources::check()?;
    complaints.extend(tracked::check()?);
    complaints.extend(dependencies::check()?);
    if complaints.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{} complaint(s)\n  {}", complaints.len(), complaints.join("\n  "))))
}
