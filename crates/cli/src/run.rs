//! Runs an operation from the command line and prints its response.

use std::io::{BufRead, IsTerminal, Write};

use clap::ArgMatches;
use hark_engine::activity::Activity;
use hark_engine::operation::{Call, Done, Effect, Needs, Page, Prepared};
use hark_engine::project::names::Names;
use hark_engine::{Operation, Told};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::inbox;
use crate::ui::{self, bar::Bar};

/// The list after which a terminal asks for decisions.
const INBOX: &str = "inbox";

pub(crate) fn operation(
    operation: &Operation,
    matches: &ArgMatches,
    environment: &Environment,
) -> Result<(), Failure> {
    let caller = environment.caller();
    operation.permit(&caller)?;
    hark_engine::trace::call(operation.name);
    let mut bar = Bar::new();
    let mut activity = Activity::of(&environment.machine);
    let interactive = !environment.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut call = Call {
        machine: &environment.machine,
        caller: &caller,
        progress: &mut |progress| {
            bar.show(progress);
            if let Some(activity) = &mut activity {
                activity.show(progress);
            }
        },
        ask: &mut |question| interactive.then(|| agrees(question)),
        json: environment.json,
        until_stopped: Some(&mut hark_server::until_told_to_stop),
        stdin: &mut std::io::stdin(),
        stdout: &mut Pipe,
    };
    let outcome =
        operation.code.typed(matches, &mut call).map_err(Failure::from).and_then(|prepared| match operation
            .code
            .needs
        {
            Needs::Machine => Ok((prepared.run_here(&mut call)?, Names::default())),
            Needs::Store => on_store(&prepared, &mut call, environment),
        });
    bar.clear();
    let (done, names) = outcome?;
    let decides = interactive
        && operation.name == INBOX
        && caller.is_user()
        && std::io::stdout().is_terminal()
        && !done.is_printed();
    show(&done, names, operation.effect == Effect::Read && !decides, environment)?;
    if decides {
        inbox::decide_each(&done.json(), environment)?;
    }
    match done.problem() {
        None => Ok(()),
        // With --json the response itself says what is wrong.
        Some(problem) if environment.json => Err(Failure::from(problem).told()),
        Some(problem) => Err(problem.into()),
    }
}

fn on_store(
    prepared: &Prepared,
    call: &mut Call<'_>,
    environment: &Environment,
) -> Result<(Done, Names), Failure> {
    let folder = call.machine.cwd.clone();
    let mut engine = call.machine.engine()?;
    if let Some(folder) = &folder {
        engine.enter(folder)?;
    }
    let (engine, outcome) = engine.recovering(|engine| prepared.run(engine, call));
    if let (Some(engine), Some(folder), false) = (&engine, &folder, environment.json)
        && let Some(store) = engine.tell_of_untrusted(folder, Told::User)
    {
        ui::note(&format!(
            "this project has a Hark store that you do not trust ({}). Hark only quotes it when you ask. To \
             use it as your project's memory: hark trust\n",
            ui::safe(&store.display().to_string())
        ));
    }
    let mut engine = engine;
    for store in engine.iter_mut().flat_map(hark_engine::Engine::take_missing_stores) {
        let store = store.display().to_string();
        ui::note(&format!(
            "skipped the store {}: it is not there; forget it with: hark trust --revoke {0}\n",
            ui::safe(&store)
        ));
    }
    let names = match &engine {
        Some(engine) if !environment.json => engine.project_names().unwrap_or_default(),
        _ => Names::default(),
    };
    Ok((outcome?, names))
}

fn show(done: &Done, names: Names, may_page: bool, environment: &Environment) -> Result<(), Failure> {
    if done.is_printed() {
        return Ok(());
    }
    if environment.json {
        ui::print(&format!("{}\n", done.json()));
        return Ok(());
    }
    let mut page = Page::new(ui::width()).with_names(names);
    done.print(&mut page);
    if may_page {
        ui::pager::print(page.text());
    } else {
        ui::print(page.text());
    }
    ui::note(page.notes());
    Ok(())
}

fn agrees(question: &str) -> bool {
    ui::note(question);
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// stdout without colour handling. A closed pipe is success, as everywhere.
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
