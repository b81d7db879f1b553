//! Runs the program of a cell in its step, and returns the report.

use crate::table::{End, EndReport, State, Step, reached};
use crate::{LIMIT, left, package};
use anyhow::{Context, Result, bail, ensure};
use labs::{CpuTerms, Testbed, TestbedOptions};
use model::{Bytes, Limits, Nanos, RunEnd, Verdict};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use sandbox::{Input, Mount, PROGRAM, Ran, RootView, RunIo, RunPlan};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use timing::{IfTaken, PlaceError, Queue};

/// No command should take this long; all means of ending a run would have been tried long before.
const HANGS: Duration = Duration::from_secs(300);
/// How often a command's slots are listed: once while it runs is enough, since it keeps them as long as it runs
/// programs.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
/// The wall-time limit for states that wait for it.
const SHORT: Nanos = Nanos::from_millis(300);
/// A limit that is never reached.
const LONG: Nanos = Nanos::from_millis(30_000);
const OUTPUT: Bytes = Bytes::from_kib(64);

/// The program and a folder for the files of one cell.
pub struct Cell<'c> {
    pub step: Step,
    pub state: State,
    pub folder: &'c Path,
    pub program: &'c Path,
    /// Leftovers of the slots of the cell's commands.
    left: RefCell<Vec<String>>,
}

impl<'c> Cell<'c> {
    pub fn new((step, state): (Step, State), folder: &'c Path, program: &'c Path) -> Self {
        Self { step, state, folder, program, left: RefCell::default() }
    }

    /// Runs it; a lab's programs run on its ground.
    pub fn run(&self, ground: Option<&mut LabGround>) -> Result<EndReport> {
        let mut outcome = match (self.step, ground) {
            (Step::Run, _) => self.run_alone(),
            (Step::Bench, _) => self.bench(),
            (Step::Lab, Some(ground)) => ground.run(self),
            (Step::Lab, None) => bail!("a lab has a ground"),
            _ => self.judge(),
        }?;
        outcome.left = self.left.take();
        Ok(outcome)
    }

