//! `hark ingest`

use hark_engine::ops::ingest;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::surroundings;
use crate::ui::bar::Bar;
use crate::ui::{self, BOLD, DIM};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: ingest::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let around = surroundings::read(environment)?;
    let mut bar = Bar::new();
    let response = environment.with_engine(|engine, caller| {
        ingest::run(engine, caller, &args.request, &around, &mut |progress| {
            bar.show(progress.bytes, progress.total_bytes, &format!("{} files", progress.files));
        })
    });
    bar.clear();
    let response = response?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    ui::print(&words(&response));
    for trouble in &response.report.troubles {
        ui::note(&format!("not read: {}: {}\n", ui::safe(&trouble.path), ui::safe(&trouble.reason)));
    }
    if response.report.files.read + response.report.files.unchanged == 0 {
        ui::note("no transcripts were found; name a file or folder: hark ingest PATH\n");
    } else if response.report.events.new > 0 {
        ui::note("see them with `hark sessions --all-projects`\n");
    }
    Ok(())
}

fn words(response: &ingest::Response) -> String {
    let report = &response.report;
    let mut text = format!(
        "{BOLD}{} new events in {} sessions{BOLD:#}, {} of them new\n",
        report.events.new, report.sessions.updated, report.sessions.new
    );
    let files = &report.files;
    let mut facts = vec![format!("{} files read", files.read)];
    for (count, what) in [
        (files.unchanged, "unchanged"),
        (files.replaced, "read again from their beginning"),
        (files.older, "older"),
        (files.unrecognised, "no transcripts"),
        (files.failed, "failed"),
    ] {
        if count > 0 {
            facts.push(format!("{count} {what}"));
        }
    }
    text.push_str(&format!("{}\n", facts.join(", ")));
    let mut facts = vec![format!("{} records", report.records)];
    for (count, what) in
        [(report.events.known, "known"), (report.events.copied, "copied from another session")]
    {
        if count > 0 {
            facts.push(format!("{count} {what}"));
        }
    }
    for (why, count) in &report.skipped {
        facts.push(format!("{count} {}", why.replace('_', " ")));
    }
    text.push_str(&format!("{}\n", facts.join(", ")));
    let rate = response.rate.map(|rate| format!(", {rate} MB/s")).unwrap_or_default();
    text.push_str(&format!(
        "{DIM}{:.1} MB in {:.1} s{rate}{DIM:#}\n",
        report.bytes as f64 / 1e6,
        report.seconds
    ));
    text
}
