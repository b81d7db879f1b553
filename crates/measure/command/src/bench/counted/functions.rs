//! Which functions the blocks of a profile belong to.
//!
//! The program can write what it wants into its profile, and into its own file: nothing there makes this fail, take long, or read a
//! file that the program does not see.

use documents::CountedFunction;
use elf::ElfBytes;
use elf::abi::{PT_LOAD, STT_FUNC, STT_GNU_IFUNC};
use elf::endian::AnyEndian;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use sandbox::{Mapping, Misses, Mount, Profile};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// More than these are of no interest to a reader.
const FUNCTIONS_MAX: usize = 1000;
const NAME_BYTES_MAX: usize = 1000;
const FILES_MAX: usize = 64;
const FILE_MAX_BYTES: u64 = 256 << 20;
const SYMBOLS_MAX: usize = 1_000_000;
const SEGMENTS_MAX: usize = 64;
/// What of the host's files is in every run.
const HOST_FOLDERS: [&str; 5] = ["usr", "lib", "lib32", "lib64", "bin"];

/// Where the files of a run are on this machine.
pub struct Files<'p> {
    /// The tree that is the run's root; `None` for the host's own.
    pub root: Option<&'p Path>,
    pub mounts: &'p [Mount],
}

impl Files<'_> {
    /// Returns a folder of this machine, and the path of a run's file in it.
    fn place<'f>(&self, path: &'f Path) -> Option<(PathBuf, &'f Path)> {
        for mount in self.mounts {
            if let Ok(rest) = path.strip_prefix(&mount.target) {
                return Some((mount.source.clone(), rest));
            }
        }
        let rest = path.strip_prefix("/").ok()?;
        let first = rest.components().next()?.as_os_str().to_str()?;
        match self.root {
            Some(tree) => Some((tree.to_owned(), rest)),
            None if HOST_FOLDERS.contains(&first) => Some((PathBuf::from("/"), rest)),
            None => None,
        }
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let (folder, rest) = self.place(path)?;
        if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = if rest.as_os_str().is_empty() {
            rustix::fs::open(&folder, flags, Mode::empty())
        } else {
            let folder = rustix::fs::open(&folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
            // A path in a process's memory has no links.
            let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            rustix::fs::openat2(folder, rest, flags, Mode::empty(), within)
        };
        let file = File::from(file.ok()?);
        let data = file.metadata().ok()?;
        let mut bytes = Vec::new();
        if data.is_file() && data.len() <= FILE_MAX_BYTES {
            file.take(data.len()).read_to_end(&mut bytes).ok()?;
        }
        Some(bytes)
    }
}

/// Adds up what the blocks of each function did, the greatest first.
pub fn attribute(
    profile: &Profile,
    files: &Files<'_>,
    weigh: impl Fn(u64, Misses) -> u64,
) -> Vec<CountedFunction> {
    let mut known: HashMap<&Path, Symbols> = HashMap::new();
    let mut counts: BTreeMap<(Option<String>, Option<String>), u64> = BTreeMap::new();
    for block in &profile.blocks {
        let of_block = |mapping: &&Mapping| (mapping.begin..mapping.end).contains(&block.address);
        let (mut name, mut file) = (None, None);
        // The last one: an earlier file may have been there before.
        if let Some(mapping) = profile.mappings.iter().rfind(of_block) {
            if !known.contains_key(&*mapping.path) {
                let bytes = if known.len() < FILES_MAX { files.read(&mapping.path) } else { None };
                known.insert(&mapping.path, Symbols::read(bytes.unwrap_or_default()));
            }
            let at = mapping.offset.checked_add(block.address - mapping.begin);
            name = known.get_mut(&*mapping.path).zip(at).and_then(|(symbols, at)| symbols.name(at));
            file = Some(mapping.path.display().to_string());
        }
        let count = counts.entry((name, file)).or_default();
        *count = count.saturating_add(weigh(block.instructions, block.misses));
    }
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut functions: Vec<CountedFunction> =
        counts.map(|((name, file), count)| CountedFunction { name, file, count }).collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.count));
    functions.truncate(FUNCTIONS_MAX);
    functions
}

