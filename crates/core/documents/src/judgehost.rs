//! What a judgehost and its server send each other, as JSON over HTTP.
//!
//! A judgehost registers with [`Register`], then claims jobs with [`ClaimRequest`], which the server answers when there
//! are some, and reports with [`ReportsRequest`] what became of them. Each job has a fence: a number that grows with
//! each lease of the job, so that a report by a judgehost whose lease has ended changes nothing. [`Heartbeat`]s extend
//! the leases. Blobs are fetched and stored by their SHA-256 hash, `/api/blobs/HASH`.

mod event;
mod job;
mod machine;
mod report;
mod statement;

pub use event::*;
pub use job::*;
pub use machine::*;
pub use report::*;
pub use statement::*;

use crate::objects::RunIsolation;
use crate::values::VerdictId;
use model::Clock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of this protocol. A server refuses others.
pub const JUDGEHOST_PROTOCOL: u32 = 1;
/// The longest time that a claim waits at the server.
pub const CLAIM_WAIT_MAX_S: u32 = 30;
/// The most jobs in an answer to a claim.
pub const CLAIM_JOBS_MAX: u32 = 256;
/// The most reports in a request; the rest follow in the next.
pub const REPORTS_MAX: usize = 512;
pub const REPORT_RUNS_MAX: usize = 256;
/// The most bytes of compiler output in a report; the end is cut.
pub const COMPILE_OUTPUT_BYTES_MAX: usize = 64 << 10;
/// The most bytes of a reason or another text for people.
pub const REASON_BYTES_MAX: usize = 4 << 10;

/// `PUT /api/judgehosts/{id}`: a judgehost that starts, or that the server has forgotten, says what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Register {
    /// The version of the protocol: 1.
    pub protocol: u32,
    pub tauto_version: String,
    /// Differs for each start of a judgehost: with another one, earlier leases of this judgehost end at once.
    pub instance: String,
    /// The pool that it asks for; `null` for the one that the server chooses.
    pub pool: Option<String>,
    /// What decides about its pool, a text line each: the machine and its settings, as far as they change times.
    pub identity: Vec<String>,
    /// Versions of the compilers that are installed, as in `cpp: 12.2.0`, in order.
    pub compilers: Vec<String>,
    /// How many programs it times at once.
    pub places: u32,
    /// How many jobs it wants at once, so that places have work while one rests.
    pub jobs_max: u32,
    /// Whether others may use the CPUs of timed runs: then it can judge in the mode `fast` only.
    pub is_shared: bool,
    /// Whether it is to be given nothing until an operator has looked at its machine, and lets it in.
    #[serde(default)]
    pub awaits_admission: bool,
    pub self_test: SelfTest,
    /// What its machine is; no decision depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Box<MachineReport>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Programs with known verdicts. Unless all are as expected, the judgehost does not register.
    pub programs: Vec<SelfTestProgram>,
    pub languages: Vec<LanguageTest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTestProgram {
    pub name: String,
    /// The verdict that it has to get.
    pub expected: VerdictId,
    /// The verdict that it got; `null` if the judgehost failed.
    pub verdict: Option<VerdictId>,
    /// Why the judgehost failed; `null` if it did not.
    pub error: Option<String>,
}

/// A language, tested by a program that is compiled and run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageTest {
    pub id: String,
    /// The version of its compiler or interpreter; `null` if it printed none.
    pub version: Option<String>,
    /// Why it does not work; `null` if it works, or is not tested yet. Jobs in it are not for this judgehost.
    pub error: Option<String>,
    /// Whether it was tested. What was not is tested before its first job, or when there is nothing else to do.
    #[serde(default)]
    pub is_tested: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Registered {
    pub pool: String,
    /// How often it sends a heartbeat.
    pub heartbeat_s: u32,
    /// How long a lease lasts after a heartbeat.
    pub lease_s: u32,
}

/// In addition to the members of a problem document (RFC 9457) with status 409: why a judgehost is not in the pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterRefused {
    /// What is wrong, in a sentence.
    #[serde(default)]
    pub detail: String,
    /// In what it differs from the pool.
    #[serde(default)]
    pub differences: Vec<IdentityDifference>,
}

/// A line that differs between a pool and a judgehost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityDifference {
    /// The pool's line; `null` if it has none like it.
    pub pool: Option<String>,
    /// The judgehost's line; `null` if it has none like it.
    pub judgehost: Option<String>,
}

/// How the lines begin that name a machine's image and what is between runs and the machine, which only machines have where these
/// are not the usual ones.
const IMAGE: &str = "image: ";
const ISOLATION: &str = "isolation: ";

/// Returns the line of an identity that names the image whose toolchains a machine has.
pub fn image_line(digest: &str) -> String {
    format!("{IMAGE}{digest}")
}

