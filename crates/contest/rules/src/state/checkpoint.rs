//! The state as bytes, so that a start need not read the whole log.

use super::State;

/// The version of the format. A change of any type within [`State`], or of the texts that it keeps of events for the
/// audit log, needs a new one; a state of another version is not read, and the log is folded from its start.
pub const CHECKPOINT_VERSION: u32 = 17;

impl State {
    /// Returns the state as bytes.
    ///
    /// # Panics
    ///
    /// Never: the format has no value that it cannot write.
    pub fn checkpoint(&self) -> Vec<u8> {
        postcard::to_allocvec(&(CHECKPOINT_VERSION, self)).expect("every value can be written")
    }

    /// Returns the state from its bytes; `None` if they are of another version or damaged.
    pub fn restore(bytes: &[u8]) -> Option<Self> {
        let (version, body): (u32, _) = postcard::take_from_bytes(bytes).ok()?;
        if version != CHECKPOINT_VERSION {
            return None;
        }
        let mut state: Self = postcard::from_bytes(body).ok()?;
        for contest in state.contests.values_mut() {
            contest.rebuild_boards();
        }
        Some(state)
    }
}
