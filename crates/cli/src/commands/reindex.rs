//! `hark reindex`

use hark_engine::ops::reindex;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui;
use crate::ui::progress::Bar;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: reindex::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let mut bar = Bar::new("making vectors");
    let response = environment.with_engine(|engine, caller| {
        reindex::run(engine, caller, &args.request, &mut |done, total| bar.show(done, total))
    });
    bar.clear();
    let response = response?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&format!("indexed {} memories in {} ms\n", response.memories, response.millis));
    if let Some(vectors) = response.vectors.filter(|vectors| vectors.left > 0) {
        ui::note(&format!(
            "{} of {} passages have no vector of the encoder yet, so recall may rank differently until then; \
             the worker makes them, or do it now: hark model embed\n",
            vectors.left, vectors.passages
        ));
    }
    if response.unreadable_files > 0 {
        ui::note(&format!(
            "{} file(s) cannot be read and were left alone; see `hark doctor`\n",
            response.unreadable_files
        ));
    }
    Ok(())
}
