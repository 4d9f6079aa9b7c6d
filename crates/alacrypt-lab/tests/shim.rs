//! The accounting of the shim, from a lab that is large itself.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]
// A helper that fails should fail where it stands, like the test that calls it.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use alacrypt_lab::measure::interrupt::Interrupt;
use alacrypt_lab::measure::runner::launcher;
use alacrypt_lab::measure::shim::{Launcher, Report, Spec};
use alacrypt_lab::session::Options;
use std::time::Instant;

fn own_launcher(options: &Options) -> Launcher {
    let mut launcher = launcher(options).unwrap();
    launcher.program = env!("CARGO_BIN_EXE_alacrypt-lab").into();
    launcher
}

fn run(launcher: &mut Launcher, argv: &[&str]) -> Report {
    let argv = argv.iter().map(Into::into).collect();
    let spec = Spec {
        argv,
        ..Spec::default()
    };
    launcher
        .launch(&spec, &Interrupt::deaf(), &mut || {})
        .unwrap()
        .report
}

#[test]
fn true_from_a_large_parent_reads_under_8_mb() {
    let mut large = vec![0u8; 300 << 20];
    for page in large.chunks_mut(4096) {
        page[0] = 1;
    }
    let report = run(&mut own_launcher(&Options::default()), &["true"]);
    // Used after the run, so that it was there during the run.
    assert!(large.iter().step_by(4096).all(|&byte| byte == 1));
    println!("true from a parent of 300 MB: {} KiB", report.maxrss_kib);
    assert!(
        report.maxrss_kib > 0 && report.maxrss_kib < 8 << 10,
        "{report:?}"
    );
}

#[test]
fn memory_is_not_sticky_from_one_run_to_the_next() {
    let mut launcher = own_launcher(&Options::default());
    let node = run(&mut launcher, &["node", "-e", "0"]);
    let after = run(&mut launcher, &["true"]);
    assert!(node.maxrss_kib > 16 << 10, "{node:?}");
    assert!(after.maxrss_kib < 8 << 10, "{after:?}");
}

#[test]
fn overhead_of_a_run_is_told() {
    let mut launcher = own_launcher(&Options::default());
    let mut overheads: Vec<f64> = (0..50)
        .map(|_| {
            let started = Instant::now();
            let report = run(&mut launcher, &["true"]);
            started.elapsed().as_secs_f64() * 1e3 - report.wall_ns as f64 / 1e6
        })
        .collect();
    overheads.sort_by(f64::total_cmp);
    // No limit is asserted: a busy machine would break it without a fault of the code.
    println!(
        "overhead per run: median {:.2} ms, least {:.2} ms",
        overheads[25], overheads[0]
    );
    assert!(overheads[0] > 0.0);
}

#[test]
fn exits_signals_and_missing_programs_are_told_apart() {
    let mut launcher = own_launcher(&Options::default());
    assert_eq!(run(&mut launcher, &["sh", "-c", "exit 3"]).exit, 3);
    assert_eq!(run(&mut launcher, &["sh", "-c", "kill -9 $$"]).exit, 137);
    let missing = run(&mut launcher, &["/no/such/program"]);
    assert!(missing.not_started.unwrap().contains("/no/such/program"));
}

#[test]
fn affinity_reaches_the_command() {
    let allowed = alacrypt_lab::measure::machine::cpus_allowed();
    let last = *allowed.last().unwrap();
    let options = Options {
        cpus: vec![last],
        ..Options::default()
    };
    let check = format!("[ \"$(grep Cpus_allowed_list /proc/self/status | cut -f2)\" = {last} ]");
    assert_eq!(
        run(&mut own_launcher(&options), &["sh", "-c", &check]).exit,
        0
    );
    let options = Options {
        cpus: vec![1023],
        ..Options::default()
    };
    let refused = run(&mut own_launcher(&options), &["true"])
        .not_started
        .unwrap();
    assert!(refused.contains("1023"), "{refused}");
}

#[test]
fn limits_reach_the_command_and_what_is_beyond_the_systems_own_is_refused() {
    let limited = |limits: &[&str]| Options {
        limits: limits.iter().map(ToString::to_string).collect(),
        ..Options::default()
    };
    // The upper limits count: Node, for one, raises its own as far as it may.
    let options = limited(&["nofile=99", "as=3G", "core=0", "cpu=7s"]);
    let check = "[ $(ulimit -Hn)/$(ulimit -Hv)/$(ulimit -Hc)/$(ulimit -St) = 99/3145728/0/7 ]";
    let report = run(&mut own_launcher(&options), &["sh", "-c", check]);
    assert_eq!(report.exit, 0, "{report:?}");
    let busy = run(
        &mut own_launcher(&limited(&["cpu=1s"])),
        &["sh", "-c", "while :; do :; done"],
    );
    assert_eq!(busy.exit, 128 + 24, "{busy:?}");
    // The kernel counts the limit by its tick and the usage by its clock: on a busy machine they
    // differ by a part of a second.
    let used_us = busy.user_us + busy.sys_us;
    assert!((500_000..1_900_000).contains(&used_us), "{busy:?}");
    // Nobody may open more files than the kernel's own limit, root neither.
    let refused = run(
        &mut own_launcher(&limited(&["nofile=99999999999"])),
        &["true"],
    );
    let why = refused.not_started.unwrap();
    assert!(
        why.contains("cannot set the limit nofile=99999999999"),
        "{why}"
    );
}

#[test]
fn the_padding_changes_the_environment_only() {
    let mut launcher = own_launcher(&Options::default());
    for pad in [0, 100] {
        let argv = vec![
            "sh".into(),
            "-c".into(),
            format!("[ ${{#LAB_PAD}} = {pad} ]").into(),
        ];
        let spec = Spec {
            argv,
            pad,
            ..Spec::default()
        };
        let outcome = launcher
            .launch(&spec, &Interrupt::deaf(), &mut || {})
            .unwrap();
        assert_eq!(outcome.report.exit, 0);
    }
}
