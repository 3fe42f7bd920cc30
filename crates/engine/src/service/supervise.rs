//! Keeps one piece of work going on a thread of its own: when it fails, panics or hangs, whoever started it goes on, and
//! the work begins again after a pause.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Work that gives no sign of life for so long hangs.
    pub(super) hang: Duration,
    /// The pause before work begins again; it doubles with each failure.
    pub(super) first_pause: Duration,
    pub(super) longest_pause: Duration,
    /// How long a thread may go on after it was told to stop.
    pub(super) grace: Duration,
}

pub(super) const RULES: Rules = Rules {
    hang: Duration::from_secs(180),
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(300),
    grace: Duration::from_secs(5),
};

/// What the work knows of its supervisor.
#[derive(Clone)]
pub(crate) struct Pulse {
    shared: Arc<Shared>,
    /// A thread that hung and goes on later finds that another has taken its place.
    generation: u64,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    stopping: bool,
    generation: u64,
    beat: Instant,
}

impl Pulse {
    fn new() -> Pulse {
        let state = State { stopping: false, generation: 0, beat: Instant::now() };
        Pulse {
            shared: Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() }),
            generation: 0,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sign of life.
    pub(crate) fn beat(&self) {
        self.state().beat = Instant::now();
    }

    /// Whether the work is to end.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.state();
        state.stopping || state.generation != self.generation
    }

    fn is_stopping(&self) -> bool {
        self.state().stopping
    }

    /// Waits, but not longer than until the work is to end.
    pub(crate) fn pause(&self, span: Duration) {
        let until = Instant::now() + span;
        let mut state = self.state();
        while !state.stopping && state.generation == self.generation {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return };
            let waited = self.shared.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn stop(&self) {
        self.state().stopping = true;
        self.shared.changed.notify_all();
    }

    /// The next thread's; the one before is over.
    fn next(&self) -> Pulse {
        let mut state = self.state();
        state.generation += 1;
        state.beat = Instant::now();
        let generation = state.generation;
        drop(state);
        self.shared.changed.notify_all();
        Pulse { shared: Arc::clone(&self.shared), generation }
    }

    fn silent_for(&self) -> Duration {
        self.state().beat.elapsed()
    }
}

/// Why work ended that should have gone on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    Failed(String),
    Panicked(String),
    Hangs,
}

/// Work that goes on until it is told to end.
pub(crate) type Job = Arc<dyn Fn(&Pulse) -> Result<(), String> + Send + Sync>;

/// A supervised thread.
pub(crate) struct Supervisor {
    pulse: Pulse,
    thread: JoinHandle<()>,
    grace: Duration,
}

impl Supervisor {
    /// `told` learns of each trouble, on the supervisor's thread.
    pub(super) fn start(job: Job, rules: Rules, told: impl FnMut(&Trouble) + Send + 'static) -> Supervisor {
        let pulse = Pulse::new();
        let own = pulse.clone();
        let thread = thread::spawn(move || watch(&job, rules, &own, told));
        Supervisor { pulse, thread, grace: rules.grace }
    }

