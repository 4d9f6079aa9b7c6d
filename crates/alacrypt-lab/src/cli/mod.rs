//! The command line. Each subcommand is one struct; its help text is its doc comment.

mod given;
mod groups;
mod loops;
mod phases;
mod probe;
mod subcommands;
mod tls;
mod values;

pub use given::Given;
pub use groups::{
    AnalysisArgs, AroundArgs, Color, Correction, MeasureArgs, Method, Net, NodeArgs, Order,
    OutputArgs, Rss, SelectArgs, Stat,
};
pub use loops::{LoadWord, LoopArgs};
pub use phases::PhasesArgs;
pub use probe::ProbeArgs;
pub use subcommands::{
    AaArgs, Cli, Command, CompareArgs, CompletionsArgs, DoctorArgs, ManArgs, ReportArgs, RunArgs,
    definition, parse,
};
pub use tls::{Authority, TlsArgs, TlsCommand, TlsConnectArgs, TlsPcapArgs, TlsProvider};
pub use values::{CpuList, Named, OnFail, Percent, Seconds, Shard, Until};
