//! Grading groups by a program of the package.

use crate::build::Built;
use crate::check::{as_validator, shorten};
use crate::submission::Judge;
use crate::{JudgeError, Station};
use model::RunEnd;
use package::Package;
use package::scoring::{Grade, GraderCall, Grades};
use sandbox::{RunIo, input_in_memory};
use std::sync::{Mutex, PoisonError};

/// The package's grader, ready to run, and what it said so far of one submission.
#[derive(Debug)]
pub(crate) struct Grader {
    name: String,
    built: Built,
    grades: Mutex<Grades>,
}

impl Grader {
    /// Builds it, if the package has one.
    pub fn of(station: &Station, package: &Package) -> Result<Option<Self>, JudgeError> {
        let Some(program) = &package.grader else { return Ok(None) };
        let built = station.build_program(package, program)?;
        Ok(Some(Self { name: format!("graders/{}", program.name), built, grades: Mutex::default() }))
    }

    /// Forgets the last submission.
    pub fn begin(&self) {
        self.grades.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Asks it, as a validator would be asked. That it fails is no grade, but an interruption is an error.
    fn ask(
        &self,
        station: &Station,
        package: &Package,
        call: &GraderCall,
    ) -> Result<Result<Grade, String>, JudgeError> {
        let mut plan = self.built.plan(&call.flags);
        as_validator(&mut plan, &package.limits);
        let input = input_in_memory(call.results.as_bytes())?;
        let ran = match station.run_helper(plan, RunIo::captured(input.open()?)).map_err(JudgeError::from) {
            Ok(ran) => ran,
            Err(error) if error.is_interruption() => return Err(error),
            Err(error) => return Ok(Err(format!("{} failed: {error}", self.name))),
        };
        let (problem, said) = match ran.result.end {
            RunEnd::Exited(0) => match Grade::read(&ran.stdout) {
                Ok(grade) => return Ok(Ok(grade)),
                Err(problem) => (problem, &ran.stderr),
            },
            end => {
                let how = match end {
                    RunEnd::Limit(kind) => format!("was ended at its {kind} limit"),
                    _ => format!("ended with {end}, expected exit code 0"),
                };
                (how, if ran.stderr.is_empty() { &ran.stdout } else { &ran.stderr })
            }
        };
        Ok(Err(shorten(format!("{} {problem}", self.name), said)))
    }
}

impl Judge<'_> {
    /// Decides what may depend on grades, and asks the grader until all that are needed are known.
    pub(crate) fn with_grades<T>(
        &self,
        decide: impl Fn(&Grades) -> Result<T, GraderCall>,
    ) -> Result<T, JudgeError> {
        let none = Mutex::default();
        let grades = self.grader().map_or(&none, |grader| &grader.grades);
        let mut grades = grades.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let call = match decide(&grades) {
                Ok(decision) => return Ok(decision),
                Err(call) => call,
            };
            let grade = match self.grader() {
                Some(grader) => grader.ask(self.station(), self.package(), &call)?,
                None => Err("asks for a grader, and the package has none".to_owned()),
            };
            grades.insert(call, grade);
        }
    }
}
