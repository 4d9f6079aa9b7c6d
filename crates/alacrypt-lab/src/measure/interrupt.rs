//! Ctrl-C and its relatives, counted between runs and within them.

use crate::error::{Error, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wish {
    /// Go on.
    GoOn,
    /// End after the current run.
    EndSoon,
    /// End at once: kill what runs.
    Kill,
}

/// Listens to the signals. The first Ctrl-C ends after the current run, the second kills it;
/// a request to terminate or a closed terminal kills at once, as whoever asks may not wait.
#[derive(Debug)]
pub struct Interrupt {
    ctrl_c: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
    wish: Cell<Wish>,
}

impl Interrupt {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the system does not let it.
    pub fn listen() -> Result<Self> {
        let this = Self::deaf();
        let refused = |e| Error::io("listen to Ctrl-C", e);
        signal_hook::flag::register(SIGINT, Arc::clone(&this.ctrl_c)).map_err(refused)?;
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&this.terminate)).map_err(refused)?;
        }
        Ok(this)
    }

    /// One that hears nothing.
    pub fn deaf() -> Self {
        Self {
            ctrl_c: Arc::default(),
            terminate: Arc::default(),
            wish: Cell::new(Wish::GoOn),
        }
    }

    /// What is wished now.
    pub fn wish(&self) -> Wish {
        if self.ctrl_c.swap(false, Ordering::Relaxed) {
            self.wish.set(if self.wish.get() == Wish::GoOn {
                Wish::EndSoon
            } else {
                Wish::Kill
            });
        }
        if self.terminate.load(Ordering::Relaxed) {
            self.wish.set(Wish::Kill);
        }
        self.wish.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_ctrl_c_kills() {
        let interrupt = Interrupt::deaf();
        assert_eq!(interrupt.wish(), Wish::GoOn);
        interrupt.ctrl_c.store(true, Ordering::Relaxed);
        assert_eq!(
            (interrupt.wish(), interrupt.wish()),
            (Wish::EndSoon, Wish::EndSoon)
        );
        interrupt.ctrl_c.store(true, Ordering::Relaxed);
        assert_eq!(interrupt.wish(), Wish::Kill);
    }
}
