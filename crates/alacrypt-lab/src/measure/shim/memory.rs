//! `--rss tree`: peak memory of the whole tree at once, where `getrusage(2)` knows only its
//! largest process.
//!
//! A memory controller that may be written counts exactly: version 2 keeps `memory.peak`
//! (Documentation/admin-guide/cgroup-v2.rst), version 1 `memory.max_usage_in_bytes`. Both count the
//! page cache that the run filled, too. Without one, the proportional sizes (`Pss` of
//! `/proc/PID/smaps_rollup`, which share out what processes share) are summed 50 times a second: a
//! lower bound, as a peak between two looks is not seen.

use super::tree;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks.
const EVERY: Duration = Duration::from_millis(20);
const STACK_BYTES: usize = 64 << 10;

/// What counts a tree's memory while it runs.
pub(super) enum TreeMemory {
    Group(Group),
    Sampler(Sampler),
}

impl TreeMemory {
    /// Begins: this process and what it starts are counted from here on.
    pub(super) fn begin() -> Self {
        match Group::join() {
            Some(group) => Self::Group(group),
            None => Self::Sampler(Sampler::prepare()),
        }
    }

    /// The command has been started.
    pub(super) fn started(&mut self) {
        if let Self::Sampler(sampler) = self {
            sampler.start(std::process::id() as i32);
        }
    }

    /// Ends: the peak in KiB, where there is one, and how it was counted.
    pub(super) fn end(self) -> (Option<u64>, &'static str) {
        match self {
            Self::Group(group) => {
                let source = group.kind.source;
                (group.leave(), source)
            }
            Self::Sampler(sampler) => (sampler.stop(), "sum of Pss at 50 Hz"),
        }
    }
}

/// A kind of memory controller.
struct Kind {
    source: &'static str,
    peak: &'static str,
}

const VERSION_2: Kind = Kind {
    source: "cgroup v2 memory.peak",
    peak: "memory.peak",
};
const VERSION_1: Kind = Kind {
    source: "cgroup v1 memory.max_usage_in_bytes",
    peak: "memory.max_usage_in_bytes",
};

/// A control group of the run's own.
pub(super) struct Group {
    kind: &'static Kind,
    dir: PathBuf,
    before: PathBuf,
}

impl Group {
    /// Makes a group below the one that this process is in, or below one above that hands its
    /// memory controller down, and moves into it.
    fn join() -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let make = |dir: &Path| fs::create_dir(dir);
        places(&own, &mounts)
            .into_iter()
            .find_map(|place| Self::below(place, &make))
    }

    fn below(
        (kind, mount, path): (&'static Kind, PathBuf, PathBuf),
        make: &dyn Fn(&Path) -> std::io::Result<()>,
    ) -> Option<Self> {
        let own = mount.join(&path);
        let inside = || own.ancestors().take_while(|at| at.starts_with(&mount));
        // In a container the mount may begin at the own group, whose path is then not below it.
        let before = inside().find(|at| at.join("cgroup.procs").is_file())?;
        let before = before.to_owned();
        let name = format!("alacrypt-lab-{}", std::process::id());
        for parent in before.ancestors().take_while(|at| at.starts_with(&mount)) {
            let dir = parent.join(&name);
            if make(&dir).is_ok() {
                // A controller that is not handed down leaves no such file.
                if dir.join(kind.peak).exists() && fs::write(dir.join("cgroup.procs"), "0").is_ok()
                {
                    return Some(Self { kind, dir, before });
                }
                let _ = fs::remove_dir(&dir);
            }
        }
        None
    }

    /// The peak in KiB; the group is removed.
    fn leave(self) -> Option<u64> {
        let peak = fs::read_to_string(self.dir.join(self.kind.peak)).ok();
        // A group that still holds this process cannot be removed.
        if fs::write(self.before.join("cgroup.procs"), "0").is_ok() {
            let _ = fs::remove_dir(&self.dir);
        }
        Some(peak?.trim().parse::<u64>().ok()? / 1024)
    }
}

