//! Jobs: work that another thread does after the call that asked for it has returned.
//!
//! A family's entry copies what script may change, shares what lies in a table, and makes a [`Job`] of
//! both; `sys::job` takes that to the pool and its answer back to script.

use std::panic::{AssertUnwindSafe, catch_unwind};

use zeroize::Zeroizing;

use crate::pool::Lane;
use crate::scratch::Status;

/// Bytes that are wiped when they are dropped.
pub(crate) type Wiped = Zeroizing<Vec<u8>>;

/// Work that owns all it needs.
pub(crate) struct Job {
    input: Wiped,
    body: Option<Body>,
    answer: Answer,
    lane: Lane,
}

type Body = Box<dyn FnOnce(&[u8]) -> Answer + Send>;

/// What became of a job.
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) output: Wiped,
}

impl Job {
    /// A job that does `body` with what is in `input`, which is wiped; `None` when memory is short.
    ///
    /// What `body` refuses, the host does, with the same bytes: little should be left for that which
    /// the entry could have seen.
    pub(crate) fn new(
        input: &mut [u8],
        body: impl FnOnce(&[u8]) -> Answer + Send + 'static,
    ) -> Option<Self> {
        let mut copy = zeros(input.len())?;
        copy.copy_from_slice(input);
        input.fill(0);
        Some(Self {
            input: copy,
            body: Some(Box::new(body)),
            answer: Answer::status(Status::Refused),
            lane: Lane::Short,
        })
    }

    /// The job, among those that take long if `is_long`.
    pub(crate) fn among_long(mut self, is_long: bool) -> Self {
        self.lane = if is_long { Lane::Long } else { Lane::Short };
        self
    }

    /// The job, on a thread of its own: most of the time it waits.
    pub(crate) fn on_its_own(mut self) -> Self {
        self.lane = Lane::Own;
        self
    }

    pub(crate) fn lane(&self) -> Lane {
        self.lane
    }

    /// Does the work, on whatever thread. No panic passes: it leaves [`Status::Refused`].
    pub(crate) fn run(&mut self) {
        if let Some(body) = self.body.take() {
            let input = self.input.as_slice();
            // What a panic leaves half-made is the body's own, and dropped with it.
            if let Ok(answer) = catch_unwind(AssertUnwindSafe(|| body(input))) {
                self.answer = answer;
            }
        }
    }

    /// What became of it; [`Status::Refused`] before it ran.
    pub(crate) fn answer(&self) -> &Answer {
        &self.answer
    }

    /// What its input takes of the heap.
    pub(crate) fn input_len_bytes(&self) -> usize {
        self.input.capacity()
    }

    /// What it works on.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input
    }
}

impl Answer {
    /// No output.
    pub(crate) fn status(status: Status) -> Self {
        Self {
            status,
            output: Wiped::default(),
        }
    }

    /// What `write` puts at the start of `room_len` bytes, and how many that are; `None` refuses.
    pub(crate) fn written(room_len: usize, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Self {
        let written = zeros(room_len).and_then(|mut output| {
            let len = write(&mut output)?;
            output.truncate(len);
            Some(output)
        });
        match written {
            Some(output) => Self {
                status: Status::Done,
                output,
            },
            None => Self::status(Status::Refused),
        }
    }
}

/// So many zeros; `None` when memory is short.
pub(crate) fn zeros(len: usize) -> Option<Wiped> {
    let mut bytes = Wiped::default();
    bytes.try_reserve_exact(len).ok()?;
    bytes.resize(len, 0);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_takes_its_input() {
        let mut input = *b"abc";
        let mut job = Job::new(&mut input, |input| {
            Answer::written(8, |output| {
                output[..3].copy_from_slice(input);
                Some(3)
            })
        })
        .unwrap();
        assert_eq!(input, [0; 3]);
        assert!(matches!(job.answer().status, Status::Refused));
        job.run();
        assert!(matches!(job.answer().status, Status::Done));
        assert_eq!(job.answer().output.as_slice(), b"abc");
        assert_eq!(job.input(), b"abc");
    }

    #[test]
    fn a_job_runs_once() {
        let mut job = Job::new(&mut [], |_| Answer::status(Status::Failed)).unwrap();
        job.run();
        job.run();
        assert!(matches!(job.answer().status, Status::Failed));
    }

    #[test]
    fn a_panic_and_a_refusal_leave_no_output() {
        let panicking: Body = Box::new(|_| panic!("on purpose"));
        let refusing: Body = Box::new(|_| {
            Answer::written(4, |output| {
                output.fill(7);
                None
            })
        });
        for body in [panicking, refusing] {
            let mut job = Job::new(&mut b"input".to_owned(), body).unwrap();
            job.run();
            assert!(matches!(job.answer().status, Status::Refused));
            assert!(job.answer().output.is_empty());
            assert_eq!(job.input(), b"input");
        }
    }

    #[test]
    fn a_job_goes_to_another_thread() {
        let mut job = Job::new(&mut b"ab".to_owned(), |input| {
            Answer::written(1, |output| {
                output[0] = input[0] ^ input[1];
                Some(1)
            })
        })
        .unwrap();
        let job = std::thread::spawn(move || {
            job.run();
            job
        })
        .join()
        .unwrap();
        assert_eq!(job.answer().output.as_slice(), [3]);
    }
}
