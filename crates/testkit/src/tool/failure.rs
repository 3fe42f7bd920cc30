//! One error type: a sentence for the person at the terminal.

use std::fmt;
use std::io;
use std::path::Path;

pub struct Failure(String);

pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub fn new(text: impl Into<String>) -> Self {
        Failure(text.into())
    }

    pub fn io(path: &Path, error: &io::Error) -> Self {
        Failure(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
