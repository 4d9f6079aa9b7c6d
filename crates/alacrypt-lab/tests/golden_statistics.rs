//! Golden cases of the statistics: answers from R, recomputed with scipy; see each case.

#![forbid(unsafe_code)]

mod common;

use alacrypt_lab::stats::bootstrap::{SplitMix64, bootstrap};
use alacrypt_lab::stats::welch::{Moments, RatioInterval, fieller, fieller_df, welch};
use alacrypt_lab::stats::{
    distribution, latency, loop_delay, multiple, outlier, paired, percentile, rank, sequential,
    summary,
};
use common::{golden, near, near_all, number, numbers};
use serde_json::Value;

#[test]
fn g01_welch() {
    let case = golden("g01_welch");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let fieller_rel = number(&case["tolerance"]["fieller_rel"]);
    let (old, new) = (
        numbers(&case["input"]["old"]),
        numbers(&case["input"]["new"]),
    );
    let (a, b) = (Moments::of(&old).unwrap(), Moments::of(&new).unwrap());
    near(a.n, &want["n_old"], 0.0, "n old");
    near(b.n, &want["n_new"], 0.0, "n new");
    near(a.mean, &want["mean_old"], rel, "mean old");
    near(b.mean, &want["mean_new"], rel, "mean new");
    near(a.variance.sqrt(), &want["sd_old"], rel, "sd old");
    near(b.variance.sqrt(), &want["sd_new"], rel, "sd new");
    let test = welch(&a, &b).unwrap();
    near(test.t, &want["t"], rel, "t");
    near(test.df, &want["df"], rel, "df");
    near(test.p, &want["p"], rel, "p");
    near(test.se, &want["se"], rel, "se");
    let improvement = test.difference / a.mean * 100.0;
    near(improvement, &want["improvement_pct"], rel, "improvement");
    let accuracy = [0.95, 0.99, 0.999].map(|level| test.accuracy_pct(a.mean, level));
    near_all(&accuracy, &want["accuracy_pct"], rel, "accuracy");
    for (level, key) in [
        (0.95, "diff_ci95"),
        (0.99, "diff_ci99"),
        (0.999, "diff_ci999"),
    ] {
        near_all(&test.difference_interval(level), &want[key], rel, key);
    }
    near(
        fieller_df(&a, &b),
        &want["ratio"][0]["fieller_df"],
        rel,
        "Fieller df",
    );
    let logs = |values: &[f64]| values.iter().map(|x| x.ln()).collect::<Vec<_>>();
    let (log_a, log_b) = (
        Moments::of(&logs(&old)).unwrap(),
        Moments::of(&logs(&new)).unwrap(),
    );
    let log_test = welch(&log_a, &log_b).unwrap();
    for row in want["ratio"].as_array().unwrap() {
        let level = number(&row["conf"]);
        let Some(RatioInterval::Bounded(ends)) = fieller(&a, &b, level) else {
            panic!("the ratio is bounded");
        };
        near_all(&ends, &row["fieller"], fieller_rel, "Fieller");
        near(b.mean / a.mean, &row["ratio"], rel, "ratio");
        near(
            log_test.difference.exp(),
            &row["geo_ratio"],
            rel,
            "ratio of geometric means",
        );
        let log_ends = log_test.difference_interval(level).map(f64::exp);
        near_all(&log_ends, &row["log_welch"], rel, "Welch on logarithms");
    }
}

#[test]
fn g04_holm() {
    let case = golden("g04_holm");
    let p = numbers(&case["input"]["p"]);
    let tolerance = number(&case["tolerance"]["abs"]);
    type Adjust = fn(&[f64]) -> Vec<f64>;
    let all: [(&str, Adjust); 4] = [
        ("holm", multiple::holm),
        ("bonferroni", multiple::bonferroni),
        ("BH", multiple::benjamini_hochberg),
        ("hochberg", multiple::hochberg),
    ];
    for (name, adjust) in all {
        let expected = numbers(&case["expect"][name]);
        for (found, expected) in adjust(&p).iter().zip(&expected) {
            assert!(
                (found - expected).abs() <= tolerance,
                "{name}: {found} {expected}"
            );
        }
        assert_eq!(expected.len(), p.len());
    }
}

