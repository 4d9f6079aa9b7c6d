//! The handshake times of the golden captures, to the nanosecond, and what becomes of captures
//! that are cut, shuffled or of another kind.

#![forbid(unsafe_code)]
// A helper that fails should fail where it stands.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use alacrypt_lab::tls::{Batch, Capture, Ending, Handshake, INTERVALS, batch, read_capture};
use common::golden;
use serde_json::{Value, json};
use std::process::Command;

fn unpacked(name: &str) -> Vec<u8> {
    let path = format!("{}/../../vectors/lab/{name}.gz", env!("CARGO_MANIFEST_DIR"));
    let out = Command::new("gzip")
        .args(["-dc", &path])
        .output()
        .expect("gzip is there");
    assert!(out.status.success(), "{path}");
    out.stdout
}

fn read(bytes: &[u8], ports: &[u16]) -> Capture {
    read_capture(bytes, ports, &mut |_| true)
}

fn interval(handshake: &Handshake, name: &str) -> Option<u64> {
    let found = INTERVALS
        .iter()
        .find(|i| i.name == name)
        .expect("a known interval");
    (found.of)(handshake)
}

/// A handshake by the names of the golden file.
fn as_golden(h: &Handshake) -> Value {
    let m = &h.moments;
    let between = |a: Option<u64>, b: Option<u64>| Some(b? - a?);
    let mut value = json!({
        "stream": h.stream, "tls13": h.is_13(), "hrr": h.retry,
        "syn_synack_ns": interval(h, "tcp"),
        "synack_to_ch_ns": between(m.syn_ack, m.client_hello),
        "ch_sh_ns": interval(h, "ch_sh"),
        "ch2_sh2_ns": between(m.client_hello_2, m.final_server_hello),
        "sh_to_flight_end_ns": interval(h, "flight"),
        "client_ccs_to_client_app_ns": interval(h, "ccs_app.cc"),
        "flight_end_to_client_app_ns": between(m.flight_end, m.client_app),
        "client_ccs_to_server_app_ns": interval(h, "ccs_app.cs"),
        "server_ccs_to_client_app_ns": interval(h, "ccs_app.sc"),
        "server_ccs_to_first_server_app_ns": interval(h, "ccs_app.ss"),
        "ch_to_client_app_ns": interval(h, "total"),
        "n_client_app": h.client_app_segments, "n_server_app": h.server_app_segments,
    });
    if !h.is_13() {
        value["tls12_server_hello_done_to_client_key_exchange_ns"] = json!(interval(h, "think"));
    }
    value
}

#[test]
fn g13_small() {
    let case = golden("g13_tls");
    for name in ["tls-small.pcap", "tls-small.pcapng"] {
        let capture = read(&unpacked(name), &[8443, 8444]);
        assert_eq!(capture.stopped, None);
        assert_eq!(
            json!(capture.counts.packets),
            case["expect"]["packet_counts"]["small"]
        );
        let found: Vec<Value> = capture.handshakes.iter().map(as_golden).collect();
        assert_eq!(json!(found), case["expect"]["small"], "{name}");
        let resumed: Vec<bool> = capture.handshakes.iter().map(|h| h.resumed).collect();
        assert_eq!(resumed, [false, false, false, false, false, true]);
    }
}

#[test]
fn g13_batch() {
    let case = golden("g13_tls");
    let want = &case["expect"]["c128"];
    let capture = read(&unpacked("tls-128.pcap"), &[9443]);
    assert_eq!(
        json!(capture.counts.packets),
        case["expect"]["packet_counts"]["c128"]
    );
    let first: Vec<Value> = capture.handshakes[..4].iter().map(as_golden).collect();
    assert_eq!(json!(first), case["expect"]["c128_first4"]);
    let found = batch(&capture.handshakes);
    assert_eq!((found.complete, found.failed, found.lost), (128, 0, 0));
    for (name, golden) in [
        ("tcp", "syn_synack_ns"),
        ("ch_sh", "ch_sh_ns"),
        ("flight", "sh_to_flight_end_ns"),
        ("ccs_app.cc", "client_ccs_to_client_app_ns"),
        ("think", "flight_end_to_client_app_ns"),
        ("ccs_app.cs", "client_ccs_to_server_app_ns"),
        ("ccs_app.sc", "server_ccs_to_client_app_ns"),
        ("ccs_app.ss", "server_ccs_to_first_server_app_ns"),
        ("total", "ch_to_client_app_ns"),
    ] {
        let spread = found
            .spreads
            .iter()
            .find(|s| s.interval == name)
            .expect("measured");
        let mut value = serde_json::to_value(spread).unwrap();
        value.as_object_mut().unwrap().remove("interval");
        assert_eq!(value, want[golden], "{name}");
    }
    assert_eq!(json!(found.start_spread), want["start_spread_ns"]);
    assert_eq!(json!(found.done_spread), want["done_spread_ns"]);
    assert_eq!(json!(found.batch), want["batch_ns"]);
    assert!(found.most_at_once > 64 && found.most_at_once <= 128);
    assert_eq!(found.concurrency.last().map(|last| last.1), Some(0));
}

