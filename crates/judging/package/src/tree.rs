//! The files of a package: listed in a fixed order, read with a size limit, never outside the package.

use crate::error::{Complaint, Warnings};
use crate::{FileLocation, PackageError, PackageFile};
use located::Wrong;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Most files and folders in one package, counted each time they are reached: far above any real package. Thirty
/// folders with two links each to the next can look like a billion.
const MAX_FILES: usize = 200_000;
/// Deepest folder.
const MAX_DEPTH: usize = 40;
/// Largest text file that is read whole: statements, sources, configuration.
pub(crate) const MAX_TEXT_BYTES: u64 = 16 << 20;

/// The folder of a package.
pub(crate) struct Tree<'s> {
    root: PathBuf,
    /// Called before each member that is examined.
    is_stopped: &'s dyn Fn() -> bool,
    /// Members examined so far.
    seen: Cell<usize>,
    pub(crate) warnings: Warnings,
    /// Members that were reported as skipped; several readers may reach them.
    left_out: RefCell<BTreeSet<String>>,
    /// Whether only the names that the newer formats allow are part of the package.
    only_plain_names: Cell<bool>,
}

/// A member of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: String,
    /// Its path below the package, with `/`.
    pub(crate) relative: String,
    /// Its real path, with links followed.
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
}

impl<'s> Tree<'s> {
    /// Opens a folder. While listing, it asks for each member whether to stop.
    pub(crate) fn open(root: &Path, is_stopped: &'s dyn Fn() -> bool) -> Result<Self, PackageError> {
        let root = root.canonicalize().map_err(io_error("open", root))?;
        Ok(Self {
            root,
            is_stopped,
            seen: Cell::new(0),
            warnings: Warnings::default(),
            left_out: RefCell::default(),
            only_plain_names: Cell::new(false),
        })
    }

    /// From now on leaves out what has a name that the newer formats do not allow.
    pub(crate) fn require_plain_names(&self) {
        self.only_plain_names.set(true);
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn exists(&self, relative: &str) -> bool {
        self.root.join(relative).symlink_metadata().is_ok()
    }

    pub(crate) fn is_folder(&self, relative: &str) -> bool {
        self.root.join(relative).is_dir()
    }

    /// Resolves a path, and rejects it if it is outside the package.
    pub(crate) fn resolve(&self, relative: &str) -> Result<PathBuf, PackageError> {
        let path = self.root.join(relative);
        let real = path.canonicalize().map_err(|source| {
            if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
                FileLocation::file(relative).invalid(
                    "is a symbolic link that leads nowhere",
                    "link to a file of the package or remove it",
                )
            } else {
                PackageError::Io { action: "open", path: path.clone(), source }
            }
        })?;
        if !real.starts_with(&self.root) {
            return Err(FileLocation::file(relative).invalid(
                "is a symbolic link that leads out of the package",
                "copy the file into the package or link to one inside it",
            ));
        }
        // What is not listed is not reached by a link either, such as a token in `.git/config`.
        let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with(['.', '-']);
        let below = real.strip_prefix(&self.root).unwrap_or(&real);
        if path != real && below.components().any(is_hidden) {
            return Err(FileLocation::file(relative).invalid(
                "is a symbolic link to a hidden file, which is no part of the package",
                "copy the file into the package or link to another one",
            ));
        }
        Ok(real)
    }

