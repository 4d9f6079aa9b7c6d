//! The words. Never "no difference" because p > .05.

use serde::Serialize;

use super::effect::{ENOUGH_ROUNDS, Effect};
use crate::stats::power;

/// What can be said about one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "word", rename_all = "kebab-case")]
pub enum Verdict {
    /// Certainly faster than the base.
    Faster {
        /// Whether the difference is also certainly smaller than δ.
        within_delta: bool,
    },
    /// Certainly slower than the base.
    Slower {
        /// Whether the difference is also certainly smaller than δ.
        within_delta: bool,
    },
    /// The difference, if any, is certainly smaller than δ.
    Same {
        /// δ as a share.
        delta: f64,
    },
    /// The data decide neither.
    CannotTell {
        /// About how many runs a side or rounds would decide it.
        needs: Option<u64>,
        /// Why more runs alone would not help, or what is missing.
        why: Option<String>,
    },
    /// No test was possible.
    NotTested {
        /// Why.
        why: String,
    },
}

impl Verdict {
    /// The word with its number, as printed.
    pub fn text(&self) -> String {
        match self {
            Self::Faster {
                within_delta: false,
            } => "faster".into(),
            Self::Slower {
                within_delta: false,
            } => "slower".into(),
            Self::Faster { within_delta: true } => "faster, by less than δ".into(),
            Self::Slower { within_delta: true } => "slower, by less than δ".into(),
            Self::Same { delta } => format!("no difference within {}", percent(*delta)),
            Self::CannotTell { why: Some(why), .. } => format!("cannot tell ({why})"),
            Self::CannotTell { needs: Some(n), .. } => {
                format!("cannot tell (needs about {n} runs)")
            }
            Self::CannotTell { .. } => "cannot tell".into(),
            Self::NotTested { why } => format!("NA ({why})"),
        }
    }

    /// Whether the row was decided.
    pub fn decided(&self) -> bool {
        matches!(
            self,
            Self::Faster { .. } | Self::Slower { .. } | Self::Same { .. }
        )
    }
}

/// A share as a short percentage: 0.01 is `1 %`.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// What a verdict depends on besides the effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// +1 for rates, −1 for times.
    pub(super) gain: f64,
    /// The smallest difference that matters.
    pub(super) delta: f64,
    /// Differences up to this share appear between identical code.
    pub(super) floor: f64,
    /// Tests in the family.
    pub(super) tests: usize,
    /// A corrected p-value below this is certain enough: .05, less where planned looks have used
    /// a part of it.
    pub(super) alpha: f64,
}

/// Chooses the word for an effect with its corrected p-value.
pub(super) fn judge(effect: &Effect, p_corrected: f64, limits: Limits) -> Verdict {
    if effect.n < runs(ENOUGH_ROUNDS) {
        return Verdict::CannotTell {
            needs: None,
            why: Some(format!(
                "{} runs; a verdict needs {ENOUGH_ROUNDS}",
                effect.n
            )),
        };
    }
    let inside = |ends: Option<[f64; 2]>, share: f64| {
        ends.is_some_and(|ends| ends.iter().all(|end| end.ln().abs() < share.ln_1p()))
    };
    let same = inside(effect.interval90, limits.delta);
    if p_corrected < limits.alpha {
        // The end of the interval that is nearer to no difference, as a gain in speed.
        let nearest = effect.interval95.map(|ends| {
            let gains = ends.map(|end| limits.gain * end.ln());
            if gains[0].abs() < gains[1].abs() {
                gains[0]
            } else {
                gains[1]
            }
        });
        let centre = limits.gain * effect.ratio.ln();
        let beyond = nearest
            .is_some_and(|nearest| nearest * centre > 0.0 && nearest.abs() > limits.floor.ln_1p());
        match (beyond, centre > 0.0) {
            (true, true) => return Verdict::Faster { within_delta: same },
            (true, false) => return Verdict::Slower { within_delta: same },
            _ => {}
        }
    }
    if same {
        return Verdict::Same {
            delta: limits.delta,
        };
    }
    let reason = (p_corrected < limits.alpha && limits.floor > 0.0).then(|| {
        format!(
            "identical code differs by up to {} here",
            percent(limits.floor)
        )
    });
    let target = effect.ratio.ln().abs().max(limits.delta.ln_1p());
    let alpha = limits.alpha / runs(limits.tests.max(1));
    let needed = power::rounds_needed(effect.n, effect.log_se, target, alpha);
    Verdict::CannotTell {
        needs: rounded(needed.max(effect.n + 1.0)),
        why: reason,
    }
}

