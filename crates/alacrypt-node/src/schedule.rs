//! Which work is done at once, on the thread that asked for it, and which goes to other threads: rules
//! alone, without a clock or a thread of their own.
//!
//! Each turn of an event loop has a budget. Work is done at once while what it is expected to take fits
//! into what is left of that, and never if it is expected to take longer than a single piece may. So a
//! loop that awaits one result after another pays for no change of threads, and thousands of calls made
//! at a time do not keep the loop from its other work for longer than the budget.
//!
//! What work takes is learned from the work itself. Before anything was measured, a careful guess
//! stands in.

use std::time::Duration;

/// What the work of one turn may take together, unless the app says otherwise.
pub(crate) const BUDGET: Duration = Duration::from_millis(2);
/// What a single piece of work may take.
pub(crate) const PIECE: Duration = Duration::from_micros(100);

/// A family of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Digest = 0,
    Mac = 1,
    Cipher = 2,
    Sign = 3,
    Verify = 4,
    Derive = 5,
    Agree = 6,
}

const FAMILIES: usize = 7;
/// Algorithms in a family at most.
const NUMBERS: usize = 64;
/// Classes of length: up to 64 bytes, then up to twice as many each.
const LENGTHS: usize = 9;
const SHORTEST_LEN_BYTES: usize = 64;

/// Work whose price is known together: one algorithm, or one kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    family: Family,
    number: usize,
    /// What it takes to begin with, in nanoseconds, before anything was measured.
    guess_ns: u32,
}

impl Class {
    /// The class of number `number` in a family; numbers beyond the last share that one's place.
    pub(crate) fn new(family: Family, number: usize, guess: Duration) -> Self {
        Self {
            family,
            number: number.min(NUMBERS - 1),
            guess_ns: nanoseconds(guess),
        }
    }

    fn guess_ns(self, len: usize) -> u32 {
        // Slower than anything that hashes or encrypts here.
        const PER_BYTE_NS: u32 = 5;
        let bytes = u32::try_from(len).unwrap_or(u32::MAX);
        self.guess_ns
            .saturating_add(bytes.saturating_mul(PER_BYTE_NS))
    }

    fn place(self, len: usize) -> usize {
        let doublings = len
            .div_ceil(SHORTEST_LEN_BYTES)
            .max(1)
            .next_power_of_two()
            .ilog2() as usize;
        (self.family as usize * NUMBERS + self.number) * LENGTHS + doublings.min(LENGTHS - 1)
    }
}

/// Where work is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// On the calling thread; the scheduler wants to know how long it took if it `is_measured`.
    Here {
        /// Whether [`Scheduler::learn`] is to be told.
        is_measured: bool,
    },
    /// On another thread.
    Elsewhere,
}

#[derive(Clone, Copy, Default)]
struct Estimate {
    /// Zero before anything was measured.
    ns: u32,
    /// Placements of such work here, as far as they are counted.
    count: u32,
}

/// The rules of one event loop.
pub(crate) struct Scheduler {
    budget_ns: u32,
    piece_ns: u32,
    /// The turn that the budget is for.
    turn: u32,
    spent_ns: u32,
    /// What is known of each class and length; made when the first work is placed.
    estimates: Option<Box<[Estimate]>>,
}

/// So many pieces of a class are measured before all others, and then one of every so many.
const MEASURED_FIRST: u32 = 8;
const MEASURED_EVERY: u32 = 16;
/// A measurement moves what is known by one part of so many; each of the first ones by half.
const WEIGHT: u32 = 8;
const FIRST_WEIGHT: u32 = 2;
/// What a measurement counts for at most, in multiples of what is known: the thread may have lost its
/// processor to another meanwhile.
const OUTLIER: u32 = 4;
/// With each piece that is refused for what it is expected to take, that shrinks by one part of so
/// many: in the end one is tried again, in case the first ones were measured at a bad time.
const DOUBT: u32 = 256;

impl Scheduler {
    pub(crate) const fn new() -> Self {
        Self {
            budget_ns: nanoseconds(BUDGET),
            piece_ns: nanoseconds(PIECE),
            turn: 0,
            spent_ns: 0,
            estimates: None,
        }
    }

    /// What is known takes so much of the heap.
    pub(crate) fn heap_len_bytes(&self) -> usize {
        self.estimates
            .as_ref()
            .map_or(0, |estimates| size_of_val::<[Estimate]>(estimates))
    }

