//! Runs every entry point for a short time with mutated real inputs. Set `PROPTEST_CASES=100000` for a long
//! run.

use hark_harness::mutate::{self, ALL, How, Step};
use hark_harness::{TARGETS, Target};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let how = proptest::sample::select(ALL.to_vec());
    let step =
        (how, any::<u16>(), any::<u8>()).prop_map(|(how, at, much): (How, u16, u8)| Step { how, at, much });
    proptest::collection::vec(step, 1..6)
}

fn mutated(name: &str, cases: u32) {
    let target: &Target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    for seed in &seeds {
        (target.run)(seed);
    }
    let chosen = std::env::var("PROPTEST_CASES").is_ok();
    let cases = if chosen { ProptestConfig::default().cases } else { cases };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(&(any::<Index>(), steps()), |(which, steps)| {
        (target.run)(&mutate::apply(seeds[which.index(seeds.len())].as_slice(), &steps));
        Ok(())
    });
    if let Err(broken) = outcome {
        panic!("{name}: {broken}");
    }
}

#[test]
fn hooks() {
    mutated("hooks", 300);
}

#[test]
fn memory_files() {
    mutated("memory_file", 1_500);
}

#[test]
fn session_files() {
    mutated("session_file", 1_500);
}

#[test]
fn transcripts() {
    mutated("transcripts", 400);
}

#[test]
fn settings() {
    mutated("settings", 400);
}

#[test]
fn imports() {
    mutated("import", 300);
}

#[test]
fn redaction() {
    mutated("redaction", 1_500);
}

#[test]
fn every_target_has_its_fuzz_target() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("fuzz/Cargo.toml");
    for target in TARGETS {
        let file = format!("fuzz_targets/{}.rs", target.name);
        assert!(folder.join(&file).is_file() && manifest.contains(&file), "{file}");
    }
}
