//! The status of a check or a setting.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Pass,
    /// It works, with a drawback; a setting: it causes little timing variance, or only together with something else.
    Caution,
    /// It does not work; a setting: it can change times by more than the one per cent within which two runs agree.
    Fail,
    /// It could not be determined, or does not exist here.
    Unavailable,
}

impl Status {
    pub const ALL: [Self; 4] = [Self::Pass, Self::Caution, Self::Fail, Self::Unavailable];

    pub const fn id(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Caution => "caution",
            Self::Fail => "fail",
            Self::Unavailable => "unavailable",
        }
    }

    /// Returns the worst one; an undetermined status counts as a caution.
    pub fn worst(all: impl IntoIterator<Item = Self>) -> Self {
        let counted = |status| if status == Self::Unavailable { Self::Caution } else { status };
        all.into_iter().map(counted).max().unwrap_or(Self::Pass)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.id().to_uppercase())
    }
}