/// Memory controllers of this process, the newer version first: kind, mount point and own path.
fn places(own: &str, mounts: &str) -> Vec<(&'static Kind, PathBuf, PathBuf)> {
    let mount = |wanted: &dyn Fn(&str, &str) -> bool| {
        mounts.lines().find_map(|line| {
            let mut words = line.split(' ').skip(1);
            let (dir, kind, options) = (words.next()?, words.next()?, words.next()?);
            wanted(kind, options).then(|| PathBuf::from(dir))
        })
    };
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let path = PathBuf::from(path.trim_start_matches('/'));
        // Outside of what is mounted here (cgroup_namespaces(7)): its own group is not to be seen.
        if path.components().any(|part| part == Component::ParentDir) {
            continue;
        }
        if controllers.is_empty() {
            let at = mount(&|kind, _| kind == "cgroup2");
            let has_memory = |at: &Path| {
                fs::read_to_string(at.join("cgroup.controllers"))
                    .is_ok_and(|list| list.split_whitespace().any(|name| name == "memory"))
            };
            found.extend(
                at.filter(|at| has_memory(at))
                    .map(|at| (&VERSION_2, at, path)),
            );
        } else if controllers.split(',').any(|name| name == "memory") {
            let at = mount(&|kind, options| {
                kind == "cgroup" && options.split(',').any(|name| name == "memory")
            });
            found.extend(at.map(|at| (&VERSION_1, at, path)));
        }
    }
    found.sort_by_key(|(kind, _, _)| kind.peak != VERSION_2.peak);
    found
}

/// Looks at the tree again and again.
pub(super) struct Sampler {
    done: Arc<AtomicBool>,
    peak_kib: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    fn prepare() -> Self {
        Self {
            done: Arc::default(),
            peak_kib: Arc::default(),
            thread: None,
        }
    }

    fn start(&mut self, root: i32) {
        let (done, peak) = (Arc::clone(&self.done), Arc::clone(&self.peak_kib));
        let looks = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // Closer at first: a short command has begun in earnest after a few milliseconds.
                let mut wait = Duration::from_millis(2);
                while !done.load(Ordering::Relaxed) {
                    let sum = tree::children(root).into_iter().filter_map(pss_kib).sum();
                    peak.fetch_max(sum, Ordering::Relaxed);
                    std::thread::sleep(wait);
                    wait = (wait * 2).min(EVERY);
                }
            });
        // Without a thread there is no figure, which is told.
        self.thread = looks.ok();
    }

    fn stop(mut self) -> Option<u64> {
        self.done.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()?;
        Some(self.peak_kib.load(Ordering::Relaxed)).filter(|peak| *peak > 0)
    }
}

fn pss_kib(pid: i32) -> Option<u64> {
    pss_of(&fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?)
}

