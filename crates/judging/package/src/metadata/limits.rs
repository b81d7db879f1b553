//! `limits` in `problem.yaml`.

use super::PROBLEM_YAML;
use crate::error::{Complaint, Warnings};
use crate::fields::{FieldOfPackage, ObjectOfPackage, Unknown};
use crate::{Format, LimitSource, PackageError, ProblemLimits, TimeMargins};
use located::{Field, Object, Wrong};
use model::clock::PER_NANOSECOND_MAX;
use model::{Bytes, Clock, InstructionCount, Nanos};
use std::num::NonZeroU32;

/// Most passes of a multi-pass problem: each is a whole run.
const MAX_PASSES: u64 = 1000;
/// The number of passes of a multi-pass problem that sets none.
const DEFAULT_PASSES: NonZeroU32 = NonZeroU32::new(2).expect("2 is not 0");

/// The highest limit on output or feedback that a package may set: a judge has it in memory.
const OUTPUT_MAX: Bytes = Bytes::from_mib(1024);

/// An emulator takes hours for more.
const INSTRUCTIONS_MAX: u64 = 10_000_000_000_000;

/// The content of `limits`.
pub(super) struct ReadLimits {
    pub(super) limits: ProblemLimits,
    pub(super) time_limit: Option<(Nanos, LimitSource)>,
    pub(super) margins: TimeMargins,
    pub(super) passes: NonZeroU32,
}

pub(super) fn read(
    format: Format,
    field: Option<Field<'_>>,
    is_multi_pass: bool,
    defaults: &ProblemLimits,
    warnings: &Warnings,
) -> Result<ReadLimits, PackageError> {
    let mut read = ReadLimits {
        limits: *defaults,
        time_limit: None,
        margins: if format.is_legacy() { TimeMargins::LEGACY } else { TimeMargins::CURRENT },
        passes: DEFAULT_PASSES,
    };
    let Some(field) = field else { return Ok(read) };
    let mut fields = field.fields()?;
    // The newer formats require whole numbers; the legacy ones allow any numbers.
    let whole = !format.is_legacy();
    let amounts = [
        ("memory", Bytes::from_mib(1), "MiB", &mut read.limits.memory),
        ("output", Bytes::from_mib(1), "MiB", &mut read.limits.output),
        ("code", Bytes::from_kib(1), "KiB", &mut read.limits.code),
        ("compilation_memory", Bytes::from_mib(1), "MiB", &mut read.limits.compilation_memory),
        ("validation_memory", Bytes::from_mib(1), "MiB", &mut read.limits.validation_memory),
        ("validation_output", Bytes::from_mib(1), "MiB", &mut read.limits.validation_output),
    ];
    for (key, unit, unit_name, limit) in amounts {
        if let Some(field) = fields.take(key) {
            *limit = field.amount(unit, whole, unit_name)?;
            if matches!(key, "output" | "validation_output") && *limit > OUTPUT_MAX {
                let problem = format!("is {} MiB, expected at most {}", limit.0 >> 20, OUTPUT_MAX.0 >> 20);
                return Err(field
                    .place()
                    .invalid(problem, "lower it: a judge has what is written in memory"));
            }
        }
    }
    let instructions = fields.take("instructions");
    if let Some(field) = &instructions {
        let count = InstructionCount(field.integer_from(1)?);
        if count.0 > INSTRUCTIONS_MAX {
            let problem = format!("is {count}, expected at most {}", InstructionCount(INSTRUCTIONS_MAX));
            return Err(field.place().invalid(problem, "lower it: 1,000,000,000 are about a second"));
        }
        read.limits.instructions = Some(count);
    }
    let times = [
        ("compilation_time", &mut read.limits.compilation_time),
        ("validation_time", &mut read.limits.validation_time),
    ];
    for (key, limit) in times {
        if let Some(field) = fields.take(key) {
            if whole {
                field.integer_from(1)?;
            }
            *limit = field.seconds()?;
        }
    }
    // Not part of the legacy formats, but judges of that time read it there, and PC^2 the other one.
    let timeout = format.is_legacy().then(|| fields.take("timeout")).flatten();
    let given = [("time_limit", fields.take("time_limit")), ("timeout", timeout)];
    let time_limit = given.into_iter().find_map(|(key, field)| Some((key, field?)));
    if let Some((key, field)) = &time_limit {
        let source = LimitSource { file: PROBLEM_YAML.to_owned(), field: Some(format!("limits.{key}")) };
        read.time_limit = Some((field.seconds()?, source));
    }
    if let (Some(field), Some(count), Some((limit, _))) =
        (instructions, read.limits.instructions, &read.time_limit)
    {
        check_instructions(&field, count, *limit, warnings);
    }
    if format.is_legacy() {
        read_legacy_margins(&mut fields, &mut read.margins)?;
    } else {
        read_margins(&mut fields, &mut read.margins, warnings)?;
    }
    if let Some(((_, field), (limit, _))) = time_limit.zip(read.time_limit.as_ref())
        && format == Format::V2025_09
    {
        check_resolution(&field, *limit, read.margins.resolution, warnings);
    }
    if let Some(field) = fields.take("validation_passes") {
        read.passes = read_passes(&field, is_multi_pass)?;
    }
    let unknown = if format.is_legacy() { Unknown::Warn } else { Unknown::Refuse };
    fields.close(unknown, warnings)?;
    Ok(read)
}

