//! `hark export [PATH]`

use std::io::Write;

use hark_engine::ops::export;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, GOOD};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: export::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let mut stdout = Pipe;
    let response =
        environment.with_engine(|engine, caller| export::run(engine, caller, &args.request, &mut stdout))?;
    let Some(path) = &response.path else { return Ok(()) };
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let written = &response.written;
    ui::print(&format!(
        "{GOOD}exported{GOOD:#} {} memories, {} sessions, {} former states to {}\n",
        written.memories,
        written.sessions,
        written.revisions,
        ui::safe(path)
    ));
    if response.unreadable_files > 0 {
        ui::note(&format!(
            "{} file(s) cannot be read and were left out; see `hark doctor`\n",
            response.unreadable_files
        ));
    }
    ui::note("take it in elsewhere with `hark import`\n");
    Ok(())
}

/// stdout, without the colour handling that text needs. A closed pipe is success, as everywhere.
struct Pipe;

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match std::io::stdout().lock().write(bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
            outcome => outcome,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().lock().flush()
    }
}