    /// Resolves a path; a link that leads out of the package or nowhere is reported and skipped.
    fn resolve_or_leave_out(&self, relative: &str) -> Result<Option<PathBuf>, PackageError> {
        match self.resolve(relative) {
            Ok(path) => Ok(Some(path)),
            Err(PackageError::Invalid(Wrong { place, problem, remedy })) => {
                if self.left_out.borrow_mut().insert(relative.to_owned()) {
                    self.warnings.push(place.leniency(format!("{problem} and is left out"), remedy));
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Lists a folder by name; empty if there is none. Names that begin with a dot or a dash are not part of a package.
    pub(crate) fn list(&self, relative: &str) -> Result<Vec<Item>, PackageError> {
        // Not only walks go from folder to folder, and with the depth each path takes longer to look up.
        if relative.split('/').count() > MAX_DEPTH {
            return Err(too_deep(relative));
        }
        if !self.exists(relative) {
            return Ok(Vec::new());
        }
        let Some(folder) = self.resolve_or_leave_out(relative)? else { return Ok(Vec::new()) };
        if !folder.is_dir() {
            return Err(
                FileLocation::file(relative).invalid("is a file, expected a folder", "make it a folder")
            );
        }
        let mut items = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(io_error("list", &folder))? {
            let entry = entry.map_err(io_error("list", &folder))?;
            self.count(relative)?;
            let Ok(name) = entry.file_name().into_string() else {
                self.warnings.push(
                    FileLocation::file(format!("{relative}/{}", entry.file_name().display())).warning(
                        "has a name that is not UTF-8 and is left out",
                        "rename it with the letters a-z, digits, '.', '-' and '_'",
                    ),
                );
                continue;
            };
            if name.starts_with(['.', '-']) {
                continue;
            }
            let relative = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
            if self.only_plain_names.get() && !is_plain_name(&name) {
                if self.left_out.borrow_mut().insert(relative.clone()) {
                    self.warnings.push(FileLocation::file(relative).warning(
                        "has a name that this format does not allow and is left out",
                        "use letters, digits, '.', '-' and '_' only, and at most 255 of them",
                    ));
                }
                continue;
            }
            let Some(path) = self.resolve_or_leave_out(&relative)? else { continue };
            let kind = std::fs::metadata(&path).map_err(io_error("look at", &path))?;
            if !kind.is_dir() && !kind.is_file() {
                return Err(FileLocation::file(relative)
                    .invalid("is neither a file nor a folder", "remove the device, socket or pipe"));
            }
            // A walk into it checks again here. At the top only known names are walked into.
            if kind.is_dir() && folder.starts_with(&path) && folder != self.root {
                return Err(leads_around_itself(relative));
            }
            items.push(Item { name, relative, path, is_folder: kind.is_dir() });
        }
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    fn count(&self, relative: &str) -> Result<(), PackageError> {
        if (self.is_stopped)() {
            return Err(PackageError::Stopped { package: self.root.clone() });
        }
        self.seen.set(self.seen.get() + 1);
        if self.seen.get() > MAX_FILES {
            return Err(FileLocation::file(relative).invalid(
                format!("and what comes before it in the package are more than {MAX_FILES} files and folders, counted as often as links lead to them"),
                "remove what is not part of the package",
            ));
        }
        Ok(())
    }

    /// Lists all files below a folder by their paths, names relative to it.
    pub(crate) fn files(&self, relative: &str) -> Result<Vec<PackageFile>, PackageError> {
        let mut walk = Walk { tree: self, around: Vec::new(), files: Vec::new() };
        walk.folder(relative, Path::new(""))?;
        Ok(walk.files)
    }

    pub(crate) fn text(&self, relative: &str) -> Result<String, PackageError> {
        let path = self.resolve(relative)?;
        let bytes = read_limited(&path, relative, MAX_TEXT_BYTES)?;
        String::from_utf8(bytes).map_err(|error| {
            let upto = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..upto].iter().filter(|byte| **byte == b'\n').count();
            FileLocation::file(relative).line(line as u64).invalid("is not UTF-8", "save the file in UTF-8")
        })
    }

    /// Returns a path below the package for messages.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let names = below.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        });
        names.collect::<Vec<_>>().join("/")
    }
}

/// One walk through a folder and those below.
struct Walk<'w> {
    tree: &'w Tree<'w>,
    /// The real paths of the folders around the present one: reaching one of them again is a cycle.
    around: Vec<PathBuf>,
    files: Vec<PackageFile>,
}

impl Walk<'_> {
    fn folder(&mut self, relative: &str, below: &Path) -> Result<(), PackageError> {
        if self.around.len() > MAX_DEPTH {
            return Err(too_deep(relative));
        }
        for item in self.tree.list(relative)? {
            let name = below.join(&item.name);
            if !item.is_folder {
                self.files.push(PackageFile { name, path: item.path });
            } else if self.around.contains(&item.path) {
                return Err(leads_around_itself(item.relative));
            } else {
                self.around.push(item.path);
                self.folder(&item.relative, &name)?;
                self.around.pop();
            }
        }
        Ok(())
    }
}

/// Returns whether the newer formats allow this name for a file or folder.
fn is_plain_name(name: &str) -> bool {
    name.len() <= 255
        && name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

fn too_deep(relative: &str) -> PackageError {
    FileLocation::file(relative).invalid(format!("is more than {MAX_DEPTH} folders deep"), "nest less")
}

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_limited(path: &Path, relative: &str, limit: u64) -> Result<Vec<u8>, PackageError> {
    // Reading a pipe would block for ever.
    if !std::fs::metadata(path).map_err(io_error("open", path))?.is_file() {
        return Err(FileLocation::file(relative).invalid("is not an ordinary file", "replace it by a file"));
    }
    let file = std::fs::File::open(path).map_err(io_error("open", path))?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(io_error("read", path))?;
    if bytes.len() as u64 > limit {
        return Err(FileLocation::file(relative)
            .invalid(format!("is larger than {}", model::Bytes(limit)), "make it smaller or split it"));
    }
    Ok(bytes)
}

/// Makes the error for a failed operation on a path.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> PackageError {
    let path = path.to_path_buf();
    move |source| PackageError::Io { action, path, source }
}

fn leads_around_itself(relative: String) -> PackageError {
    FileLocation::file(relative)
        .invalid("is a symbolic link that leads to a folder around itself", "remove the link")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_inside_are_followed_and_links_outside_left_out() {
        let outside = Folder::new(&[("secret.txt", "x")]);
        let folder = Folder::new(&[("data/a.txt", "a")]);
        symlink("../data/a.txt", folder.path("data/b.txt")).unwrap();
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        assert_eq!(tree.text("data/b.txt").unwrap(), "a");
        symlink(outside.path("secret.txt"), folder.path("data/c.txt")).unwrap();
        symlink(outside.root(), folder.path("include")).unwrap();
        let names: Vec<_> = tree.files("data").unwrap().into_iter().map(|file| file.name).collect();
        assert_eq!(names, [Path::new("a.txt"), Path::new("b.txt")]);
        assert_eq!(tree.files("include").unwrap(), []);
        tree.list("").unwrap();
        let warnings = tree.warnings.take();
        assert!(warnings.iter().all(|warning| warning.is_leniency));
        let reported: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        let problem = "is a symbolic link that leads out of the package and is left out; \
                       copy the file into the package or link to one inside it";
        assert_eq!(reported, [format!("data/c.txt: {problem}"), format!("include: {problem}")]);
        assert!(tree.text("data/c.txt").unwrap_err().to_string().contains("leads out of the package"));
    }

    #[test]
    fn dangling_links_are_left_out_and_cycles_refused() {
        let folder = Folder::new(&[("data/a.txt", "a")]);
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        symlink("nowhere", folder.path("data/d")).unwrap();
        assert_eq!(tree.files("data").unwrap().len(), 1);
        let warnings = tree.warnings.take();
        assert!(warnings[0].to_string().contains("leads nowhere and is left out"), "{warnings:?}");
        std::fs::remove_file(folder.path("data/d")).unwrap();
        symlink("../data", folder.path("data/loop")).unwrap();
        assert!(tree.files("data").unwrap_err().to_string().contains("around itself"));
    }

    #[test]
    fn a_link_to_a_folder_around_itself_is_refused_wherever_it_is_met() {
        let folder = Folder::new(&[("data/secret/01.in", "")]);
        symlink(".", folder.path("data/secret/same")).unwrap();
        symlink("..", folder.path("data/up")).unwrap();
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        for relative in ["data", "data/secret"] {
            let reported = tree.list(relative).unwrap_err().to_string();
            assert!(reported.contains("around itself"), "{reported}");
        }
    }

    /// Groups of test data are found by listing one folder after the other.
    #[test]
    fn a_folder_that_is_too_deep_is_not_listed() {
        let folder = Folder::new(&[(&format!("{}/01.in", vec!["d"; MAX_DEPTH + 1].join("/")), "")]);
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        let list = |depth| tree.list(&vec!["d"; depth].join("/"));
        assert_eq!(list(MAX_DEPTH).unwrap().len(), 1);
        let reported = list(MAX_DEPTH + 1).unwrap_err().to_string();
        assert!(reported.contains("more than 40 folders deep"), "{reported}");
    }

    /// Two links in each folder, both to the next one: each folder doubles the number of members.
    fn doubling(folder: &Folder, name: &str, levels: usize) {
        for level in 0..levels {
            let below = folder.path(&format!("{name}{level}"));
            std::fs::create_dir_all(&below).unwrap();
            for link in ["a", "b"] {
                symlink(format!("../{name}{}", level + 1), below.join(link)).unwrap();
            }
        }
        std::fs::create_dir_all(folder.path(&format!("{name}{levels}"))).unwrap();
    }

    #[test]
    fn linked_files_count_over_the_whole_package() {
        let folder = Folder::new(&[]);
        doubling(&folder, "x", 17);
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        // Each of them alone is below the limit: 2^14 - 2 members.
        for _ in 0..12 {
            assert_eq!(tree.files("x4").unwrap(), []);
        }
        let reported = tree.files("x4").unwrap_err().to_string();
        assert!(reported.contains("more than 200000 files and folders"), "{reported}");
    }

    #[test]
    fn walks_stop_on_request() {
        let folder = Folder::new(&[]);
        doubling(&folder, "x", 30);
        let asked = Cell::new(0);
        let is_stopped = || asked.replace(asked.get() + 1) == 100;
        let tree = Tree::open(folder.root(), &is_stopped).unwrap();
        let stopped = tree.files("x0");
        assert!(matches!(stopped, Err(PackageError::Stopped { .. })), "{stopped:?}");
        assert_eq!(asked.get(), 101, "it asks for each member");
    }

    #[test]
    fn hidden_names_are_left_out_and_order_is_by_name() {
        let folder = Folder::new(&[("d/b", ""), ("d/a", ""), ("d/.git/x", ""), ("d/-x", ""), ("d/c/e", "")]);
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        let names: Vec<_> =
            tree.files("d").unwrap().into_iter().map(|file| file.name.display().to_string()).collect();
        assert_eq!(names, ["a", "b", "c/e"]);
    }

    #[test]
    fn other_encodings_are_reported_with_their_line() {
        let folder = Folder::new(&[]);
        std::fs::write(folder.path("a.txt"), b"fine\nna\xefve\n").unwrap();
        let tree = Tree::open(folder.root(), &|| false).unwrap();
        assert_eq!(
            tree.text("a.txt").unwrap_err().to_string(),
            "a.txt:2: is not UTF-8; save the file in UTF-8"
        );
    }
}
