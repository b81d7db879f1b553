//! What a compiler needs, for it alone.
//!
//! A compiler that executes what was submitted could read in the memory of the machine which pages of `/usr` earlier
//! runs have used. So it sees an image's disk mounted once more, which has pages of its own; or copies, all of which are in memory,
//! in place of the machine's own files.

use crate::JudgeError;
use crate::linked::linked;
use languages::Language;
use model::Bytes;
use sandbox::{COMMON_FILES, DiskRoot, RootView, Workspace};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The largest known, GHC with the C compiler that it uses, have less than half of it.
const SIZE_MAX: Bytes = Bytes::from_mib(2048);
const FILES_MAX: u32 = 65_536;
/// As the kernel has it.
const LINKS_MAX: usize = 40;
/// The folder in the workspace that becomes the root.
const ROOT: &str = "root";
/// What dynamically linked programs need, where it is there.
const FOR_ALL: [&str; 3] = ["/etc/ld.so.cache", "/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"];
/// Where libraries are if no configuration names the folder.
const LIBRARY_FOLDERS: [&str; 4] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// The tools of compilations that go on now: several of one language share them.
static IN_USE: Mutex<Vec<Weak<Copies>>> = Mutex::new(Vec::new());

/// A root for one compilation, or several at once.
#[derive(Debug)]
pub(crate) enum Tools {
    /// Copies of what a language's compiler needs, and nothing else of the machine.
    Copies(Arc<Copies>),
    /// An image, mounted for this compilation alone.
    Disk(DiskRoot),
}

/// A root as one file, which is made when it is first asked for; an error of the kind `Interrupted` means that the judging is to stop.
#[derive(Clone)]
pub struct Disk(Arc<dyn Fn() -> io::Result<PathBuf> + Send + Sync>);

impl Disk {
    pub fn new(file: impl Fn() -> io::Result<PathBuf> + Send + Sync + 'static) -> Self {
        Self(Arc::new(file))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Disk")
    }
}

#[derive(Debug)]
pub(crate) struct Copies {
    of: (PathBuf, Vec<Vec<String>>, Vec<String>),
    workspace: Workspace,
}

impl Tools {
    /// Makes the tools of a language from a root; `None` if it names none.
    pub fn of(language: &Language, root: &RootView, disk: Option<&Disk>) -> Result<Option<Self>, JudgeError> {
        if language.tools.is_empty() {
            return Ok(None);
        }
        let from = match root {
            RootView::Host { .. } => Path::new("/"),
            RootView::Tree(tree) => tree,
        };
        if let Some(Disk(file)) = disk {
            // Copies are as good, and need less of the machine.
            match file().map(|file| DiskRoot::mount(&file)) {
                Ok(Ok(disk)) => return Ok(Some(Self::Disk(disk))),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(JudgeError::Cancelled),
                Ok(Err(_)) | Err(_) => {}
            }
        }
        Ok(Some(Self::Copies(Copies::of(language, from)?)))
    }

    pub fn root(&self) -> RootView {
        match self {
            Self::Copies(copies) => RootView::Tree(copies.workspace.path().join(ROOT)),
            Self::Disk(disk) => RootView::Tree(disk.path().to_owned()),
        }
    }
}

impl Copies {
    /// Copies the tools, or returns those of a compilation that goes on.
    fn of(language: &Language, from: &Path) -> Result<Arc<Self>, JudgeError> {
        let of = (from.to_owned(), language.tools.to_vec(), language.tools_except.to_vec());
        // Held while copying, so that compilations that begin at once make one copy.
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|tools| tools.strong_count() > 0);
        if let Some(known) = in_use.iter().filter_map(Weak::upgrade).find(|tools| tools.of == of) {
            return Ok(known);
        }
        let workspace = Workspace::new(SIZE_MAX, FILES_MAX)?;
        copy(language, &of.0, &workspace.folder(ROOT)?)?;
        workspace.make_ageless()?;
        let tools = Arc::new(Self { of, workspace });
        in_use.push(Arc::downgrade(&tools));
        Ok(tools)
    }
}

