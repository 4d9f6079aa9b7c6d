//! The small process between the lab and what it measures.
//!
//! The kernel starts a child's peak memory at that of the process that started it, and forgets the
//! work of children that detach. So the lab executes itself afresh (`alacrypt-lab __shim …`, a few
//! pages of memory), and that process starts the command, becomes the parent of whatever detaches
//! (`PR_SET_CHILD_SUBREAPER`, prctl(2)), waits for all of them and reports `getrusage(2)` of
//! children, which is then the work of exactly this tree.
//!
//! | file | side |
//! | --- | --- |
//! | `child` | what happens inside the shim |
//! | `launch` | what the lab does: start a shim, read its report, kill its tree |
//! | `report` | the line that passes between them |
//! | `tree` | descendants by `/proc`, and ending them |
//! | `netns` | a network namespace of its own |
//! | `private`, `netlink` | one with an interface and a way outside |
//! | `proxy`, `relay` | that way: the end in the shim, the end in the lab |
//! | `memory` | peak memory of the whole tree |
//! | `counters` | perf events |

mod child;
mod counters;
mod launch;
mod memory;
mod netlink;
mod netns;
mod private;
mod proxy;
mod relay;
mod report;
mod tree;

pub use child::{SUBCOMMAND, main};
pub(crate) use launch::telling_line;
pub use launch::{Launcher, Outcome, Spec, Verdict, idle_traffic};
pub use relay::Relay;
pub use report::Report;
