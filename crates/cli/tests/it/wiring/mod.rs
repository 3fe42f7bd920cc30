//! Installing and uninstalling as users meet it: what they wrote stays, what does not work is named, and
//! every permission is theirs to give.

mod allow;
mod doctor;
mod gate;
mod purge;
mod switches;
mod user_lines;
mod watch;