fn read_legacy_margins(fields: &mut Object<'_>, margins: &mut TimeMargins) -> Result<(), PackageError> {
    if let Some(field) = fields.take("time_multiplier") {
        margins.accepted_to_limit = field.number_from(1.0)?;
    }
    if let Some(field) = fields.take("time_safety_margin") {
        margins.limit_to_too_slow = field.number_from(1.0)?;
    }
    Ok(())
}

fn read_margins(
    fields: &mut Object<'_>,
    margins: &mut TimeMargins,
    warnings: &Warnings,
) -> Result<(), PackageError> {
    if let Some(field) = fields.take("time_multipliers") {
        let mut multipliers = field.fields()?;
        if let Some(field) = multipliers.take("ac_to_time_limit") {
            margins.accepted_to_limit = field.number_from(1.0)?;
        }
        if let Some(field) = multipliers.take("time_limit_to_tle") {
            margins.limit_to_too_slow = field.number_from(1.0)?;
        }
        multipliers.close(Unknown::Refuse, warnings)?;
    }
    if let Some(field) = fields.take("time_resolution") {
        margins.resolution = field.seconds()?;
    }
    Ok(())
}

/// A count that no core executes within the time limit bounds other programs than that does.
fn check_instructions(field: &Field<'_>, count: InstructionCount, limit: Nanos, warnings: &Warnings) {
    let fastest = Clock::Instructions { per_nanosecond: PER_NANOSECOND_MAX }.instructions(limit);
    if let Some(most) = fastest.filter(|most| count > *most) {
        warnings.push(field.place().leniency(
            format!("is {count}, more than the {most} that any core executes within the time limit, {limit}"),
            "lower it, or raise the time limit: one instruction usually is a nanosecond",
        ));
    }
}

fn check_resolution(field: &Field<'_>, limit: Nanos, resolution: Nanos, warnings: &Warnings) {
    if !limit.0.is_multiple_of(resolution.0) {
        warnings.push(field.place().leniency(
            format!("is {limit}, expected a multiple of time_resolution, which is {resolution}"),
            "change the limit, or set time_resolution, which is 1.0 where it is not given",
        ));
    }
}

fn read_passes(field: &Field<'_>, is_multi_pass: bool) -> Result<NonZeroU32, Wrong> {
    if !is_multi_pass {
        return Err(field
            .place()
            .wrong("is given, but the problem is not multi-pass", "remove it or add the type multi-pass"));
    }
    let passes = field.integer_from(2)?;
    u32::try_from(passes)
        .ok()
        .filter(|_| passes <= MAX_PASSES)
        .and_then(NonZeroU32::new)
        .ok_or_else(|| field.wrong(format!("at most {MAX_PASSES}"), "lower it"))
}
