//! `hark hook HOST [EVENT]`, as help shows it. It runs before commands are parsed: see `hook.rs`.

use super::Start;
use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, clap::Args)]
pub(super) struct Hook {
    /// The assistant, as in `hark install`
    #[arg(value_name = "HOST")]
    host: String,
    /// The event, where the assistant does not name it itself
    #[arg(value_name = "EVENT", trailing_var_arg = true, allow_hyphen_values = true)]
    event: Vec<String>,
}

impl Start for Hook {
    fn start(self, _environment: &Environment) -> Result<(), Failure> {
        let mut words = vec![self.host];
        words.extend(self.event);
        crate::hook::run(&words)
    }
}
