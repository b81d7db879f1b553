//! Sources of a machine's files: the running kernel, a folder, or an archive in memory.

use super::{TopologyError, archive};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use system::Roots;
use system::mask::NUMBER_MAX;

/// Limit on a file: `/proc/cpuinfo`, the largest, has about 1.5 KB for each CPU.
pub(super) const FILE_BYTES_MAX: u64 = 16 << 20;
/// Limit on a folder's entries; CPUs are numbered below 65,536.
const NAMES_MAX: usize = 1 << 17;

/// The files of a machine, by their paths from its root directory, such as `proc/cpuinfo`.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    kind: Kind,
    log: Option<RefCell<BTreeMap<String, Vec<u8>>>>,
}

#[derive(Clone, Debug)]
enum Kind {
    Folder(Roots),
    Memory(BTreeMap<String, Vec<u8>>),
}

impl Source {
    pub fn here() -> Self {
        Self { name: "this machine".to_owned(), kind: Kind::Folder(Roots::host()), log: None }
    }

    pub fn folder(roots: Roots) -> Self {
        Self { name: roots.top.display().to_string(), kind: Kind::Folder(roots), log: None }
    }

    pub fn memory(name: impl Into<String>, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { name: name.into(), kind: Kind::Memory(files), log: None }
    }

    /// Opens a recorded machine: a folder, or an archive `.tar`, `.tar.gz` or `.tar.bz2`.
    pub fn open(path: &Path) -> Result<Self, TopologyError> {
        let unreadable = |source| TopologyError::Read { path: path.to_owned(), source };
        let name = path.display().to_string();
        if path.metadata().map_err(unreadable)?.is_dir() {
            let top = top_of(path).ok_or_else(|| TopologyError::NotAMachine { path: path.to_owned() })?;
            return Ok(Self { name, ..Self::folder(Roots::under(top)) });
        }
        let files = archive::read(path)?;
        if files.is_empty() {
            return Err(TopologyError::NotAMachine { path: path.to_owned() });
        }
        Ok(Self::memory(name, files))
    }

    /// Begins to record which files are read.
    pub(super) fn recorded(&self) -> Self {
        Self { log: Some(RefCell::default()), ..self.clone() }
    }

    pub(super) fn record(&self) -> Vec<String> {
        self.log.iter().flat_map(|log| log.borrow().keys().cloned().collect::<Vec<_>>()).collect()
    }

    pub(super) fn into_record(self) -> BTreeMap<String, Vec<u8>> {
        self.log.map(RefCell::into_inner).unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads a file's bytes; `None` if it does not exist or the kernel does not return it.
    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = match &self.kind {
            Kind::Memory(files) => files.get(path).cloned()?,
            Kind::Folder(roots) => {
                let file = File::open(roots.resolve(&Path::new("/").join(path))).ok()?;
                let mut bytes = Vec::new();
                file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
                bytes
            }
        };
        if let Some(log) = &self.log {
            log.borrow_mut().insert(path.to_owned(), bytes.clone());
        }
        Some(bytes)
    }

    /// Reads a file as trimmed text; some recordings end in zero bytes.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = self.bytes(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    pub(super) fn names(&self, folder: &str) -> BTreeSet<String> {
        match &self.kind {
            Kind::Memory(files) => {
                let prefix = format!("{folder}/");
                let below = files.range(prefix.clone()..).map_while(|(path, _)| path.strip_prefix(&prefix));
                below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect()
            }
            Kind::Folder(roots) => {
                let entries = std::fs::read_dir(roots.resolve(&Path::new("/").join(folder)));
                let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
                names.take(NAMES_MAX).filter_map(|name| name.into_string().ok()).collect()
            }
        }
    }

    /// Lists the numbers of names such as `cpu17` in a folder.
    pub(super) fn numbers(&self, folder: &str, prefix: &str) -> BTreeSet<u32> {
        let names = self.names(folder);
        let numbers = names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
        numbers.filter(|number| *number < NUMBER_MAX).collect()
    }

    pub(super) fn place(&self, path: &str) -> String {
        match &self.kind {
            Kind::Folder(roots) => roots.resolve(&Path::new("/").join(path)).display().to_string(),
            Kind::Memory(_) => format!("{}: {path}", self.name),
        }
    }
}

/// Finds the recorded root directory: the folder itself, or its only subfolder, as archives unpack.
fn top_of(folder: &Path) -> Option<PathBuf> {
    let is_top =
        |path: &Path| path.join("sys/devices/system/cpu").is_dir() || path.join("proc/cpuinfo").is_file();
    if is_top(folder) {
        return Some(folder.to_owned());
    }
    let mut inner = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    match (inner.next(), inner.next()) {
        (Some(only), None) if is_top(&only) => Some(only),
        _ => None,
    }
}
