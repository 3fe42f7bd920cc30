//! `hark checkpoint`

use hark_engine::ops::checkpoint;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Read the fields as JSON from stdin; flags add to it
    #[arg(long)]
    from_stdin: bool,
    #[command(flatten)]
    request: checkpoint::Request,
}

pub(crate) fn run(args: Args, environment: &Environment) -> Result<(), Failure> {
    let request = if args.from_stdin { joined(args.request, read()?) } else { args.request };
    let response = environment.with_engine(|engine, caller| checkpoint::run(engine, caller, &request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("{ID}{}{ID:#} saved {DIM}{}{DIM:#}\n", response.session, ui::safe(&response.path)));
    if !response.counted {
        ui::note("nothing was said; give --goal, --done, --pending or --decision\n");
    }
    Ok(())
}

/// The fields, or the same under `checkpoint`.
fn read() -> Result<checkpoint::Request, Failure> {
    let text = std::io::read_to_string(std::io::stdin())
        .map_err(|e| Failure::user(format!("stdin: {e}"), "give the fields as JSON"))?;
    let bad = |e: serde_json::Error| {
        Failure::user(format!("stdin is not a checkpoint: {e}"), "see `hark checkpoint --help`")
    };
    let mut value: serde_json::Value = serde_json::from_str(&text).map_err(bad)?;
    if let Some(object) = value.as_object_mut() {
        if let Some(serde_json::Value::Object(inner)) = object.remove("checkpoint") {
            object.extend(inner);
        }
        for name in ["session_id", "conversation_id"] {
            if let Some(id) = object.remove(name) {
                object.entry("session").or_insert(id);
            }
        }
    }
    serde_json::from_value(value).map_err(bad)
}

fn joined(flags: checkpoint::Request, read: checkpoint::Request) -> checkpoint::Request {
    let list = |mut a: Vec<String>, b: Vec<String>| {
        a.extend(b);
        a
    };
    checkpoint::Request {
        session: flags.session.or(read.session),
        goal: flags.goal.or(read.goal),
        done: list(read.done, flags.done),
        pending: list(read.pending, flags.pending),
        nothing_pending: flags.nothing_pending || read.nothing_pending,
        summary: list(read.summary, flags.summary),
        decisions: list(read.decisions, flags.decisions),
        plans: list(read.plans, flags.plans),
        references: list(read.references, flags.references),
        status: flags.status.or(read.status),
        title: flags.title.or(read.title),
        host: flags.host.or(read.host),
    }
}
