//! The package's configuration files, with errors that name them.

use crate::error::Complaint;
use crate::{FileLocation, PackageError};
pub(crate) use located::{Node, Value};

/// Reads one document; an empty one is [`Value::Null`].
pub(crate) fn parse(file: &str, text: &str) -> Result<Node, PackageError> {
    located::yaml(text).map_err(|error| {
        let mut place = FileLocation::file(file);
        if let Some(line) = error.line {
            place = place.line(line);
        }
        place.invalid(error.reason, "fix the file's syntax")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file_and_the_line() {
        let error = parse("problem.yaml", "name: a\nlimits: 1\nname: b\n").unwrap_err().to_string();
        assert!(error.starts_with("problem.yaml:3: has the key '"), "{error}");
    }
}