/// The packets of a pcap file: head, and each packet with its own header.
fn packets(bytes: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut all = Vec::new();
    let mut at = 24;
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        all.push(bytes[at..at + 16 + length].to_vec());
        at += 16 + length;
    }
    (bytes[..24].to_vec(), all)
}

fn joined(head: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.extend(packets.iter().flatten());
    bytes
}

fn small() -> (Vec<u8>, Vec<Vec<u8>>) {
    packets(&unpacked("tls-small.pcap"))
}

/// The same packet at a later time.
fn at_the_time_of(packet: &[u8], of: &[u8]) -> Vec<u8> {
    let mut moved = packet.to_vec();
    moved[..8].copy_from_slice(&of[..8]);
    moved
}

fn totals(capture: &Capture) -> Vec<(bool, bool, Option<u64>)> {
    let row = |h: &Handshake| (h.is_13(), h.retry, interval(h, "total"));
    capture.handshakes.iter().map(row).collect()
}

#[test]
fn repeated_and_swapped_segments_change_nothing_but_the_times_they_must() {
    let (head, all) = small();
    let want = totals(&read(&joined(&head, &all), &[]));
    // Every packet twice: the second copy is a retransmission.
    let twice: Vec<Vec<u8>> = all.iter().flat_map(|p| [p.clone(), p.clone()]).collect();
    let capture = read(&joined(&head, &twice), &[]);
    assert_eq!(totals(&capture), want);
    assert!(capture.handshakes.iter().all(|h| h.repeated_segments > 0));
    // Neighbours swapped, times staying in their places: records may complete later, never be lost.
    let mut swapped = all.clone();
    let is_syn = |packet: &[u8]| packet[16 + 14 + 20 + 13] & 2 != 0;
    for i in (0..swapped.len() - 1).step_by(2) {
        if is_syn(&swapped[i]) || is_syn(&swapped[i + 1]) {
            continue;
        }
        let (a, b) = (swapped[i].clone(), swapped[i + 1].clone());
        swapped[i] = at_the_time_of(&b, &a);
        swapped[i + 1] = at_the_time_of(&a, &b);
    }
    let capture = read(&joined(&head, &swapped), &[]);
    let kinds = |rows: &[(bool, bool, Option<u64>)]| -> Vec<_> {
        rows.iter().map(|r| (r.0, r.1, r.2.is_some())).collect()
    };
    assert!(capture.handshakes.iter().any(|h| h.early_segments > 0));
    assert_eq!(kinds(&totals(&capture)), kinds(&want));
}

#[test]
fn every_cut_of_the_file_is_read_as_far_as_it_goes() {
    for name in ["tls-small.pcap", "tls-small.pcapng"] {
        let bytes = unpacked(name);
        let whole = read(&bytes, &[]).counts.packets;
        let mut last = 0;
        for end in (0..bytes.len()).step_by(97) {
            let capture = read(&bytes[..end], &[]);
            assert!(capture.counts.packets >= last && capture.counts.packets <= whole);
            last = capture.counts.packets;
        }
        let capture = read(&bytes[..bytes.len() - 7], &[]);
        let why = capture.stopped.expect("cut").to_string();
        assert!(why.contains("cut within"), "{why}");
    }
}

#[test]
fn a_lost_segment_makes_its_connection_unusable_and_no_other() {
    let (head, all) = small();
    // The longest packet carries a server's flight.
    let longest = (0..all.len()).max_by_key(|i| all[*i].len()).unwrap();
    let mut less = all.clone();
    less.remove(longest);
    let capture = read(&joined(&head, &less), &[]);
    let found: Batch = batch(&capture.handshakes);
    assert_eq!((found.complete, found.lost), (5, 1));
    assert!(
        capture
            .handshakes
            .iter()
            .any(|h| h.ending == Ending::Lost("a segment is missing"))
    );
}

