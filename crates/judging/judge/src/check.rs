//! Checks the output of a run: by comparison, or with a program of the package.

use crate::build::Built;
use crate::subject::StaticSubject;
use crate::{Helper, JudgeError};
use languages::Languages;
use model::{Bytes, Limits, RunEnd, ScoreRules, Verdict};
use package::compare::{CompareOptions, Difference, compare};
use package::outcome::{CheckOutcome, CheckRules, Feedback};
use package::{OutputValidator, Package, ProblemLimits, Protocol, TestCase};
use sandbox::{Input, Mount, Role, RunIo, RunPlan, Workspace, input_in_memory};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The folder of a validator's files.
const INPUT: &str = "/box/judge/input";
const ANSWER: &str = "/box/judge/answer";
pub(crate) const FEEDBACK: &str = "/box/judge/feedback/";
const TEAM_OUTPUT: &str = "/box/judge/output/team";

/// Files and folders that a validator may leave.
const FEEDBACK_FILES_MAX: u32 = 1024;
/// Room for feedback in addition to the validator's own limit on output: tmpfs counts whole pages.
const FEEDBACK_SLACK: Bytes = Bytes::from_mib(4);
/// Files that decide something; they must be regular files.
const DECIDING_FILES: [&str; 3] = ["nextpass.in", "score.txt", "score_multiplier.txt"];
/// Maximum length of a broken validator's message in errors.
const REASON_BYTES_MAX: usize = 4096;
/// A validator does not wait, so it needs little more wall time than CPU time.
const VALIDATOR_WALL_FACTOR: u64 = 2;

#[derive(Debug)]
pub(crate) enum Checker {
    Default,
    Custom { name: String, built: Box<Built>, protocol: Protocol },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Accepted or wrong answer.
    pub verdict: Verdict,
    /// Where the output first differs, for the default validator.
    pub difference: Option<Difference>,
    /// The beginning of an output that is not right, where it was not a conversation.
    pub output_start: Option<String>,
    pub judge_message: String,
    pub team_message: String,
    pub score: Option<f64>,
    pub score_multiplier: Option<f64>,
    pub next_pass: Option<Vec<u8>>,
    pub feedback: Feedback,
}

impl Checker {
    pub fn of(helper: &Helper, languages: &Languages, package: &Package) -> Result<Self, JudgeError> {
        match &package.output_validator {
            OutputValidator::Default => Ok(Self::Default),
            OutputValidator::Custom(program, protocol) => Ok(Self::Custom {
                name: program.name.clone(),
                built: Box::new(helper.build_program(languages, package, program)?),
                protocol: *protocol,
            }),
        }
    }

    /// Returns whether it needs the submission's files.
    pub fn sees_submission(&self, package: &Package) -> bool {
        matches!(self, Self::Custom { .. }) && !package.format.is_legacy()
    }

    /// Checks one output. `feedback` lasts over the passes of a case.
    pub fn check(
        &self,
        helper: &Helper,
        package: &Package,
        case: &TestCase,
        (output, subject): (&[u8], Option<&StaticSubject>),
        feedback: &FeedbackFolder,
        pass: u32,
    ) -> Result<Checked, JudgeError> {
        match self {
            Self::Default => check_by_comparison(package, case, output),
            Self::Custom { name, built, protocol } => {
                let (plan, stdin, _output) =
                    validator_plan((built, *protocol), package, case, feedback, (Some(output), subject))?;
                let ran = helper.run(plan, RunIo::captured(stdin))?;
                let reply = ValidatorReply { protocol: *protocol, end: ran.result.end, stderr: &ran.stderr };
                feedback.outcome(package, name, &case.name, &check_rules(package, &case.name, pass), &reply)
            }
        }
    }
}

/// Returns the total size limit of a validator's feedback files; one of them can be the input of the next pass.
pub(crate) fn feedback_max(limits: &ProblemLimits) -> Bytes {
    Bytes(limits.validation_output.0.saturating_add(FEEDBACK_SLACK.0))
}

#[derive(Debug)]
pub(crate) struct FeedbackFolder(Workspace);

impl FeedbackFolder {
    pub fn new(helper: &Helper, limits: &ProblemLimits) -> Result<Self, JudgeError> {
        let workspace = Workspace::new(feedback_max(limits), FEEDBACK_FILES_MAX)?;
        workspace.give_to(helper.user(Role::Checker))?;
        Ok(Self(workspace))
    }