fn copy(language: &Language, from: &Path, root: &Path) -> Result<(), JudgeError> {
    let mut copier = Copier::new(from, root, &language.tools_except);
    let mut named = Vec::new();
    for (at, one_of) in language.tools.iter().enumerate() {
        let before = named.len();
        // A folder that cannot be listed has nothing that a compiler could read.
        named.extend(one_of.iter().flat_map(|pattern| matching(from, pattern)));
        if named.len() == before {
            return Err(JudgeError::MissingTools {
                field: format!("{}: tools[{at}]", language.file),
                looked_for: one_of.join(", "),
                language: language.name.clone(),
                install: format!("apt-get install {}", language.debian.join(" ")),
            });
        }
    }
    copier.named = named.iter().cloned().chain(language.mounts.iter().cloned()).collect();
    named.extend(FOR_ALL.map(PathBuf::from));
    copier.pending = named.into();
    while let Some(path) = copier.pending.pop_front() {
        copier.take(&path).map_err(|source| match source.kind() {
            ErrorKind::StorageFull => {
                JudgeError::LargeTools { file: language.file.to_owned(), max: SIZE_MAX, files_max: FILES_MAX }
            }
            _ => JudgeError::File { what: "copy", path, source },
        })?;
    }
    for (path, content) in COMMON_FILES {
        let path = root.join(path.trim_start_matches('/'));
        let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
        let readable = || fs::set_permissions(&path, Permissions::from_mode(0o644));
        let written = parent.and_then(|()| fs::write(&path, content)).and_then(|()| readable());
        written.map_err(JudgeError::file("write", &path))?;
    }
    Ok(())
}

/// Returns the paths below a root that a pattern matches, as programs with that root see them.
fn matching(from: &Path, pattern: &str) -> Vec<PathBuf> {
    let from_pattern = glob::Pattern::escape(&from.to_string_lossy());
    let pattern = real(Path::new(&from_pattern), Path::new(pattern));
    let found = glob::glob(&pattern.to_string_lossy()).into_iter().flatten().flatten();
    found.filter_map(|path| Some(Path::new("/").join(path.strip_prefix(from).ok()?))).collect()
}

/// Returns where a file of a root is.
fn real(from: &Path, path: &Path) -> PathBuf {
    from.join(path.strip_prefix("/").unwrap_or(path))
}

/// Copies files of one root into another, each once.
struct Copier<'a> {
    from: &'a Path,
    root: &'a Path,
    except: Vec<glob::Pattern>,
    /// What the language names, beyond which nothing but the usual toolchains is taken.
    named: Vec<PathBuf>,
    pending: VecDeque<PathBuf>,
    taken: BTreeSet<PathBuf>,
    library_folders: Vec<PathBuf>,
}

impl<'a> Copier<'a> {
    fn new(from: &'a Path, root: &'a Path, except: &[String]) -> Self {
        let mut library_folders = configured_folders(from, Path::new("/etc/ld.so.conf"), 0);
        library_folders.extend(LIBRARY_FOLDERS.map(PathBuf::from));
        Self {
            from,
            root,
            except: except.iter().filter_map(|pattern| glob::Pattern::new(pattern).ok()).collect(),
            named: Vec::new(),
            pending: VecDeque::new(),
            taken: BTreeSet::new(),
            library_folders,
        }
    }

