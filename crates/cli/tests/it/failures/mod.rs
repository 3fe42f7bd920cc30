//! Failures, from hooks to warnings: through the binary, in the clients' own shapes.

mod clients;
mod ledger;
mod lifecycle;
mod poison;
mod programs;
mod stories;
mod worth;
