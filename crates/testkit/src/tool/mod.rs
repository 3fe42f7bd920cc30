//! What the programs around the product share, `xtask` and the lab: where things are in the workspace, running other
//! programs, hark itself as a command and a server, and one kind of failure.

pub mod client;
pub mod failure;
pub mod process;
pub mod shared_data;
pub mod workspace;
