//! `hark trust [PATH] [--revoke]`

use std::io::{BufRead, IsTerminal};

use hark_engine::ops::trust;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, GOOD, ID, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: trust::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    environment.refuse_under_assistant("hark trust")?;
    let run = |request: &trust::Request| {
        let mut engine = environment.engine()?;
        let caller = environment.caller();
        Ok::<_, Failure>(trust::run(&mut engine, &caller, request)?)
    };
    let response = run(&args.request)?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    print(&response);
    if response.claims.is_empty() {
        return Ok(());
    }
    for claim in &response.claims {
        ui::print(&format!(
            "  {ID}{}{ID:#} {} {DIM}{}{DIM:#}\n",
            claim.id,
            ui::safe(&claim.title),
            claim.kind
        ));
    }
    let count = response.claims.len();
    let (noun, verb, them) =
        if count == 1 { ("memory", "calls itself", "it") } else { ("memories", "call themselves", "them") };
    ui::note(&format!(
        "{count} {noun} in it {verb} yours, but nothing shows that you wrote {them} here. Until you confirm, \
         {them} count as a teammate's words.\n",
        them = if count == 1 { "it" } else { "they" }
    ));
    let interactive = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !interactive || !agrees(&format!("Take {them} as your own words? [y/N] ")) {
        ui::note("to take them as your own words: hark trust --mine\n");
        return Ok(());
    }
    let taken = run(&trust::Request { mine: true, ..args.request.clone() })?.taken;
    ui::print(&format!("{GOOD}took{GOOD:#} {taken} as your own words\n"));
    Ok(())
}

fn print(response: &trust::Response) {
    let path = ui::safe(&response.path);
    let memories = match response.memories {
        1 => "1 memory".to_owned(),
        n => format!("{n} memories"),
    };
    if response.trusted {
        let word = if response.changed { "trusted" } else { "already trusted" };
        ui::print(&format!("{GOOD}{word}:{GOOD:#} {path} ({memories})\n"));
        ui::note("New memories of this project are kept there. Take it back with: hark trust --revoke\n");
    } else {
        let word = if response.changed { "no longer trusted" } else { "not trusted" };
        ui::print(&format!("{WARN}{word}:{WARN:#} {path} ({memories}, quoted only when you ask)\n"));
    }
    if response.sessions > 0 {
        ui::print(&format!("copied {} sessions recorded here into your own store\n", response.sessions));
    }
    if response.taken > 0 {
        ui::print(&format!("took {} as your own words\n", response.taken));
    }
    if response.moved > 0 {
        ui::print(&format!("moved {} memories here from your own store\n", response.moved));
    }
}

fn agrees(question: &str) -> bool {
    ui::note(question);
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
