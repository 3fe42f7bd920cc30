//! What goes well and badly: how often work passes its checks, at once and in the end, and how often it comes back, by project,
//! language, tool and kind of task, with intervals.
//!
//! Only arithmetic: no levels, no scores. A rate from few pieces of work is not reported, and a difference counts only if its
//! interval excludes zero.

mod rate;
mod sorts;

use std::collections::{BTreeMap, HashMap};

pub use rate::{Rate, difference, wilson};
pub use sorts::{TaskSort, language_of, task_of};

use crate::time::{DAY_MS, Timestamp};

/// A rate of fewer pieces of work is "not enough yet".
pub const LEAST: u32 = 10;
/// 95 %: how wide the intervals are that people read.
pub const Z_SHOWN: f64 = 1.96;
/// 99 %: many groups are compared at once, so a verdict needs more.
pub const Z_VERDICT: f64 = 2.576;
/// A correction of a piece of work comes within this time.
const REWORK_MS: i64 = 7 * DAY_MS;

/// A finished piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub at: Timestamp,
    pub session: i64,
    pub project: Option<String>,
    pub files: Vec<String>,
    pub task: TaskSort,
    /// The family of the command that checked it, such as `cargo test`, and whether it passed in the end.
    pub check: Option<(String, bool)>,
    /// Whether its first check passed.
    pub first_try: Option<bool>,
}

/// The user corrected, refused or took back something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Complaint {
    pub session: i64,
    pub at: Timestamp,
}

/// What pieces of work are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum By {
    Project,
    Language,
    Tool,
    Task,
}

impl By {
    pub const ALL: &'static [By] = &[By::Project, By::Language, By::Tool, By::Task];

    pub const fn name(self) -> &'static str {
        match self {
            By::Project => "project",
            By::Language => "language",
            By::Tool => "tool",
            By::Task => "task",
        }
    }
}

/// How a group stands beside everything else, or lately beside before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Better,
    Worse,
    /// The interval of the difference contains zero.
    Same,
    /// Too few on one side.
    NotEnough,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Same => "no difference",
            Verdict::NotEnough => "not enough yet",
        }
    }

    fn of(one: Rate, other: Rate, more_is_better: bool) -> Verdict {
        if one.of < LEAST || other.of < LEAST {
            return Verdict::NotEnough;
        }
        match difference(one, other, Z_VERDICT) {
            Some((low, _)) if low > 0.0 => {
                if more_is_better {
                    Verdict::Better
                } else {
                    Verdict::Worse
                }
            }
            Some((_, high)) if high < 0.0 => {
                if more_is_better {
                    Verdict::Worse
                } else {
                    Verdict::Better
                }
            }
            _ => Verdict::Same,
        }
    }
}

/// A rate over the whole time, in each half of it, and its verdicts.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    pub all: Rate,
    pub before: Rate,
    pub lately: Rate,
    pub trend: Verdict,
    /// Beside all pieces of work that are not in the group.
    pub beside_others: Verdict,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub by: By,
    pub name: String,
    pub pieces: u32,
    /// Of those that were checked: the first check passed.
    pub first_try: Measure,
    /// Of those that were checked: the last check passed. Assistants rarely stop before it does.
    pub success: Measure,
    /// Of all: somebody had to come back to it.
    pub rework: Measure,
}

/// Everything together, and every group, the largest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    pub from: Timestamp,
    pub middle: Timestamp,
    pub all: Group,
    pub groups: Vec<Group>,
}

