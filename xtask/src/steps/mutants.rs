//! `cargo xtask mutants`: each planted fault must turn the tests red.
//!
//! The faults are listed in `npm/alacrypt/test/mutants.json`. They are planted one by one in a
//! copy of the tree, with a build directory of its own, so that a fault can never stay behind
//! in the sources and that each build is an incremental one.

mod copy;
mod fault;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use self::fault::Fault;
use super::build;
use crate::counts::Counts;
use crate::failure::{Failure, Result};
use crate::process::{self, Ending, timed};
use crate::runtimes::{Runtime, Runtimes};
use crate::tree::Tree;

const FAULTS: &str = "npm/alacrypt/test/mutants.json";

/// The parts of the tests that must notice a fault.
const SUITES: &str = "differential,unit,hostile";

/// A fault may make a call hang: that is noticed too.
const LIMIT: Duration = Duration::from_secs(600);

/// What came of one fault.
enum Fate {
    Killed(String),
    Survived,
    /// The fault says nothing about the tests: it could not be planted or did not build.
    Void(String),
}

pub(crate) fn run(tree: &Tree, names: &[String]) -> Result<ExitCode> {
    let faults = Fault::selected(listed(tree)?, names)?;

    let runtimes = Runtimes::installed(tree)?;
    let home = tree.target_dir()?.join("mutants");
    let copy = Tree::copy_at(home.join("tree"), home.join("target"));
    copy::refresh(tree, copy.root())?;
    let bench = Bench {
        copy,
        node: runtimes.binary(Runtime::Node26)?,
        log: home.join("test.log"),
    };

    timed("without a fault", || bench.must_be_green())?;
    let mut rows = Vec::new();
    let mut counts = Counts::default();
    for fault in &faults {
        let start = Instant::now();
        let fate = timed(&format!("fault: {}", fault.name), || bench.fate_of(fault))?;
        let (passed, verdict) = match fate {
            Fate::Killed(how) => (true, format!("killed ({how})")),
            Fate::Survived => (false, "SURVIVED".to_owned()),
            Fate::Void(why) => (false, format!("VOID: {why}")),
        };
        counts += Counts {
            passed: passed.into(),
            failed: (!passed).into(),
            skipped: 0,
        };
        let seconds = start.elapsed().as_secs();
        rows.push(format!("{:<40} {seconds:>5} s  {verdict}", fault.name));
    }
    println!("\n{}\n{counts}", rows.join("\n"));
    Ok(if counts.failed == 0 && counts.passed > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Fate {
    fn of(ending: &Ending) -> Self {
        match ending {
            Ending::Exited(status) if status.success() => Self::Survived,
            Ending::Exited(status) => Self::Killed(status.to_string()),
            Ending::TimedOut => Self::Killed("hung".to_owned()),
        }
    }
}

/// The faults that cannot be planted, each with the reason.
pub(crate) fn misplaced(tree: &Tree) -> Result<Vec<String>> {
    let mut misplaced = Vec::new();
    for fault in listed(tree)? {
        let planted = std::fs::read_to_string(tree.root().join(&fault.file))
            .map_err(|error| format!("{}: {error}", fault.file))
            .and_then(|text| fault.planted_in(&text));
        if let Err(why) = planted {
            misplaced.push(format!("{}: {why}", fault.name));
        }
    }
    Ok(misplaced)
}

fn listed(tree: &Tree) -> Result<Vec<Fault>> {
    let list = tree.root().join(FAULTS);
    let text = std::fs::read_to_string(&list).map_err(Failure::at(&list))?;
    Fault::list(&text)
}

/// Where faults are planted and the tests run.
struct Bench {
    copy: Tree,
    node: PathBuf,
    log: PathBuf,
}

impl Bench {
    /// A suite that is red anyway would "kill" every fault.
    fn must_be_green(&self) -> Result<()> {
        build::build(&self.copy)?;
        match self.tests()? {
            Ending::Exited(status) if status.success() => Ok(()),
            Ending::Exited(status) => Err(Failure::new(format!(
                "the tests are red without a fault ({status}): see {}",
                self.log.display()
            ))),
            Ending::TimedOut => Err(Failure::new("the tests hang without a fault")),
        }
    }

    fn fate_of(&self, fault: &Fault) -> Result<Fate> {
        let path = self.copy.root().join(&fault.file);
        let original = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => return Ok(Fate::Void(format!("{}: {error}", fault.file))),
        };
        let faulty = match fault.planted_in(&original) {
            Ok(text) => text,
            Err(why) => return Ok(Fate::Void(why)),
        };
        write(&path, &faulty)?;
        let fate = self.judge(fault);
        // Whatever came of it, the next fault starts from the true sources.
        write(&path, &original)?;
        fate
    }

    fn judge(&self, fault: &Fault) -> Result<Fate> {
        if let Err(failure) = build::build(&self.copy) {
            return Ok(Fate::Void(format!("it does not build: {failure}")));
        }
        if let Some(api) = &fault.api {
            let soonest = self.run(&["test/differential/main.mjs", "--api", api])?;
            if let Fate::Killed(how) = Fate::of(&soonest) {
                return Ok(Fate::Killed(format!("{how}, {api}")));
            }
        }
        Ok(Fate::of(&self.tests()?))
    }

    /// All suites that must notice a fault, up to the first test that does.
    fn tests(&self) -> Result<Ending> {
        self.run(&["test/run.mjs"])
    }

    fn run(&self, args: &[&str]) -> Result<Ending> {
        let mut command = std::process::Command::new(&self.node);
        command
            .current_dir(self.copy.npm_package())
            .args(args)
            .env("ALACRYPT_TEST_ONLY", SUITES)
            .env("ALACRYPT_TEST_STOP", "1");
        process::run_logged(&mut command, &self.log, LIMIT)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Failure::at(path))
}
