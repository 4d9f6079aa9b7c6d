//! One direction of a connection, put together by sequence number. Of bytes that came twice the
//! first copy counts; what came early waits, within limits.

use super::records::{Broken, Records, Sink};

/// Bytes and segments that wait for an earlier one, per direction.
const WAITING_BYTES: usize = 4 << 20;
const WAITING_SEGMENTS: usize = 4096;

/// Why a direction was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The bytes are no TLS.
    NotTls,
    /// The snap length cut what had to be read.
    Cut,
    /// A segment is not in the capture.
    Gap,
}

impl From<Broken> for Lost {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::NotTls => Self::NotTls,
            Broken::Cut => Self::Cut,
        }
    }
}

/// A stretch that came early.
#[derive(Debug)]
struct Waiting {
    start: u64,
    bytes: Vec<u8>,
    missing: u32,
}

impl Waiting {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64 + u64::from(self.missing)
    }
}

/// One direction.
#[derive(Debug, Default)]
pub struct Half {
    /// Sequence number of offset 0; none before the SYN was seen.
    base: Option<u32>,
    next: u64,
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
    records: Records,
    lost: Option<Lost>,
    /// Segments that held only what was there already.
    pub repeated: u32,
    /// Segments that came before an earlier one.
    pub early: u32,
}

impl Half {
    /// Where counting begins: the number after the SYN.
    pub fn begin(&mut self, sequence: u32) {
        if self.base.is_none() {
            self.base = Some(sequence);
        }
    }

    /// Whether the SYN was seen.
    pub fn has_begun(&self) -> bool {
        self.base.is_some()
    }

    /// Whether counting begins at this number.
    pub fn begins_with(&self, sequence: u32) -> bool {
        self.base == Some(sequence)
    }

