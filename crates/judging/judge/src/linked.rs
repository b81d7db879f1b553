//! What a program is linked with, from its ELF file.

use elf::abi::{DT_NEEDED, DT_RPATH, DT_RUNPATH};
use elf::endian::AnyEndian;
use elf::{ElfBytes, ParseError};

/// What the dynamic loader looks for before a program starts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Linked {
    /// The loader itself; libraries have none.
    pub loader: Option<String>,
    /// Names of libraries, or paths where they have a slash.
    pub libraries: Vec<String>,
    /// Folders to look in first, with `$ORIGIN` for the file's own.
    pub folders: Vec<String>,
}

/// Reads what an ELF file is linked with; nothing if it is no such file, or is linked statically.
pub(crate) fn linked(bytes: &[u8]) -> Linked {
    if !bytes.starts_with(b"\x7fELF") {
        return Linked::default();
    }
    // What the loader could not read either cannot be started, so it needs nothing.
    read(bytes).unwrap_or_default()
}

fn read(bytes: &[u8]) -> Result<Linked, ParseError> {
    let file = ElfBytes::<AnyEndian>::minimal_parse(bytes)?;
    let mut linked = Linked::default();
    for segment in file.segments().iter().flat_map(|segments| segments.iter()) {
        if segment.p_type == elf::abi::PT_INTERP {
            linked.loader = file.segment_data(&segment)?.split(|byte| *byte == 0).next().and_then(text);
        }
    }
    let (Some(entries), Some((_, names))) = (file.dynamic()?, file.dynamic_symbol_table()?) else {
        return Ok(linked);
    };
    for entry in entries.iter() {
        let name = || names.get_raw(entry.d_val() as usize).ok().and_then(text);
        match entry.d_tag {
            DT_NEEDED => linked.libraries.extend(name()),
            DT_RPATH | DT_RUNPATH => {
                linked.folders.extend(name().iter().flat_map(|all| all.split(':')).map(str::to_owned));
            }
            _ => {}
        }
    }
    Ok(linked)
}

fn text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_names_its_loader_and_libraries() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let linked = linked(&own);
        if linked == Linked::default() {
            println!("skip: the test itself is linked statically");
            return;
        }
        assert!(linked.loader.unwrap().starts_with("/lib"));
        assert!(linked.libraries.iter().any(|name| name.starts_with("libc.")), "{:?}", linked.libraries);
    }

    #[test]
    fn other_files_need_nothing() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", &own[..64]] {
            assert_eq!(linked(bytes), Linked::default());
        }
    }
}