/// Assesses the pieces of work since `from`. Those without a project, file or check are in no group of that sort.
pub fn assess(pieces: &[Piece], complaints: &[Complaint], from: Timestamp, now: Timestamp) -> Assessment {
    let mut pieces: Vec<&Piece> = pieces.iter().filter(|piece| piece.at >= from).collect();
    pieces.sort_by_key(|piece| (piece.at, piece.session));
    let middle = Timestamp::from_millis(from.as_millis() + (now.as_millis() - from.as_millis()) / 2);
    let redone = redone(&pieces, complaints);
    let mut members: BTreeMap<(By, String), Vec<usize>> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        for by in By::ALL {
            for name in names(piece, *by) {
                members.entry((*by, name)).or_default().push(at);
            }
        }
    }
    let tally = Tally { pieces: &pieces, redone: &redone, middle };
    let everything: Vec<usize> = (0..pieces.len()).collect();
    let all = tally.group(By::Project, "everything".to_owned(), &everything, &[]);
    let mut groups: Vec<Group> = members
        .into_iter()
        .map(|((by, name), members)| {
            let others: Vec<usize> =
                everything.iter().copied().filter(|at| members.binary_search(at).is_err()).collect();
            tally.group(by, name, &members, &others)
        })
        .collect();
    groups.sort_by(|a, b| (a.by, b.pieces, &a.name).cmp(&(b.by, a.pieces, &b.name)));
    Assessment { from, middle, all, groups }
}

fn names(piece: &Piece, by: By) -> Vec<String> {
    match by {
        By::Project => piece.project.iter().cloned().collect(),
        By::Language => {
            let mut found: Vec<String> =
                piece.files.iter().filter_map(|file| language_of(file)).map(str::to_owned).collect();
            found.sort_unstable();
            found.dedup();
            found
        }
        By::Tool => piece.check.iter().map(|(family, _)| family.clone()).collect(),
        By::Task => vec![piece.task.name().to_owned()],
    }
}

/// Which pieces somebody had to come back to: the user complained before the next piece of the session was over, or a later
/// piece within a week repairs one of its files.
fn redone(pieces: &[&Piece], complaints: &[Complaint]) -> Vec<bool> {
    let mut redone = vec![false; pieces.len()];
    let mut last_with: HashMap<(Option<&str>, &str), usize> = HashMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        for file in &piece.files {
            let key = (piece.project.as_deref(), file.as_str());
            if piece.task == TaskSort::Fix
                && let Some(&before) = last_with.get(&key)
                && piece.at.as_millis() - pieces[before].at.as_millis() <= REWORK_MS
            {
                redone[before] = true;
            }
            last_with.insert(key, at);
        }
    }
    for complaint in complaints {
        // What is complained about came before the complaint; the complaint itself may have started a piece.
        let before = pieces.iter().rposition(|piece| {
            piece.session == complaint.session && piece.at.as_millis() < complaint.at.as_millis()
        });
        if let Some(at) = before {
            redone[at] = true;
        }
    }
    redone
}

struct Tally<'p> {
    pieces: &'p [&'p Piece],
    redone: &'p [bool],
    middle: Timestamp,
}

