//! How long hooks took, and whether they said something: four bytes each, in a file of bounded length.
//!
//! Written after the reply, so nobody waits for it. A file that is full becomes the old one; both are counted.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use hark_files::Door;
use hark_hosts::hook::{HookEvent, What};
use hark_store::Layout;

const FILE: &str = "hook-times";
const OLD_FILE: &str = "hook-times.old";
/// A quarter of a million hooks: months of work.
const LONGEST: u64 = 1024 * 1024;

/// The upper bounds of the histogram, in milliseconds.
pub const BOUNDS_MS: [u32; 12] = [1, 2, 3, 5, 7, 10, 20, 40, 100, 250, 1000, 2500];

/// Event classes, in the order of their numbers in the file. Only ever added to.
const CLASSES: [&str; 8] = ["start", "prompt", "before_tool", "after_tool", "reply", "stop", "end", "other"];

const SAID: u32 = 1 << 27;
const MICROS: u32 = SAID - 1;

/// What hooks of one class took.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    pub event: &'static str,
    /// Hooks that took no longer than each of [`BOUNDS_MS`], each including those before it.
    pub within: [u64; BOUNDS_MS.len()],
    pub count: u64,
    pub seconds: f64,
    /// Hooks that added something to the context.
    pub told: u64,
}

/// Adds one. A store that is not there stays so, and a failure is nobody's concern.
pub fn note(home: &Path, event: &HookEvent, said: bool, took: Duration) {
    let class = class_of(&event.what) << 28;
    let micros = u32::try_from(took.as_micros()).unwrap_or(MICROS).min(MICROS);
    let record = class | if said { SAID } else { 0 } | micros;
    let _ = append(&Door::new(home), record);
}

fn append(door: &Door, record: u32) -> std::io::Result<()> {
    let mut file = door.append_to(Path::new(FILE))?;
    if file.metadata()?.len() >= LONGEST {
        door.rename(Path::new(FILE), Path::new(OLD_FILE))?;
        file = door.append_to(Path::new(FILE))?;
    }
    file.write_all(&record.to_le_bytes())
}

fn class_of(what: &What) -> u32 {
    match what {
        What::Start { .. } => 0,
        What::Prompt(_) | What::Task(_) => 1,
        What::BeforeTool(_) => 2,
        What::AfterTool { .. } => 3,
        What::Reply(_) => 4,
        What::Stop { .. } | What::Finish { .. } => 5,
        What::End { .. } => 6,
        What::Subagent | What::Compacting | What::Compacted(_) | What::Other => 7,
    }
}

/// Everything that is known, by class; classes without a hook are left out.
pub(crate) fn read(layout: &Layout) -> Vec<Times> {
    let door = layout.door();
    let mut all =
        CLASSES.map(|event| Times { event, within: [0; BOUNDS_MS.len()], count: 0, seconds: 0.0, told: 0 });
    for file in [OLD_FILE, FILE] {
        // A hook may append while this reads.
        let bytes = door.read(Path::new(file), LONGEST * 2).unwrap_or_default();
        for record in bytes.as_chunks::<4>().0 {
            add(&mut all, u32::from_le_bytes(*record));
        }
    }
    all.into_iter().filter(|times| times.count > 0).collect()
}

fn add(all: &mut [Times; CLASSES.len()], record: u32) {
    // A later version may know more classes.
    let Some(times) = all.get_mut((record >> 28) as usize) else { return };
    let micros = record & MICROS;
    times.count += 1;
    times.seconds += f64::from(micros) / 1e6;
    times.told += u64::from(record & SAID != 0);
    for (within, bound) in times.within.iter_mut().zip(BOUNDS_MS) {
        *within += u64::from(micros <= bound * 1000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_and_the_file_stays_short() {
        let folder = tempfile::tempdir().unwrap();
        let door = Door::new(folder.path());
        let record =
            |class: u32, said: bool, micros: u32| (class << 28) | if said { SAID } else { 0 } | micros;
        for record in [record(1, true, 2_500), record(1, false, 900), record(2, false, 3_000_000)] {
            append(&door, record).unwrap();
        }
        let read = read(&Layout::new(folder.path()));
        let [prompt, before] = &read[..] else { panic!("{read:?}") };
        assert_eq!((prompt.event, prompt.count, prompt.told), ("prompt", 2, 1));
        assert_eq!(prompt.within, [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
        assert!((prompt.seconds - 0.0034).abs() < 1e-9);
        assert_eq!((before.event, before.count, before.within), ("before_tool", 1, [0; 12]));

        std::fs::write(folder.path().join(FILE), vec![0; LONGEST as usize]).unwrap();
        append(&door, record(1, false, 1)).unwrap();
        let len = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!((len(FILE), len(OLD_FILE)), (4, LONGEST));
    }

    #[test]
    fn a_store_that_is_not_there_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("store");
        assert!(append(&Door::new(&home), 1).is_err());
        assert!(!home.exists());
    }
}
