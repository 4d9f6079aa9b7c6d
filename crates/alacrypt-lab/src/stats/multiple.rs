//! Many p-values at once. Every function keeps the order of its input.

/// Holm's step-down adjustment: controls the chance of any false claim.
///
/// Source: S. Holm, Scand. J. Statist. 6 (1979) 65–70; as R's `p.adjust("holm")`.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max(p[index] * size(p.len() - rank)).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Bonferroni's adjustment.
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    p.iter()
        .map(|p_value| (p_value * size(p.len())).min(1.0))
        .collect()
}

/// Benjamini–Hochberg: controls the expected share of false claims.
///
/// Source: Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289–300.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    step_up(p, |rank, n| size(n) / size(rank + 1))
}

/// Hochberg's step-up adjustment: Holm's factors, from the largest p-value down.
///
/// Source: Y. Hochberg, Biometrika 75 (1988) 800–802.
pub fn hochberg(p: &[f64]) -> Vec<f64> {
    step_up(p, |rank, n| size(n - rank))
}

fn step_up(p: &[f64], factor: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![0.0; p.len()];
    let mut smallest = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(p[index] * factor(rank, p.len()));
        adjusted[index] = smallest;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}

#[allow(clippy::cast_precision_loss)] // Numbers of rows are far below 2^53.
fn size(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_p_value_stays_itself() {
        for adjust in [holm, bonferroni, benjamini_hochberg, hochberg] {
            assert_eq!(adjust(&[0.03]), vec![0.03]);
            assert!(adjust(&[]).is_empty());
        }
    }
}