/// The functions of a file, by their place in it.
#[derive(Debug, Default)]
struct Symbols {
    bytes: Vec<u8>,
    functions: Vec<Function>,
    /// Names that were asked for, by where the function begins.
    names: HashMap<u64, Option<String>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    begin: u64,
    end: u64,
    /// Of the two tables of a file, that which has its name, and where.
    table: usize,
    name: usize,
}

impl Symbols {
    /// Reads those of an ELF file; none of another file, or of one that was stripped.
    fn read(bytes: Vec<u8>) -> Self {
        let functions = functions(&bytes).unwrap_or_default();
        Self { bytes, functions, names: HashMap::new() }
    }

    /// Returns the name of the function around a place in the file.
    fn name(&mut self, at: u64) -> Option<String> {
        let next = self.functions.partition_point(|function| function.begin <= at);
        let function = self.functions.get(next.checked_sub(1)?).filter(|function| at < function.end)?;
        let name = || readable(name_in(&self.bytes, function)?);
        self.names.entry(function.begin).or_insert_with(name).clone()
    }
}

fn functions(bytes: &[u8]) -> Result<Vec<Function>, elf::ParseError> {
    let file = ElfBytes::<AnyEndian>::minimal_parse(bytes)?;
    let segments = file.segments().into_iter().flat_map(|segments| segments.iter());
    let loaded = segments.filter(|segment| segment.p_type == PT_LOAD).take(SEGMENTS_MAX);
    let loaded: Vec<_> = loaded.collect();
    // What was stripped still has the functions that others call.
    let tables = [file.symbol_table()?, file.dynamic_symbol_table()?];
    let mut found = Vec::new();
    for (table, symbols) in tables.into_iter().enumerate() {
        for symbol in symbols.iter().flat_map(|(symbols, _)| symbols.iter()).take(SYMBOLS_MAX) {
            let in_memory = |at: u64| {
                let segment =
                    loaded.iter().find(|one| at >= one.p_vaddr && at - one.p_vaddr < one.p_memsz)?;
                segment.p_offset.checked_add(at - segment.p_vaddr)
            };
            let is_function = [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_symtype());
            let begin = in_memory(symbol.st_value).filter(|_| is_function && symbol.st_size > 0);
            let end = begin.and_then(|begin| begin.checked_add(symbol.st_size));
            if let (Some(begin), Some(end)) = (begin, end) {
                found.push(Function { begin, end, table, name: symbol.st_name as usize });
            }
        }
    }
    found.sort();
    // Of several names of one function, the first.
    found.dedup_by_key(|function| function.begin);
    Ok(found)
}

fn name_in<'b>(bytes: &'b [u8], function: &Function) -> Option<&'b str> {
    let file = ElfBytes::<AnyEndian>::minimal_parse(bytes).ok()?;
    let table = if function.table == 0 { file.symbol_table() } else { file.dynamic_symbol_table() };
    let (_, names) = table.ok()??;
    names.get(function.name).ok()
}