impl Tally<'_> {
    fn group(&self, by: By, name: String, members: &[usize], others: &[usize]) -> Group {
        let first_try = |at: usize| self.pieces[at].first_try;
        let success = |at: usize| self.pieces[at].check.as_ref().map(|(_, passed)| *passed);
        let rework = |at: usize| Some(self.redone[at]);
        Group {
            by,
            name,
            pieces: u32::try_from(members.len()).unwrap_or(u32::MAX),
            first_try: self.measure(members, others, &first_try, true),
            success: self.measure(members, others, &success, true),
            rework: self.measure(members, others, &rework, false),
        }
    }

    fn measure(
        &self,
        members: &[usize],
        others: &[usize],
        outcome: &dyn Fn(usize) -> Option<bool>,
        more_is_better: bool,
    ) -> Measure {
        let rate = |of: &[usize], when: &dyn Fn(Timestamp) -> bool| {
            let known = of.iter().filter(|at| when(self.pieces[**at].at)).filter_map(|at| outcome(*at));
            known.fold(Rate::default(), Rate::with)
        };
        let before = rate(members, &|at| at < self.middle);
        let lately = rate(members, &|at| at >= self.middle);
        let all = rate(members, &|_| true);
        Measure {
            all,
            before,
            lately,
            trend: Verdict::of(lately, before, more_is_better),
            beside_others: Verdict::of(all, rate(others, &|_| true), more_is_better),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(100 * DAY_MS);

    fn piece(day: i64, session: i64, file: &str, task: TaskSort, passed: Option<bool>) -> Piece {
        Piece {
            at: Timestamp::from_millis(day * DAY_MS),
            session,
            project: Some("shop".to_owned()),
            files: vec![file.to_owned()],
            task,
            check: passed.map(|passed| ("cargo test".to_owned(), passed)),
            first_try: passed.filter(|_| day % 2 == 0),
        }
    }

    fn group<'a>(assessment: &'a Assessment, name: &str) -> &'a Group {
        assessment.groups.iter().find(|group| group.name == name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn a_repair_of_the_same_file_and_a_complaint_are_rework() {
        let pieces = [
            piece(90, 1, "a.rs", TaskSort::Add, Some(true)),
            piece(92, 2, "a.rs", TaskSort::Fix, Some(true)),
            piece(92, 2, "b.rs", TaskSort::Add, None),
            piece(93, 3, "c.rs", TaskSort::Add, None),
            // Too late to be about the same work.
            piece(80, 4, "d.rs", TaskSort::Add, None),
            piece(94, 5, "d.rs", TaskSort::Fix, None),
        ];
        let complaints = [Complaint { session: 3, at: Timestamp::from_millis(93 * DAY_MS + 1) }];
        let found = assess(&pieces, &complaints, Timestamp::from_millis(0), NOW);
        assert_eq!(found.all.rework.all, Rate { hits: 2, of: 6 });
        assert_eq!(found.all.success.all, Rate { hits: 2, of: 2 });
        assert_eq!(found.all.first_try.all, Rate { hits: 2, of: 2 });
        assert_eq!(group(&found, "Rust").pieces, 6);
        assert_eq!(group(&found, "cargo test").success.all, Rate { hits: 2, of: 2 });
        assert_eq!(group(&found, "fix").rework.all, Rate { hits: 0, of: 2 });
        assert_eq!(group(&found, "Rust").success.trend, Verdict::NotEnough);
    }

    #[test]
    fn a_verdict_needs_numbers_and_a_clear_difference() {
        let mut pieces = Vec::new();
        for n in 0..30 {
            pieces.push(piece(60 + n, n, &format!("{n}.rs"), TaskSort::Add, Some(n % 10 != 0)));
            pieces.push(piece(60 + n, n + 100, &format!("{n}.py"), TaskSort::Add, Some(n % 3 == 0)));
        }
        pieces.extend((0..9).map(|n| piece(70, n + 200, &format!("{n}.go"), TaskSort::Add, Some(false))));
        let found = assess(&pieces, &[], Timestamp::from_millis(0), NOW);
        assert_eq!(group(&found, "Rust").success.beside_others, Verdict::Better);
        assert_eq!(group(&found, "Python").success.beside_others, Verdict::Worse);
        assert_eq!(group(&found, "Go").success.beside_others, Verdict::NotEnough, "nine are not ten");
        assert_eq!(group(&found, "Rust").rework.beside_others, Verdict::Same);
        assert_eq!(found.all.success.beside_others, Verdict::NotEnough, "there are no others");
    }

    #[test]
    fn a_trend_compares_the_halves_of_the_time() {
        let early = (0..20).map(|n| piece(10 + n, n, &format!("{n}.rs"), TaskSort::Add, Some(n % 5 == 0)));
        let late = (0..20).map(|n| piece(60 + n, n, &format!("{n}.rs"), TaskSort::Add, Some(n % 5 != 0)));
        let pieces: Vec<Piece> = early.chain(late).collect();
        let found = assess(&pieces, &[], Timestamp::from_millis(0), NOW);
        let success = &found.all.success;
        assert_eq!((success.before, success.lately), (Rate { hits: 4, of: 20 }, Rate { hits: 16, of: 20 }));
        assert_eq!(success.trend, Verdict::Better);
        assert_eq!(assess(&[], &[], Timestamp::from_millis(0), NOW).all.success.trend, Verdict::NotEnough);
    }
}