    /// Sets what the work of one turn may take together; nothing is done here with none.
    pub(crate) fn set_budget(&mut self, budget: Duration) {
        self.budget_ns = nanoseconds(budget);
        self.piece_ns = self.budget_ns.min(nanoseconds(PIECE));
    }

    /// Where work of that class on `len` bytes is to be done, in that turn of the loop.
    pub(crate) fn place(&mut self, turn: u32, class: Class, len: usize) -> Placement {
        if turn != self.turn {
            self.turn = turn;
            self.spent_ns = 0;
        }
        let (budget_ns, piece_ns) = (self.budget_ns, self.piece_ns);
        let left_ns = budget_ns.saturating_sub(self.spent_ns);
        let Some(estimate) = self.estimate(class, len) else {
            return Placement::Elsewhere;
        };
        let expected_ns = match estimate.ns {
            0 => class.guess_ns(len),
            known => known,
        };
        if expected_ns > piece_ns {
            estimate.ns -= estimate.ns / DOUBT;
            return Placement::Elsewhere;
        }
        if expected_ns > left_ns {
            return Placement::Elsewhere;
        }
        let is_measured =
            estimate.count < MEASURED_FIRST || estimate.count.is_multiple_of(MEASURED_EVERY);
        estimate.count = estimate.count.wrapping_add(1);
        self.spent_ns = self.spent_ns.saturating_add(expected_ns);
        Placement::Here { is_measured }
    }

    /// Takes note of what work took that was placed here and measured.
    pub(crate) fn learn(&mut self, class: Class, len: usize, took: Duration) {
        let took_ns = nanoseconds(took).max(1);
        let Some(estimate) = self.estimate(class, len) else {
            return;
        };
        let weight = if estimate.count <= MEASURED_FIRST {
            FIRST_WEIGHT
        } else {
            WEIGHT
        };
        // The very first piece finds nothing in the processor's caches: the guess counts as well.
        let known_ns = match estimate.ns {
            0 => class.guess_ns(len).max(1),
            known => known,
        };
        let took_ns = took_ns.min(known_ns.saturating_mul(OUTLIER));
        estimate.ns = if took_ns < known_ns {
            known_ns - (known_ns - took_ns).div_ceil(weight)
        } else {
            known_ns + (took_ns - known_ns) / weight
        };
    }

    /// `None` where memory is short.
    fn estimate(&mut self, class: Class, len: usize) -> Option<&mut Estimate> {
        let estimates = match &mut self.estimates {
            Some(estimates) => estimates,
            none => {
                const COUNT: usize = FAMILIES * NUMBERS * LENGTHS;
                let mut made = Vec::new();
                made.try_reserve_exact(COUNT).ok()?;
                made.resize(COUNT, Estimate::default());
                none.insert(made.into_boxed_slice())
            }
        };
        estimates.get_mut(class.place(len))
    }
}

