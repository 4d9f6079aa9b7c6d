//! From values to places.

/// Maps a range of values to a range of places, linearly or by logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// A scale over these values with a little room at both ends; equal values get room too.
    pub(super) fn over(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = if high > low {
            (high - low) * 0.05
        } else {
            low.abs().max(1e-9) * 0.05
        };
        Self {
            low: low - room,
            high: high + room,
            start,
            end,
        }
    }

    /// The place of a value, kept within the scale.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    /// The least and the largest value.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Whether a value lies within.
    pub(super) fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Round values to label, about `count` of them.
    ///
    /// Source: P. Heckbert, Nice Numbers for Graph Labels, Graphics Gems (1990).
    pub(super) fn ticks(&self, count: f64) -> Vec<f64> {
        let rough = (self.high - self.low) / count;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let step = match rough / magnitude {
            share if share <= 1.0 => 1.0,
            share if share <= 2.0 => 2.0,
            share if share <= 5.0 => 5.0,
            _ => 10.0,
        } * magnitude;
        let mut ticks = Vec::new();
        let mut tick = (self.low / step).ceil() * step;
        while tick <= self.high && ticks.len() < 50 {
            ticks.push(tick);
            tick += step;
        }
        ticks
    }
}

/// A tick with as many digits as its step needs.
pub(super) fn tick_text(value: f64, ticks: &[f64]) -> String {
    let step = match ticks {
        [first, second, ..] => second - first,
        _ => value.abs().max(1.0),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between 0 and 9.
    let places = (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_missing_values_still_have_a_scale() {
        for values in [vec![5.0, 5.0], vec![], vec![f64::NAN]] {
            let scale = Scale::over(values.into_iter(), 0.0, 100.0);
            assert!(scale.at(5.0).is_finite());
            assert!(!scale.ticks(5.0).is_empty());
        }
    }

    #[test]
    fn ticks_are_round() {
        let scale = Scale::over([0.0, 100.0].into_iter(), 0.0, 1.0);
        assert_eq!(scale.ticks(5.0), vec![0.0, 50.0, 100.0]);
        assert_eq!(tick_text(0.2, &[0.2, 0.4]), "0.2");
        assert_eq!(tick_text(50.0, &[0.0, 50.0]), "50");
    }
}