    /// Takes a file, a folder with everything in it, or a link with what it leads to, and the links on the way to it.
    fn take(&mut self, path: &Path) -> io::Result<()> {
        let mut at = PathBuf::from("/");
        let mut rest = parts(path);
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                at.pop();
                continue;
            }
            at.push(part);
            let data = match self.real(&at).symlink_metadata() {
                Ok(data) => data,
                // A link may lead nowhere, and a package manager may have removed it just now.
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let is_last = rest.is_empty();
            if data.is_symlink() {
                let target = fs::read_link(self.real(&at))?;
                links += 1;
                if links > LINKS_MAX || !self.may_take(&at) {
                    return Ok(());
                }
                if self.taken.insert(at.clone()) {
                    self.make_parents(&at)?;
                    symlink(&target, self.copy_of(&at))?;
                }
                at.pop();
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                let mut way = parts(&target);
                way.append(&mut rest);
                rest = way;
            } else if is_last && self.may_take(&at) && !self.taken.contains(&at) {
                if data.is_dir() {
                    self.folder(&at)?;
                } else if data.is_file() {
                    self.file(&at)?;
                }
            }
        }
        Ok(())
    }

    /// Returns whether compilers may see this file: a link must not lead to what the usual root does not show.
    fn may_take(&self, path: &Path) -> bool {
        let is_shown = RootView::is_toolchain(path) || self.named.iter().any(|named| path.starts_with(named));
        is_shown && !self.except.iter().any(|pattern| pattern.matches_path(path))
    }

    fn folder(&mut self, path: &Path) -> io::Result<()> {
        self.taken.insert(path.to_owned());
        self.make_folder(path)?;
        for entry in fs::read_dir(self.real(path))? {
            self.pending.push_back(path.join(entry?.file_name()));
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        self.taken.insert(path.to_owned());
        self.make_parents(path)?;
        let copy = self.copy_of(path);
        fs::copy(self.real(path), &copy)?;
        // Not the right to become another user.
        let mode = fs::metadata(&copy)?.permissions().mode();
        fs::set_permissions(&copy, Permissions::from_mode(mode & 0o777))?;
        let mut start = [0; 4];
        let is_program = fs::File::open(&copy)?.read_exact(&mut start).is_ok() && start == *b"\x7fELF";
        if is_program {
            self.libraries_of(path, &fs::read(&copy)?);
        }
        Ok(())
    }

    /// Adds the libraries with which a program is linked. Those that are missing here are missing for all.
    fn libraries_of(&mut self, path: &Path, bytes: &[u8]) {
        let linked = linked(bytes);
        let origin = path.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
        let own = linked
            .folders
            .iter()
            .map(|folder| PathBuf::from(folder.replace("$ORIGIN", &origin).replace("${ORIGIN}", &origin)));
        let folders: Vec<PathBuf> = own.chain(self.library_folders.iter().cloned()).collect();
        let found = linked.libraries.iter().filter_map(|name| match name.contains('/') {
            true => Some(PathBuf::from(name)),
            false => folders.iter().map(|folder| folder.join(name)).find(|path| self.is_there(path)),
        });
        let found: Vec<_> = found.chain(linked.loader.map(PathBuf::from)).collect();
        self.pending.extend(found);
    }

    fn make_parents(&self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |parent| self.make_folder(parent))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let copy = self.copy_of(path);
        if copy.is_dir() {
            return Ok(());
        }
        self.make_parents(path)?;
        fs::create_dir(&copy)?;
        // Folders that only we can read stay so, whatever our umask is.
        let mode = fs::metadata(self.real(path))?.permissions().mode();
        fs::set_permissions(&copy, Permissions::from_mode(mode & 0o777))
    }

    fn real(&self, path: &Path) -> PathBuf {
        real(self.from, path)
    }

    /// Returns whether a path is that of a file, with all links on the way.
    fn is_there(&self, path: &Path) -> bool {
        RootView::Tree(self.from.to_owned()).has(path)
    }

    fn copy_of(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}

/// Splits a path into its parts, without the root.
fn parts(path: &Path) -> VecDeque<OsString> {
    let part = |part: Component<'_>| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        _ => None,
    };
    path.components().filter_map(part).collect()
}

/// Reads the folders that `ld.so.conf` names, in order; see ldconfig(8).
fn configured_folders(from: &Path, file: &Path, depth: usize) -> Vec<PathBuf> {
    const DEPTH_MAX: usize = 8;
    let Ok(text) = fs::read_to_string(real(from, file)) else { return Vec::new() };
    let mut folders = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        match line.strip_prefix("include") {
            Some(pattern) if depth < DEPTH_MAX => {
                let pattern = Path::new("/etc").join(pattern.trim());
                let files = matching(from, &pattern.to_string_lossy()).into_iter();
                folders.extend(files.flat_map(|file| configured_folders(from, &file, depth + 1)));
            }
            Some(_) => {}
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            None => {}
        }
    }
    folders
}

#[cfg(test)]
mod tests;
