//! `hark doctor`

use hark_engine::ops::doctor;
use hark_store::Severity;

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BAD, GOOD, WARN};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: doctor::Request,
}

pub(crate) fn run(args: &Args, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| doctor::run(engine, caller, &args.request))?;
    if environment.output.json {
        ui::print_json(&response);
    } else {
        ui::print(&format!("{} memories in {}\n", response.memories, response.home));
        for seen in &response.assistants {
            let told = seen.last_injection.as_deref().unwrap_or("never");
            ui::print(&format!(
                "{}: {} sessions, last event {}, last told something {told}\n",
                ui::safe(&seen.host),
                seen.sessions,
                seen.last_event
            ));
        }
        for finding in &response.findings {
            let (style, word) = match finding.severity {
                Severity::Ok => (GOOD, "ok"),
                Severity::Warning => (WARN, "warning"),
                Severity::Problem => (BAD, "problem"),
            };
            ui::print(&format!("{style}{word}:{style:#} {}\n", ui::safe(&finding.what)));
            if let Some(mend) = &finding.mend {
                ui::print(&format!("  to mend: {}\n", ui::safe(mend)));
            }
        }
        if response.findings.is_empty() {
            ui::print(&format!("{GOOD}everything is well{GOOD:#}\n"));
        }
    }
    if response.healthy {
        return Ok(());
    }
    Err(Failure::storage("the store has problems", "follow the lines marked `to mend`"))
}
