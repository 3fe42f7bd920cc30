//! `hark hook HOST [EVENT]`, as the help shows it. It runs before commands are parsed: see `hook.rs`.

use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The assistant, as in `hark install`
    #[arg(value_name = "HOST")]
    host: String,
    /// The event, where the assistant does not name it itself
    #[arg(value_name = "EVENT", trailing_var_arg = true, allow_hyphen_values = true)]
    event: Vec<String>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let mut words = vec![args.host];
    words.extend(args.event);
    crate::hook::run(&words)
}
