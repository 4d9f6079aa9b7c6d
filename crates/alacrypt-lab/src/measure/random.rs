//! The generator of everything random in a plan: SplitMix64 (Steele, Lea, Flood, "Fast splittable
//! pseudorandom number generators", OOPSLA 2014), so that a seed gives the same plan everywhere.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream for one purpose: the same seed with another `purpose` is unrelated.
    pub fn stream(seed: u64, purpose: u64) -> Self {
        let mut mixer = Self(seed ^ purpose.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self(mixer.draw())
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each equally often (rejection of the incomplete last interval).
    /// 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound < 2 {
            return 0;
        }
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let n = self.draw();
            if n < limit {
                return (n % bound) as usize;
            }
        }
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
    fn first_numbers_of_seed_zero() {
        // The reference values that java.util.SplittableRandom's algorithm gives for seed 0.
        let mut random = Random::new(0);
        assert_eq!(random.draw(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.draw(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn every_order_of_three_is_about_equally_frequent() {
        let mut random = Random::new(1);
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
}
