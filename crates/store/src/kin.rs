//! What may say the same as a memory, for those who only look.

use hark_core::{Memory, Status};

use crate::error::{At, StoreError};
use crate::index;
use crate::read;
use crate::store::Store;

/// How many near-repeats of a memory are looked at.
const MOST: usize = 8;

impl Store {
    /// Active memories of the same project and kind that may say the same, likeliest first.
    pub fn alike(&self, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
        let run = || -> rusqlite::Result<Vec<Memory>> {
            let mut found = Vec::new();
            for num in index::alike(&self.conn, memory)? {
                let Some(other) = read::by_num(&self.conn, num)?.map(|stored| stored.memory) else {
                    continue;
                };
                let fits = other.id != memory.id
                    && other.kind == memory.kind
                    && other.scope == memory.scope
                    && other.status == Status::Active;
                if fits {
                    found.push(other);
                }
                if found.len() == MOST {
                    break;
                }
            }
            Ok(found)
        };
        run().at(self)
    }

    /// Nearness of two texts in meaning.
    pub fn cosine(&self, a: &str, b: &str) -> Option<f32> {
        Some(self.embedder.embed(a)?.cosine(&self.embedder.embed(b)?))
    }
}