fn pss_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_below_its_mount() {
        let own = "4:memory:/a/b\n1:name=systemd:/\n0::/\n";
        let mounts = "cgroup /m cgroup rw,relatime,memory 0 0\ntmpfs /x tmpfs rw 0 0\n";
        let found = places(own, mounts);
        assert_eq!(found.len(), 1);
        let (kind, mount, path) = &found[0];
        assert_eq!(kind.peak, "memory.max_usage_in_bytes");
        assert_eq!((mount, path), (&PathBuf::from("/m"), &PathBuf::from("a/b")));
        assert!(places("", "").is_empty());
    }

    /// Makes groups as the kernel does (cgroup-v2.rst): the files of a controller are there only
    /// where the parent hands it down.
    fn version_2(dir: &Path) -> std::io::Result<()> {
        let handed_down = fs::read_to_string(dir.with_file_name("cgroup.subtree_control"))?;
        fs::create_dir(dir)?;
        if handed_down.contains("memory") {
            fs::write(dir.join("memory.peak"), "6291456\n")?;
        }
        Ok(())
    }

    #[test]
    fn version_2_is_joined_where_memory_is_handed_down_and_left_again() {
        let mount = tempfile::tempdir().unwrap();
        let at = |path: &str| mount.path().join(path);
        fs::create_dir_all(at("user/app")).unwrap();
        fs::write(at("cgroup.controllers"), "cpu io memory pids\n").unwrap();
        fs::write(at("cgroup.subtree_control"), "cpu memory\n").unwrap();
        fs::write(at("user/cgroup.subtree_control"), "memory pids\n").unwrap();
        // A group with processes in it hands nothing down.
        fs::write(at("user/app/cgroup.subtree_control"), "\n").unwrap();
        fs::write(at("user/app/cgroup.procs"), "").unwrap();
        let mounts = format!("none {} cgroup2 rw,nosuid 0 0\n", mount.path().display());
        let mut found = places("0::/user/app\n", &mounts);
        let place = found.pop().unwrap();
        assert_eq!((place.0.peak, found.len()), ("memory.peak", 0));
        let group = Group::below(place, &version_2).unwrap();
        assert_eq!(group.dir.parent(), Some(at("user").as_path()));
        let procs = |dir: &Path| fs::read_to_string(dir.join("cgroup.procs")).unwrap();
        assert_eq!(procs(&group.dir), "0");
        assert!(!fs::exists(at("user/app").join(group.dir.file_name().unwrap())).unwrap());
        let memory = TreeMemory::Group(group);
        assert_eq!(memory.end(), (Some(6144), "cgroup v2 memory.peak"));
        assert_eq!(procs(&at("user/app")), "0");
    }

    #[test]
    fn a_mount_that_begins_at_the_own_group_is_one_to_go_back_to() {
        let mount = tempfile::tempdir().unwrap();
        let at = |path: &str| mount.path().join(path);
        fs::write(at("cgroup.controllers"), "memory\n").unwrap();
        fs::write(at("cgroup.subtree_control"), "memory\n").unwrap();
        fs::write(at("cgroup.procs"), "").unwrap();
        let mounts = format!("none {} cgroup2 rw 0 0\n", mount.path().display());
        let place = places("0::/docker/1234\n", &mounts).pop().unwrap();
        let group = Group::below(place, &version_2).unwrap();
        assert_eq!(group.leave(), Some(6144));
        assert_eq!(fs::read_to_string(at("cgroup.procs")).unwrap(), "0");
    }

    #[test]
    fn version_2_without_memory_or_from_outside_is_none() {
        let mount = tempfile::tempdir().unwrap();
        let at = |path: &str| mount.path().join(path);
        let mounts = format!("none {} cgroup2 rw 0 0\n", mount.path().display());
        fs::write(at("cgroup.controllers"), "cpu pids\n").unwrap();
        assert!(places("0::/\n", &mounts).is_empty());
        fs::write(at("cgroup.controllers"), "memory\n").unwrap();
        assert!(places("0::/../../x\n", &mounts).is_empty());
        // The root of a container: all its processes are there, so it hands nothing down.
        fs::write(at("cgroup.subtree_control"), "\n").unwrap();
        fs::write(at("cgroup.procs"), "").unwrap();
        let place = places("0::/\n", &mounts).pop().unwrap();
        assert!(Group::below(place, &version_2).is_none());
        let left: Vec<_> = fs::read_dir(mount.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 3, "nothing is left behind: {left:?}");
    }

    #[test]
    fn proportional_size_is_one_line_of_many() {
        let text = "00400000-7fff ---p 00000000 00:00 0 [rollup]\nRss:  900 kB\nPss:   123 kB\nPss_Anon: 5 kB\n";
        assert_eq!(pss_of(text), Some(123));
        assert_eq!(pss_of(""), None);
    }

    #[test]
    fn the_sampler_sees_a_child() {
        let mut child = std::process::Command::new("sleep")
            .arg("5")
            .spawn()
            .unwrap();
        let mut sampler = Sampler::prepare();
        sampler.start(std::process::id() as i32);
        let until = std::time::Instant::now() + Duration::from_secs(4);
        while sampler.peak_kib.load(Ordering::Relaxed) == 0 && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(sampler.stop().is_some_and(|kib| kib > 0));
    }
}
