//! Which functions the blocks of a profile belong to.

use documents::CountedFunction;
use elf::ElfBytes;
use elf::abi::{PT_LOAD, STT_FUNC, STT_GNU_IFUNC};
use elf::endian::AnyEndian;
use sandbox::{Mapping, Misses, Profile, RunPlan};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// More than these are of no interest to a reader, nor are files with more than this of symbols.
const FUNCTIONS_MAX: usize = 1000;
const FILE_MAX_BYTES: u64 = 1 << 30;

/// Where the files of a run are on this machine.
pub struct Files<'p>(&'p RunPlan);

impl<'p> Files<'p> {
    pub fn of(plan: &'p RunPlan) -> Self {
        Self(plan)
    }

    fn here(&self, path: &Path) -> PathBuf {
        let mounted = self.0.mounts.iter().find_map(|mount| {
            let rest = path.strip_prefix(&mount.target).ok()?;
            Some(if rest.as_os_str().is_empty() { mount.source.clone() } else { mount.source.join(rest) })
        });
        mounted.unwrap_or_else(|| path.to_owned())
    }

    fn symbols(&self, path: &Path) -> Symbols {
        let path = self.here(path);
        let is_small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= FILE_MAX_BYTES);
        let bytes = if is_small { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        Symbols::read(&bytes)
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
            let symbols = known.entry(&mapping.path).or_insert_with(|| files.symbols(&mapping.path));
            name = symbols.name(block.address - mapping.begin + mapping.offset).map(str::to_owned);
            file = Some(mapping.path.display().to_string());
        }
        *counts.entry((name, file)).or_default() += weigh(block.instructions, block.misses);
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
struct Symbols(Vec<(u64, u64, String)>);

impl Symbols {
    /// Reads those of an ELF file; none of another file, or of one that was stripped.
    fn read(bytes: &[u8]) -> Self {
        Self::try_read(bytes).unwrap_or_default()
    }

    fn try_read(bytes: &[u8]) -> Result<Self, elf::ParseError> {
        let file = ElfBytes::<AnyEndian>::minimal_parse(bytes)?;
        let segments: Vec<_> = file.segments().iter().flat_map(|segments| segments.iter()).collect();
        let loaded = segments.iter().filter(|segment| segment.p_type == PT_LOAD);
        let loaded: Vec<_> =
            loaded.map(|segment| (segment.p_vaddr, segment.p_memsz, segment.p_offset)).collect();
        // What was stripped still has the functions that others call.
        let tables = [file.symbol_table()?, file.dynamic_symbol_table()?];
        let mut found = Vec::new();
        for (symbols, names) in tables.into_iter().flatten() {
            for symbol in symbols.iter() {
                let is_function = [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_symtype());
                let place =
                    loaded.iter().find(|(begin, size, _)| (*begin..begin + size).contains(&symbol.st_value));
                let (true, Some((begin, _, offset)), Ok(name)) =
                    (is_function && symbol.st_size > 0, place, names.get(symbol.st_name as usize))
                else {
                    continue;
                };
                let at = symbol.st_value - begin + offset;
                found.push((at, at + symbol.st_size, readable(name)));
            }
        }
        found.sort();
        // Of several names of one function, the first.
        found.dedup_by_key(|(begin, ..)| *begin);
        Ok(Self(found))
    }

    fn name(&self, at: u64) -> Option<&str> {
        let next = self.0.partition_point(|(begin, ..)| *begin <= at);
        let (_, end, name) = self.0.get(next.checked_sub(1)?)?;
        (at < *end).then_some(name)
    }
}

/// Returns the name of a function in its source: of Rust and of C++ without the types of its arguments.
fn readable(name: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return format!("{name:#}");
    }
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let demangled =
        cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    demangled.unwrap_or_else(|| name.to_owned())
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
            assert_eq!(readable(symbol), name);
        }
    }

    #[test]
    fn a_block_belongs_to_the_function_around_it() {
        let symbols = Symbols(vec![(0x10, 0x20, "a".to_owned()), (0x20, 0x28, "b".to_owned())]);
        let named = [0xf, 0x10, 0x1f, 0x20, 0x27, 0x28].map(|at| symbols.name(at));
        assert_eq!(named, [None, Some("a"), Some("a"), Some("b"), Some("b"), None]);
        assert_eq!(Symbols::read(b"#!/bin/sh").0.len(), 0);
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
        let plan = RunPlan::new(Vec::new());
        let found = attribute(&profile, &Files::of(&plan), |instructions, _| instructions);
        let file = Some(here.display().to_string());
        let expected = [
            CountedFunction { name: None, file: None, count: 20 },
            CountedFunction { name: None, file, count: 11 },
        ];
        assert_eq!(found, expected);
    }
}