#[test]
fn a_short_snap_length_is_told_or_does_not_matter() {
    let (head, all) = small();
    let snapped = |limit: usize| {
        let cut: Vec<Vec<u8>> = all
            .iter()
            .map(|packet| {
                let mut packet = packet[..packet.len().min(16 + limit)].to_vec();
                let length = (packet.len() - 16) as u32;
                packet[8..12].copy_from_slice(&length.to_le_bytes());
                packet
            })
            .collect();
        read(&joined(&head, &cut), &[])
    };
    // 90 bytes hold the headers of IP and TCP, and of a record, but no hello.
    let capture = snapped(90);
    assert!(capture.counts.cut_segments > 0);
    let cut = |h: &Handshake| h.ending == Ending::Lost("the snap length cut it");
    assert!(!capture.handshakes.is_empty() && capture.handshakes.iter().all(cut));
    // Where only bodies of records are cut, every time stands; what lies behind one may be lost.
    let capture = snapped(1200);
    assert!(capture.counts.cut_segments > 0);
    let want = totals(&read(&joined(&head, &all), &[]));
    for (found, want) in totals(&capture).iter().zip(&want) {
        assert!(found.2.is_none() || found == want);
    }
}

#[test]
fn a_capture_that_begins_late_counts_what_it_cannot_use() {
    let (head, all) = small();
    let capture = read(&joined(&head, &all[5..]), &[]);
    assert_eq!(capture.handshakes.len(), 5);
    assert_eq!(capture.counts.without_start, 1);
    let none = read(&joined(&head, &all), &[1]);
    assert!(none.handshakes.is_empty());
}

/// One packet's IP part under another link header.
fn relinked(number: u32, header: &[u8], vlan: bool) -> Vec<u8> {
    let (mut head, all) = small();
    head[20..24].copy_from_slice(&number.to_le_bytes());
    let mut bytes = head;
    for packet in all {
        let ip = &packet[16 + 14..];
        let mut frame = header.to_vec();
        if vlan {
            frame = [&packet[16..28], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0]].concat();
        }
        frame.extend_from_slice(ip);
        bytes.extend_from_slice(&packet[..8]);
        let length = (frame.len() as u32).to_le_bytes();
        bytes.extend([length, length].concat());
        bytes.extend(frame);
    }
    bytes
}

#[test]
fn every_link_type_gives_the_same() {
    let want = totals(&read(&unpacked("tls-small.pcap"), &[]));
    let cooked = [0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0];
    let cooked2 = [8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0];
    for (number, header, vlan) in [
        (1, &[][..], true),
        (113, &cooked[..], false),
        (276, &cooked2[..], false),
        (101, &[][..], false),
        (228, &[][..], false),
        (0, &[2, 0, 0, 0][..], false),
    ] {
        assert_eq!(
            totals(&read(&relinked(number, header, vlan), &[])),
            want,
            "{number}"
        );
    }
    let unknown = read(&relinked(127, &[], false), &[]);
    assert_eq!(unknown.counts.unknown_links.get(&127), Some(&119));
}

#[test]
fn ipv6_gives_the_same() {
    let (head, all) = small();
    let mut bytes = head;
    for packet in all {
        let (ip, tcp) = (&packet[30..50], &packet[50..]);
        let length = u16::from_be_bytes([ip[2], ip[3]]) - 20;
        let tcp = &tcp[..usize::from(length)];
        let mut frame = [&packet[16..28], &[0x86, 0xdd, 0x60, 0, 0, 0]].concat();
        // A destination option header of eight bytes stands between.
        frame.extend((length + 8).to_be_bytes());
        frame.extend([60, 64]);
        for side in [&ip[12..16], &ip[16..20]] {
            frame.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0]);
            frame.extend(side);
        }
        frame.extend([6, 0, 1, 4, 0, 0, 0, 0]);
        frame.extend(tcp);
        let size = (frame.len() as u32).to_le_bytes();
        bytes.extend_from_slice(&packet[..8]);
        bytes.extend([size, size].concat());
        bytes.extend(frame);
    }
    let capture = read(&bytes, &[]);
    assert_eq!(
        totals(&capture),
        totals(&read(&unpacked("tls-small.pcap"), &[]))
    );
    assert!(
        capture.handshakes[0].client.starts_with("[2001:db8::"),
        "{:?}",
        capture.handshakes[0]
    );
}

#[test]
fn what_is_no_capture_is_named() {
    let why = |bytes: &[u8]| read(bytes, &[]).stopped.expect("refused").to_string();
    assert!(why(b"").contains("nothing"));
    assert!(why(b"hello world").contains("68 65 6c 6c"));
    assert!(why(&[0x1f, 0x8b, 8, 0, 0]).contains("gzip -dc"));
    let mut damaged = unpacked("tls-small.pcap");
    damaged[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(why(&damaged).contains("damaged at byte 24"));
}
