//! Sessions that never ran, with effects that are known.
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use alacrypt_lab::stats::bootstrap::SplitMix64;
use serde_json::{Value, json};

use super::binary::{arg, file, lab};

/// A session that never ran, with effects that are known.
#[derive(Clone)]
pub(crate) struct Fake {
    pub(crate) id: &'static str,
    pub(crate) rows: usize,
    pub(crate) rounds: u32,
    /// Rate of the new arm over the old one's.
    pub(crate) effect: f64,
    /// Rate of the copy over the old one's; no copy when `None`.
    pub(crate) copy: Option<f64>,
    /// Rate of whoever runs second over whoever runs first.
    pub(crate) second: f64,
    /// Relative noise of one run.
    pub(crate) noise: f64,
    /// Growth of the speed from the first round to the last.
    pub(crate) drift: f64,
    /// Speed of the machine.
    pub(crate) machine: f64,
    pub(crate) seed: u64,
    pub(crate) finished: bool,
}

pub(crate) const PLAIN: Fake = Fake {
    id: "plan-a",
    rows: 1,
    rounds: 20,
    effect: 1.0,
    copy: None,
    second: 1.0,
    noise: 0.005,
    drift: 0.05,
    machine: 1.0,
    seed: 1,
    finished: true,
};

impl Fake {
    pub(crate) fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let dir = folder.join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let mut names = vec!["old", "new"];
        names.extend(self.copy.map(|_| "old-copy"));
        let arms: Vec<Value> = names
            .iter()
            .map(|name| match *name {
                "old-copy" => json!({"name": name, "argv": ["node"], "copy_of": "old"}),
                _ => json!({"name": name, "argv": ["node"]}),
            })
            .collect();
        let cells: Vec<Value> = (0..self.rows)
            .map(|row| json!({"bench": format!("b{row:02}.js"), "metric": "rate"}))
            .collect();
        let plan = json!({
            "v": 1, "tool": "alacrypt-lab 0.1.0", "kind": "compare", "id": self.id, "seed": 1,
            "order": "balanced", "rounds": self.rounds, "warmup_rounds": 0,
            "until": {"rule": "fixed"}, "delta": 0.01, "base": "old",
            "arms": arms, "cells": cells, "schedule": [],
        });
        file(&dir, "plan.json", plan.to_string());
        file(
            &dir,
            "env.json",
            json!({"v": 1, "cpu_model": "Test CPU", "cpus": 2}).to_string(),
        );
        file(&dir, "runs.jsonl", self.runs(&names));
        let last = if self.finished {
            "{\"event\":\"finished\",\"runs\":1,\"failed\":0}\n"
        } else {
            ""
        };
        file(
            &dir,
            "events.jsonl",
            format!(
                "{{\"event\":\"begin\",\"from_seq\":0,\"unix_s\":1,\"environment\":1}}\n{last}"
            ),
        );
        dir
    }

    fn runs(&self, names: &[&str]) -> String {
        let mut random = SplitMix64::new(self.seed);
        // Sum of twelve uniform numbers less six: near enough to a normal one.
        let mut normal = move || {
            (0..12)
                .map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20))
                .sum::<f64>()
                - 6.0
        };
        let (mut lines, mut seq) = (String::new(), 0_u64);
        for round in 1..=self.rounds {
            for row in 0..self.rows {
                // The machine drifts over the session, whoever runs.
                let drift = 1.0 + self.drift * f64::from(round) / f64::from(self.rounds);
                // Two arms turn round in each round; three go through all six orders.
                let orders: &[[usize; 3]] = if names.len() == 2 {
                    &[[0, 1, 0], [1, 0, 0]]
                } else {
                    &[
                        [0, 1, 2],
                        [2, 1, 0],
                        [1, 2, 0],
                        [0, 2, 1],
                        [2, 0, 1],
                        [1, 0, 2],
                    ]
                };
                let order = orders[(round as usize + row) % orders.len()];
                for (slot, arm) in order.into_iter().enumerate().take(names.len()) {
                    let effect = [1.0, self.effect, self.copy.unwrap_or(1.0)][arm];
                    let place = if slot > 0 { self.second } else { 1.0 };
                    let rate = 1000.0
                        * (row + 1) as f64
                        * self.machine
                        * drift
                        * effect
                        * place
                        * (1.0 + self.noise * normal());
                    lines += &json!({
                        "v": 1, "seq": seq, "round": round, "slot": slot, "arm": names[arm],
                        "bench": format!("b{row:02}.js"), "config": "n=1", "start_ns": seq * 1_000_000,
                        "exit": 0, "rate": rate, "time_s": 1.0,
                        "noise": {"steal_ticks": seq % 3, "psi_cpu_us": 1000},
                    })
                    .to_string();
                    lines.push('\n');
                    seq += 1;
                }
            }
        }
        lines
    }
}

pub(crate) fn report(dir: &Path, extra: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["report", arg(dir), "--json", "-"];
    arguments.extend(extra);
    let called = lab(&arguments);
    let value = serde_json::from_str(&called.stdout);
    (
        called.code,
        value.unwrap_or_else(|fault| panic!("{fault}: {}", called.stderr)),
    )
}