    /// Runs a command to its end, and collects leftovers of its slots.
    fn tauto(&self, arguments: &[&str]) -> Result<Ended> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tauto"))
            .args(arguments)
            .current_dir(self.folder)
            .env("XDG_STATE_HOME", self.folder.join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let begun = Instant::now();
        let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let handle = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        let mut slots = BTreeSet::new();
        let ended = std::thread::scope(|scope| {
            let stdout = scope.spawn(move || read_all(&mut stdout));
            let stderr = scope.spawn(move || read_all(&mut stderr));
            let hangs = loop {
                slots.extend(left::slots_of(child.id()));
                if rustix::event::poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&LOOK))? > 0 {
                    break false;
                }
                if begun.elapsed() > HANGS {
                    child.kill()?;
                    break true;
                }
            };
            let code = child.wait()?.code();
            let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
            if hangs { bail!("it hung: {stderr}") } else { Ok(Ended { code, stdout, stderr }) }
        })?;
        self.left.borrow_mut().extend(slots.iter().flat_map(|slot| left::left_of(slot)));
        Ok(ended)
    }

    fn limits(&self) -> [String; 6] {
        let wall = wall_limit(self.state);
        [
            "--cpu",
            &time(time_limit(self.step, self.state)),
            "--wall",
            &time(wall),
            "--output-limit",
            &OUTPUT.0.to_string(),
        ]
        .map(str::to_owned)
    }

    fn place_program(&self) -> Result<()> {
        // Copied by another process: a child that another thread starts at this moment would inherit a descriptor open
        // for writing, and a file that is open for writing cannot be executed.
        let copied = Command::new("cp").arg(self.program).arg(self.folder.join("program")).status()?;
        ensure!(copied.success(), "cp: {copied}");
        Ok(fs::write(self.folder.join("way"), self.state.name)?)
    }

    fn run_alone(&self) -> Result<EndReport> {
        self.place_program()?;
        let mut arguments = vec!["run", "--json", "--output", "report.json"];
        let limits = self.limits();
        arguments.extend(limits.iter().map(String::as_str));
        arguments.extend(["--", "./program"]);
        let Ended { code, stderr, .. } = self.tauto(&arguments)?;
        let unusable = self.next_run()?;
        let report = fs::read_to_string(self.folder.join("report.json")).unwrap_or_default();
        Ok(match documents::from_json::<documents::RunReport>(&report) {
            Ok(report) => EndReport {
                code,
                words: words(&report.end),
                cpu_times_ns: vec![report.usage.cpu_time_ns],
                unusable,
                ..EndReport::default()
            },
            // An internal failure.
            Err(_) => EndReport { code, words: stderr, unusable, ..EndReport::default() },
        })
    }

    /// Checks that the next command finds the place free.
    fn next_run(&self) -> Result<Option<String>> {
        let Ended { code, stderr, .. } = self.tauto(&["run", "--", "true"])?;
        Ok((code != Some(0)).then(|| format!("true ended with {code:?}: {stderr}")))
    }

    /// The program and `true` take turns in one slot.
    fn bench(&self) -> Result<EndReport> {
        self.place_program()?;
        let cpu = test_support::last_cpu().to_string();
        let mut arguments =
            vec!["bench", "--wait", "-n", "2", "--warmup", "0", "--ignore-failure", "--vs", "true"];
        arguments.extend(["--quiet", "--export-json", "report.json", "--cpu-list", &cpu]);
        let limits = self.limits();
        arguments.extend(limits.iter().map(String::as_str));
        arguments.extend(["--", "./program"]);
        let Ended { code, stderr, .. } = self.tauto(&arguments)?;
        let report = fs::read_to_string(self.folder.join("report.json")).with_context(|| stderr)?;
        let report: documents::BenchReport = documents::from_json(&report)?;
        let [program, next] = &report.results[..] else { bail!("two commands were to run: {report:?}") };
        let ends: Vec<String> = program.tautochrone.runs.iter().map(|run| words(&run.end)).collect();
        if ends.iter().any(|end| *end != ends[0]) {
            bail!("it ended differently: {ends:?}");
        }
        Ok(EndReport {
            code,
            words: ends[0].clone(),
            cpu_times_ns: program.tautochrone.runs.iter().map(|run| run.usage.cpu_time_ns).collect(),
            unusable: (next.exit_codes != [Some(0); 2]).then(|| format!("true: {:?}", next.exit_codes)),
            ..EndReport::default()
        })
    }

    fn judge(&self) -> Result<EndReport> {
        package::write(self.folder, self.step, self.state, self.program);
        let mut arguments = vec!["judge", "p", "--wait", "--json", "--quiet", "--patience", "0s"];
        // A time between limit and kill would cause repeats; with this factor that almost never happens.
        arguments.extend(["--kill-factor", "1.1"]);
        let limit = time(time_limit(self.step, self.state));
        arguments.extend(["--time-limit", &limit]);
        match self.step {
            Step::Submission | Step::Compiler => {
                arguments.extend(["--languages", "languages", "bad", "good.sh"]);
            }
            // The package's own submissions, with which its data is checked.
            Step::InputValidator => {}
            _ => arguments.extend(["bad.sh", "good.sh"]),
        }
        let Ended { code, stdout, stderr } = self.tauto(&arguments)?;
        let Ok(report) = documents::from_json::<documents::JudgeReport>(&stdout) else {
            // Nothing was judged; the next command shows whether the slot is usable.
            return Ok(EndReport {
                code,
                words: format!("{stdout}{stderr}"),
                unusable: self.next_run()?,
                ..EndReport::default()
            });
        };
        let mut outcome = EndReport { code, words: report.warnings.join("\n"), ..EndReport::default() };
        let Some(first) = report.submissions.first() else { bail!("no submission was judged: {report:?}") };
        outcome.verdict = Some(first.verdict.0);
        for line in first.compile.iter().map(|compile| &compile.output).chain(&first.warnings) {
            outcome.words.push_str(&format!("\n{line}"));
        }
        for run in &first.runs {
            outcome.words.push_str(&format!("\n{}", run.judge_message.as_deref().unwrap_or("")));
            // In other steps the submission is not the program under test.
            if self.step == Step::Submission {
                outcome.words.push_str(&run.end.as_ref().map(words).unwrap_or_default());
                outcome.cpu_times_ns.extend(run.repeats.iter().map(|repeat| repeat.cpu_time_ns));
                outcome.cpu_times_ns.extend(run.cpu_time_ns);
            }
        }
        outcome.unusable = self.judged_next(&report);
        Ok(outcome)
    }

    /// Checks that the same slots have judged another submission.
    fn judged_next(&self, report: &documents::JudgeReport) -> Option<String> {
        // If a validator is late on a busy machine, the compilation has already shown that the slot is usable.
        let is_late = |words: &str| words.contains("wall time limit");
        if self.step == Step::InputValidator {
            let refused = report.warnings.iter().find(|warning| warning.contains("2.in"));
            return refused.filter(|words| !is_late(words)).cloned();
        }
        let Some(next) = report.submissions.get(1) else { return Some("nothing was judged".to_owned()) };
        let is_good = match next.verdict.0 {
            Verdict::JudgingError => next.warnings.iter().any(|words| is_late(words)),
            Verdict::WrongAnswer => self.step == Step::Grader,
            verdict => verdict == Verdict::Accepted,
        };
        (!is_good).then(|| format!("the next submission came to {:?}", next))
    }
}

