//! How a question about a machine is answered.

use std::fmt;

/// The answer to a question about a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// All is well.
    Pass,
    /// It works, with a drawback; of a setting: it spreads times a little, or only when something else happens.
    Caution,
    /// It does not work; of a setting: it can spread times by more than the one per cent within which two runs agree.
    Fail,
    /// It could not be found out, or does not exist here.
    Unavailable,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Caution, Self::Fail, Self::Unavailable];

    /// Returns the id on the wire.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Caution => "caution",
            Self::Fail => "fail",
            Self::Unavailable => "unavailable",
        }
    }

    /// Returns the worst one; what could not be found out counts as a caution.
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
