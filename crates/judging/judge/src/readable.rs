//! Makes a package's files readable for programs that run as other users, whatever their modes are.

use crate::JudgeError;
use model::Bytes;
use package::TestCase;
use sandbox::Workspace;
use std::fs::{self, File};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The unit in which files use space.
const PAGE_BYTES: u64 = 4096;
/// Additional room in a workspace, apart from the files themselves.
const FREE_FILES: u32 = 16;

/// A case whose files all users can read: in place if they already can, otherwise as copies that exist as long as this.
#[derive(Clone, Debug)]
pub(crate) struct ReadableCase {
    case: TestCase,
    _copies: Option<Arc<Workspace>>,
}

impl Deref for ReadableCase {
    type Target = TestCase;

    fn deref(&self) -> &TestCase {
        &self.case
    }
}

impl ReadableCase {
    pub fn of(case: &TestCase) -> Result<Self, JudgeError> {
        let paths = [Some(&case.input), case.answer.as_ref()].into_iter().flatten();
        let mut closed = Vec::new();
        for path in paths.chain(case.files.iter().map(|file| &file.path)) {
            let data = fs::metadata(path).map_err(JudgeError::file("look at", path))?;
            if data.permissions().mode() & 0o004 == 0 {
                closed.push((path, data.len()));
            }
        }
        if closed.is_empty() {
            return Ok(Self { case: case.clone(), _copies: None });
        }
        let pages: u64 = closed.iter().map(|(_, bytes)| bytes.div_ceil(PAGE_BYTES) + 1).sum();
        let files = u32::try_from(closed.len()).unwrap_or(u32::MAX).saturating_add(FREE_FILES);
        let copies = Workspace::new(Bytes(pages * PAGE_BYTES), files)?;
        let mut copied = Vec::with_capacity(closed.len());
        for (number, (path, _)) in closed.into_iter().enumerate() {
            copied.push((path.clone(), copy(path, &copies, number)?));
        }
        let place = |path: &PathBuf| {
            let known = copied.iter().find(|(original, _)| original == path);
            known.map_or_else(|| path.clone(), |(_, copy)| copy.clone())
        };
        let mut readable = case.clone();
        readable.input = place(&case.input);
        readable.answer = case.answer.as_ref().map(place);
        for file in &mut readable.files {
            file.path = place(&file.path);
        }
        Ok(Self { case: readable, _copies: Some(Arc::new(copies)) })
    }
}

impl ReadableCase {
    /// Makes the same case with the input of a later pass.
    pub fn with_input(&self, input: PathBuf) -> Self {
        Self { case: TestCase { input, ..self.case.clone() }, _copies: self._copies.clone() }
    }
}

fn copy(path: &Path, copies: &Workspace, number: usize) -> Result<PathBuf, JudgeError> {
    let target = copies.write(&number.to_string(), &[])?;
    let mut from = File::open(path).map_err(JudgeError::file("read", path))?;
    let mut to = File::options().write(true).open(&target).map_err(JudgeError::file("write", &target))?;
    std::io::copy(&mut from, &mut to).map_err(JudgeError::file("copy", path))?;
    Ok(target)
}
