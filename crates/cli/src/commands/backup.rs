//! `hark backup [list | restore [NAME]]`

use hark_engine::ops::backup;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, DIM, ID, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List snapshots, newest first
    List,
    /// Bring back what is missing or damaged, from the newest snapshot or the one named
    Restore(backup::RestoreRequest),
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    match &args.what {
        None => make(environment),
        Some(What::List) => list(environment),
        Some(What::Restore(request)) => restore(request, environment),
    }
}

fn make(environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(backup::run)?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let made = &response.made;
    ui::print(&format!("{ID}{}{ID:#} {} files, {} kB\n", made.name, made.files, made.bytes / 1024));
    ui::note(&format!("{} snapshots are kept; to bring files back: hark backup restore\n", response.kept));
    Ok(())
}

fn list(environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(backup::list)?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for snapshot in &response.snapshots {
        let damaged = if snapshot.whole { String::new() } else { format!(" {WARN}damaged{WARN:#}") };
        ui::print(&format!(
            "{ID}{}{ID:#} {DIM}{} files, {} kB{DIM:#}{damaged}\n",
            snapshot.name,
            snapshot.files,
            snapshot.bytes / 1024
        ));
    }
    if response.snapshots.is_empty() {
        ui::note("there is none yet; make one: hark backup\n");
    }
    Ok(())
}

fn restore(request: &backup::RestoreRequest, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| backup::restore(engine, caller, request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    let would = if response.applied { "" } else { "would be " };
    let files = &response.files;
    for (word, names) in
        [("back", &files.missing), ("replaced", &files.replaced), ("removed", &files.removed)]
    {
        for name in names {
            ui::print(&format!("{would}{word}: {}\n", ui::safe(name)));
        }
    }
    ui::note(&format!("{DIM}{} files are as they were{DIM:#}\n", files.unchanged));
    if files.forgotten > 0 {
        ui::note(&format!("{} were forgotten since and stay so\n", files.forgotten));
    }
    if !files.whole {
        ui::note(&format!("{WARN}the snapshot is damaged:{WARN:#} what could be read of it was used\n"));
    }
    if !response.applied {
        ui::note("nothing was changed; add --yes to do it\n");
    } else if let Some(before) = &response.before {
        ui::note(&format!("how it was before: hark backup restore {before} --exact --yes\n"));
    }
    Ok(())
}
