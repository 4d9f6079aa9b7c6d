//! What a run used: traffic in a namespace of its own, memory of a whole tree, kernel counters;
//! and what is said where the kernel refuses.

#![forbid(unsafe_code)]
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod binary;

use binary::{Folder, LAB, lab, load, stderr};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;

/// A server on the machine's own network that sends 50,000 bytes to whoever connects.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut word = [0u8; 4];
            if client.read_exact(&mut word).is_ok() {
                client.write_all(&[b'x'; 50_000]).unwrap();
            }
        }
    });
    port
}

/// A command that fetches from `port` through the proxy of its environment, or directly where
/// there is none.
fn fetch(port: u16) -> String {
    format!(
        "node -e \"const net=require('net');const p=process.env.HTTP_PROXY;let n=0;\
         const u=p?new URL(p):{{port:{port},hostname:'127.0.0.1'}};\
         const s=net.connect(u.port,u.hostname,()=>s.write(\
         p?'CONNECT 127.0.0.1:{port} HTTP/1.1'+'\\r\\n\\r\\nping':'ping'));\
         s.on('data',d=>n+=d.length);s.on('close',()=>process.exit(n>=50000?0:1))\""
    )
}

#[test]
fn a_private_network_counts_each_runs_own_bytes() {
    let folder = Folder::new();
    let (out, page) = (folder.at("s"), folder.at("r.md"));
    let command = format!("a={}", fetch(server()));
    let output = lab(&[
        "run",
        "-n",
        &command,
        "--net",
        "private",
        "--runs",
        "2",
        "--warmup",
        "0",
        "--out",
        &out,
        "--md",
        &page,
        "--allow-noise",
    ]);
    let session = load(&out);
    assert!(session.failures().is_empty(), "{:?}", session.failures());
    let scope = session.environments[0].net_scope.clone().unwrap();
    if scope.starts_with("host") {
        let told = stderr(&output);
        assert!(told.contains("share the machine's network"), "{told}");
        return;
    }
    assert!(scope.starts_with("proxy"), "{scope}");
    let sizes: Vec<(u64, u64)> = session
        .measurements()
        .iter()
        .map(|run| run.net.clone().unwrap())
        .inspect(|net| assert_eq!(net.scope, "proxy"))
        .map(|net| (net.rx, net.tx))
        .collect();
    for (rx, tx) in &sizes {
        // The bytes and their packets' heads, and nothing of the other run.
        assert!((50_000..70_000).contains(rx), "{sizes:?}");
        assert!((50..10_000).contains(tx), "{sizes:?}");
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains("netRX (proxy)"),
        "the table says the scope: {page}"
    );
}

#[test]
fn nothing_but_the_proxy_can_be_reached() {
    let folder = Folder::new();
    let out = folder.at("s");
    let port = server();
    let direct = format!(
        "a=node -e \"require('net').connect({port},'127.0.0.1').on('error',()=>process.exit(0))\
         .on('connect',()=>process.exit(1))\""
    );
    lab(&[
        "run", "-n", &direct, "--net", "private", "--runs", "1", "--warmup", "0", "--out", &out,
    ]);
    let session = load(&out);
    let private = !session.environments[0]
        .net_scope
        .as_ref()
        .unwrap()
        .starts_with("host");
    assert_eq!(session.failures().is_empty(), private);
}

#[test]
fn a_kernel_without_namespaces_is_named_and_the_machines_traffic_told_as_such() {
    let folder = Folder::new();
    let out = folder.at("s");
    // In a user namespace of its own the limit of network namespaces can be set to none.
    let script = format!(
        "echo 0 > /proc/sys/user/max_net_namespaces && exec '{LAB}' run -n a=true --net private \
         --runs 2 --warmup 0 --out '{out}'"
    );
    let made = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", &script])
        .output();
    let refused_itself = made.as_ref().map_or(true, |made| {
        !made.status.success() && stderr(made).contains("unshare")
    });
    let told = if refused_itself {
        // No user namespace for us either, so the lab meets the same refusal unless it is root.
        let output = lab(&[
            "run", "-n", "a=true", "--net", "private", "--runs", "2", "--warmup", "0", "--out",
            &out,
        ]);
        if load(&out).environments[0]
            .net_scope
            .as_ref()
            .is_some_and(|scope| scope.starts_with("proxy"))
        {
            println!("skipped: only root may make namespaces here, and this is root");
            return;
        }
        stderr(&output)
    } else {
        stderr(&made.unwrap())
    };
    assert!(
        told.contains("the kernel allows no network namespace here"),
        "{told}"
    );
    let session = load(&out);
    let scope = session.environments[0].net_scope.clone().unwrap();
    assert!(
        scope.starts_with("host:") && scope.contains("less its idle rate"),
        "{scope}"
    );
    assert_eq!(session.measurements().len(), 2);
    assert_eq!(
        session.measurements()[0].net.as_ref().unwrap().scope,
        "host"
    );
}

#[test]
fn memory_of_a_tree_is_more_than_that_of_its_largest_process() {
    let folder = Folder::new();
    let out = folder.at("s");
    let one = "node -e 'const b=Buffer.alloc(60e6,1);setTimeout(()=>b[0],400)'";
    lab(&[
        "run",
        "-n",
        &format!("a={one} & {one} & wait"),
        "--shell",
        "--rss",
        "tree",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    let session = load(&out);
    let run = session.measurements()[0].clone();
    let (tree, largest) = (run.tree_kib.unwrap(), run.maxrss_kib.unwrap());
    // Both buffers at once, in one process only one of them.
    assert!(tree > 110_000 && tree > largest, "{tree} and {largest} KiB");
    let scope = session.environments[0].rss_scope.clone().unwrap();
    assert!(
        scope.contains("cgroup") || scope.contains("50 Hz"),
        "{scope}"
    );
}

#[test]
fn task_clock_agrees_with_the_tree_or_the_refusal_is_told() {
    let folder = Folder::new();
    let out = folder.at("s");
    let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    lab(&[
        "run",
        "-n",
        &format!("a=({busy}) & ({busy}) & wait"),
        "--shell",
        "--runs",
        "1",
        "--warmup",
        "0",
        "--out",
        &out,
    ]);
    let session = load(&out);
    let run = session.measurements()[0].clone();
    let cpu_us = (run.user_us.unwrap() + run.sys_us.unwrap()) as f64;
    match run.task_clock_us {
        Some(clock) => {
            let share = clock as f64 / cpu_us;
            assert!((0.8..1.25).contains(&share), "{clock} of {cpu_us} µs");
        }
        None => assert!(session.environments[0].perf_refused.is_some()),
    }
    if run.migrations.is_none() {
        assert!(session.environments[0].perf_refused.is_some());
    }
}
