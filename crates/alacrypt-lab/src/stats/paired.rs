//! Interleaved rounds: log ratios per round, with and without a term for the position.

use super::distribution::{t_quantile, t_two_sided};
use super::summary;

/// One complete round of two arms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// ln(new) − ln(old).
    pub log_ratio: f64,
    /// Whether the old arm ran before the new one.
    pub old_first: bool,
}

impl Round {
    /// From two positive values; `None` when a logarithm does not exist.
    pub fn of(old: f64, new: f64, old_first: bool) -> Option<Self> {
        let log_ratio = new.ln() - old.ln();
        log_ratio.is_finite().then_some(Self {
            log_ratio,
            old_first,
        })
    }
}

/// An effect on the log scale with what is needed for its test and interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEffect {
    /// Estimate of ln(new / old).
    pub estimate: f64,
    /// Its standard error.
    pub se: f64,
    /// Degrees of freedom.
    pub df: f64,
}

impl LogEffect {
    /// Estimate over standard error.
    pub fn t(&self) -> f64 {
        self.estimate / self.se
    }

    /// Two-sided p-value of "no effect".
    pub fn p(&self) -> f64 {
        t_two_sided(self.t(), self.df)
    }

    /// The estimated ratio.
    pub fn ratio(&self) -> f64 {
        self.estimate.exp()
    }

    /// Interval of the ratio at `confidence`.
    pub fn ratio_interval(&self, confidence: f64) -> [f64; 2] {
        let half = t_quantile(0.5 + confidence / 2.0, self.df) * self.se;
        [(self.estimate - half).exp(), (self.estimate + half).exp()]
    }

    /// One-sided p-value of "the log effect is below `threshold`": small when certainly below.
    pub fn p_below(&self, threshold: f64) -> f64 {
        super::distribution::t_cdf((self.estimate - threshold) / self.se, self.df)
    }

    /// One-sided p-value of "the log effect is above `threshold`": small when certainly above.
    pub fn p_above(&self, threshold: f64) -> f64 {
        super::distribution::t_cdf((threshold - self.estimate) / self.se, self.df)
    }
}

/// Paired t on the log ratios; `None` below two rounds or without spread.
///
/// Source: "Student", Biometrika 6 (1908) 1–25; as R's `t.test(log(new), log(old), paired = TRUE)`.
pub fn paired(rounds: &[Round]) -> Option<LogEffect> {
    let ratios: Vec<f64> = rounds.iter().map(|round| round.log_ratio).collect();
    let n = summary::count(&ratios);
    let se = (summary::variance(&ratios)? / n).sqrt();
    positive(LogEffect {
        estimate: summary::mean(&ratios),
        se,
        df: n - 1.0,
    })
}

/// Effect of the arm and of the position, from one least-squares fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// ln(new / old), freed of the position.
    pub subject: LogEffect,
    /// ln(second / first): what running second costs or gains, whichever arm it is.
    pub position: LogEffect,
}

/// Least squares d = τ + π·s with s = +1 where the old arm went first. `None` below four rounds,
/// when every round has the same order, or without spread.
///
/// Equal to R's `lm(log(t) ~ subject + position + round)` on complete rounds.
///
/// Source: B. Jones and M. G. Kenward, Design and Analysis of Cross-Over Trials (3rd ed.),
/// section 2.3 (period-adjusted treatment difference).
pub fn crossover(rounds: &[Round]) -> Option<Crossover> {
    if rounds.len() < 4 {
        return None;
    }
    let d: Vec<f64> = rounds.iter().map(|round| round.log_ratio).collect();
    let s: Vec<f64> = rounds
        .iter()
        .map(|round| if round.old_first { 1.0 } else { -1.0 })
        .collect();
    let n = summary::count(&d);
    let (d_mean, s_mean) = (summary::mean(&d), summary::mean(&s));
    let spread: f64 = s.iter().map(|s| (s - s_mean).powi(2)).sum();
    if spread < 0.5 {
        return None;
    }
    let products: Vec<f64> = s
        .iter()
        .zip(&d)
        .map(|(s, d)| (s - s_mean) * (d - d_mean))
        .collect();
    let position = summary::sum(&products) / spread;
    let subject = d_mean - position * s_mean;
    let residuals: Vec<f64> = s
        .iter()
        .zip(&d)
        .map(|(s, d)| (d - subject - position * s).powi(2))
        .collect();
    let df = n - 2.0;
    let sigma2 = summary::sum(&residuals) / df;
    let effect = |estimate, variance: f64| {
        positive(LogEffect {
            estimate,
            se: variance.sqrt(),
            df,
        })
    };
    Some(Crossover {
        subject: effect(subject, sigma2 * (1.0 / n + s_mean * s_mean / spread))?,
        position: effect(position, sigma2 / spread)?,
    })
}