#[test]
fn g05_hyperfine_statistics() {
    let case = golden("g05_hyperfine");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let times: Vec<Vec<f64>> = case["input"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| numbers(&result["times"]))
        .collect();
    let indices = |value: &Value| -> Vec<usize> {
        numbers(value).iter().map(|index| *index as usize).collect()
    };
    for (values, want) in times.iter().zip(want["stats"].as_array().unwrap()) {
        let sorted = summary::sorted(values);
        near(summary::count(values), &want["n"], 0.0, "n");
        near(summary::mean(values), &want["mean"], rel, "mean");
        near(summary::sd(values).unwrap(), &want["sd"], rel, "sd");
        near(summary::median(values), &want["median"], rel, "median");
        near(sorted[0], &want["min"], rel, "min");
        near(sorted[sorted.len() - 1], &want["max"], rel, "max");
        near(summary::mad(values), &want["mad_raw"], rel, "MAD");
        near(summary::quantile7(&sorted, 0.25), &want["q25"], rel, "q25");
        near(summary::quantile7(&sorted, 0.75), &want["q75"], rel, "q75");
        let far = outlier::modified_z(values, outlier::MODIFIED_Z_LIMIT);
        assert_eq!(far, indices(&want["outliers_modified_z"]));
        assert_eq!(far.first() == Some(&0), want["first_is_outlier"] == true);
        assert_eq!(outlier::tukey(values, 1.5), indices(&want["tukey_mild"]));
    }
    let fastest = Moments::of(&times[0]).unwrap();
    for (values, want) in times
        .iter()
        .zip(want["relative"].as_array().unwrap())
        .skip(1)
    {
        let this = Moments::of(values).unwrap();
        let test = welch(&fastest, &this).unwrap();
        near(this.mean / fastest.mean, &want["ratio"], rel, "ratio");
        near(test.t, &want["welch_t"], rel, "t");
        near(test.df, &want["welch_df"], rel, "df");
        near(test.p, &want["welch_p"], rel, "p");
        let ends = fieller(&fastest, &this, 0.95).unwrap().bounds().unwrap();
        near_all(&ends, &want["ratio_fieller95"], rel, "Fieller");
    }
}

#[test]
fn g06_bootstrap() {
    let case = golden("g06_bootstrap");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let (old, new) = (
        numbers(&case["input"]["old"]),
        numbers(&case["input"]["new"]),
    );
    let mut random = SplitMix64::new(42);
    for expected in want["splitmix64_seed42_first5"].as_array().unwrap() {
        assert_eq!(random.next_u64().to_string(), expected.as_str().unwrap());
    }
    let mut random = SplitMix64::new(42);
    for expected in numbers(&want["splitmix64_seed42_below20_first12"]) {
        assert_eq!(random.below(20) as f64, expected);
    }
    let found = bootstrap(&old, &new, 10_000, 42, |old, new| {
        summary::mean(new) / summary::mean(old)
    })
    .unwrap();
    near(found.theta, &want["theta"], rel, "theta");
    near_all(
        &found.sorted[..3],
        &want["first3_sorted"],
        rel,
        "first three",
    );
    near_all(
        &found.sorted[9_997..],
        &want["last3_sorted"],
        rel,
        "last three",
    );
    near(found.z0, &want["z0"], rel, "z0");
    near(
        found.acceleration,
        &want["acceleration"],
        rel,
        "acceleration",
    );
    let less = found.sorted.partition_point(|value| *value < found.theta);
    near(less as f64, &want["less"], 0.0, "less");
    for (level, suffix) in [(0.95, "0.95"), (0.99, "0.99")] {
        near_all(
            &found.percentile(level),
            &want[format!("percentile{suffix}")],
            rel,
            "percentile",
        );
        near_all(
            &found.bca_levels(level),
            &want[format!("bca_levels{suffix}")],
            rel,
            "levels",
        );
        near_all(
            &found.bca(level).unwrap(),
            &want[format!("bca{suffix}")],
            rel,
            "BCa",
        );
    }
}

