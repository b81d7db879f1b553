//! Days of PlanetLab: files and folders of the command line.

use super::import::input;
use anyhow::Context;
use flate2::read::MultiGzDecoder;
use simulator::trace::import::Input;
use simulator::trace::import::planetlab::Day;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use terminal::failure::because;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Enough to distinguish a row of a table from a single load.
const PEEKED_BYTES: u64 = 4096;

/// A file that is opened when it is read: a day may have more machines than a process may have files.
#[derive(Debug)]
pub struct Unopened {
    path: PathBuf,
    file: Option<BufReader<File>>,
}

impl Unopened {
    fn input(path: &Path) -> Input<Self> {
        Input { name: path.display().to_string(), reader: Self { path: path.to_owned(), file: None } }
    }

    fn file(&mut self) -> io::Result<&mut BufReader<File>> {
        if self.file.is_none() {
            self.file = Some(BufReader::new(File::open(&self.path)?));
        }
        Ok(self.file.as_mut().expect("just opened"))
    }
}

impl Read for Unopened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file()?.read(buffer)
    }
}

impl BufRead for Unopened {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(file) = &mut self.file {
            file.consume(amount);
        }
    }
}

/// Finds the days and their files: a file is a day; a folder has a file for each day, or a file for each machine of one day, or such folders.
pub fn find(paths: &[PathBuf]) -> anyhow::Result<(Vec<Day<Unopened>>, Vec<PathBuf>)> {
    let (mut days, mut sources) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            add_folder(path, true, &mut days, &mut sources)?;
        } else {
            input(path)?;
            days.push(Day::Table(Unopened::input(path)));
            sources.push(path.clone());
        }
    }
    Ok((days, sources))
}

fn add_folder(
    folder: &Path,
    with_folders: bool,
    days: &mut Vec<Day<Unopened>>,
    sources: &mut Vec<PathBuf>,
) -> anyhow::Result<()> {
    let failed = || because(format!("cannot read {}", folder.display()));
    let entries = std::fs::read_dir(folder).with_context(failed)?;
    let mut found: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().with_context(failed)?;
    found.retain(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')));
    found.sort();
    if with_folders {
        for inner in found.iter().filter(|path| path.is_dir()) {
            add_folder(inner, false, days, sources)?;
        }
    }
    found.retain(|path| path.is_file());
    let Some(first) = found.first() else { return Ok(()) };
    if is_table(first)? {
        days.extend(found.iter().map(|path| Day::Table(Unopened::input(path))));
    } else {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        days.push(Day::Machines(found.iter().map(|path| (name(path), Unopened::input(path))).collect()));
    }
    sources.extend(found);
    Ok(())
}

/// Returns whether the first line of a file has commas.
fn is_table(path: &Path) -> anyhow::Result<bool> {
    let failed = || because(format!("cannot read {}", path.display()));
    let mut begin = Vec::new();
    let mut file = input(path)?.reader;
    let packed = file.fill_buf().with_context(failed)?.starts_with(&GZIP);
    let source: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    source.take(PEEKED_BYTES).read_to_end(&mut begin).with_context(failed)?;
    Ok(begin.split(|byte| *byte == b'\n').next().is_some_and(|line| line.contains(&b',')))
}