/// Two significant digits: an estimate of an estimate deserves no more.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rounded(needed: f64) -> Option<u64> {
    if !(needed.is_finite() && needed < 1e12) {
        return None;
    }
    let unit = 10_f64.powi((needed.log10().floor() as i32 - 1).max(0));
    Some(((needed / unit).ceil() * unit) as u64)
}

#[allow(clippy::cast_precision_loss)] // Numbers of rows and runs are far below 2^53.
fn runs(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Basis;

    fn effect(log: f64, se: f64, n: f64) -> Effect {
        let around = |z: f64| Some([(log - z * se).exp(), (log + z * se).exp()]);
        Effect {
            basis: Basis::Crossover,
            ratio: log.exp(),
            interval95: around(2.0),
            interval90: around(1.7),
            p: 0.5,
            log_se: se,
            df: n - 2.0,
            n,
            position: None,
            machines_p: None,
            remarks: Vec::new(),
        }
    }

    fn limits(gain: f64, floor: f64) -> Limits {
        Limits {
            gain,
            delta: 0.01,
            floor,
            tests: 1,
            alpha: 0.05,
        }
    }

    #[test]
    fn direction_follows_the_unit() {
        let up = effect(0.05, 0.005, 30.0);
        assert_eq!(judge(&up, 0.001, limits(1.0, 0.0)).text(), "faster");
        assert_eq!(judge(&up, 0.001, limits(-1.0, 0.0)).text(), "slower");
    }

    #[test]
    fn a_large_p_is_never_sameness() {
        let wide = judge(&effect(0.0, 0.05, 30.0), 0.9, limits(1.0, 0.0));
        let Verdict::CannotTell {
            needs: Some(needs),
            why: None,
        } = wide
        else {
            panic!("{wide:?}");
        };
        assert!(needs > 5_000, "{needs}");
        let narrow = judge(&effect(0.0, 0.001, 30.0), 0.9, limits(1.0, 0.0));
        assert_eq!(narrow.text(), "no difference within 1 %");
    }

    #[test]
    fn certain_but_tiny_says_both() {
        let tiny = judge(&effect(0.002, 0.0005, 30.0), 0.001, limits(1.0, 0.0));
        assert_eq!(tiny.text(), "faster, by less than δ");
    }

    #[test]
    fn inside_the_floor_nothing_is_claimed() {
        let verdict = judge(&effect(0.02, 0.004, 30.0), 0.001, limits(1.0, 0.03));
        assert_eq!(
            verdict.text(),
            "cannot tell (identical code differs by up to 3 % here)"
        );
    }

    #[test]
    fn planned_looks_leave_less_for_the_last_one() {
        let last = Limits {
            alpha: 0.0411,
            ..limits(1.0, 0.0)
        };
        let wide = effect(0.05, 0.02, 30.0);
        assert_eq!(judge(&wide, 0.045, limits(1.0, 0.0)).text(), "faster");
        assert!(!judge(&wide, 0.045, last).decided());
    }

    #[test]
    fn few_runs_give_no_verdict() {
        let verdict = judge(&effect(0.5, 0.001, 5.0), 1e-9, limits(1.0, 0.0));
        assert_eq!(verdict.text(), "cannot tell (5 runs; a verdict needs 6)");
    }
}
