//! The values that settings may have. A value outside its range would turn a feature off or have no effect, without
//! a word.

use hark_core::time::parse_span;

use super::Config;

/// A century: longer is a mistake.
const MOST_DAYS: u64 = 36_500;

/// What is wrong with a setting, by its name.
pub(super) fn check(config: &Config) -> Result<(), String> {
    let Config { recall, inject, checkpoint, sessions, retention, backup, history, distil, proof, .. } = config;
    let numbers: &[(&str, u64, u64, u64)] = &[
        ("recall.limit", recall.limit as u64, 1, 200),
        ("recall.budget", recall.budget as u64, 50, 1_000_000),
        ("inject.boot", inject.boot as u64, 0, 100_000),
        ("inject.prompt", inject.prompt as u64, 0, 100_000),
        ("inject.alert", inject.alert as u64, 0, 100_000),
        ("inject.edit", inject.edit as u64, 0, 100_000),
        ("checkpoint.every", u64::from(checkpoint.every), 0, 10_000),
        ("retention.archive", u64::from(retention.archive), 0, MOST_DAYS),
        ("retention.resolved", u64::from(retention.resolved), 0, MOST_DAYS),
        ("retention.purge_after", u64::from(retention.purge_after), 1, MOST_DAYS),
        ("backup.keep", backup.keep as u64, 1, 10_000),
        ("history.tokens", history.tokens as u64, 0, 10_000_000),
        ("history.tail", history.tail as u64, 1, 100_000),
        ("distil.most", distil.most as u64, 1, 1_000),
        ("distil.inbox", distil.inbox as u64, 0, 1_000),
        ("distil.inbox_days", u64::from(distil.inbox_days), 1, MOST_DAYS),
    ];
    for (name, value, least, most) in numbers {
        if !(least..=most).contains(&value) {
            return Err(format!("{name} must be from {least} to {most}, not {value}"));
        }
    }
    for (kind, days) in &retention.kinds {
        if u64::from(*days) > MOST_DAYS {
            return Err(format!("retention.kinds.{kind} must be from 0 to {MOST_DAYS}, not {days}"));
        }
    }
    if !(0.0..=1.0).contains(&inject.certainty) {
        return Err(format!("inject.certainty must be from 0 to 1, not {}", inject.certainty));
    }
    if !(0.0..=0.5).contains(&proof.silent) {
        return Err(format!("proof.silent must be from 0 to 0.5, not {}", proof.silent));
    }
    // Only snapshots can be turned off with "0".
    for (name, text, may_be_never) in [
        ("sessions.stale", &sessions.stale, false),
        ("backup.every", &backup.every, true),
        ("history.digest", &history.digest, false),
        ("history.keep", &history.keep, false),
        ("history.explored", &history.explored, true),
    ] {
        let is_never = may_be_never && text.trim() == "0";
        if !is_never && parse_span(text.trim()).is_none_or(|span| span == 0 && !may_be_never) {
            return Err(format!("{name} must be a duration such as \"12h\" or \"30d\", not \"{text}\""));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn refused(name: &str, value: &str) -> bool {
        let (section, key) = name.split_once('.').unwrap();
        let outcome = Config::parse(Path::new("config.toml"), &format!("[{section}]\n{key} = {value}\n"));
        outcome.is_err_and(|error| error.to_string().contains(name))
    }

    #[test]
    fn values_outside_their_range_are_refused_by_name() {
        for (name, value) in [
            ("recall.limit", "0"),
            ("recall.limit", "201"),
            ("recall.budget", "0"),
            ("inject.certainty", "2"),
            ("inject.certainty", "-0.1"),
            ("inject.certainty", "nan"),
            ("inject.boot", "1000000"),
            ("checkpoint.every", "20000"),
            ("retention.archive", "40000"),
            ("retention.purge_after", "0"),
            ("backup.keep", "0"),
            ("distil.most", "0"),
            ("distil.inbox", "1001"),
            ("distil.inbox_days", "0"),
            ("proof.silent", "0.6"),
            ("sessions.stale", "\"soon\""),
            ("sessions.stale", "\"0d\""),
            ("backup.every", "\"daily\""),
            ("history.keep", "\"0\""),
        ] {
            assert!(refused(name, value), "{name} = {value}");
        }
        assert_eq!(check(&Config::default()), Ok(()));
        for (name, value) in [
            ("inject.certainty", "1.0"),
            ("inject.prompt", "0"),
            ("retention.archive", "0"),
            ("backup.every", "\"0\""),
        ] {
            assert!(!refused(name, value), "{name} = {value}");
        }
    }

    /// A new setting gets a range here, or a reason why it needs none.
    #[test]
    fn every_number_and_duration_has_a_range() {
        for (name, value) in Config::default().entries() {
            let is_number = value.parse::<f64>().is_ok();
            let is_span = parse_span(value.trim_matches('"')).is_some();
            if is_number {
                assert!(refused(&name, "-1") || refused(&name, "999999999"), "{name} has no range");
            } else if is_span {
                assert!(refused(&name, "\"x\""), "{name} has no range");
            }
        }
    }
}
