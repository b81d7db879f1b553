//! Where a program's instructions are, and what simulated caches would miss: a second plugin, which writes into a file.

use model::Bytes;
use std::fs::{File, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const CODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/profile.so"));
const PAGE_BYTES: u64 = 4096;
const MAPPINGS_MAX: u64 = 512;
const MAPPING_BYTES: usize = 512;
const BLOCKS_MAX: u64 = 1 << 20;
const BLOCK_BYTES: usize = 64;
/// The plugin and its file in their folder.
const PLUGIN: &str = "profile.so";
const FILE: &str = "profile";

/// Two levels of cache with lines of 64 bytes, whose least recently used line goes: one of these for instructions and one for
/// data at the first level, and one for both at the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    pub first: Cache,
    pub last: Cache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    pub size: Bytes,
    pub ways: u32,
}

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub blocks: Vec<Block>,
    pub mappings: Vec<Mapping>,
    /// Instructions of blocks that found no place.
    pub lost: u64,
}

/// Code that is executed from its beginning to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub address: u64,
    /// Instructions of all its executions together.
    pub instructions: u64,
    pub misses: Misses,
}

/// Accesses that were not in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Of instructions, at the first level.
    pub first_instructions: u64,
    /// Of data, at the first level.
    pub first_data: u64,
    pub last: u64,
}

impl std::ops::Add for Misses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            first_instructions: self.first_instructions.saturating_add(other.first_instructions),
            first_data: self.first_data.saturating_add(other.first_data),
            last: self.last.saturating_add(other.last),
        }
    }
}

/// A file that was in the program's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub begin: u64,
    pub end: u64,
    /// Where in the file it begins.
    pub offset: u64,
    /// As the program sees it.
    pub path: PathBuf,
}

/// A folder with the plugin and the file that it writes, for one run after another.
#[derive(Debug)]
pub struct Profiler {
    folder: PathBuf,
    caches: Option<Caches>,
}

impl Profiler {
    /// Puts them into a folder, which the run must see.
    pub fn new(folder: &Path, caches: Option<Caches>) -> io::Result<Self> {
        std::fs::write(folder.join(PLUGIN), CODE)?;
        std::fs::set_permissions(folder.join(PLUGIN), Permissions::from_mode(0o555))?;
        Ok(Self { folder: folder.to_owned(), caches })
    }

    /// Makes the file for another run; returns the plugin's option, where the run sees the folder at a path.
    pub fn begin(&self, path: &str) -> io::Result<String> {
        let file = File::create(self.folder.join(FILE))?;
        // Holes, until a block is there.
        file.set_len(PAGE_BYTES + MAPPINGS_MAX * MAPPING_BYTES as u64 + BLOCKS_MAX * BLOCK_BYTES as u64)?;
        // The run has another user.
        file.set_permissions(Permissions::from_mode(0o666))?;
        let cache = |name: &str, cache: Cache| format!(",{name}={}:{}", cache.size.0, cache.ways);
        let caches = self.caches.map(|caches| cache("first", caches.first) + &cache("last", caches.last));
        Ok(format!("{path}/{PLUGIN},into={path}/{FILE},blocks={BLOCKS_MAX}{}", caches.unwrap_or_default()))
    }

    /// Reads what the run did.
    pub fn read(&self) -> io::Result<Profile> {
        let mut file = File::open(self.folder.join(FILE))?;
        let [mappings, blocks, lost] = words(&read_at(&mut file, 0, 24)?);
        let mappings = read_at(&mut file, PAGE_BYTES, mappings.min(MAPPINGS_MAX) as usize * MAPPING_BYTES)?;
        let at = PAGE_BYTES + MAPPINGS_MAX * MAPPING_BYTES as u64;
        let blocks = read_at(&mut file, at, blocks.min(BLOCKS_MAX) as usize * BLOCK_BYTES)?;
        let mapping = |bytes: &[u8]| {
            let [begin, end, offset] = words(bytes);
            let path = bytes[24..].split(|byte| *byte == 0).next().unwrap_or_default();
            Mapping { begin, end, offset, path: String::from_utf8_lossy(path).into_owned().into() }
        };
        let block = |bytes: &[u8]| {
            let [address, _, instructions, executions, first_instructions, first_data, last] = words(bytes);
            let misses = Misses { first_instructions, first_data, last };
            Block { address, instructions: instructions.saturating_mul(executions), misses }
        };
        Ok(Profile {
            blocks: blocks.chunks_exact(BLOCK_BYTES).map(block).collect(),
            mappings: mappings.chunks_exact(MAPPING_BYTES).map(mapping).collect(),
            lost,
        })
    }
}

fn read_at(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|at| words.get(at).map_or(0, |word| u64::from_ne_bytes(*word)))
}
