//! Checks the package's own test data with its own validators.

use crate::build::Built;
use crate::check::{FeedbackFolder, as_validator};
use crate::observer::Observer;
use crate::readable::ReadableCase;
use crate::run::case_input;
use crate::{Engine, Helper, JudgeError, Problem};
use model::{RunEnd, Verdict};
use package::{OutputValidator, Package, TestCase, ValidatorCase};
use sandbox::{Mount, RunIo, WORK};
use std::path::Path;

/// An input validator's exit code for a valid input (problem package format, "Input validators").
const EXIT_VALID: u8 = 42;
/// Maximum length of a validator's message in a fault.
const WORDS_BYTES_MAX: usize = 400;

/// An input validator, ready to run.
struct InputValidator {
    name: String,
    built: Built,
}

impl Problem {
    /// Runs the input validators on every input, and the output validator on the outputs that the package declares
    /// right or wrong. Each fault is a sentence that names the file.
    pub fn check_data(
        &self,
        engine: &Engine,
        observer: &mut dyn Observer,
    ) -> Result<Vec<String>, JudgeError> {
        let package = self.package();
        let (helper, languages) = (engine.station().helper(), engine.station().languages());
        let validators: Vec<InputValidator> = package
            .input_validators
            .iter()
            .map(|program| {
                let built = helper.build_program(languages, package, program)?;
                Ok(InputValidator { name: program.name.clone(), built })
            })
            .collect::<Result<_, JudgeError>>()?;
        let mut faults = Vec::new();
        // Outputs that test the output validator belong to inputs that are right.
        let others = package.invalid_outputs.iter().chain(&package.valid_outputs).map(|one| &one.case);
        for case in package.cases().into_iter().chain(others) {
            observer.checking_data(&case.name);
            let case = &ReadableCase::of(case)?;
            for validator in &validators {
                if let Some(words) = validator.rejects(helper, package, case)? {
                    faults.push(format!("data/{}.in is refused by {}: {words}", case.name, validator.name));
                }
            }
        }
        for ValidatorCase { case, .. } in package.invalid_inputs.iter().filter(|_| !validators.is_empty()) {
            observer.checking_data(&case.name);
            let case = &ReadableCase::of(case)?;
            let mut refused = false;
            for validator in &validators {
                refused = refused || validator.rejects(helper, package, case)?.is_some();
            }
            if !refused {
                faults.push(format!(
                    "data/{}.in must be refused by an input validator, and all accept it",
                    case.name
                ));
            }
        }
        for (cases, expected) in [
            (&package.sample_outputs, Verdict::Accepted),
            (&package.valid_outputs, Verdict::Accepted),
            (&package.invalid_outputs, Verdict::WrongAnswer),
        ] {
            for ValidatorCase { case, output } in cases {
                let Some(path) = output else { continue };
                observer.checking_data(&case.name);
                faults.extend(self.output_fault(helper, case, path, expected)?);
            }
        }
        Ok(faults)
    }

    /// Runs the output validator on the answer of every case as if it were an output. Each fault is a sentence that names
    /// the file. Where an answer is no output, as in a conversation, nothing is checked.
    pub fn check_answers(
        &self,
        engine: &Engine,
        observer: &mut dyn Observer,
    ) -> Result<Vec<String>, JudgeError> {
        let package = self.package();
        let kind = &package.kind;
        // The default validator compares an answer with itself.
        let has_outputs = !kind.interactive && kind.multi_pass.is_none() && !kind.submit_answer;
        if !has_outputs || package.output_validator == OutputValidator::Default {
            return Ok(Vec::new());
        }
        let mut faults = Vec::new();
        for case in package.cases() {
            let Some(path) = &case.answer else { continue };
            observer.checking_data(&case.name);
            faults.extend(self.output_fault(engine.station().helper(), case, path, Verdict::Accepted)?);
        }
        Ok(faults)
    }

    /// Runs the output validator on a file, and returns what is wrong unless the verdict is the expected one.
    fn output_fault(
        &self,
        helper: &Helper,
        case: &TestCase,
        path: &Path,
        expected: Verdict,
    ) -> Result<Option<String>, JudgeError> {
        let package = self.package();
        let output = std::fs::read(path).map_err(JudgeError::file("read", path))?;
        let case = &ReadableCase::of(case)?;
        let feedback = FeedbackFolder::new(helper, &package.limits)?;
        let checked = self.programs.checker.check(helper, package, case, (&output, None), &feedback, 1)?;
        let fault = || {
            format!(
                "{} is {} by the output validator, expected {}",
                shown(&case.name, path),
                checked.verdict.words(),
                expected.words()
            )
        };
        Ok((checked.verdict != expected).then(fault))
    }
}

/// Names a file by its case, since the target of a link is less informative.
fn shown(case: &str, path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    format!("data/{case}.{ending}")
}

impl InputValidator {
    /// Returns the validator's objection to an input; `None` if it accepts.
    fn rejects(
        &self,
        helper: &Helper,
        package: &Package,
        case: &TestCase,
    ) -> Result<Option<String>, JudgeError> {
        let mut arguments = case.input_validator_args.of(&self.name).to_vec();
        arguments.extend(case.args.iter().cloned());
        let mut plan = self.built.plan(&arguments);
        as_validator(&mut plan, &package.limits);
        plan.mounts.extend(case.files.iter().map(|file| Mount {
            source: file.path.clone(),
            target: format!("{WORK}/{}", file.name.display()),
            writable: false,
        }));
        let ran = helper.run(plan, RunIo::captured(case_input(case)?.open()?))?;
        if ran.result.end == RunEnd::Exited(EXIT_VALID) {
            return Ok(None);
        }
        let stated = if ran.stderr.is_empty() { ran.stdout } else { ran.stderr };
        let stated = String::from_utf8_lossy(package::cut(&stated, WORDS_BYTES_MAX)).trim().to_owned();
        let words = if stated.is_empty() { String::new() } else { format!(", with the message '{stated}'") };
        Ok(Some(format!("it ended with {}{words}", ran.result.end)))
    }
}
