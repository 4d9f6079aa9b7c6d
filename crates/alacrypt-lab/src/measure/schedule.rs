//! The order of runs.
//!
//! A round runs every arm of a cell once. Rounds go round all cells before the next begins, so
//! that an interruption leaves every cell about as far as the others, and drift hits all alike.
//! Within a round the order is what [`OrderRule`] says; balance is exact for each cell, and for
//! each part of a sharded plan.

use super::random::Random;
use crate::session::{Block, OrderRule, Shard};

/// What a schedule is made from.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Number of arms, at least 1.
    pub arms: usize,
    /// Number of cells.
    pub cells: usize,
    /// Measured rounds, over all shards.
    pub rounds: u32,
    /// Warm-up rounds; each shard has its own.
    pub warmup_rounds: u32,
    /// Order within rounds.
    pub order: OrderRule,
    /// Seed.
    pub seed: u64,
    /// The part wanted.
    pub shard: Option<Shard>,
}

/// The blocks of the plan, or of the wanted part of it, in the order of time.
pub fn blocks(request: &Request) -> Vec<Block> {
    let shard = request.shard.unwrap_or(Shard { index: 1, of: 1 });
    let shard = Shard {
        of: shard.of.max(1),
        ..shard
    };
    let mine: Vec<u32> = (1..=request.rounds)
        .filter(|r| (r - 1) % shard.of == shard.index - 1)
        .collect();
    let orders: Vec<Vec<Vec<usize>>> = (0..request.cells)
        .map(|cell| orders_of_cell(request, cell, shard, mine.len()))
        .collect();
    let mut blocks = Vec::with_capacity(request.cells * (mine.len() + 1));
    for _ in 0..request.warmup_rounds {
        for cell in 0..request.cells {
            blocks.push(Block {
                cell,
                round: 0,
                order: (0..request.arms).collect(),
            });
        }
    }
    for (i, &round) in mine.iter().enumerate() {
        for (cell, orders) in orders.iter().enumerate() {
            blocks.push(Block {
                cell,
                round,
                order: orders[i].clone(),
            });
        }
    }
    blocks
}

/// The orders of one cell's rounds within one shard.
fn orders_of_cell(request: &Request, cell: usize, shard: Shard, rounds: usize) -> Vec<Vec<usize>> {
    let forward: Vec<usize> = (0..request.arms).collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    match request.order {
        OrderRule::Fixed => vec![forward; rounds],
        OrderRule::Abba => (0..rounds)
            .map(|i| {
                if i % 2 == 0 {
                    forward.clone()
                } else {
                    backward.clone()
                }
            })
            .collect(),
        OrderRule::Balanced => {
            let mut shared = Random::stream(request.seed, cell as u64);
            // Where rounds are odd, one order has one more: by turns over the shards, so that the
            // whole stays balanced too. Every shard draws the same start of these turns.
            let turn = shared.below(2);
            let mut own = Random::stream(shared.draw(), u64::from(shard.index));
            if request.arms == 2 {
                let odd_goes_backward = (turn + shard.index as usize) % 2 == 1;
                let backwards = rounds / 2 + usize::from(rounds % 2 == 1 && odd_goes_backward);
                let mut orders = vec![backward; backwards];
                orders.resize(rounds, forward);
                own.shuffle(&mut orders);
                orders
            } else {
                let square = williams(request.arms);
                let mut orders = Vec::with_capacity(rounds + square.len());
                while orders.len() < rounds {
                    let mut rows = square.clone();
                    own.shuffle(&mut rows);
                    orders.extend(rows);
                }
                orders.truncate(rounds);
                orders
            }
        }
    }
}

