//! The options of the default output validator.

use super::decimal::Number;
use super::float::{FloatSyntax, parse_float};
use crate::Format;

/// How an output is compared with the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// Letters must match in case.
    pub case_sensitive: bool,
    /// Whitespace must match byte for byte.
    pub space_change_sensitive: bool,
    pub absolute_tolerance: Option<f64>,
    pub relative_tolerance: Option<f64>,
    pub float_syntax: FloatSyntax,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareOptionsError {
    #[error(
        "'{0}' is not an argument of the default output validator, expected one of case_sensitive, \
         space_change_sensitive, float_absolute_tolerance, float_relative_tolerance, float_tolerance"
    )]
    Unknown(String),
    #[error("{name} has the value '{value}', expected a number of at least 0 such as 1e-6")]
    Tolerance { name: String, value: String },
    #[error("{0} sets a tolerance that another argument sets as well, expected each once")]
    Twice(String),
}

impl CompareOptions {
    /// Parses the arguments of a package of this format.
    ///
    /// # Errors
    ///
    /// When an argument is wrong. The legacy formats let a later tolerance replace an earlier one, because their flags
    /// for the problem and for a group are joined; the newer ones do not.
    pub fn from_args(format: Format, args: &[String]) -> Result<Self, CompareOptionsError> {
        let float_syntax = if format.is_legacy() { FloatSyntax::DecimalOrHex } else { FloatSyntax::Decimal };
        let mut options = Self { float_syntax, ..Self::default() };
        let mut args = args.iter();
        while let Some(name) = args.next() {
            let (absolute, relative) = match name.as_str() {
                "case_sensitive" => {
                    options.case_sensitive = true;
                    continue;
                }
                "space_change_sensitive" => {
                    options.space_change_sensitive = true;
                    continue;
                }
                "float_absolute_tolerance" => (true, false),
                "float_relative_tolerance" => (false, true),
                "float_tolerance" => (true, true),
                _ => return Err(CompareOptionsError::Unknown(name.clone())),
            };
            let text = args.next().map_or("", String::as_str);
            let value = parse_float(text.as_bytes(), float_syntax).filter(|value| *value >= 0.0).ok_or_else(
                || CompareOptionsError::Tolerance { name: name.clone(), value: text.to_owned() },
            )?;
            let is_set = absolute && options.absolute_tolerance.is_some()
                || relative && options.relative_tolerance.is_some();
            if is_set && !format.is_legacy() {
                return Err(CompareOptionsError::Twice(name.clone()));
            }
            if absolute {
                options.absolute_tolerance = Some(value);
            }
            if relative {
                options.relative_tolerance = Some(value);
            }
        }
        Ok(options)
    }

    /// Returns whether numbers are compared as numbers.
    pub(super) fn uses_floats(&self) -> bool {
        self.absolute_tolerance.is_some() || self.relative_tolerance.is_some()
    }

    /// Describes how far a value is from the expected one, and how far it may be.
    pub(super) fn error(&self, wanted: Number<'_>, value: Number<'_>) -> String {
        let absolute = wanted.distance(value);
        let relative = absolute / wanted.size();
        let off = match (absolute, relative) {
            (0.0, _) => "it is off by less than a double can show".to_owned(),
            (_, relative) if relative.is_finite() => {
                format!("it is off by {absolute:.6e}, {relative:.6e} of the number")
            }
            _ => format!("it is off by {absolute:.6e}"),
        };
        let allowed: Vec<String> =
            [("absolute", self.absolute_tolerance), ("relative", self.relative_tolerance)]
                .into_iter()
                .filter_map(|(kind, tolerance)| tolerance.map(|tolerance| format!("{tolerance:e} ({kind})")))
                .collect();
        format!("{off}; {} allowed", allowed.join(" or ") + if allowed.len() > 1 { " are" } else { " is" })
    }

    /// Returns whether a value is within either tolerance of the expected one, both as they are written: doubles would make
    /// values pass or fail that are nearer to the edge than their last digit.
    pub(super) fn is_near(&self, wanted: Number<'_>, value: Number<'_>) -> bool {
        self.absolute_tolerance.is_some_and(|tolerance| wanted.is_within(tolerance, value))
            || self.relative_tolerance.is_some_and(|tolerance| wanted.is_within_share(tolerance, value))
    }
}