/// The testbed of an experiment, and the folder of its program.
pub struct LabGround {
    ground: Testbed,
    slot: String,
}

impl LabGround {
    /// Leases a CPU; waits while others have all of them.
    pub fn open() -> Result<Self> {
        let notify = Arc::new(|why: &PlaceError| println!("waits for a CPU: {why}"));
        let mut ground = Testbed::open(TestbedOptions {
            root: RootView::Host { extra: Vec::new() },
            if_taken: IfTaken::Wait(Queue { patience: None, stop: None, report: notify }),
            stop: None,
        })?;
        let slot = (ground.user(CpuTerms::Own)? - left::FIRST_USER) / left::USERS_PER_SLOT;
        Ok(Self { slot: format!("slot-{slot}"), ground })
    }

    /// Closes it; returns leftovers of its slot.
    pub fn close(self) -> Vec<String> {
        drop(self.ground);
        left::left_of(&self.slot)
    }

    fn run(&mut self, cell: &Cell<'_>) -> Result<EndReport> {
        cell.place_program()?;
        let Ran { result, .. } = self.ran(&["/program/program"], cell)?;
        cell.left.borrow_mut().extend(left::processes_of(&self.slot));
        let next = self.ran(&["/bin/true"], cell)?.result.end;
        Ok(EndReport {
            words: result.end.to_string(),
            cpu_times_ns: vec![result.usage.cpu_time.0],
            unusable: (next != RunEnd::Exited(0)).then(|| format!("true ended with {next}")),
            ..EndReport::default()
        })
    }

    fn ran(&mut self, argv: &[&str], cell: &Cell<'_>) -> Result<Ran> {
        let mut plan = RunPlan::new(argv.iter().map(|word| (*word).to_owned()).collect());
        plan.limits = Limits {
            cpu_time: Some(time_limit(cell.step, cell.state)),
            wall_time: Some(wall_limit(cell.state)),
            output: Some(OUTPUT),
            processes: Some(64),
            ..Limits::unlimited()
        };
        plan.mounts.push(Mount {
            source: cell.folder.to_owned(),
            target: PROGRAM.to_owned(),
            writable: false,
        });
        Ok(self.ground.run(CpuTerms::Own, &plan, RunIo::captured(Input::Empty))?)
    }
}

/// Returns the limit on CPU time, from which the wall-time limits follow. A program that should end in another way
/// reaches neither, however busy the machine is.
pub fn time_limit(step: Step, state: State) -> Nanos {
    match reached(step, state) {
        // A submission's wall-time limit is 2 s longer.
        End::CpuTime | End::WallTime if step == Step::Submission => Nanos(LIMIT.0 / 2),
        End::CpuTime | End::WallTime => LIMIT,
        End::Output | End::ByItself => LONG,
    }
}

fn wall_limit(state: State) -> Nanos {
    if state.end == End::WallTime { SHORT } else { LONG }
}

fn time(time: Nanos) -> String {
    format!("{}ns", time.0)
}

fn words(end: &documents::End) -> String {
    match (end.limit, end.code, end.signal) {
        (Some(model::LimitKind::CpuTime), ..) => "CPU time limit".to_owned(),
        (Some(model::LimitKind::WallTime), ..) => "wall time limit".to_owned(),
        (Some(model::LimitKind::Memory), ..) => "memory limit".to_owned(),
        (Some(model::LimitKind::Output), ..) => "output limit".to_owned(),
        (Some(model::LimitKind::Instructions), ..) => "instruction limit".to_owned(),
        (None, Some(code), _) => format!("exit code {code}"),
        (None, None, signal) => format!("signal {signal:?}"),
    }
}

struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn read_all(from: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    // Output that cannot be read is ignored.
    let _ = from.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
