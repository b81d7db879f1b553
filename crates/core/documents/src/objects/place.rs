//! Places on earth and in a room.

use located::{Field, Report, Reported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number in billionths: settings are compared and stored, which a float is not made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(i64);

impl Decimal {
    /// Returns a number; `None` if it is not finite or its amount is above a billion.
    pub fn new(number: f64) -> Option<Self> {
        (number.abs() <= 1e9).then(|| Self((number * 1e9).round() as i64))
    }

    pub fn get(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationSettings {
    /// Degrees from the equator, -90 to 90.
    pub latitude: Decimal,
    /// Degrees from Greenwich, -180 to 180.
    pub longitude: Decimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Degrees from the equator, -90 to 90.
    pub latitude: f64,
    /// Degrees from Greenwich, -180 to 180.
    pub longitude: f64,
}

/// A place in the contest's room, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatSettings {
    /// Metres to the right.
    pub x: Decimal,
    /// Metres up.
    pub y: Decimal,
    /// Degrees against the clock.
    pub rotation: Decimal,
}

/// A place in the contest's room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// Metres to the right.
    pub x: f64,
    /// Metres up.
    pub y: f64,
    /// Degrees against the clock.
    pub rotation: f64,
}

impl LocationSettings {
    /// Reads it. Other systems have other things in its place, which are left out.
    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let found = numbers(report, field, [("latitude", 90.0), ("longitude", 180.0)]);
        if found.is_none() {
            field.leave_out(report, "a latitude of -90 to 90 and a longitude of -180 to 180");
        }
        found.map(|[latitude, longitude]| Self { latitude, longitude })
    }

    pub fn object(&self) -> Location {
        Location { latitude: self.latitude.get(), longitude: self.longitude.get() }
    }
}

impl SeatSettings {
    /// Reads it. Other systems have other things in its place, such as a text, which are left out.
    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let found = numbers(report, field, [("x", 1e9), ("y", 1e9), ("rotation", 1e9)]);
        if found.is_none() {
            field.leave_out(report, "a seat with the numbers x, y and rotation");
        }
        found.map(|[x, y, rotation]| Self { x, y, rotation })
    }

    pub fn object(&self) -> Seat {
        Seat { x: self.x.get(), y: self.y.get(), rotation: self.rotation.get() }
    }
}

/// Returns numbers by their names, each of at most an amount, if all are there.
fn numbers<const COUNT: usize>(
    report: &Report,
    field: &Field<'_>,
    names: [(&'static str, f64); COUNT],
) -> Option<[Decimal; COUNT]> {
    let located::Value::Map(_) = &field.node.value else { return None };
    let mut object = field.object().reported(report)?;
    let mut found = [Decimal::default(); COUNT];
    for ((name, max), number) in names.into_iter().zip(&mut found) {
        let field = object.take_any(&[name])?;
        *number = field.as_number().filter(|number| number.abs() <= max).and_then(Decimal::new)?;
    }
    object.finish(report, &[]);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_the_same() {
        for number in [57.68, -11.970_123_456, 0.1, 179.999_999_999, -90.0] {
            assert_eq!(Decimal::new(number).unwrap().get(), number);
        }
        assert_eq!(Decimal::new(f64::NAN), None);
    }
}
