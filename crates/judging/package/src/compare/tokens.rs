//! Reads whitespace and tokens of a text in turn, and tracks the position.

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u64,
    pub(super) column: u64,
}

pub(super) struct Reader<'t> {
    rest: &'t [u8],
    position: Position,
}

impl Position {
    /// Returns the place after these bytes.
    pub(super) fn after(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |at, byte| match byte {
            b'\n' => Self { line: at.line + 1, column: 1 },
            _ => Self { line: at.line, column: at.column + 1 },
        })
    }
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { rest: text, position: Position { line: 1, column: 1 } }
    }

    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Takes the whitespace at the present position; it may be empty.
    pub(super) fn whitespace(&mut self) -> &'t [u8] {
        let length = self.rest.iter().position(|byte| !is_space(*byte)).unwrap_or(self.rest.len());
        let taken = self.take(length);
        self.position = self.position.after(taken);
        taken
    }

    pub(super) fn token(&mut self) -> Option<&'t [u8]> {
        let length = self.rest.iter().position(|byte| is_space(*byte)).unwrap_or(self.rest.len());
        let taken = self.take(length);
        // No line ends inside a token, so there is nothing to count one by one.
        self.position.column += length as u64;
        (!taken.is_empty()).then_some(taken)
    }

    fn take(&mut self, length: usize) -> &'t [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

/// Returns the six characters that the formats call whitespace, as C's `isspace` does.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
