//! Makes statements while there is nothing to judge.

use crate::cache::CachedPackage;
use crate::error::{cut, reason};
use documents::judgehost::{REASON_BYTES_MAX, StatementFormat, StatementTask};
use judge::{Cancel, Helper};
use package::{Package, PackageError, PackageOptions};
use sandbox::{Ran, Role, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use statement::{Order, Output, Part, Programs, StatementError};
use std::time::{Duration, Instant};

/// After this time no other program is begun. One program takes less than a minute.
const TIME_MAX: Duration = Duration::from_secs(60);

/// What became of a form of a statement.
#[derive(Debug, PartialEq, Eq)]
pub enum MadeStatement {
    Made {
        content: Vec<u8>,
        /// Warnings, a line each.
        text: String,
        /// The programs without which it was made more plainly than it is meant.
        lacking: Vec<String>,
    },
    /// It cannot be made of this package, or not here.
    Impossible { text: String, lacking: Vec<String> },
    /// This judgehost failed.
    Failed(String),
    /// It was stopped.
    Stopped,
}

/// A slot on CPUs without timed runs, for some seconds.
struct LimitedSlot<'h> {
    slot: Slot,
    helper: &'h Helper,
    began: Instant,
}

impl statement::Runner for LimitedSlot<'_> {
    fn run(&mut self, mut plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        if self.began.elapsed() > TIME_MAX {
            return Err(SandboxError::Interrupted);
        }
        plan.cpus = Some(self.helper.cpus_now());
        self.slot.run(&plan, io)
    }

    fn user(&self) -> u32 {
        self.slot.user(Role::Contestant)
    }
}

/// Makes a form of the statement of a package, with these programs only.
pub fn make(
    cached: &CachedPackage,
    task: &StatementTask,
    (helper, programs): (&Helper, Programs),
    stop: &Cancel,
) -> MadeStatement {
    let began = Instant::now();
    let text = |error: &StatementError| {
        let hint = error.hint().map(|hint| format!(": {hint}")).unwrap_or_default();
        cut(format!("{}{hint}", reason(error)), REASON_BYTES_MAX)
    };
    let read = cached.read(|path, scratch| {
        let package = Package::open_with(path, scratch, &PackageOptions::default(), &|| stop.is_set())?;
        let root = package.root.clone();
        Ok::<_, PackageError>((package, root))
    });
    let package = match read {
        Ok(package) => package,
        Err(_) if stop.is_set() => return MadeStatement::Stopped,
        Err(error @ PackageError::Io { .. }) => return MadeStatement::Failed(reason(&error)),
        Err(error) => return MadeStatement::Impossible { text: reason(&error), lacking: Vec::new() },
    };
    let order = Order {
        parts: vec![Part { package: &package, label: None, time_limit: None }],
        language: Some(&task.language),
        output: match task.format {
            StatementFormat::Html => Output::Fragment,
            StatementFormat::Pdf => Output::Pdf,
        },
        cover: None,
        template: None,
        programs,
    };
    let open = || -> Result<LimitedSlot<'_>, StatementError> {
        let slot =
            Slot::open(SlotOptions { stop: Some(stop.event()), ..SlotOptions::new(statement::root()) })?;
        Ok(LimitedSlot { slot, helper, began })
    };
    let lacking = || programs.missing().map(str::to_owned).collect::<Vec<_>>();
    match statement::build(&order, open, None) {
        Ok(built) => MadeStatement::Made {
            content: built.content,
            text: cut(built.warnings.join("\n"), REASON_BYTES_MAX),
            lacking: if built.is_plain { lacking() } else { Vec::new() },
        },
        Err(_) if stop.is_set() => MadeStatement::Stopped,
        Err(StatementError::Sandbox(SandboxError::Interrupted)) if began.elapsed() > TIME_MAX => {
            let text = format!("making it takes more than {} s", TIME_MAX.as_secs());
            MadeStatement::Impossible { text, lacking: Vec::new() }
        }
        Err(error @ StatementError::Missing { .. }) => {
            MadeStatement::Impossible { text: text(&error), lacking: lacking() }
        }
        Err(error) if error.is_of_input() => {
            MadeStatement::Impossible { text: text(&error), lacking: Vec::new() }
        }
        Err(error) => MadeStatement::Failed(text(&error)),
    }
}