#[test]
fn g06_exact() {
    let case = golden("g06_exact");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let (old, new) = (
        numbers(&case["input"]["old"]),
        numbers(&case["input"]["new"]),
    );
    let means = |values: &[f64]| -> Vec<f64> {
        (0..256_usize)
            .map(|code| {
                let draw = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6].map(|i| values[i]);
                summary::mean(&draw)
            })
            .collect()
    };
    let (old_means, new_means) = (means(&old), means(&new));
    let ratios: Vec<f64> = old_means
        .iter()
        .flat_map(|old| new_means.iter().map(move |new| new / old))
        .collect();
    let sorted = summary::sorted(&ratios);
    near(ratios.len() as f64, &want["count"], 0.0, "count");
    near(
        summary::mean(&new) / summary::mean(&old),
        &want["theta"],
        rel,
        "theta",
    );
    near(summary::mean(&ratios), &want["boot_mean"], rel, "mean");
    let n = summary::count(&ratios);
    let population_sd = (summary::variance(&ratios).unwrap() * (n - 1.0) / n).sqrt();
    near(population_sd, &want["boot_sd_pop"], rel, "sd");
    for (key, expected) in want["q_type7"].as_object().unwrap() {
        let level: f64 = key[1..].parse().unwrap();
        near(summary::quantile7(&sorted, level), expected, rel, key);
    }
}

#[test]
fn g08_paired_crossover() {
    let case = golden("g08_paired_crossover");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let list = case["input"]["rounds"].as_array().unwrap();
    let (a, b): (Vec<f64>, Vec<f64>) = list
        .iter()
        .map(|round| (number(&round["A"]), number(&round["B"])))
        .unzip();
    let rounds: Vec<paired::Round> = list
        .iter()
        .map(|round| {
            let (a, b) = (number(&round["A"]), number(&round["B"]));
            paired::Round::of(a, b, round["order"] == "AB").unwrap()
        })
        .collect();
    let (old, new) = (Moments::of(&a).unwrap(), Moments::of(&b).unwrap());
    let unpaired = welch(&old, &new).unwrap();
    near(unpaired.p, &want["unpaired_welch_p"], rel, "unpaired p");
    let improvement = unpaired.difference / old.mean * 100.0;
    near(
        improvement,
        &want["unpaired_improvement_pct"],
        rel,
        "unpaired improvement",
    );

    let paired = paired::paired(&rounds).unwrap();
    near(paired.t(), &want["paired_t"], rel, "paired t");
    near(paired.df, &want["paired_df"], 0.0, "paired df");
    near(paired.p(), &want["paired_p"], rel, "paired p");
    near(paired.ratio(), &want["ratio_geo"], rel, "ratio");
    near_all(
        &paired.ratio_interval(0.95),
        &want["ratio_ci95"],
        rel,
        "interval",
    );

    let logs: Vec<f64> = rounds.iter().map(|round| round.log_ratio).collect();
    let signed = rank::signed_rank(&logs).unwrap();
    near(signed.statistic, &want["signed_rank_V"], 0.0, "V");
    near(signed.p, &want["signed_rank_p"], rel, "signed rank p");
    let deltas: Vec<f64> = logs.iter().map(|log| log.exp_m1()).collect();
    near(
        summary::median(&deltas),
        &want["median_paired_delta"],
        rel,
        "median",
    );
    let agreeing = logs.iter().filter(|log| **log < 0.0).count() as f64;
    near(agreeing, &want["rounds_agreeing"], 0.0, "rounds agreeing");

    let want = &want["crossover"];
    let fit = paired::crossover(&rounds).unwrap();
    near(fit.subject.estimate, &want["subject_log"], rel, "subject");
    near(fit.subject.se, &want["subject_se"], rel, "subject se");
    near(fit.subject.t(), &want["subject_t"], rel, "subject t");
    near(fit.subject.p(), &want["subject_p"], rel, "subject p");
    near(fit.subject.df, &want["resid_df"], 0.0, "df");
    let ends = fit.subject.ratio_interval(0.95);
    near_all(&ends, &want["subject_ratio_ci95"], rel, "subject interval");
    near(
        fit.position.estimate,
        &want["second_vs_first_log"],
        rel,
        "position",
    );
    near(fit.position.p(), &want["position_p"], rel, "position p");
    let ends = fit.position.ratio_interval(0.95);
    near_all(
        &ends,
        &want["position_ratio_ci95"],
        rel,
        "position interval",
    );
}

