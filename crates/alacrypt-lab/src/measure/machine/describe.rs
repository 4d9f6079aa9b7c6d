//! `env.json`: the machine, and what is doubtful about it.

use super::stat::{cpufreq, line, load1, number};
use crate::session::{Environment, SCHEMA_VERSION};
use nix::sched::CpuSet;
use nix::sched::sched_getaffinity;
use nix::sys::utsname::uname;
use nix::unistd::Pid;
use std::fs;

/// CPUs that this process may use.
pub fn cpus_allowed() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..CpuSet::count())
        .filter(|&cpu| set.is_set(cpu).unwrap_or(false))
        .collect()
}

/// Looks at the machine. `cpus` are those that runs may use; all allowed ones when empty.
pub fn describe(cpus: &[usize]) -> Environment {
    let cpus = if cpus.is_empty() {
        cpus_allowed()
    } else {
        cpus.to_vec()
    };
    let (hostname, kernel) = match uname() {
        Ok(name) => {
            let text = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
            let kernel = [name.sysname(), name.release(), name.machine()]
                .map(text)
                .join(" ");
            (Some(text(name.nodename())), Some(kernel))
        }
        Err(_) => (None, None),
    };
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = |name: &str| {
        field(&meminfo, name)?
            .split(' ')
            .next()?
            .parse::<u64>()
            .ok()
    };
    let governor = cpus.first().and_then(|cpu| {
        line(format!(
            "/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"
        ))
    });
    let mut environment = Environment {
        v: SCHEMA_VERSION,
        hostname,
        kernel,
        cpu_model: field(&cpuinfo, "model name").or_else(|| field(&cpuinfo, "Processor")),
        cpus: Some(cpus.len()),
        cpus_online: std::thread::available_parallelism().ok().map(usize::from),
        smt_active: line("/sys/devices/system/cpu/smt/active").map(|v| v == "1"),
        governor,
        khz_min: cpufreq(&cpus, "scaling_min_freq").into_iter().min(),
        khz_max: cpufreq(&cpus, "scaling_max_freq").into_iter().max(),
        turbo: turbo(),
        clocksource: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        thp: line("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|v| Some(v.split_once('[')?.1.split_once(']')?.0.to_owned())),
        mem_total_kib: memory("MemTotal"),
        mem_available_kib: memory("MemAvailable"),
        swap_used_kib: memory("SwapTotal")
            .zip(memory("SwapFree"))
            .map(|(total, free)| total.saturating_sub(free)),
        load1_before: load1(),
        virtualized: field(&cpuinfo, "flags")
            .map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
        on_battery: on_battery(),
        net_scope: None,
        rss_scope: None,
        perf_refused: None,
        warnings: Vec::new(),
    };
    environment.warnings = warnings(&environment);
    environment
}

/// What in a description makes timings doubtful, in sentences with a cure where there is one.
fn warnings(env: &Environment) -> Vec<String> {
    let mut found = Vec::new();
    let cpus = env.cpus.unwrap_or(1).max(1);
    if let Some(load) = env.load1_before
        && load > 0.2 * cpus as f64
    {
        found.push(format!(
            "the load average was {load:.2} before the first run ({cpus} processors): \
                 something else is running"
        ));
    }
    match env.governor.as_deref() {
        Some("performance") => {}
        Some(governor) => found.push(format!(
            "the frequency governor is {governor}: speed depends on how busy the processor was; \
             performance is steadier"
        )),
        None => found.push(
            "the processor's frequency cannot be read here (as in most virtual machines), \
             so a change of it cannot be told from a change of the code"
                .into(),
        ),
    }
    if env.turbo == Some(true) {
        found.push("turbo is on: the clock depends on temperature and on the other cores".into());
    }
    if env.smt_active == Some(true) {
        found.push(
            "two processors share a core (SMT): a neighbour slows a run down; \
             --cpu can keep runs on separate cores"
                .into(),
        );
    }
    match env.clocksource.as_deref() {
        None | Some("tsc" | "arch_sys_counter" | "kvm-clock") => {}
        Some(source) => {
            found.push(format!(
                "the clock source is {source}: reading the time is slow"
            ));
        }
    }
    if env.swap_used_kib.is_some_and(|kib| kib > 0) {
        found.push("memory is swapped out: a run may wait for the disk".into());
    }
    if env.on_battery == Some(true) {
        found.push("the machine runs on battery".into());
    }
    found
}

/// Value of a `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

fn turbo() -> Option<bool> {
    let no_turbo: Option<u8> = number("/sys/devices/system/cpu/intel_pstate/no_turbo");
    let boost: Option<u8> = number("/sys/devices/system/cpu/cpufreq/boost");
    no_turbo.map(|n| n == 0).or_else(|| boost.map(|n| n == 1))
}

fn on_battery() -> Option<bool> {
    let supplies = fs::read_dir("/sys/class/power_supply").ok()?;
    let mut mains = supplies
        .flatten()
        .filter(|supply| line(supply.path().join("type")).as_deref() == Some("Mains"))
        .filter_map(|supply| number::<u8>(supply.path().join("online")))
        .peekable();
    mains.peek()?;
    Some(!mains.any(|online| online == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name_a_kernel_and_memory() {
        let env = describe(&[]);
        assert!(
            env.kernel
                .is_some_and(|kernel| kernel.starts_with("Linux "))
        );
        assert!(env.cpus.is_some_and(|n| n > 0));
        assert!(env.mem_total_kib.is_some_and(|kib| kib > 1000));
    }

    #[test]
    fn a_busy_machine_is_warned_about_and_a_quiet_one_not() {
        let quiet = Environment {
            cpus: Some(4),
            load1_before: Some(0.1),
            governor: Some("performance".into()),
            clocksource: Some("tsc".into()),
            ..Environment::default()
        };
        assert!(warnings(&quiet).is_empty(), "{:?}", warnings(&quiet));
        let busy = Environment {
            load1_before: Some(0.9),
            swap_used_kib: Some(5),
            ..quiet
        };
        assert_eq!(warnings(&busy).len(), 2);
    }
}
