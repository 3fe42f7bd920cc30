//! Use cases over a real store, without a process around them.

mod filters_and_budget;
mod lasting_process;
mod pairs;
mod recall_quality;
mod what_is_asked;
