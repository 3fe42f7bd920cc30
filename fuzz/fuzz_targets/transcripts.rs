//! See the function in `crates/harness`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hark_harness::transcripts(input));
