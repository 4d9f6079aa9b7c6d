//! Latency on two clocks, and what a closed loop hides.

/// One request, on any clock and in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// When it should have been sent.
    pub due: f64,
    /// When it was.
    pub start: f64,
    /// When its answer was complete; infinite when none came.
    pub end: f64,
}

impl Request {
    /// From the intended moment: what a user waits.
    pub fn intended(&self) -> f64 {
        self.end - self.due
    }

    /// From the moment of sending: what the server takes, seen by who waited for it.
    pub fn service(&self) -> f64 {
        self.end - self.start
    }

    /// How late it was sent.
    pub fn send_error(&self) -> f64 {
        self.start - self.due
    }
}

/// Requests at fixed moments to a server that serves one after the other.
///
/// Source: D. V. Lindley, Proc. Camb. Phil. Soc. 48 (1952) 277–289: a request begins at the later
/// of its due moment and the end of the one before.
pub fn single_server(due: &[f64], service: impl Fn(usize) -> f64) -> Vec<Request> {
    let mut free = f64::NEG_INFINITY;
    let serve = |(i, due): (usize, &f64)| {
        let start = due.max(free);
        free = start + service(i);
        Request {
            due: *due,
            start,
            end: free,
        }
    };
    due.iter().enumerate().map(serve).collect()
}

/// Adds to the samples of a closed loop those that a stall kept from being sent: for a value v
/// above the expected interval, v − i, v − 2i, … down to the interval.
///
/// Source: G. Tene, HdrHistogram, `recordValueWithExpectedInterval`.
pub fn corrected(samples: &[f64], expected_interval: f64) -> Vec<f64> {
    let mut all = samples.to_vec();
    if expected_interval > 0.0 {
        for &value in samples {
            let mut missing = value - expected_interval;
            while missing >= expected_interval {
                all.push(missing);
                missing -= expected_interval;
            }
        }
    }
    all
}