/// Rounding of identical rounds is not a spread.
fn positive(effect: LogEffect) -> Option<LogEffect> {
    (effect.se > 1e-14).then_some(effect)
}

/// Pools independent estimates of one effect, one per block (machine), by inverse variance.
///
/// Degrees of freedom by Satterthwaite. `None` for no blocks.
///
/// Source: W. G. Cochran, Biometrics 10 (1954) 101–129.
pub fn pool(blocks: &[LogEffect]) -> Option<LogEffect> {
    let weights: Vec<f64> = blocks.iter().map(|block| block.se.powi(-2)).collect();
    let total = summary::sum(&weights);
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let weighted: Vec<f64> = blocks
        .iter()
        .zip(&weights)
        .map(|(b, w)| b.estimate * w)
        .collect();
    let parts: Vec<(f64, f64)> = blocks
        .iter()
        .zip(&weights)
        .map(|(b, w)| (*w, b.df))
        .collect();
    Some(LogEffect {
        estimate: summary::sum(&weighted) / total,
        se: total.recip().sqrt(),
        df: super::welch::satterthwaite(&parts),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(values: &[(f64, bool)]) -> Vec<Round> {
        let round = |(log_ratio, old_first): &(f64, bool)| Round {
            log_ratio: *log_ratio,
            old_first: *old_first,
        };
        values.iter().map(round).collect()
    }

    #[test]
    fn what_cannot_be_answered_is_none() {
        assert_eq!(Round::of(0.0, 1.0, true), None);
        assert_eq!(Round::of(1.0, -1.0, true), None);
        assert_eq!(paired(&rounds(&[(0.1, true)])), None);
        assert_eq!(paired(&rounds(&[(0.1, true); 5])), None);
        let same_order = [(0.1, true), (0.2, true), (0.1, true), (0.3, true)];
        assert_eq!(crossover(&rounds(&same_order)), None);
    }

    #[test]
    fn an_unbalanced_order_does_not_bias_the_subject() {
        // True effect 0.10, being second costs 0.05; three rounds of one order, two of the other.
        let noise = [0.001, -0.001, 0.0005, -0.0005, 0.0];
        let order = [true, true, true, false, false];
        let data: Vec<(f64, bool)> = noise
            .iter()
            .zip(order)
            .map(|(e, first)| (0.10 + if first { 0.05 } else { -0.05 } + e, first))
            .collect();
        let fit = crossover(&rounds(&data)).expect("both orders");
        assert!((fit.subject.estimate - 0.10).abs() < 0.001);
        assert!((fit.position.estimate - 0.05).abs() < 0.001);
        let plain = paired(&rounds(&data)).expect("spread");
        assert!(
            (plain.estimate - 0.11).abs() < 0.001,
            "the plain mean is biased"
        );
    }

    #[test]
    fn pooling_weighs_the_sharper_block() {
        let sharp = LogEffect {
            estimate: 0.1,
            se: 0.01,
            df: 10.0,
        };
        let blunt = LogEffect {
            estimate: 0.2,
            se: 0.1,
            df: 10.0,
        };
        let pooled = pool(&[sharp, blunt]).expect("two blocks");
        assert!((pooled.estimate - 0.1 - 0.1 / 101.0).abs() < 1e-12);
        assert!(pooled.se < sharp.se && pooled.df > 10.0);
        assert_eq!(pool(&[]), None);
    }
}