#[test]
fn g12_latency() {
    let case = golden("g12_latency");
    let (rel, want) = (number(&case["tolerance"]["rel"]), &case["expect"]);
    let mut random = SplitMix64::new(7);
    let values: Vec<f64> = (0..10_000)
        .map(|_| {
            let mut value = 200 + random.below(400);
            if random.below(1000) == 0 {
                value += 20_000 + random.below(30_000);
            }
            value as f64
        })
        .collect();
    near_all(&values[..8], &want["first8"], 0.0, "first eight");
    near(summary::sum(&values), &want["sum"], 0.0, "sum");
    let sorted = summary::sorted(&values);
    for (p, expected) in want["nearest_rank"].as_object().unwrap() {
        near(
            percentile::nearest_rank(&sorted, p.parse().unwrap()),
            expected,
            0.0,
            p,
        );
    }
    for (p, expected) in want["type7"].as_object().unwrap() {
        near(
            summary::quantile7(&sorted, p.parse().unwrap()),
            expected,
            rel,
            p,
        );
    }
    near(sorted[9_999], &want["max"], 0.0, "max");
    let far = sorted.iter().filter(|value| **value >= 20_000.0).count() as f64;
    near(far, &want["outliers_over_20000"], 0.0, "outliers");
    for row in want["rank_ci"].as_array().unwrap() {
        let n = row["n"].as_u64().unwrap();
        let found = percentile::rank_interval(n, number(&row["p"]), number(&row["conf"]));
        near(found.lower as f64, &row["lower_rank"], 0.0, "lower rank");
        near(found.upper as f64, &row["upper_rank"], 0.0, "upper rank");
        near(found.coverage, &row["coverage"], 1e-10, "coverage");
    }
}

#[test]
fn g15_sequential() {
    let case = golden("g15_sequential");
    let tolerance = number(&case["tolerance"]["abs"]);
    let close = |found: &[f64], expected: &Value, what: &str| {
        let expected = numbers(expected);
        assert_eq!(found.len(), expected.len(), "{what}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() <= tolerance,
                "{what}: {found} {expected}"
            );
        }
    };
    for (name, want) in case["expect"].as_object().unwrap() {
        let (_, alpha) = name.split_once("alpha").unwrap();
        let alpha: f64 = alpha.parse().unwrap();
        let info = numbers(&want["info"]);
        let limits = sequential::lan_demets(&info, alpha);
        close(&limits, &want["lan_demets_obf_z"], name);
        let nominal: Vec<f64> = limits
            .iter()
            .map(|z| 2.0 * distribution::normal_sf(*z))
            .collect();
        close(&nominal, &want["lan_demets_obf_nominal_p"], name);
        close(
            &sequential::nominal_p(&info, alpha),
            &want["lan_demets_obf_nominal_p"],
            name,
        );
        close(
            &sequential::obrien_fleming(&info, alpha),
            &want["obrien_fleming_z"],
            name,
        );
        close(&sequential::pocock(&info, alpha), &want["pocock_z"], name);
    }
}

/// Percentiles by nearest rank, within an absolute tolerance.
// A helper that fails should fail where it stands.
#[allow(clippy::unwrap_used)]
fn percentiles(values: &[f64], want: &Value, tolerance: f64, what: &str) {
    let sorted = summary::sorted(values);
    for (p, expected) in want.as_object().unwrap() {
        let found = percentile::nearest_rank(&sorted, p.parse().unwrap());
        let expected = number(expected);
        assert!(
            (found - expected).abs() <= tolerance,
            "{what} {p}: {found} {expected}"
        );
    }
}

#[test]
fn g12_open_loop() {
    let case = golden("g12_open_loop");
    let tolerance = number(&case["tolerance"]["abs"]);
    let want = &case["expect"]["open_loop"];
    let (usual, stall) = (number(&want["service_ms"]), number(&want["stall_ms"]));
    let due: Vec<f64> = (0..10_000).map(f64::from).collect();
    let requests = latency::single_server(&due, |i| if i == 5000 { stall } else { usual });
    let service: Vec<f64> = requests.iter().map(latency::Request::service).collect();
    let intended: Vec<f64> = requests.iter().map(latency::Request::intended).collect();
    percentiles(&service, &want["service"], tolerance, "service");
    percentiles(&intended, &want["intended"], tolerance, "intended");
    let over = intended.iter().filter(|value| **value > 1.0).count();
    assert_eq!(over as u64, want["intended_over_1ms"]);
    let sum = summary::sum(&intended);
    assert!((sum - number(&want["sum_intended"])).abs() <= tolerance);

    let want = &case["expect"]["hdr_correct"];
    let mut closed = vec![usual; 9900];
    closed.push(stall);
    assert_eq!(closed.len() as u64, want["raw_n"]);
    percentiles(&closed, &want["raw"], tolerance, "raw");
    let corrected = latency::corrected(&closed, number(&want["expected_interval_ms"]));
    assert_eq!(corrected.len() as u64, want["corrected_n"]);
    percentiles(&corrected, &want["corrected"], tolerance, "corrected");
}