/// A text that takes no more than this: a short symbol can stand for a name of any length.
#[derive(Default)]
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > NAME_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Returns the name of a function in its source: of Rust and of C++ without the types of its arguments. None that is too long.
fn readable(symbol: &str) -> Option<String> {
    if symbol.len() > NAME_BYTES_MAX {
        return None;
    }
    let mut name = Short::default();
    if let Ok(of_rust) = rustc_demangle::try_demangle(symbol) {
        return write!(name, "{of_rust:#}").ok().map(|()| name.0);
    }
    let Ok(of_cpp) = cpp_demangle::Symbol::new(symbol) else { return Some(symbol.to_owned()) };
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    of_cpp.structured_demangle(&mut name, &options).ok().map(|()| name.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::Block;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("main", "main"),
            ("_Z4sortSt6vectorIiSaIiEE", "sort"),
            ("_RNvC7mycrate3foo", "mycrate::foo"),
            ("_ZN3foo3bar17h05af221e174051e9E", "foo::bar"),
        ] {
            assert_eq!(readable(symbol).as_deref(), Some(name));
        }
    }

    /// Each substitution stands for twice as much as the one before.
    #[test]
    fn a_name_that_would_be_endless_is_none() {
        let of_depth = |depth: usize| {
            let doubled = (1..depth).map(|at| format!("S0_IS{at}_S{at}_E")).collect::<String>();
            readable(&format!("_Z1fI1XIiiE{doubled}Evv"))
        };
        assert_eq!(of_depth(1).as_deref(), Some("f<X<int, int> >"));
        assert!(of_depth(4).is_some());
        assert_eq!(of_depth(10), None);
        assert_eq!(readable(&"long".repeat(1000)), None);
    }

    #[test]
    fn a_block_belongs_to_the_function_around_it() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let mut symbols = Symbols::read(bytes);
        let own = symbols.functions.iter().find_map(|function| {
            let name = readable(name_in(&symbols.bytes, function)?)?;
            name.ends_with("a_block_belongs_to_the_function_around_it").then_some((
                function.begin,
                function.end,
                name,
            ))
        });
        let (begin, end, name) = own.unwrap();
        assert_eq!([begin, end - 1].map(|at| symbols.name(at)), [Some(name.clone()), Some(name.clone())]);
        assert_ne!(symbols.name(begin - 1), Some(name.clone()));
        assert_ne!(symbols.name(end), Some(name));
        assert_eq!(Symbols::read(b"#!/bin/sh".to_vec()).functions.len(), 0);
    }

    #[test]
    fn only_files_that_the_run_sees_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::create_dir_all(folder.path().join("seen")).unwrap();
        std::fs::write(&secret, "1").unwrap();
        std::fs::write(folder.path().join("seen/own"), "2").unwrap();
        std::os::unix::fs::symlink(&secret, folder.path().join("seen/link")).unwrap();
        let mount =
            Mount { source: folder.path().join("seen"), target: "/program".to_owned(), writable: false };
        let mounts = [mount];
        let host = Files { root: None, mounts: &mounts };
        let read = |path: &str| host.read(Path::new(path));
        assert_eq!(read("/program/own"), Some(b"2".to_vec()));
        for path in [
            "/program/../secret",
            "/program/link",
            "/program",
            "/proc/self/exe",
            "/etc/shadow",
            "own",
            "/usr/../etc/shadow",
        ] {
            assert_eq!(read(path).unwrap_or_default(), b"", "{path}");
        }
        assert_eq!(read(&secret.display().to_string()), None);
        assert!(read("/usr/bin/env").is_some_and(|bytes| bytes.len() > 1000));
        let tree = Files { root: Some(folder.path()), mounts: &[] };
        assert_eq!(tree.read(Path::new("/secret")), Some(b"1".to_vec()));
        assert_eq!(tree.read(Path::new("/seen/link")), None);
    }

    /// Numbers that no run could have written.
    #[test]
    fn no_profile_makes_this_fail() {
        let max = u64::MAX;
        let misses = Misses { first_instructions: max, first_data: max, last: max };
        let block = Block { address: max - 1, instructions: max, misses };
        let mapping = Mapping { begin: 1, end: max, offset: max, path: "/usr/bin/env".into() };
        let profile = Profile { blocks: vec![block; 3], mappings: vec![mapping], lost: max };
        let found = attribute(&profile, &Files { root: None, mounts: &[] }, |instructions, _| instructions);
        assert_eq!((found.len(), found[0].count), (1, max));
    }

    #[test]
    fn counts_are_added_up_by_function_and_file() {
        let block = |address, instructions| Block { address, instructions, ..Block::default() };
        let here = std::env::current_exe().unwrap();
        let mapping = Mapping { begin: 0x1000, end: 0x2000, offset: 0, path: here.clone() };
        let profile = Profile {
            blocks: vec![block(0x1000, 5), block(0x1001, 6), block(0x3000, 20)],
            mappings: vec![mapping],
            lost: 0,
        };
        let found = attribute(&profile, &Files { root: None, mounts: &[] }, |instructions, _| instructions);
        let file = Some(here.display().to_string());
        let expected = [
            CountedFunction { name: None, file: None, count: 20 },
            CountedFunction { name: None, file, count: 11 },
        ];
        assert_eq!(found, expected);
    }
}
