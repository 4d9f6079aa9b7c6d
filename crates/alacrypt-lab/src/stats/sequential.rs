//! Looking early without fooling oneself: group-sequential limits.

use super::distribution::{normal_cdf, normal_quantile, normal_sf};

/// Shares of the planned runs at which `--until decided` looks.
pub const LOOKS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Two-sided nominal p-values of those looks for a total of .05 (Lan–DeMets spending of the
/// O'Brien–Fleming kind); a test recomputes them.
pub const NOMINAL_P: [f64; 4] = [
    8.857_543_832_130_254e-5,
    0.005_537_975_583_130_126,
    0.021_547_991_004_352_077,
    0.041_088_238_416_404_02,
];

/// Two-sided nominal p-values for looks at the given shares of information, spending `alpha`.
///
/// For a total of .05 at [`LOOKS`] the table is used. Under Holm, pass the divided alpha.
pub fn nominal_p(info: &[f64], alpha: f64) -> Vec<f64> {
    if info == LOOKS && alpha == 0.05 {
        return NOMINAL_P.to_vec();
    }
    lan_demets(info, alpha)
        .iter()
        .map(|z| 2.0 * normal_sf(*z))
        .collect()
}

/// Limits |z| of Lan and DeMets with the spending function 2 − 2Φ(z_{α/2}/√t).
///
/// Source: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983) 659–663; recursion of P. Armitage,
/// C. K. McPherson and B. C. Rowe, J. R. Statist. Soc. A 132 (1969) 235–244.
pub fn lan_demets(info: &[f64], alpha: f64) -> Vec<f64> {
    let edge = normal_quantile(1.0 - alpha / 2.0);
    let spent = |share: f64| 2.0 * normal_sf(edge / share.sqrt());
    let mut density = Density::new();
    let mut limits = Vec::with_capacity(info.len());
    let mut before = 0.0;
    for &share in info {
        let target = spent(share) - before;
        let limit = falling_root(|z| density.crossing(share, z) - target);
        density.advance(share, limit);
        limits.push(limit);
        before = spent(share);
    }
    limits
}

/// Limits C·√(1/t) of O'Brien and Fleming.
///
/// Source: P. C. O'Brien and T. R. Fleming, Biometrics 35 (1979) 549–556.
pub fn obrien_fleming(info: &[f64], alpha: f64) -> Vec<f64> {
    let shape: Vec<f64> = info.iter().map(|share| share.sqrt().recip()).collect();
    scaled_to(info, &shape, alpha)
}

/// Equal limits at every look.
///
/// Source: S. J. Pocock, Biometrika 64 (1977) 191–199.
pub fn pocock(info: &[f64], alpha: f64) -> Vec<f64> {
    scaled_to(info, &vec![1.0; info.len()], alpha)
}

fn scaled_to(info: &[f64], shape: &[f64], alpha: f64) -> Vec<f64> {
    let total = |factor: f64| {
        let mut density = Density::new();
        let mut crossed = 0.0;
        for (&share, &height) in info.iter().zip(shape) {
            crossed += density.crossing(share, factor * height);
            density.advance(share, factor * height);
        }
        crossed
    };
    let factor = falling_root(|factor| total(factor) - alpha);
    shape.iter().map(|height| factor * height).collect()
}

/// Density of the score process among paths that crossed no limit so far, on quadrature nodes.
struct Density {
    share: f64,
    /// Score and density times quadrature weight; empty before the first look.
    nodes: Vec<(f64, f64)>,
    rule: Vec<(f64, f64)>,
}

impl Density {
    fn new() -> Self {
        Self {
            share: 0.0,
            nodes: Vec::new(),
            rule: gauss_legendre(128),
        }
    }

    /// Probability of crossing ±`z` first at the look with this share of information.
    fn crossing(&self, share: f64, z: f64) -> f64 {
        let limit = z * share.sqrt();
        if self.nodes.is_empty() {
            return 2.0 * normal_sf(z);
        }
        let step = (share - self.share).sqrt();
        self.nodes
            .iter()
            .map(|(score, mass)| {
                let out = normal_sf((limit - score) / step) + normal_cdf((-limit - score) / step);
                mass * out
            })
            .sum()
    }

    /// Moves on to the next look, keeping the paths within ±`z`.
    fn advance(&mut self, share: f64, z: f64) {
        let limit = z * share.sqrt();
        let step = (share - self.share).sqrt();
        let bell = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let next = self.rule.iter().map(|(node, weight)| {
            let score = node * limit;
            let density = if self.nodes.is_empty() {
                bell(score / step) / step
            } else {
                let parts = self.nodes.iter();
                parts
                    .map(|(from, mass)| mass * bell((score - from) / step) / step)
                    .sum()
            };
            (score, density * weight * limit)
        });
        self.nodes = next.collect();
        self.share = share;
    }
}

/// Nodes and weights of Gauss–Legendre quadrature on [−1, 1].
///
/// Source: Newton's method on the three-term recurrence; W. H. Press et al., Numerical Recipes,
/// section 4.5.
fn gauss_legendre(order: u32) -> Vec<(f64, f64)> {
    let n = f64::from(order);
    (1..=order)
        .map(|i| {
            let mut x = (std::f64::consts::PI * (f64::from(i) - 0.25) / (n + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..100 {
                let (mut value, mut previous) = (1.0, 0.0);
                for j in 0..order {
                    let j = f64::from(j);
                    (value, previous) = (
                        ((2.0 * j + 1.0) * x * value - j * previous) / (j + 1.0),
                        value,
                    );
                }
                slope = n * (x * value - previous) / (x * x - 1.0);
                let change = value / slope;
                x -= change;
                if change.abs() < 1e-15 {
                    break;
                }
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Root of a falling function on (0, 40).
fn falling_root(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..70 {
        let middle = f64::midpoint(low, high);
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_the_recursion_gives() {
        for (z, p) in lan_demets(&LOOKS, 0.05).iter().zip(NOMINAL_P) {
            assert!((2.0 * normal_sf(*z) - p).abs() < 1e-9);
        }
    }

    #[test]
    fn one_look_is_the_ordinary_test() {
        let z = normal_quantile(0.975);
        for limits in [
            lan_demets(&[1.0], 0.05),
            pocock(&[1.0], 0.05),
            obrien_fleming(&[1.0], 0.05),
        ] {
            assert!((limits[0] - z).abs() < 1e-9);
        }
        assert_eq!(nominal_p(&LOOKS, 0.05), NOMINAL_P.to_vec());
        assert!(nominal_p(&LOOKS, 0.01)[3] < 0.01);
    }
}
