//! The secret that a judgehost identifies itself with.

use crate::error::JudgehostError;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Our tokens have about 50 characters.
const BYTES_MAX: u64 = 4096;

/// A token. It is printed nowhere.
#[derive(Clone)]
pub struct Token {
    header: String,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// Reads it from a file; with a warning if other users can read the file.
    pub fn read(path: &Path) -> Result<(Self, Option<String>), JudgehostError> {
        let failed = |source| JudgehostError::Token { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let mode = file.metadata().map_err(failed)?.mode();
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        let secret = text.trim();
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(JudgehostError::NoToken { path: path.to_owned() });
        }
        let warning = (mode & 0o077 != 0)
            .then(|| format!("other users can read the token in {0}; better: chmod 600 {0}", path.display()));
        Ok((Self { header: format!("Bearer {secret}") }, warning))
    }

    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self { header: "Bearer test".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_token_is_one_line_that_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "s3cret\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (token, warning) = Token::read(&path).unwrap();
        assert_eq!((token.header(), warning), ("Bearer s3cret", None));
        assert!(!format!("{token:?}").contains("s3cret"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Token::read(&path).unwrap().1.unwrap().contains("chmod 600"));
        for wrong in ["", "\n", "two words", "line\nline"] {
            std::fs::write(&path, wrong).unwrap();
            assert!(matches!(Token::read(&path), Err(JudgehostError::NoToken { .. })), "{wrong:?}");
        }
        assert!(matches!(Token::read(&folder.path().join("none")), Err(JudgehostError::Token { .. })));
    }
}
