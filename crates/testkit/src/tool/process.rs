//! Running other programs.
#![allow(clippy::print_stdout, reason = "what other programs say is passed on to the terminal")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use super::failure::{Failure, Outcome};
use super::workspace;

/// Cargo, in the workspace, as the one that runs us.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Runs with our terminal; fails unless it succeeds.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|e| Failure::new(format!("{}: {e}", name(command))))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{}: {status}", name(command)))) }
}

/// Where a program says what we want to know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Out,
    Error,
}

/// Runs with our terminal, and hands each line of one stream to `look` on its way.
pub fn run_watching(command: &mut Command, stream: Stream, mut look: impl FnMut(&str)) -> Outcome {
    let fail = |command: &Command, e: &std::io::Error| Failure::new(format!("{}: {e}", name(command)));
    match stream {
        Stream::Out => command.stdout(Stdio::piped()),
        Stream::Error => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().map_err(|e| fail(command, &e))?;
    let out = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read>);
    let pipe = out.or_else(|| child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read>));
    for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
        let line = line.map_err(|e| fail(command, &e))?;
        look(&line);
        println!("{line}");
    }
    let status = child.wait().map_err(|e| fail(command, &e))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{}: {status}", name(command)))) }
}

/// Runs and returns what it printed on stdout; fails unless it succeeds.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let output = output(command)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub fn output(command: &mut Command) -> Outcome<Output> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|e| Failure::new(format!("{}: {e}", name(command))))?;
    if output.status.success() {
        return Ok(output);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("{}: {}\n{}", name(command), output.status, complaint.trim_end())))
}

/// Whether a program is installed and runs.
pub fn is_there(program: &str, arguments: &[&str]) -> bool {
    let quiet = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

fn name(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let arguments = command.get_args().take(4).map(|a| a.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}