    pub fn mount(&self) -> Mount {
        Mount {
            source: self.0.path().to_owned(),
            target: FEEDBACK.trim_end_matches('/').to_owned(),
            writable: true,
        }
    }

    /// Removes the input of the next pass, as the formats require before each pass.
    pub fn begin_pass(&self) -> Result<(), JudgeError> {
        let path = self.0.path().join("nextpass.in");
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(JudgeError::file("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Reads a validator's feedback: regular files only, links are never followed.
    pub fn read(&self, limits: &ProblemLimits) -> Result<Feedback, String> {
        let mut feedback = Feedback::default();
        let mut room = feedback_max(limits).0;
        let entries = fs::read_dir(self.0.path()).map_err(|error| format!("its feedback folder: {error}"))?;
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                return Err("it left a file whose name is not UTF-8 in the feedback folder".to_owned());
            };
            let Some(content) = read_regular(&entry.path(), room)
                .map_err(|error| format!("it left '{name}' in the feedback folder: {error}"))?
            else {
                if DECIDING_FILES.contains(&name.as_str()) {
                    return Err(format!(
                        "it left '{name}' in the feedback folder, but not as a regular file"
                    ));
                }
                continue;
            };
            room -= content.len() as u64;
            feedback.files.insert(name, content);
        }
        Ok(feedback)
    }

    /// Decides by the validator's exit code and feedback.
    pub fn outcome(
        &self,
        package: &Package,
        validator: &str,
        case: &str,
        rules: &CheckRules,
        reply: &ValidatorReply<'_>,
    ) -> Result<Checked, JudgeError> {
        let broken = |reason: String| JudgeError::Validator {
            program: validator.to_owned(),
            case: case.to_owned(),
            reason: shorten(reason, reply.stderr),
        };
        if let RunEnd::Limit(kind) = reply.end {
            return Err(broken(format!("it {}", kind.passed())));
        }
        let feedback = self.read(&package.limits).map_err(broken)?;
        let outcome = match reply.protocol {
            Protocol::Kattis => CheckOutcome::from_kattis(reply.end, &feedback, rules),
            Protocol::Testlib => CheckOutcome::from_testlib(reply.end, reply.stderr, rules),
        };
        if outcome.verdict == Verdict::JudgingError {
            return Err(broken(outcome.reason.unwrap_or_else(|| format!("it ended with {}", reply.end))));
        }
        Ok(Checked {
            verdict: outcome.verdict,
            difference: None,
            output_start: None,
            judge_message: outcome.judge_message,
            team_message: outcome.team_message,
            score: outcome.score,
            score_multiplier: outcome.score_multiplier,
            next_pass: outcome.next_pass,
            feedback,
        })
    }
}

/// Returns a validator's limits on a case of the problem.
pub(crate) fn check_rules(package: &Package, case: &str, pass: u32) -> CheckRules {
    // By DOMjudge's rules samples may have points, where they count.
    let rules = package.scores.as_ref().map(|scores| scores.rules);
    CheckRules {
        kind: package.kind,
        is_legacy: package.format.is_legacy(),
        is_sample: case.starts_with("sample/") && rules != Some(ScoreRules::Domjudge),
        pass,
    }
}

/// How a validator ended, and what it wrote to standard error.
pub(crate) struct ValidatorReply<'a> {
    pub protocol: Protocol,
    pub end: RunEnd,
    pub stderr: &'a [u8],
}

