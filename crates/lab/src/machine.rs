//! Where and when a measurement was made.

use std::fs;
use std::hint::black_box;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::process;
use crate::workspace;

pub(crate) fn describe() -> Value {
    let field = |path: &str, name: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let memory =
        field("/proc/meminfo", "MemTotal").and_then(|m| m.trim_end_matches(" kB").parse::<u64>().ok());
    json!({
        "cpu": field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "memory_gb": memory.map(|kb| (kb as f64 / 1_048_576.0).round()),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "load": fs::read_to_string("/proc/loadavg").ok().and_then(|l| l.split(' ').next().map(str::to_owned)),
    })
}

/// How long a fixed piece of arithmetic takes on one core, the best of three. The same machine is not always
/// as fast: compare this first when comparing two runs.
pub(crate) fn loop_millis() -> u64 {
    let once = || {
        let started = Instant::now();
        let mut state = black_box(1u64);
        for step in 0..200_000_000u64 {
            state = (state ^ step).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        }
        black_box(state);
        started.elapsed().as_millis() as u64
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

/// The commit measured, marked when the product's sources had changes on top of it.
pub(crate) fn commit() -> String {
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(workspace::root());
        process::capture(&mut command).unwrap_or_default().trim().to_owned()
    };
    let commit = git(&["rev-parse", "--short=10", "HEAD"]);
    let changed =
        git(&["status", "--porcelain", "--", "crates", ":!crates/lab", "models", "migrations", "Cargo.lock"]);
    match (commit.is_empty(), changed.is_empty()) {
        (true, _) => "unknown".to_owned(),
        (false, true) => commit,
        (false, false) => format!("{commit} with changes"),
    }
}

pub(crate) fn date() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64);
    rfc3339(now).chars().take(10).collect()
}

pub(crate) fn rfc3339(millis: i64) -> String {
    let (days, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Days since 1970 to a date of the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_product_reads_them() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_767_225_600_000), "2026-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_709_210_096_000), "2024-02-29T12:34:56Z");
    }
}