#[test]
fn g19_loop_delay() {
    let case = golden("g19_loop_delay");
    let (want, tolerance) = (&case["expect"], number(&case["tolerance"]["abs"]));
    let intervals = numbers(&case["input"]["intervals_ms"]);
    let period = number(&case["input"]["period_ms"]);
    let delays = loop_delay::delays(&intervals, period);
    for (found, expected) in delays.iter().zip(numbers(&want["raw_delay"])) {
        assert!((found - expected).abs() <= tolerance, "{found} {expected}");
    }
    let filled = loop_delay::filled(&delays, period);
    assert_eq!(filled.len() as u64, want["filled_n"]);
    percentiles(&delays, &want["raw_p"], tolerance, "raw");
    percentiles(&filled, &want["filled_p"], tolerance, "filled");
    let blocked = loop_delay::blocked_share(&intervals, period);
    assert!((blocked - number(&want["blocked_share"])).abs() <= tolerance);
}

#[test]
fn g14_shares_of_a_bundle() {
    use alacrypt_lab::stats::probe::{SetRuns, shares};
    let case = golden("g14_probe");
    let mask = |set: &str| {
        "ABC".chars().enumerate().fold(0u32, |mask, (i, c)| {
            mask | (u32::from(set.contains(c)) << i)
        })
    };
    let mut runs: std::collections::BTreeMap<u32, SetRuns> = std::collections::BTreeMap::new();
    for run in case["input"]["runs"].as_array().unwrap() {
        let round = u32::try_from(run["round"].as_u64().unwrap()).unwrap();
        let set = mask(run["set"].as_str().unwrap());
        let value = run["t"].as_f64().unwrap();
        // The same place for all: the expected values are of the paired test.
        runs.entry(set).or_default().insert(round, (value, 0));
    }
    let found = shares(&runs, 3);
    let expect = &case["expect"];
    let tolerance = 1e-8;
    let close = |what: &str, found: f64, wanted: &Value| {
        let wanted = wanted.as_f64().unwrap();
        let off = (found - wanted).abs();
        assert!(
            off <= tolerance * wanted.abs(),
            "{what}: {found} is not {wanted}"
        );
    };
    let same = |what: &str, found: paired::LogEffect, wanted: &Value| {
        close(what, found.ratio(), &wanted["ratio"]);
        close(what, found.p(), &wanted["p"]);
        let ends = found.ratio_interval(0.95);
        close(what, ends[0], &wanted["ci95"][0]);
        close(what, ends[1], &wanted["ci95"][1]);
    };
    assert!(found.exact);
    let (bundle, bundle_p) = found.bundle.unwrap();
    same("bundle", bundle, &expect["bundle"]);
    close("bundle", bundle_p, &expect["holm_p"][6]);
    let mut sum = 0.0;
    for (i, name) in ["A", "B", "C"].into_iter().enumerate() {
        let change = &found.changes[i];
        same(name, change.alone.unwrap(), &expect["alone"][name]);
        same(
            name,
            change.removal.unwrap(),
            &expect["leave_one_out"][name],
        );
        close(name, change.p[0].unwrap(), &expect["holm_p"][i]);
        close(name, change.p[1].unwrap(), &expect["holm_p"][3 + i]);
        close(name, change.value.unwrap().0, &expect["shapley_log"][name]);
        close(
            name,
            change.share.unwrap().0,
            &expect["shapley_share"][name],
        );
        sum += change.alone.unwrap().estimate;
    }
    close("sum of alone", sum, &expect["sum_of_alone_log"]);
    close("bundle", bundle.estimate, &expect["bundle_log"]);
    let interaction = found.interaction.unwrap().0;
    assert!((interaction - (bundle.estimate - sum)).abs() < 1e-12);
    assert_eq!(found.terms.len(), 7);
    for term in &found.terms {
        let letters = "ABC"
            .chars()
            .enumerate()
            .filter(|(i, _)| term.set >> i & 1 == 1);
        let name = letters
            .map(|(_, c)| c.to_string())
            .collect::<Vec<_>>()
            .join(":");
        let wanted = &expect["factorial_lm"][&name];
        close(&name, term.estimate, &wanted["est"]);
        close(&name, term.se, &wanted["se"]);
        close(&name, term.p, &wanted["p"]);
    }
}
