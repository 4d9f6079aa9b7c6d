//! A bootstrap whose every draw is fixed, so that two machines print the same interval.

use super::distribution::{normal_cdf, normal_quantile};
use super::summary;

/// The generator of all random choices here: SplitMix64.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014, figure 17; constants of Vigna's
/// `splitmix64.c`.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`: the high 64 bits of x·n. Its bias is below n/2^64.
    ///
    /// Source: D. Lemire, ACM TOMACS 29 (2019), without the rejection step.
    #[allow(clippy::cast_possible_truncation)] // The high half of a 128-bit product has 64 bits.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// An index into a slice of `len` items.
    #[allow(clippy::cast_possible_truncation)] // Below `len`, which is a usize.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }
}

/// The seed of every published interval.
pub const SEED: u64 = 42;
/// Resamples of every published interval.
pub const RESAMPLES: usize = 10_000;

/// The bootstrap distribution of a statistic of two samples.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The statistic of the samples themselves.
    pub theta: f64,
    /// The statistic of each resample, ascending.
    pub sorted: Vec<f64>,
    /// Bias correction: normal quantile of the share of resamples below `theta`.
    pub z0: f64,
    /// Acceleration, from the jackknife over both samples.
    pub acceleration: f64,
}

/// Resamples both samples independently. `None` when a sample has fewer than two values or the
/// statistic is not finite.
///
/// Per resample, all old indices are drawn first, then all new ones.
///
/// Source: B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), sections 14.2
/// and 14.3; two-sample acceleration as in `boot::empinf` with strata.
pub fn bootstrap(
    old: &[f64],
    new: &[f64],
    resamples: usize,
    seed: u64,
    statistic: impl Fn(&[f64], &[f64]) -> f64,
) -> Option<Bootstrap> {
    if old.len() < 2 || new.len() < 2 || resamples == 0 {
        return None;
    }
    let theta = statistic(old, new);
    let mut random = SplitMix64::new(seed);
    let (mut old_draw, mut new_draw) = (old.to_vec(), new.to_vec());
    let mut sorted: Vec<f64> = (0..resamples)
        .map(|_| {
            old_draw.fill_with(|| old[random.index(old.len())]);
            new_draw.fill_with(|| new[random.index(new.len())]);
            statistic(&old_draw, &new_draw)
        })
        .collect();
    if !theta.is_finite() || sorted.iter().any(|value| !value.is_finite()) {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let less = sorted.partition_point(|value| *value < theta);
    let equal = sorted.partition_point(|value| *value <= theta) - less;
    let z0 = normal_quantile((size(less) + size(equal) / 2.0) / size(resamples));
    let old_influence = influence(old, |rest| statistic(rest, new));
    let new_influence = influence(new, |rest| statistic(old, rest));
    Some(Bootstrap {
        theta,
        sorted,
        z0,
        acceleration: acceleration(&[old_influence, new_influence]),
    })
}

impl Bootstrap {
    /// Percentile interval at `confidence`.
    pub fn percentile(&self, confidence: f64) -> [f64; 2] {
        let tail = (1.0 - confidence) / 2.0;
        [tail, 1.0 - tail].map(|level| summary::quantile7(&self.sorted, level))
    }

    /// The levels at which BCa reads the distribution.
    pub fn bca_levels(&self, confidence: f64) -> [f64; 2] {
        let tail = (1.0 - confidence) / 2.0;
        [tail, 1.0 - tail].map(|level| {
            let shifted = self.z0 + normal_quantile(level);
            normal_cdf(self.z0 + shifted / (1.0 - self.acceleration * shifted))
        })
    }

    /// Bias-corrected and accelerated interval; `None` when every resample lies on one side.
    pub fn bca(&self, confidence: f64) -> Option<[f64; 2]> {
        let levels = self.bca_levels(confidence);
        let usable = self.z0.is_finite() && levels.iter().all(|level| level.is_finite());
        usable.then(|| levels.map(|level| summary::quantile7(&self.sorted, level)))
    }
}

/// Jackknife influence values: (N−1)(mean of the leave-one-outs − each).
fn influence(sample: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut rest: Vec<f64> = sample[1..].to_vec();
    let left_out: Vec<f64> = (0..sample.len())
        .map(|index| {
            if index > 0 {
                rest[index - 1] = sample[index - 1];
            }
            statistic(&rest)
        })
        .collect();
    let centre = summary::mean(&left_out);
    let factor = summary::count(sample) - 1.0;
    left_out
        .iter()
        .map(|value| factor * (centre - value))
        .collect()
}

fn acceleration(strata: &[Vec<f64>]) -> f64 {
    let moment = |power: i32| {
        strata
            .iter()
            .map(|stratum| {
                let n = summary::count(stratum);
                stratum.iter().map(|u| u.powi(power)).sum::<f64>() / n.powi(power)
            })
            .sum::<f64>()
    };
    let second = moment(2);
    if second > 0.0 {
        moment(3) / (6.0 * second.powf(1.5))
    } else {
        0.0
    }
}

#[allow(clippy::cast_precision_loss)] // Counts of resamples.
fn size(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_too_small_or_ratios_without_value() {
        let ratio = |old: &[f64], new: &[f64]| summary::mean(new) / summary::mean(old);
        assert!(bootstrap(&[1.0], &[1.0, 2.0], 10, SEED, ratio).is_none());
        assert!(bootstrap(&[0.0, 0.0], &[1.0, 2.0], 10, SEED, ratio).is_none());
    }

    #[test]
    fn equal_samples_have_a_bca_interval_of_one_point() {
        let ratio = |old: &[f64], new: &[f64]| summary::mean(new) / summary::mean(old);
        let flat = bootstrap(&[2.0; 4], &[4.0; 4], 50, SEED, ratio).expect("finite");
        assert_eq!(flat.bca(0.95), Some([2.0, 2.0]));
    }
}
