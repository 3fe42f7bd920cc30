//! What an operation gets besides its request: who calls, the machine around it, and a way to talk back.

use std::io::{Read, Write};

use crate::activity::Activity;
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
    /// Waits until the process is told to stop; `None` where the call is not the whole process.
    pub until_stopped: Option<&'a mut dyn FnMut()>,
    pub stdin: &'a mut dyn Read,
    pub stdout: &'a mut dyn Write,
}

impl Machine {
    /// A call where nobody can be asked. Others see how far it is.
    pub fn unattended<T>(&self, caller: &Caller, work: impl FnOnce(&mut Call<'_>) -> T) -> T {
        let mut activity = Activity::of(self);
        work(&mut Call {
            machine: self,
            caller,
            progress: &mut |progress| {
                if let Some(activity) = &mut activity {
                    activity.show(progress);
                }
            },
            ask: &mut |_| None,
            json: false,
            until_stopped: None,
            stdin: &mut std::io::empty(),
            stdout: &mut std::io::sink(),
        })
    }
}