    /// Why it was given up.
    pub fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// Whether something still waits for a segment that has not come.
    pub fn has_gap(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes in the data of a segment.
    pub fn take(&mut self, sequence: u32, bytes: &[u8], missing: u32, sink: &mut impl Sink) {
        let Some(base) = self.base.filter(|_| self.lost.is_none()) else {
            return;
        };
        let length = bytes.len() as u64 + u64::from(missing);
        if length == 0 {
            return;
        }
        // The distance to what is expected, which wraps every 4 GiB.
        #[allow(clippy::cast_possible_truncation)]
        let expected = base.wrapping_add(self.next as u32);
        let distance = i64::from(sequence.wrapping_sub(expected).cast_signed());
        let Some(start) = self.next.checked_add_signed(distance) else {
            self.repeated += 1;
            return;
        };
        if start + length <= self.next {
            self.repeated += 1;
            return;
        }
        if start > self.next {
            self.early += 1;
            self.keep(start, bytes, missing);
            if self.waiting_bytes > WAITING_BYTES || self.waiting.len() > WAITING_SEGMENTS {
                self.lose(Lost::Gap);
            }
            return;
        }
        if self.waiting.is_empty() {
            self.pass(start, bytes, missing, sink);
            return;
        }
        // What waits came first, so of an overlap its copy counts.
        self.keep(
            start.max(self.next),
            tail(bytes, self.next - start),
            cut(missing, bytes, self.next - start),
        );
        while let Some(first) = self.waiting.first() {
            if first.start > self.next || self.lost.is_some() {
                break;
            }
            let first = self.waiting.remove(0);
            self.waiting_bytes -= first.bytes.len();
            self.pass(first.start, &first.bytes, first.missing, sink);
        }
    }

    fn lose(&mut self, why: Lost) {
        self.lost = Some(why);
        self.waiting = Vec::new();
        self.waiting_bytes = 0;
    }

    /// Gives the parser what it has not seen of a stretch that begins at or before `next`.
    fn pass(&mut self, start: u64, bytes: &[u8], missing: u32, sink: &mut impl Sink) {
        let known = self.next - start;
        let (bytes, missing) = (tail(bytes, known), cut(missing, bytes, known));
        self.next += bytes.len() as u64 + u64::from(missing);
        if let Err(broken) = self.records.feed(bytes, missing, sink) {
            self.lose(broken.into());
        }
    }

    /// Keeps the parts of a stretch that nothing covers yet.
    fn keep(&mut self, start: u64, bytes: &[u8], missing: u32) {
        let end = start + bytes.len() as u64 + u64::from(missing);
        let mut at = start;
        let mut parts = Vec::new();
        for known in &self.waiting {
            if known.end() <= at {
                continue;
            }
            if known.start >= end {
                break;
            }
            if known.start > at {
                parts.push((at, known.start));
            }
            at = known.end();
        }
        if at < end {
            parts.push((at, end));
        }
        for (from, to) in parts {
            let captured = start + bytes.len() as u64;
            let middle = captured.clamp(from, to);
            // Both lie within the stretch, so the differences fit.
            let slice = bytes
                .get((from.min(captured) - start) as usize..(middle - start) as usize)
                .unwrap_or_default();
            self.waiting_bytes += slice.len();
            let part = Waiting {
                start: from,
                bytes: slice.to_vec(),
                missing: (to - middle) as u32,
            };
            let place = self.waiting.partition_point(|known| known.start < from);
            self.waiting.insert(place, part);
        }
    }
}

fn tail(bytes: &[u8], known: u64) -> &[u8] {
    usize::try_from(known)
        .ok()
        .and_then(|known| bytes.get(known..))
        .unwrap_or_default()
}

/// What is missing behind `bytes` after `known` bytes of both.
fn cut(missing: u32, bytes: &[u8], known: u64) -> u32 {
    let into = known.saturating_sub(bytes.len() as u64);
    u32::try_from(u64::from(missing).saturating_sub(into)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::records::Event;
    use super::*;

    #[derive(Default)]
    struct Count(usize);

    impl Sink for Count {
        fn is_clear(&self) -> bool {
            false
        }
        fn event(&mut self, _: Event) {
            self.0 += 1;
        }
    }

    fn half(sequence: u32) -> Half {
        let mut half = Half::default();
        half.begin(sequence);
        half
    }

    /// Three records of 8 bytes, each.
    fn stream() -> Vec<u8> {
        [23u8, 3, 3, 0, 3, 1, 2, 3].repeat(3)
    }

    #[test]
    fn order_overlap_and_repetition_do_not_matter() {
        let bytes = stream();
        for base in [1000u32, u32::MAX - 9] {
            let orders: [&[(usize, usize)]; 4] = [
                &[(0, 24)],
                &[(16, 24), (8, 16), (0, 8)],
                &[(4, 12), (0, 10), (0, 10), (20, 24), (9, 22)],
                &[(23, 24), (1, 2), (3, 20), (2, 3), (0, 1), (0, 24)],
            ];
            for order in orders {
                let (mut half, mut seen) = (half(base), Count::default());
                for &(from, to) in order {
                    let sequence = base.wrapping_add(from as u32);
                    half.take(sequence, &bytes[from..to], 0, &mut seen);
                }
                assert_eq!(
                    (seen.0, half.has_gap(), half.lost()),
                    (3, false, None),
                    "{order:?}"
                );
            }
        }
    }

    #[test]
    fn the_first_copy_counts() {
        let (mut half, mut seen) = (half(0), Count::default());
        half.take(4, &[3, 1, 2, 3], 0, &mut seen);
        // Another length in the same place, later.
        half.take(0, &[23, 3, 3, 0, 9, 9, 9, 9], 0, &mut seen);
        assert_eq!((seen.0, half.lost()), (1, None));
    }

    #[test]
    fn a_gap_is_told_and_bounded() {
        let (mut half, mut seen) = (half(0), Count::default());
        half.take(8, &stream()[8..], 0, &mut seen);
        assert!(half.has_gap());
        for i in 0..5000u32 {
            half.take(100 + i * 2000, &[0; 1000], 0, &mut seen);
        }
        assert_eq!((seen.0, half.lost()), (0, Some(Lost::Gap)));
    }
}
