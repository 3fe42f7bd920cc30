//! What an operation gets besides its request: who calls, the machine around it, and a way to talk back.

use std::io::{Read, Write};

use crate::engine::Caller;
use crate::machine::Machine;

/// How far a long operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, such as `importing`.
    pub what: &'static str,
    pub done: u64,
    pub total: u64,
}

pub struct Call<'a> {
    pub machine: &'a Machine,
    pub caller: &'a Caller,
    pub progress: &'a mut dyn FnMut(Progress),
    /// Asks a person yes or no; `None` where nobody can answer.
    pub ask: &'a mut dyn FnMut(&str) -> Option<bool>,
    /// Whether standard output is to be JSON, for operations that write it themselves.
    pub json: bool,
    pub stdin: &'a mut dyn Read,
    pub stdout: &'a mut dyn Write,
}

impl Machine {
    /// A call where nobody watches and nobody can be asked.
    pub fn unattended<T>(&self, caller: &Caller, work: impl FnOnce(&mut Call<'_>) -> T) -> T {
        work(&mut Call {
            machine: self,
            caller,
            progress: &mut |_| {},
            ask: &mut |_| None,
            json: false,
            stdin: &mut std::io::empty(),
            stdout: &mut std::io::sink(),
        })
    }
}