/// Returns the digest of the image whose toolchains machines of an identity have; `None` if they are their own.
pub fn image_of(identity: &[String]) -> Option<&str> {
    identity.iter().find_map(|line| line.strip_prefix(IMAGE))
}

/// Returns the line of an identity that names what is between runs and a machine, with what else changes their times.
pub fn isolation_line(isolation: RunIsolation, how: &str) -> String {
    format!("{ISOLATION}{}, {how}", isolation.word())
}

/// Returns what is between runs and machines of an identity.
pub fn isolation_of(identity: &[String]) -> RunIsolation {
    let named = identity.iter().find_map(|line| line.strip_prefix(ISOLATION));
    let is_machine = named.is_some_and(|named| named.split(',').next() == Some(RunIsolation::Microvm.word()));
    if is_machine { RunIsolation::Microvm } else { RunIsolation::Container }
}

/// How the line of a machine's identity begins that names its clock, which only machines that count instructions have.
const CLOCK: &str = "clock: ";

/// Returns the line of an identity that names the clock by which a machine judges.
pub fn clock_line(clock: Clock) -> String {
    format!("{CLOCK}{clock}")
}

/// Returns by which clock machines of an identity judge.
///
/// # Errors
/// What a clock is called that is not known here.
pub fn clock_of(identity: &[String]) -> Result<Clock, &str> {
    let named = identity.iter().find_map(|line| line.strip_prefix(CLOCK));
    named.map_or(Ok(Clock::CpuTime), |clock| clock.parse().map_err(|_| clock))
}

/// `POST /api/judgehosts/{id}/claim`: asks for jobs. Answered when there are some, or after `wait_s`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRequest {
    /// How many jobs at most.
    pub max: u32,
    /// How long to wait for the first, at most 30 s.
    pub wait_s: u32,
    /// Languages that do not work here, by id: their jobs are for others.
    #[serde(default)]
    pub except_languages: Vec<String>,
    /// Packages that do not work here, by hash: their jobs are for others.
    #[serde(default)]
    pub except_packages: Vec<String>,
    /// The rules by which it can compute points, by name, as in `scores` of a job. Without `domjudge` its jobs are for others: a
    /// judgehost of before there were several rules ignores `scores`, and would compute other points.
    #[serde(default)]
    pub scores: Vec<String>,
    /// The programs for statements that are missing here, if it makes a statement when there is no job; `null` if it makes none now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statements: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimResponse {
    /// The jobs, in the order in which they should begin.
    pub jobs: Vec<Job>,
    /// Jobs of this judgehost that are no longer wanted, by their `job`.
    #[serde(default)]
    pub cancel: Vec<String>,
    /// Whether it should end what it has, take no more, and exit.
    #[serde(default)]
    pub drain: bool,
    /// `null` if no reason was given.
    pub drain_reason: Option<String>,
    /// A statement to make, if there is no job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementTask>,
}

/// `POST /api/judgehosts/{id}/heartbeat`: the judgehost lives, and extends its leases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    pub jobs: Vec<HeldJob>,
    /// Times of the reference program since the last heartbeat that was answered, in order.
    #[serde(default)]
    pub reference: Vec<ReferenceTime>,
    pub state: HeartbeatState,
    /// The share of the time since the last heartbeat in which timed places ran a program, in thousandths.
    #[serde(default)]
    pub busy_permille: u32,
    /// What each timed place does.
    #[serde(default)]
    pub places: Vec<PlaceNow>,
    /// Languages that are installed and not tested yet, by id: each is tested before its first job, or when there is nothing
    /// else to do.
    #[serde(default)]
    pub untested_languages: Vec<String>,
    /// What its machine is, if the server asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Box<MachineReport>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldJob {
    pub job: String,
    pub fence: u64,
}

/// A run of the reference program, which shows whether a judgehost has become slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReferenceTime {
    pub cpu_time_ns: u64,
    /// When it ended, by the judgehost's clock: milliseconds since 1970-01-01T00:00:00Z.
    pub at_unix_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeartbeatState {
    /// It takes jobs.
    Working,
    /// It ends what it has, and takes no more.
    Draining,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeartbeatAnswer {
    /// Jobs of this judgehost that are no longer wanted, by their `job`.
    #[serde(default)]
    pub cancel: Vec<String>,
    /// Jobs in the heartbeat whose lease is no longer this judgehost's, by their `job`.
    #[serde(default)]
    pub stale: Vec<String>,
    /// Whether it should end what it has, take no more, and exit.
    #[serde(default)]
    pub drain: bool,
    /// `null` if no reason was given.
    pub drain_reason: Option<String>,
    /// Whether the next heartbeat should have `machine`: the server was started anew.
    #[serde(default)]
    pub wants_machine: bool,
}
