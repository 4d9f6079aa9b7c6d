//! The command `alacrypt`. It is one binary; this library exists so that its parts can be tested apart.
//!
//! | file | holds |
//! |---|---|
//! | [`lockfile`] | `package-lock.json`: which tarballs, from where, with which integrity values |
//! | [`npmrc`] | npm's configuration: registries, credentials, proxies, certificates |
//! | [`plan`] | both joined: what is downloaded to where with which credentials |
//! | [`report`] | what came of it, as a table and as JSON |
//! | [`command`] | `alacrypt fetch` |
#![forbid(unsafe_code)]

pub mod command;
pub mod lockfile;
pub mod npmrc;
pub mod plan;
pub mod report;
