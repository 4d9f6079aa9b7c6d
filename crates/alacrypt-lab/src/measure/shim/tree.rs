//! The descendants of a process, read from `/proc`, and ending all of them.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs;

/// All living descendants of `root`, without itself.
pub(super) fn descendants(root: i32) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    for entry in entries.flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
        else {
            continue;
        };
        if let Some(parent) = fs::read_to_string(entry.path().join("stat"))
            .ok()
            .and_then(|stat| parent_if_alive(&stat))
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(pid) = todo.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            found.push(child);
            todo.push(child);
        }
    }
    found
}

/// The same from the kernel's own lists of children, which costs far less on a machine with many
/// processes; kernels without them (CONFIG_PROC_CHILDREN) are asked the long way.
pub(super) fn children(root: i32) -> Vec<i32> {
    let lists = |pid: i32| fs::read_dir(format!("/proc/{pid}/task"));
    let supported = fs::metadata(format!("/proc/{root}/task/{root}/children")).is_ok();
    if !supported {
        return descendants(root);
    }
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(pid) = todo.pop() {
        let Ok(tasks) = lists(pid) else { continue };
        for task in tasks.flatten() {
            let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in list.split_ascii_whitespace().filter_map(|n| n.parse().ok()) {
                found.push(child);
                todo.push(child);
            }
        }
    }
    found
}

/// Field 4 of `/proc/PID/stat` unless the process is a zombie (proc_pid_stat(5)). The name in
/// field 2 may hold spaces and brackets, so fields are counted from its last bracket.
fn parent_if_alive(stat: &str) -> Option<i32> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z" && state != "X").then_some(parent)
}

/// Sends SIGKILL to every descendant of `root`, again for those that were born meanwhile, and
/// gives the number of processes that were hit.
pub(super) fn kill_descendants(root: i32) -> u32 {
    let mut hit = std::collections::HashSet::new();
    for _ in 0..50 {
        let mut fresh = false;
        for pid in descendants(root) {
            // One that has just ended by itself is as dead as wished.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            fresh |= hit.insert(pid);
        }
        if !fresh {
            break;
        }
    }
    u32::try_from(hit.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        assert_eq!(parent_if_alive("12 (a) b) (c)) S 7 12 12 0"), Some(7));
        assert_eq!(parent_if_alive("12 (x) Z 7 12"), None);
        assert_eq!(parent_if_alive("garbage"), None);
    }

    #[test]
    fn a_grandchild_is_found_and_killed() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 60 & wait"])
            .spawn()
            .unwrap();
        let root = child.id() as i32;
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while descendants(root).is_empty() {
            assert!(
                std::time::Instant::now() < until,
                "the grandchild never appeared"
            );
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(kill_descendants(root) >= 1);
        child.wait().unwrap();
    }
}
