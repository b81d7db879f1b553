//! The files of a package's folder, for packing.

use crate::archive::names::Names;
use crate::error::Complaint;
use crate::package::{TIMELIMIT_FILE, is_part_of_package};
use crate::tree::Tree;
use crate::{FileLocation, PackageError, PackageFile, Warning};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Lists the files that [`crate::Package::open`] finds in a folder and takes from an archive, by name. What is left out, such
/// as a link that leads out of the package, is a warning.
pub fn contents(
    folder: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(Vec<PackageFile>, Vec<Warning>), PackageError> {
    let tree = Tree::open(folder, is_stopped)?;
    let mut files = Vec::new();
    if tree.exists(TIMELIMIT_FILE) {
        files.push(PackageFile { name: TIMELIMIT_FILE.into(), path: tree.resolve(TIMELIMIT_FILE)? });
    }
    let items = tree.list("")?;
    // What else is at the top is not part of the package.
    let mut warnings = tree.warnings.take();
    warnings.retain(|warning| is_part_of_package(OsStr::new(&warning.wrong.place.file)));
    for item in items {
        let name = PathBuf::from(&item.name);
        if !is_part_of_package(name.as_os_str()) {
            continue;
        }
        if !item.is_folder {
            files.push(PackageFile { name, path: item.path });
            continue;
        }
        let below = tree.files(&item.relative)?;
        files.extend(
            below.into_iter().map(|file| PackageFile { name: name.join(file.name), path: file.path }),
        );
    }
    warnings.append(&mut tree.warnings.take());
    let mut names = Names::default();
    files.retain(|file| match names.add(file.name.as_os_str().as_bytes(), false) {
        Ok(_) => true,
        Err((problem, remedy)) => {
            let place = FileLocation::file(file.name.to_string_lossy());
            warnings.push(place.warning(format!("{problem} and is left out"), remedy));
            false
        }
    });
    Ok((files, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_is_listed_as_it_is_read() {
        let room = tempfile::tempdir().unwrap();
        let (root, outside) = (room.path().join("p"), room.path().join("outside"));
        fs::create_dir_all(root.join("data/secret")).unwrap();
        fs::create_dir_all(root.join("common")).unwrap();
        fs::write(&outside, "secret of the host\n").unwrap();
        for name in [
            "problem.yaml",
            "problem.pdf",
            ".timelimit",
            "notes.txt",
            "common/a.in",
            "data/secret/.hidden",
            "data/secret/1.in",
        ] {
            fs::write(root.join(name), "1\n").unwrap();
        }
        fs::write(root.join("data/secret").join(OsStr::from_bytes(b"\xff.in")), "").unwrap();
        fs::write(root.join("data/secret/5\\.in"), "").unwrap();
        symlink("../../common/a.in", root.join("data/secret/2.in")).unwrap();
        symlink("nowhere", root.join("data/secret/3.in")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "token\n").unwrap();
        symlink("../../.git/config", root.join("data/secret/6.in")).unwrap();
        symlink(&outside, root.join("data/secret/4.in")).unwrap();
        symlink("nowhere", root.join("submissions")).unwrap();
        symlink("nowhere", root.join("scratch")).unwrap();
        let (files, warnings) = contents(&root, &|| false).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.name.to_str().unwrap()).collect();
        assert_eq!(
            names,
            [".timelimit", "data/secret/1.in", "data/secret/2.in", "problem.pdf", "problem.yaml"]
        );
        let mut left_out: Vec<_> = warnings.iter().map(|warning| warning.wrong.place.file.as_str()).collect();
        left_out.sort_unstable();
        assert_eq!(
            left_out,
            [
                "data/secret/3.in",
                "data/secret/4.in",
                "data/secret/5\\.in",
                "data/secret/6.in",
                "data/secret/\u{fffd}.in",
                "submissions"
            ]
        );
    }
}