/// Makes the plan of a validator. With an output it checks that; without, it communicates with the submission.
///
/// The returned workspace holds the output for a testlib checker, and must exist until the run is over.
pub(crate) fn validator_plan(
    (built, protocol): (&Built, Protocol),
    package: &Package,
    case: &TestCase,
    feedback: &FeedbackFolder,
    (output, subject): (Option<&[u8]>, Option<&StaticSubject>),
) -> Result<(RunPlan, Input, Option<Workspace>), JudgeError> {
    let mut arguments = vec![INPUT.to_owned()];
    let mut output_workspace = None;
    match protocol {
        Protocol::Kattis => arguments.extend([ANSWER.to_owned(), FEEDBACK.to_owned()]),
        // A testlib interactor writes a log to the path from which a checker reads the output.
        Protocol::Testlib if output.is_none() => {
            arguments.extend([format!("{FEEDBACK}interaction.log"), ANSWER.to_owned()]);
        }
        Protocol::Testlib => arguments.extend([TEAM_OUTPUT.to_owned(), ANSWER.to_owned()]),
    }
    arguments.extend(case.validator_args.iter().cloned());
    let mut plan = built.plan(&arguments);
    as_validator(&mut plan, &package.limits);
    if !package.format.is_legacy() {
        // In these formats its working directory contains the submission instead of its own files.
        plan.links.clear();
        if let Some(subject) = subject {
            subject.show_to(&mut plan);
        }
    }
    plan.mounts.push(Mount { source: case.input.clone(), target: INPUT.to_owned(), writable: false });
    // A case without an answer gets an answer file too: the formats guarantee one that can be opened.
    let answer = case.answer.clone().unwrap_or_else(|| "/dev/null".into());
    plan.mounts.push(Mount { source: answer, target: ANSWER.to_owned(), writable: false });
    plan.mounts.push(feedback.mount());
    let mut stdin = Input::Empty;
    if let Some(output) = output {
        match protocol {
            Protocol::Kattis => stdin = input_in_memory(output)?.open()?,
            Protocol::Testlib => {
                let workspace = Workspace::new(Bytes(output.len() as u64 + FEEDBACK_SLACK.0), 16)?;
                workspace.write("team", output)?;
                plan.mounts.push(Mount {
                    source: workspace.path().to_owned(),
                    target: "/box/judge/output".to_owned(),
                    writable: false,
                });
                output_workspace = Some(workspace);
            }
        }
    }
    Ok((plan, stdin, output_workspace))
}

/// Sets the user and the limits for all programs that judge submissions or data.
pub(crate) fn as_validator(plan: &mut RunPlan, limits: &ProblemLimits) {
    plan.role = Role::Checker;
    plan.limits = Limits {
        cpu_time: Some(limits.validation_time),
        wall_time: Some(limits.validation_time.saturating_mul(VALIDATOR_WALL_FACTOR)),
        memory: Some(limits.validation_memory),
        output: Some(limits.validation_output),
        ..plan.limits.clone()
    };
}

fn check_by_comparison(package: &Package, case: &TestCase, output: &[u8]) -> Result<Checked, JudgeError> {
    let wrong = |reason: String| JudgeError::ValidatorArguments { case: case.name.clone(), reason };
    let options = CompareOptions::from_args(package.format, &case.validator_args)
        .map_err(|error| wrong(error.to_string()))?;
    let Some(path) = &case.answer else {
        return Err(wrong("there is no answer to compare with, and no output validator".to_owned()));
    };
    let answer = fs::read(path).map_err(JudgeError::file("read", path))?;
    let difference = compare(&answer, output, &options);
    Ok(Checked {
        verdict: if difference.is_some() { Verdict::WrongAnswer } else { Verdict::Accepted },
        output_start: None,
        judge_message: difference.as_ref().map_or_else(String::new, ToString::to_string),
        difference,
        team_message: String::new(),
        score: None,
        score_multiplier: None,
        next_pass: None,
        feedback: Feedback::default(),
    })
}

/// Reads a regular file; `None` if it is anything else, which is never opened, since that could block or mislead.
fn read_regular(path: &Path, room: u64) -> std::io::Result<Option<Vec<u8>>> {
    let file = fs::File::options()
        .read(true)
        .custom_flags((rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32)
        .open(path);
    let file = match file {
        Ok(file) => file,
        // A link, or a socket.
        Err(error)
            if [rustix::io::Errno::LOOP, rustix::io::Errno::NXIO]
                .iter()
                .any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    // A second hard link could be a file of another folder.
    if !metadata.is_file() || metadata.nlink() > 1 {
        return Ok(None);
    }
    if metadata.len() > room {
        return Err(std::io::Error::other("there is more than the validator may write"));
    }
    let mut content = Vec::new();
    file.take(room).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Adds a validator's message to its result, up to a limit.
pub(crate) fn shorten(mut reason: String, stderr: &[u8]) -> String {
    let stated = package::cut(stderr, REASON_BYTES_MAX);
    if !stated.is_empty() {
        reason.push_str("; its message: ");
        reason.push_str(String::from_utf8_lossy(stated).trim_end());
    }
    reason
}
