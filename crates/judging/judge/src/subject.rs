//! A submission's files as the package's programs see them.

use crate::JudgeError;
use crate::build::{Built, links_to};
use languages::SourceFile;
use model::Bytes;
use sandbox::{Mount, RunPlan, Workspace};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// The folder in which a validator sees the submission; a static one starts there.
pub(crate) const SUBMISSION: &str = "/box/judge/submission";

/// That folder's path in its workspace, which is the same for a build.
const SUBJECT_FOLDER: &str = "submission";
/// Additional room in a workspace, apart from the files themselves.
const FREE_BYTES: u64 = 1 << 20;
const FREE_PLACES: u32 = 16;

/// A submission as seen by a static validator, and by an output validator of the newer formats.
#[derive(Debug)]
pub(crate) struct StaticSubject {
    /// Contains the folder; shared by everything that uses it.
    workspace: Arc<Workspace>,
    folder: PathBuf,
    /// The names at the top of the folder, in order.
    names: Vec<String>,
    pub language: String,
    pub entry_point: String,
}

impl StaticSubject {
    /// Provides the files as they were handed in, and with them the compiler's output.
    ///
    /// The sources are not taken from the compilation's folder: code that runs during compilation could have replaced
    /// them.
    pub fn new(files: &[SourceFile], built: &Built, language: &str) -> Result<Self, JudgeError> {
        let subject = Self::lay_out(built.workspace(), files)?;
        subject.add_new_files(built.folder())?;
        // The format does not define the entry point of languages without one; a single file serves as it.
        let only = if let [file] = files { file.name.clone() } else { String::new() };
        let entry_point = built.entry_point.clone().unwrap_or(only);
        Ok(Self { names: subject.names_at_top()?, language: language.to_owned(), entry_point, ..subject })
    }

    /// Provides files that are no program; their names were checked before.
    pub fn of_files(files: &[SourceFile]) -> Result<Self, JudgeError> {
        let bytes: usize = files.iter().map(|file| file.bytes.len().next_multiple_of(4096)).sum();
        let places: usize = files.iter().map(|file| file.name.split('/').count()).sum();
        let places = u32::try_from(places).unwrap_or(u32::MAX).saturating_add(FREE_PLACES);
        let workspace = Workspace::new(Bytes(bytes as u64 + FREE_BYTES), places)?;
        let subject = Self::lay_out(Arc::new(workspace), files)?;
        Ok(Self { names: subject.names_at_top()?, ..subject })
    }

    fn lay_out(workspace: Arc<Workspace>, files: &[SourceFile]) -> Result<Self, JudgeError> {
        let folder = workspace.folder(SUBJECT_FOLDER)?;
        for file in files {
            workspace.write(&format!("{SUBJECT_FOLDER}/{}", file.name), &file.bytes)?;
        }
        let (names, language, entry_point) = Default::default();
        Ok(Self { workspace, folder, names, language, entry_point })
    }

    /// Links regular files whose names are not used yet: copies would need the memory twice.
    fn add_new_files(&self, from: &Path) -> Result<(), JudgeError> {
        // It follows no link, and no process of the compiler is left that could change one.
        let mut walk = WalkDir::new(from).min_depth(1).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = entry.map_err(|error| JudgeError::file("list", from)(error.into()))?;
            let name = entry.path().strip_prefix(from).unwrap_or(entry.path());
            let target = self.folder.join(name);
            let taken = target.symlink_metadata().ok().map(|data| data.is_dir());
            match (entry.file_type().is_dir(), taken) {
                (true, Some(true)) => {}
                // A source file has that name, so the folder is skipped.
                (true, Some(false)) => walk.skip_current_dir(),
                (true, None) => {
                    let name = Path::new(SUBJECT_FOLDER).join(name);
                    self.workspace.folder(&name.to_string_lossy())?;
                }
                (false, None) if entry.file_type().is_file() => std::fs::hard_link(entry.path(), &target)
                    .map_err(JudgeError::file("give a second name to", entry.path()))?,
                (false, _) => {}
            }
        }
        Ok(())
    }

    fn names_at_top(&self) -> Result<Vec<String>, JudgeError> {
        let entries = std::fs::read_dir(&self.folder).map_err(JudgeError::file("list", &self.folder))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    pub fn mount(&self) -> Mount {
        Mount { source: self.folder.clone(), target: SUBMISSION.to_owned(), writable: false }
    }

    /// Makes the submission visible in a validator's working directory.
    pub fn show_to(&self, plan: &mut RunPlan) {
        plan.links = links_to(&self.names, SUBMISSION);
        plan.mounts.push(self.mount());
    }
}
