//! Whatever hooks say is in the ledger, to the byte, over any sequence of events.

use hark_testkit::{Home, Seeded};

use super::clients::{Change, Session};
use super::programs::PROGRAMS;

/// The bytes of context in all replies are the bytes of the ledger.
#[test]
fn the_ledger_is_what_was_said() {
    for seed in 1..=4 {
        let home = Home::new(env!("CARGO_BIN_EXE_hark"));
        let mut random = Seeded::new(seed);
        let mut below = |n: usize| random.below(n);
        let folder = home.root().join("shop");
        std::fs::create_dir_all(&folder).expect("a folder");
        for text in
            ["Deploys of the shop go through the blue pipeline only", "The cart keeps prices in cents"]
        {
            home.hark(["remember", "--kind", "constraint", text]).within(&folder).ok();
        }
        let mut said = 0;
        for step in 0..28 {
            let program = &PROGRAMS[below(PROGRAMS.len())];
            let host = PROGRAMS[below(4)].host;
            let mut session = Session::new(&home, host, &format!("s{}", below(3)), &folder);
            session.skip(seed as u32 * 1_000 + step * 7);
            let change = Change { file: program.file, old: program.mended, new: program.broken };
            let back = Change { file: program.file, old: program.broken, new: program.mended };
            let failing = program.failing.replace("{root}", &folder.display().to_string());
            let texts = match below(8) {
                0 => session.start("startup"),
                1 => session.start("compact"),
                2 => session.prompt("How do deploys of the shop work, and which pipeline do they take?"),
                3 => session.edit(&change),
                4 => session.run(program.command, false, &failing),
                5 => session.run(program.command, true, program.passing),
                6 => session.warned_editing(&back),
                _ => session.warned_running(program.command, false, &failing),
            };
            said += texts.len();
        }
        let ledger = home.hark(["ledger", "--json"]).ok().json();
        assert_eq!(ledger["bytes"].as_u64(), Some(said as u64), "seed {seed}: {ledger}");
        assert!(said > 0, "seed {seed} said nothing");
        let savings = home.hark(["stats", "--savings", "--json"]).ok().json();
        assert!(savings["savings"]["told_tokens"].as_i64() <= ledger["tokens"].as_i64(), "{savings}");
    }
}
