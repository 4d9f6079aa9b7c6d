//! Numbers as text.

/// Seconds with a unit that fits: `43.1 ms`.
pub(crate) fn seconds(value: f64) -> String {
    if value == 0.0 {
        return "0 s".into();
    }
    let (factor, unit) = time_unit(value);
    format!("{:.*} {unit}", digits(value * factor), value * factor)
}

/// Seconds in the unit that fits another time, so that figures of one line compare.
pub(crate) fn seconds_like(value: f64, other: f64) -> String {
    let (factor, unit) = time_unit(other);
    format!("{:.*} {unit}", digits(other * factor), value * factor)
}

/// Factor and name of the unit in which a time reads well.
pub(crate) fn time_unit(value: f64) -> (f64, &'static str) {
    match value.abs() {
        v if v >= 1.0 => (1.0, "s"),
        v if v >= 1e-3 => (1e3, "ms"),
        v if v >= 1e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    }
}

/// A rate with thousands as k, M, G: `53.2 k/s`.
pub(crate) fn rate(value: f64) -> String {
    let (factor, unit) = match value.abs() {
        v if v >= 1e9 => (1e-9, " G/s"),
        v if v >= 1e6 => (1e-6, " M/s"),
        v if v >= 1e4 => (1e-3, " k/s"),
        _ => (1.0, " /s"),
    };
    format!("{:.*}{unit}", digits(value * factor), value * factor)
}

/// Bytes in steps of 1024.
pub(crate) fn bytes(value: f64) -> String {
    match value {
        v if v >= 1024.0 * 1024.0 * 1024.0 => format!("{:.2} GiB", v / (1024.0 * 1024.0 * 1024.0)),
        v if v >= 1024.0 * 1024.0 => format!("{:.1} MiB", v / (1024.0 * 1024.0)),
        v => format!("{:.0} KiB", v / 1024.0),
    }
}

/// Decimal places that leave three or four significant digits.
pub(crate) fn digits(value: f64) -> usize {
    match value.abs() {
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        v if v >= 1.0 => 3,
        _ => 4,
    }
}

/// A ratio with the digits that its interval deserves: `1.0144`.
pub(crate) fn ratio(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 10.0 => format!("{value:.2}"),
        v if !(0.8..1.2).contains(&v) => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// An interval of a ratio: `[1.0004, 1.0285]`.
pub(crate) fn interval(ends: Option<[f64; 2]>) -> String {
    let Some([low, high]) = ends else {
        return "unbounded".into();
    };
    // Both ends with the digits of the coarser one.
    let coarse = |end: f64| {
        ratio(end)
            .split_once('.')
            .map_or(0, |(_, places)| places.len())
    };
    let places = coarse(low).min(coarse(high));
    format!("[{low:.places$}, {high:.places$}]")
}

/// A p-value: three significant digits, powers of ten when small.
pub(crate) fn p_value(p: f64) -> String {
    match p {
        p if p.is_nan() => "NA".into(),
        p if p >= 0.0995 => format!("{p:.2}"),
        p if p >= 0.001 => format!("{p:.4}"),
        p => format!("{p:.1e}"),
    }
}

/// A percentage with two digits after the point.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// The number of columns that a text takes; every character of ours takes one.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// `1 run`, `2 runs`.
pub(crate) fn runs(n: u64) -> String {
    format!("{n} {}", if n == 1 { "run" } else { "runs" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit_the_size() {
        assert_eq!(seconds(0.0430500234), "43.05 ms");
        assert_eq!(seconds(12.5), "12.50 s");
        assert_eq!(seconds_like(0.0007, 0.04305), "0.70 ms");
        assert_eq!(seconds(2.5e-7), "250.0 ns");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(rate(52473.84), "52.47 k/s");
        assert_eq!(rate(6.9132), "6.913 /s");
        assert_eq!(bytes(1.5 * 1024.0 * 1024.0), "1.5 MiB");
    }

    #[test]
    fn p_values_and_intervals() {
        assert_eq!(p_value(0.00623124), "0.0062");
        assert_eq!(p_value(4.4e-21), "4.4e-21");
        assert_eq!(p_value(0.402), "0.40");
        assert_eq!(interval(Some([1.00039, 1.02848])), "[1.0004, 1.0285]");
        assert_eq!(interval(Some([1.07101, 1.38505])), "[1.071, 1.385]");
        assert_eq!(interval(None), "unbounded");
    }
}
