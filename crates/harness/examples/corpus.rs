//! Writes the seeds as corpora for `cargo fuzz`: `cargo run -p hark-harness --example corpus -- fuzz/corpus`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: corpus FOLDER");
        return ExitCode::from(2);
    };
    for target in hark_harness::TARGETS {
        let folder = folder.join(target.name);
        let seeds = (target.seeds)();
        for (number, seed) in seeds.iter().enumerate() {
            let file = folder.join(format!("seed-{number:04}"));
            if let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, seed)) {
                eprintln!("{}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
        println!("{}: {} seeds", target.name, seeds.len());
    }
    ExitCode::SUCCESS
}
