//! `hark sessions [search Q | show ID | files ID | path ID]`

use std::io::Write;
use std::process::{Command, Stdio};

use hark_engine::ops::sessions::{self, Brief, SessionView};

use crate::environment::Environment;
use crate::failure::Failure;
use crate::ui::{self, BOLD, DIM, ID};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    request: sessions::Request,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List sessions, newest first
    List {
        #[command(flatten)]
        request: sessions::Request,
    },
    /// Find sessions by what they hold
    Search {
        /// A few words
        #[arg(value_name = "QUERY", required = true)]
        words: Vec<String>,
        #[command(flatten)]
        request: sessions::Request,
    },
    /// Show a session in full
    Show {
        #[command(flatten)]
        request: sessions::ShowRequest,
    },
    /// List the files a session touched
    Files {
        #[command(flatten)]
        request: sessions::ShowRequest,
    },
    /// Print where a session's file is
    Path {
        #[command(flatten)]
        request: sessions::ShowRequest,
        /// Put it into the clipboard as well
        #[arg(long)]
        copy: bool,
    },
}

pub(crate) fn run(args: Args, environment: &Environment) -> Result<(), Failure> {
    match args.what {
        None => list(&args.request, environment),
        Some(What::List { request }) => list(&request, environment),
        Some(What::Search { words, mut request }) => {
            request.query = Some(words.join(" "));
            list(&request, environment)
        }
        Some(What::Show { request }) => {
            let view = show(&request, environment)?;
            if environment.output.json {
                ui::print_json(&view);
            } else {
                ui::print(&whole(&view));
            }
            Ok(())
        }
        Some(What::Files { request }) => {
            let view = show(&request, environment)?;
            if environment.output.json {
                ui::print_json(&serde_json::json!({ "session": view.brief.id, "files": view.touched }));
            } else {
                ui::print(&files(&view));
            }
            Ok(())
        }
        Some(What::Path { request, copy }) => path(&request, copy, environment),
    }
}

fn show(request: &sessions::ShowRequest, environment: &Environment) -> Result<SessionView, Failure> {
    environment.with_engine(|engine, caller| sessions::show(engine, caller, request))
}

fn list(request: &sessions::Request, environment: &Environment) -> Result<(), Failure> {
    let response = environment.with_engine(|engine, caller| sessions::run(engine, caller, request))?;
    if environment.output.json {
        ui::print_json(&response);
        return Ok(());
    }
    for session in &response.sessions {
        ui::print(&line(session));
    }
    if response.sessions.is_empty() {
        ui::note(
            "no sessions here; look everywhere with --all-projects, or wire an assistant with `hark install`\n",
        );
    }
    Ok(())
}

fn line(session: &Brief) -> String {
    let about = session.about.as_deref().unwrap_or("(nothing said yet)");
    let about: String = ui::words(about).split_whitespace().collect::<Vec<_>>().join(" ");
    let facts = [
        ui::words(&session.host),
        session.status.clone(),
        ui::memory::old(&session.age),
        format!("{} files", session.files),
    ];
    format!("{ID}{}{ID:#}  {BOLD}{about}{BOLD:#} {DIM}{}{DIM:#}\n", session.id, facts.join(" · "))
}

fn whole(view: &SessionView) -> String {
    let mut text = line(&view.brief);
    let mut section = |title: &str, items: &[String]| {
        if !items.is_empty() {
            text.push_str(&format!("\n{BOLD}{title}{BOLD:#}\n"));
            for item in items {
                text.push_str(&format!("- {}\n", ui::words(item).replace('\n', "\n  ")));
            }
        }
    };
    section("Work completed", &view.done);
    section("Work to be completed", &view.pending);
    section("Work done", &view.work);
    section("Decisions", &view.decisions);
    section("Plan files", &view.plans);
    section("References", &view.references);
    let checkpoints: Vec<String> =
        view.checkpoints.iter().map(|c| format!("{} {}: {}", c.at, c.by, c.note)).collect();
    section("Checkpoints", &checkpoints);
    section("Summary", view.summary.as_slice());
    if !view.touched.is_empty() {
        text.push_str(&format!("\n{BOLD}Files touched{BOLD:#}\n{}", files(view)));
    }
    if let Some(path) = &view.brief.path {
        text.push_str(&format!("\n{DIM}{}{DIM:#}\n", ui::words(path)));
    }
    text
}

fn files(view: &SessionView) -> String {
    let shown = view.touched.iter().map(|touch| {
        let from = touch.from.as_ref().map(|from| format!(" (was {})", ui::words(from))).unwrap_or_default();
        format!("{:<9} {}{from}\n", touch.op, ui::words(&touch.path))
    });
    shown.collect()
}

fn path(request: &sessions::ShowRequest, copy: bool, environment: &Environment) -> Result<(), Failure> {
    let view = show(request, environment)?;
    let none =
        || Failure::user("the session has no file yet", "make a checkpoint: hark checkpoint --goal \"…\"");
    let path = view.brief.path.ok_or_else(none)?;
    if environment.output.json {
        ui::print_json(&serde_json::json!({ "session": view.brief.id, "path": path }));
    } else {
        ui::print(&format!("{path}\n"));
    }
    if copy && !to_clipboard(&path) {
        ui::note("no clipboard was found; the path is above\n");
    }
    Ok(())
}

/// The first clipboard program that works.
fn to_clipboard(text: &str) -> bool {
    let programs: [(&str, &[&str]); 5] = [
        ("pbcopy", &[]),
        ("wl-copy", &[]),
        ("xclip", &["-selection", "clipboard"]),
        ("xsel", &["--clipboard", "--input"]),
        ("clip.exe", &[]),
    ];
    programs.iter().any(|(program, args)| {
        let child = Command::new(program)
            .args(*args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return false };
        let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
        written && child.wait().is_ok_and(|status| status.success())
    })
}
