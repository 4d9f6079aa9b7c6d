//! The pool: threads that do jobs, shared by all environments of the process.
//!
//! They are started when work waits for them, and are never joined: a process that ends does not
//! wait for them, and neither does a worker. libuv's threads, on which files and names are looked
//! up, have none of this work.
//!
//! There are two lanes. Long work runs on as many threads as there are processors; one thread more
//! is for short work alone, and short work goes first. So no derivation delays a verification; and
//! that long work does not wait for ever, it is taken first every so often.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Processors beyond this number are left to others.
const MOST_PROCESSORS: usize = 64;
/// Long work that waits goes first after so much short work.
const PATIENCE: u32 = 64;

/// Work for the pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// How long work takes, as its maker guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Less than some milliseconds.
    Short,
    /// More.
    Long,
    /// As long as others take, on whom it waits: it has a thread of its own.
    Own,
}

/// Threads, and what waits for them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// Threads that do long work at a time.
    long_limit: usize,
}

#[derive(Default)]
struct State {
    short: VecDeque<Task>,
    long: VecDeque<Task>,
    threads: usize,
    idle: usize,
    long_running: usize,
    /// Short work taken since long work began to wait.
    passed: u32,
}

static POOL: OnceLock<Pool> = OnceLock::new();

/// How many threads the process's pool has, which is none before it was used.
pub(crate) fn threads() -> usize {
    POOL.get().map_or(0, |pool| pool.shared.lock().threads)
}

/// What [`ask_for`] was called with last; 0 for nothing.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Asks for so many threads for long work, instead of one for each processor; heard until the pool has
/// its first work.
pub(crate) fn ask_for(threads: usize) {
    ASKED.store(threads, Ordering::Relaxed);
}

/// The process's pool: for as many threads as there are processors that the process may use, which are
/// those that a control group leaves it, and one for short work.
pub(crate) fn pool() -> &'static Pool {
    POOL.get_or_init(|| {
        Pool::new(match ASKED.load(Ordering::Relaxed) {
            0 => thread::available_parallelism().map_or(1, usize::from),
            asked => asked,
        })
    })
}

impl Pool {
    fn new(processors: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                wake: Condvar::new(),
                long_limit: processors.min(MOST_PROCESSORS),
            }),
        }
    }

    /// Takes `task`; `false`, with the task dropped, where memory is short or no thread can be had.
    pub(crate) fn submit(&self, lane: Lane, task: Task) -> bool {
        if lane == Lane::Own {
            let thread = thread::Builder::new().name("alacrypt".to_owned());
            return thread.spawn(task).is_ok();
        }
        let mut state = self.shared.lock();
        let queue = match lane {
            Lane::Short => &mut state.short,
            Lane::Long | Lane::Own => &mut state.long,
        };
        if queue.try_reserve(1).is_err() {
            return false;
        }
        queue.push_back(task);
        if state.startable(self.shared.long_limit) > state.idle
            && state.threads <= self.shared.long_limit
        {
            let shared = Arc::clone(&self.shared);
            let thread = thread::Builder::new()
                .name("alacrypt".to_owned())
                .spawn(move || shared.work());
            match thread {
                Ok(_) => state.threads += 1,
                Err(_) if state.threads == 0 => {
                    // Nobody would ever take it.
                    state.short.clear();
                    state.long.clear();
                    return false;
                }
                Err(_) => {}
            }
        }
        drop(state);
        self.shared.wake.notify_one();
        true
    }
}

impl State {
    /// How much of what waits could be taken now.
    fn startable(&self, long_limit: usize) -> usize {
        let long = self.long.len().min(long_limit - self.long_running);
        self.short.len() + long
    }

    /// What a thread that has nothing to do takes.
    fn take(&mut self, long_limit: usize) -> Option<(Lane, Task)> {
        let may_take_long = self.long_running < long_limit;
        if may_take_long
            && (self.short.is_empty() || self.passed >= PATIENCE)
            && let Some(task) = self.long.pop_front()
        {
            self.passed = 0;
            self.long_running += 1;
            return Some((Lane::Long, task));
        }
        let task = self.short.pop_front()?;
        self.passed = if self.long.is_empty() {
            0
        } else {
            self.passed.saturating_add(1)
        };
        Some((Lane::Short, task))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No task runs under the lock, and nothing that does can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some((lane, task)) = state.take(self.long_limit) else {
                state.idle += 1;
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            };
            drop(state);
            // A task catches its own panics; one that does not takes no thread with it.
            let _ = catch_unwind(AssertUnwindSafe(task));
            state = self.lock();
            if lane == Lane::Long {
                state.long_running -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn short_work_does_not_wait_for_long_work() {
        let pool = Pool::new(2);
        let (release, blocked) = mpsc::channel::<()>();
        let blocked = Arc::new(Mutex::new(blocked));
        let (done, is_done) = mpsc::channel();
        for _ in 0..6 {
            let blocked = Arc::clone(&blocked);
            let done = done.clone();
            assert!(pool.submit(
                Lane::Long,
                Box::new(move || {
                    let _ = blocked.lock().unwrap().recv();
                    done.send("long").unwrap();
                })
            ));
        }
        let sent = done.clone();
        assert!(pool.submit(Lane::Short, Box::new(move || sent.send("short").unwrap())));
        assert_eq!(is_done.recv_timeout(SOON), Ok("short"));
        drop(release);
        for _ in 0..6 {
            assert_eq!(is_done.recv_timeout(SOON), Ok("long"));
        }
        assert_eq!(pool.shared.lock().threads, 3);
    }

    #[test]
    fn order_is_kept_within_a_lane_and_short_work_goes_first() {
        let mut state = State::default();
        let (done, order) = mpsc::channel();
        let task = |name: &'static str| -> Task {
            let done = done.clone();
            Box::new(move || done.send(name).unwrap())
        };
        state.long.push_back(task("long 1"));
        state.long.push_back(task("long 2"));
        state.short.push_back(task("short 1"));
        state.short.push_back(task("short 2"));
        assert_eq!(state.startable(1), 3);
        while let Some((_, task)) = state.take(1) {
            task();
        }
        drop(done);
        // The second long one waits until the first one ends.
        assert_eq!(
            order.try_iter().collect::<Vec<_>>(),
            ["short 1", "short 2", "long 1"]
        );
    }

    #[test]
    fn long_work_does_not_wait_for_ever() {
        let mut state = State::default();
        state.long.push_back(Box::new(|| {}));
        let mut passed = 0;
        loop {
            state.short.push_back(Box::new(|| {}));
            match state.take(1) {
                Some((Lane::Short, _)) => passed += 1,
                Some((Lane::Long | Lane::Own, _)) => break,
                None => panic!("nothing was taken"),
            }
        }
        assert_eq!(passed, PATIENCE);
    }

    #[test]
    fn a_panic_takes_no_thread() {
        let pool = Pool::new(1);
        for _ in 0..8 {
            assert!(pool.submit(Lane::Long, Box::new(|| panic!("on purpose"))));
        }
        let (done, is_done) = mpsc::channel();
        assert!(pool.submit(Lane::Long, Box::new(move || done.send(()).unwrap())));
        assert_eq!(is_done.recv_timeout(SOON), Ok(()));
    }
}
