//! `loop`: a server under an open-loop HTTP load, its event loop watched from within, while it
//! computes.
//!
//! Each run is this program once more (`alacrypt-lab __loop …`), under the measuring shim: it
//! starts the server, loads it, asks it for the stamps of its timer and ends it. So the load is
//! accounted to the run, and goes with it when the run is killed.
//!
//! | file | holds |
//! |---|---|
//! | [`generator`] | requests when they are due, over as many connections as that takes |
//! | [`http`] | the answer to a GET, as a stream |
//! | [`worker`] | the hidden subcommand |
//! | [`figures`] | from moments and stamps to percentiles |
//! | [`assets`] | the preload and the built-in server on the disk |
//! | `preload.cjs` | in the server: the timer, the crypto load |
//! | `server.mjs` | the built-in server |

pub mod assets;
pub mod figures;
pub mod generator;
pub mod http;
pub mod worker;

pub use assets::Assets;
pub use worker::{Order, SUBCOMMAND, main};