    /// Tells the work to end and waits for it, within its grace.
    pub(super) fn stop(self) {
        self.pulse.stop();
        // The supervisor itself never hangs, but it waits for the work as long as its grace.
        let until = Instant::now() + self.grace + Duration::from_secs(1);
        while !self.thread.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn watch(job: &Job, rules: Rules, pulse: &Pulse, mut told: impl FnMut(&Trouble)) {
    let mut pause = rules.first_pause;
    while !pulse.is_stopping() {
        let began = Instant::now();
        let next = pulse.next();
        let Some(trouble) = run_once(job, rules, &next) else { return };
        told(&trouble);
        if began.elapsed() > rules.longest_pause {
            pause = rules.first_pause;
        }
        // As the current generation, so that a pause ends when everything does.
        next.pause(pause);
        pause = (pause * 2).min(rules.longest_pause);
    }
}

/// `None` if it ended because it was told to.
fn run_once(job: &Job, rules: Rules, pulse: &Pulse) -> Option<Trouble> {
    let (work, its) = (Arc::clone(job), pulse.clone());
    let thread = thread::spawn(move || catch_unwind(AssertUnwindSafe(|| work(&its))));
    let step = (rules.hang / 8).clamp(Duration::from_millis(5), Duration::from_millis(500));
    let mut told_to_stop: Option<Instant> = None;
    loop {
        if thread.is_finished() {
            let outcome = thread.join().unwrap_or_else(Err);
            return match outcome {
                _ if pulse.is_stopping() => None,
                Ok(Ok(())) => Some(Trouble::Failed("it ended by itself".to_owned())),
                Ok(Err(why)) => Some(Trouble::Failed(why)),
                Err(panic) => Some(Trouble::Panicked(words(&*panic))),
            };
        }
        if pulse.is_stopping() {
            let since = *told_to_stop.get_or_insert_with(Instant::now);
            if since.elapsed() > rules.grace {
                return None;
            }
            thread::sleep(Duration::from_millis(10));
            continue;
        }
        if pulse.silent_for() > rules.hang {
            // A thread cannot be ended from outside. It is left alone, and finds out if it ever goes on.
            return Some(Trouble::Hangs);
        }
        pulse.pause(step);
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    const QUICK: Rules = Rules {
        hang: Duration::from_secs(60),
        first_pause: Duration::from_millis(5),
        longest_pause: Duration::from_millis(50),
        grace: Duration::from_secs(5),
    };
    const PATIENCE: Duration = Duration::from_secs(20);

    /// Runs a job that misbehaves once; returns what was told about it, and that it ran well afterwards.
    fn after(rules: Rules, first: impl Fn(&Pulse) -> Result<(), String> + Send + Sync + 'static) -> Trouble {
        let (runs, (well, is_well)) = (AtomicUsize::new(0), mpsc::channel());
        let well = Mutex::new(well);
        let job: Job = Arc::new(move |pulse| {
            if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                return first(pulse);
            }
            let _ = well.lock().unwrap().send(());
            while !pulse.is_over() {
                pulse.beat();
                pulse.pause(Duration::from_millis(20));
            }
            Ok(())
        });
        let (tell, told) = mpsc::channel();
        let supervisor = Supervisor::start(job, rules, move |trouble| drop(tell.send(trouble.clone())));
        let trouble = told.recv_timeout(PATIENCE).expect("trouble is told");
        is_well.recv_timeout(PATIENCE).expect("it begins again");
        let stopping = Instant::now();
        supervisor.stop();
        assert!(stopping.elapsed() < QUICK.grace, "it ends when it is told to");
        assert!(told.try_recv().is_err(), "work that goes well is no trouble");
        trouble
    }

    #[test]
    fn work_that_panics_fails_or_hangs_begins_again() {
        let boom = "a panic for the test";
        assert_eq!(after(QUICK, move |_| std::panic::panic_any(boom)), Trouble::Panicked(boom.to_owned()));
        assert_eq!(after(QUICK, |_| Err("no disk".to_owned())), Trouble::Failed("no disk".to_owned()));
        let hangs = after(Rules { hang: Duration::from_secs(2), ..QUICK }, |pulse| {
            while !pulse.is_over() {
                thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        });
        assert_eq!(hangs, Trouble::Hangs);
    }

    #[test]
    fn pauses_grow_while_it_keeps_failing() {
        let times = Arc::new(Mutex::new(Vec::new()));
        let (noted, (done, is_done)) = (Arc::clone(&times), mpsc::channel());
        let done = Mutex::new(done);
        let job: Job = Arc::new(move |_| {
            let mut times = noted.lock().unwrap();
            times.push(Instant::now());
            if times.len() == 5 {
                let _ = done.lock().unwrap().send(());
            }
            Err(String::new())
        });
        let supervisor = Supervisor::start(job, QUICK, |_| {});
        is_done.recv_timeout(PATIENCE).unwrap();
        supervisor.stop();
        let times = times.lock().unwrap();
        let gap = |at: usize| times[at] - times[at - 1];
        assert!(gap(4) >= QUICK.first_pause * 8, "{:?}", gap(4));
    }
}