/// At most some four seconds, which no work that is placed here takes.
#[allow(clippy::cast_possible_truncation)]
const fn nanoseconds(duration: Duration) -> u32 {
    let ns = duration.as_nanos();
    if ns > u32::MAX as u128 {
        u32::MAX
    } else {
        ns as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Duration = Duration::from_micros(10);

    fn class(guess: Duration) -> Class {
        Class::new(Family::Verify, 5, guess)
    }

    fn is_here(placement: Placement) -> bool {
        matches!(placement, Placement::Here { .. })
    }

    #[test]
    fn a_turn_spends_its_budget_and_the_next_one_has_a_new_one() {
        let mut scheduler = Scheduler::new();
        let class = class(HERE);
        let fitting = 2_000 / 10;
        for turn in [1, 2, u32::MAX, 0] {
            let here = (0..1_000)
                .take_while(|_| is_here(scheduler.place(turn, class, 0)))
                .count();
            assert_eq!(here, fitting, "turn {turn}");
            assert_eq!(scheduler.place(turn, class, 0), Placement::Elsewhere);
        }
    }

    #[test]
    fn cheaper_work_still_fits_when_dearer_does_not() {
        let mut scheduler = Scheduler::new();
        scheduler.set_budget(Duration::from_micros(25));
        let dear = Class::new(Family::Verify, 1, Duration::from_micros(20));
        let cheap = Class::new(Family::Digest, 1, Duration::from_micros(1));
        assert!(is_here(scheduler.place(7, dear, 0)));
        assert_eq!(scheduler.place(7, dear, 0), Placement::Elsewhere);
        assert!(is_here(scheduler.place(7, cheap, 0)));
    }

    #[test]
    fn no_piece_is_longer_than_it_may_be() {
        let mut scheduler = Scheduler::new();
        let long = PIECE + Duration::from_nanos(1);
        assert!(is_here(scheduler.place(1, class(PIECE), 0)));
        assert_eq!(scheduler.place(1, class(long), 0), Placement::Elsewhere);
        // Learned, too.
        let mut scheduler = Scheduler::new();
        for turn in 1..4 {
            assert!(is_here(scheduler.place(turn, class(HERE), 0)), "{turn}");
            scheduler.learn(class(HERE), 0, long * 2);
        }
        assert_eq!(scheduler.place(5, class(HERE), 0), Placement::Elsewhere);
    }

    #[test]
    fn without_a_budget_nothing_is_done_here() {
        let mut scheduler = Scheduler::new();
        scheduler.set_budget(Duration::ZERO);
        let free = Class::new(Family::Digest, 0, Duration::from_nanos(1));
        assert_eq!(scheduler.place(1, free, 0), Placement::Elsewhere);
    }

    #[test]
    fn a_small_budget_limits_a_piece() {
        let mut scheduler = Scheduler::new();
        scheduler.set_budget(Duration::from_micros(5));
        assert_eq!(scheduler.place(1, class(HERE), 0), Placement::Elsewhere);
    }

    #[test]
    fn longer_data_is_another_matter() {
        let mut scheduler = Scheduler::new();
        let digest = Class::new(Family::Digest, 3, Duration::from_nanos(500));
        for len in [0, 1, 64, 65, 16 * 1024, usize::MAX / 2] {
            let _ = scheduler.place(1, digest, len);
        }
        assert_eq!(digest.place(0), digest.place(64));
        assert_ne!(digest.place(64), digest.place(65));
        assert_eq!(digest.place(65), digest.place(128));
        assert_eq!(digest.place(16 * 1024), digest.place(16 * 1024 - 1));
        assert_eq!(digest.place(16 * 1024), digest.place(1 << 40));
        // The longest is guessed to take 80 µs.
        assert!(is_here(scheduler.place(2, digest, 16 * 1024)));
        assert_eq!(scheduler.place(2, digest, 1 << 20), Placement::Elsewhere);
    }

    #[test]
    fn what_work_takes_is_learned_and_an_outlier_changes_little() {
        let mut scheduler = Scheduler::new();
        let class = class(HERE);
        for _ in 0..100 {
            scheduler.learn(class, 0, Duration::from_micros(20));
        }
        let fitting = |scheduler: &mut Scheduler, turn| {
            (0..1_000)
                .take_while(|_| is_here(scheduler.place(turn, class, 0)))
                .count()
        };
        assert_eq!(fitting(&mut scheduler, 1), 100);
        // Away for half a second: counted as 80 µs.
        scheduler.learn(class, 0, Duration::from_millis(500));
        let after = fitting(&mut scheduler, 2);
        assert!((70..=75).contains(&after), "{after}");
        // So it is before anything is known.
        let mut young = Scheduler::new();
        young.learn(class, 0, Duration::from_millis(500));
        let after = fitting(&mut young, 1);
        assert_eq!(after, 2_000 / 25);
        for _ in 0..100 {
            scheduler.learn(class, 0, Duration::from_micros(20));
        }
        assert!(fitting(&mut scheduler, 3) >= 99);
    }

    #[test]
    fn refused_work_is_tried_again_in_the_end() {
        let mut scheduler = Scheduler::new();
        let class = class(HERE);
        for _ in 0..8 {
            scheduler.learn(class, 0, PIECE * 2);
        }
        let refused = (0..10_000)
            .take_while(|turn| scheduler.place(*turn, class, 0) == Placement::Elsewhere)
            .count();
        assert!((150..250).contains(&refused), "{refused}");
    }

    #[test]
    fn the_first_pieces_are_measured_and_some_of_the_rest() {
        let mut scheduler = Scheduler::new();
        let class = class(Duration::from_nanos(100));
        let measured = (0..160)
            .filter(|_| scheduler.place(1, class, 0) == Placement::Here { is_measured: true })
            .count();
        assert_eq!(measured, 8 + 9);
    }
}
