//! Random order from a seed: streams and shuffles on the generator of [`crate::stats`], so that a
//! seed gives the same plan everywhere.

use crate::stats::bootstrap::SplitMix64;

/// A stream of random numbers for one purpose.
#[derive(Debug, Clone)]
pub struct Random(SplitMix64);

impl Random {
    /// The stream of this seed for this purpose; other purposes are unrelated.
    pub fn stream(seed: u64, purpose: u64) -> Self {
        let mut mixer = SplitMix64::new(seed ^ purpose.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self(SplitMix64::new(mixer.next_u64()))
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.index(bound)
    }

    /// Puts the items in random order (Fisher and Yates, in Durstenfeld's form).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_three_is_about_equally_frequent() {
        let mut random = Random::stream(1, 0);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        // Five standard deviations of a binomial(6000, 1/6) around 1000.
        assert!(
            seen.values().all(|&n: &i32| (n - 1000).abs() < 145),
            "{seen:?}"
        );
    }

    #[test]
    fn purposes_are_unrelated_and_repeatable() {
        let first = |purpose| Random::stream(7, purpose).draw();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }
}
