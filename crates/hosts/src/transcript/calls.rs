//! Tool calls that still wait for their results.

use std::collections::VecDeque;

use crate::hook::tools::ToolUse;

/// The maximum number of waiting calls.
const MOST: usize = 256;
/// A call further back in its file than this is given up.
const FAR: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
struct Call {
    id: String,
    at: u64,
    tool: ToolUse,
}

#[derive(Debug, Default)]
pub(crate) struct Calls {
    waiting: VecDeque<Call>,
    seen: u64,
}

impl Calls {
    pub(crate) fn begin(&mut self, id: String, at: u64, tool: ToolUse) {
        self.seen = self.seen.max(at);
        self.waiting.retain(|call| call.id != id);
        if self.waiting.len() >= MOST {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Call { id, at, tool });
    }

    /// The call that this result belongs to.
    pub(crate) fn end(&mut self, id: &str, at: u64) -> Option<ToolUse> {
        self.seen = self.seen.max(at);
        let place = self.waiting.iter().position(|call| call.id == id)?;
        self.waiting.remove(place).map(|call| call.tool)
    }

    /// Where the first waiting call begins.
    pub(crate) fn since(&self) -> Option<u64> {
        let near = |call: &&Call| self.seen.saturating_sub(call.at) <= FAR;
        self.waiting.iter().filter(near).map(|call| call.at).min()
    }
}