/// Williams' square for `m` treatments: `m` rows for even `m`, `2m` for odd. Each arm stands
/// equally often in each slot and directly after each other arm (E. J. Williams, "Experimental
/// designs balanced for the estimation of residual effects of treatments", Aust. J. Sci. Res. A 2,
/// 1949).
fn williams(m: usize) -> Vec<Vec<usize>> {
    // 0, 1, m−1, 2, m−2, …: successive differences are all different modulo an even m.
    let first: Vec<usize> = (0..m)
        .map(|i| {
            if i % 2 == 1 {
                i.div_ceil(2)
            } else {
                (m - i / 2) % m.max(1)
            }
        })
        .collect();
    let mut rows: Vec<Vec<usize>> = (0..m)
        .map(|shift| first.iter().map(|arm| (arm + shift) % m).collect())
        .collect();
    if m % 2 == 1 && m > 1 {
        // For an odd m only the square and its mirror image together are balanced.
        let mirrored: Vec<Vec<usize>> = rows
            .iter()
            .map(|row| row.iter().rev().copied().collect())
            .collect();
        rows.extend(mirrored);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn request(arms: usize, rounds: u32) -> Request {
        Request {
            arms,
            cells: 1,
            rounds,
            warmup_rounds: 0,
            order: OrderRule::Balanced,
            seed: 7,
            shard: None,
        }
    }

    fn first_counts(blocks: &[Block]) -> BTreeMap<usize, usize> {
        let mut counts = BTreeMap::new();
        for block in blocks {
            *counts.entry(block.order[0]).or_default() += 1;
        }
        counts
    }

    #[test]
    fn two_arms_are_first_equally_often_for_every_length_and_seed() {
        for seed in 0..50 {
            for rounds in 1..40 {
                let blocks = blocks(&Request {
                    seed,
                    ..request(2, rounds)
                });
                let counts = first_counts(&blocks);
                let (a, b) = (
                    counts.get(&0).copied().unwrap_or(0),
                    counts.get(&1).copied().unwrap_or(0),
                );
                assert_eq!(a + b, rounds as usize);
                assert!(
                    a.abs_diff(b) <= 1,
                    "seed {seed}, {rounds} rounds: {a} against {b}"
                );
            }
        }
    }

    #[test]
    fn a_seed_fixes_the_order_and_another_one_changes_it() {
        assert_eq!(blocks(&request(2, 30)), blocks(&request(2, 30)));
        assert_ne!(
            blocks(&request(2, 30)),
            blocks(&Request {
                seed: 8,
                ..request(2, 30)
            })
        );
        // Cells of one plan are ordered independently.
        let two = blocks(&Request {
            cells: 2,
            ..request(2, 30)
        });
        let of = |cell| two.iter().filter(move |b| b.cell == cell).map(|b| &b.order);
        assert!(of(0).ne(of(1)));
    }

    #[test]
    fn williams_squares_balance_slots_and_neighbours() {
        for m in 2..9 {
            let rows = williams(m);
            assert_eq!(rows.len(), if m % 2 == 0 { m } else { 2 * m });
            let mut slots: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            let mut neighbours: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for row in &rows {
                for (slot, &arm) in row.iter().enumerate() {
                    *slots.entry((slot, arm)).or_default() += 1;
                }
                for pair in row.windows(2) {
                    *neighbours.entry((pair[0], pair[1])).or_default() += 1;
                }
            }
            let expected = rows.len() / m;
            assert_eq!(slots.len(), m * m);
            assert!(slots.values().all(|&n| n == expected), "m={m}: {slots:?}");
            assert_eq!(neighbours.len(), m * (m - 1));
            assert!(
                neighbours.values().all(|&n| n == expected),
                "m={m}: {neighbours:?}"
            );
        }
    }

    #[test]
    fn three_arms_are_balanced_after_each_whole_square() {
        let blocks = blocks(&request(3, 30));
        for square in blocks.chunks(6) {
            assert!(first_counts(square).values().all(|&n| n == 2));
        }
    }

    #[test]
    fn shards_partition_the_rounds_and_stay_balanced() {
        for of in 1..6 {
            let mut all: Vec<u32> = Vec::new();
            let mut firsts = [0usize; 2];
            for index in 1..=of {
                let part = blocks(&Request {
                    shard: Some(Shard { index, of }),
                    ..request(2, 30)
                });
                let counts = first_counts(&part);
                let (a, b) = (
                    counts.get(&0).copied().unwrap_or(0),
                    counts.get(&1).copied().unwrap_or(0),
                );
                assert!(a.abs_diff(b) <= 1);
                firsts[0] += a;
                firsts[1] += b;
                all.extend(part.iter().map(|b| b.round));
            }
            all.sort_unstable();
            assert_eq!(all, (1..=30).collect::<Vec<u32>>());
            assert!(
                firsts[0].abs_diff(firsts[1]) <= 1,
                "{of} shards: {firsts:?}"
            );
        }
    }

    #[test]
    fn abba_and_fixed_are_what_they_say_and_warm_ups_come_first() {
        let abba = blocks(&Request {
            order: OrderRule::Abba,
            warmup_rounds: 1,
            ..request(2, 4)
        });
        let orders: Vec<_> = abba.iter().map(|b| (b.round, b.order.clone())).collect();
        assert_eq!(
            orders,
            [
                (0, vec![0, 1]),
                (1, vec![0, 1]),
                (2, vec![1, 0]),
                (3, vec![0, 1]),
                (4, vec![1, 0])
            ]
        );
        let fixed = blocks(&Request {
            order: OrderRule::Fixed,
            ..request(3, 4)
        });
        assert!(fixed.iter().all(|b| b.order == [0, 1, 2]));
    }

    #[test]
    fn rounds_go_round_all_cells() {
        let blocks = blocks(&Request {
            cells: 3,
            ..request(2, 2)
        });
        let order: Vec<_> = blocks.iter().map(|b| (b.round, b.cell)).collect();
        assert_eq!(order, [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
    }
}
