//! Prepares the data folder for the user that the server becomes.

use super::owner::{self, Owner, OwnerError, Users};
use anyhow::Context;
use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Uid};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use terminal::failure;
use walkdir::WalkDir;

/// Only its owner reads it.
const PRIVATE: u32 = 0o700;
/// Of folders above it that are made too.
const ABOVE: u32 = 0o755;
/// Bits that let others write into a folder.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// What a data folder has; a folder with other things is not ours, and keeps its owner.
const MARKS: [&str; 3] = ["contest.sqlite", "blobs", "record.ndjson"];

/// Makes the data folder unless it exists, and returns its full path. A new one of root belongs to the owner of the folder that
/// it is in, unless another owner is wanted.
pub fn make(folder: &Path, wanted: Option<&str>) -> anyhow::Result<PathBuf> {
    let failed = || failure::because(format!("cannot use {} as the data folder", folder.display()));
    match fs::metadata(folder) {
        Ok(data) if !data.is_dir() => {
            return Err(anyhow::anyhow!("it is a file, not a folder").context(failed()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_new(folder, PRIVATE, wanted.is_none()).with_context(failed)?;
        }
        Err(error) => return Err(anyhow::Error::new(error).context(failed())),
    }
    fs::canonicalize(folder).with_context(failed)
}

/// Makes a folder and those above it. With `inherits`, what root makes belongs to the owner of the folder that it is in: in a
/// user's home the server becomes that user, who may enter it, and can read the first password.
fn make_new(folder: &Path, mode: u32, inherits: bool) -> std::io::Result<()> {
    let (Some(name), Some(parent)) = (folder.file_name(), folder.parent()) else {
        return fs::create_dir(folder);
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    if !parent.exists() {
        make_new(parent, ABOVE, inherits)?;
    }
    let is_folder = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let above = rustix::fs::open(parent, is_folder | OFlags::PATH, Mode::empty())?;
    rustix::fs::mkdirat(&above, name, Mode::from_raw_mode(mode))?;
    let owner = rustix::fs::fstat(&above)?;
    if inherits && rustix::process::geteuid().is_root() && owner.st_uid != 0 {
        // That owner could have put another folder in its place.
        let new = rustix::fs::openat(&above, name, is_folder | OFlags::NOFOLLOW, Mode::empty())?;
        let mut entries = rustix::fs::Dir::read_from(&new)?.flatten();
        if entries.any(|entry| !matches!(entry.file_name().to_bytes(), b"." | b"..")) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        rustix::fs::fchown(&new, Some(Uid::from_raw(owner.st_uid)), Some(Gid::from_raw(owner.st_gid)))?;
    }
    Ok(())
}

/// Chooses the owner of a data folder and makes it the owner of all that is in it. For root only.
///
/// Fails if the folder is not ours to give away, or the owner could not enter it.
pub fn give_away(folder: &Path, wanted: Option<&str>) -> anyhow::Result<Owner> {
    let read = || format!("cannot read {}", folder.display());
    let data = fs::metadata(folder).with_context(read)?;
    let users = Users::read(&fs::read_to_string("/etc/passwd").unwrap_or_default());
    let present = Owner { uid: data.uid(), gid: data.gid() };
    let owner = owner::choose(folder, Some(present), wanted, &users, has_processes).map_err(|error| {
        let hint = match &error {
            OwnerError::Unknown(name) => {
                format!("useradd --system --no-create-home {name}, or give the number of a user")
            }
            OwnerError::Other { name, .. } => format!("chown -R {name} {}", folder.display()),
            OwnerError::Root(_) | OwnerError::NoneFree => {
                "--user NAME names a user without rights".to_owned()
            }
        };
        failure::input_with_hint(error.to_string(), hint)
    })?;
    check_entrance(folder, owner)?;
    if data.uid() != owner.uid {
        check_ours(folder, &data)?;
        for entry in WalkDir::new(folder).follow_links(false) {
            let entry = entry.with_context(read)?;
            let (user, group) = (Uid::from_raw(owner.uid), Gid::from_raw(owner.gid));
            rustix::fs::chownat(CWD, entry.path(), Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW)
                .with_context(|| format!("cannot give {} to user {}", entry.path().display(), owner.uid))?;
        }
    }
    Ok(owner)
}

/// Root's folder is only given away if no other user could have put links into it, and if it looks like a data folder.
fn check_ours(folder: &Path, data: &Metadata) -> anyhow::Result<()> {
    let shown = folder.display();
    if data.mode() & WRITABLE_BY_OTHERS != 0 {
        let hint = format!("chmod go-w {shown}, or name another folder");
        return Err(failure::input_with_hint(
            format!("{shown} is root's and others may write in it, so it is not used as the data folder"),
            hint,
        ));
    }
    let mut entries = fs::read_dir(folder).with_context(|| format!("cannot read {shown}"))?;
    let is_empty = entries.next().is_none();
    if is_empty || MARKS.iter().any(|mark| folder.join(mark).exists()) {
        return Ok(());
    }
    Err(failure::input_with_hint(
        format!(
            "{shown} is root's, is not empty and is not a data folder of tauto, so it gets no other owner"
        ),
        "name a folder that does not exist yet",
    ))
}

/// Checks that the owner may go through all folders above.
fn check_entrance(folder: &Path, owner: Owner) -> anyhow::Result<()> {
    for above in folder.ancestors().skip(1) {
        let data = fs::metadata(above).with_context(|| format!("cannot read {}", above.display()))?;
        if !may_enter(data.mode(), data.uid(), data.gid(), owner) {
            return Err(failure::input_with_hint(
                format!(
                    "the server runs as user {}, which may not enter {} on the way to {}",
                    owner.uid,
                    above.display(),
                    folder.display()
                ),
                format!(
                    "name a folder elsewhere, such as /var/lib/tautochrone, or let everybody enter it: chmod o+x {}",
                    above.display()
                ),
            ));
        }
    }
    Ok(())
}

fn may_enter(mode: u32, uid: u32, gid: u32, owner: Owner) -> bool {
    let shift = match () {
        () if uid == owner.uid => 6,
        () if gid == owner.gid => 3,
        () => 0,
    };
    mode >> shift & 1 == 1
}

fn has_processes(uid: u32) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|entry| entry.metadata().ok()).any(|data| data.uid() == uid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn message(result: anyhow::Result<impl std::fmt::Debug>) -> String {
        failure::Failure::of(&result.unwrap_err()).words()
    }

    #[test]
    fn a_folder_is_made_private() {
        let temporary = tempfile::tempdir().unwrap();
        let made = make(&temporary.path().join("a/b"), None).unwrap();
        assert_eq!(fs::metadata(&made).unwrap().mode() & 0o777, PRIVATE);
        assert_eq!(make(&made, None).unwrap(), made);
        fs::write(made.join("file"), "").unwrap();
        assert!(message(make(&made.join("file"), None)).contains("it is a file, not a folder"));
    }

    #[test]
    fn a_new_folder_in_a_users_folder_is_that_users() {
        if !test_support::needs_root() {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(home.path(), Some(4242), Some(4243)).unwrap();
        let data = make(&home.path().join("contests/data"), None).unwrap();
        for folder in [&data, data.parent().unwrap()] {
            let metadata = fs::metadata(folder).unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (4242, 4243), "{}", folder.display());
        }
        let place =
            owner::choose(&data, Some(Owner { uid: 4242, gid: 4243 }), None, &Users::default(), |_| false);
        assert_eq!(place, Ok(Owner { uid: 4242, gid: 4243 }));
        let for_other = make(&home.path().join("other"), Some("4244")).unwrap();
        assert_eq!(fs::metadata(for_other).unwrap().uid(), 0, "it is given away later");
    }

    #[test]
    fn only_a_data_folder_of_root_is_given_away() {
        if !test_support::needs_root() {
            return;
        }
        let permissions = PermissionsExt::from_mode(0o755);
        let temporary = tempfile::Builder::new().permissions(permissions).tempdir().unwrap();
        let folder = make(&temporary.path().join("data"), None).unwrap();
        let elsewhere = temporary.path().join("elsewhere");
        fs::write(&elsewhere, "").unwrap();

        fs::write(folder.join("letter"), "").unwrap();
        assert!(message(give_away(&folder, None)).contains("is not a data folder of tauto"));
        fs::write(folder.join("contest.sqlite"), "").unwrap();
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        assert!(message(give_away(&folder, None)).contains("others may write in it"));
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.join("link")).unwrap();

        let owner = give_away(&folder, Some("4242")).unwrap();
        assert_eq!(owner, Owner { uid: 4242, gid: 4242 });
        for name in ["letter", "contest.sqlite", "link", "."] {
            assert_eq!(fs::symlink_metadata(folder.join(name)).unwrap().uid(), 4242, "{name}");
        }
        assert_eq!(fs::metadata(&elsewhere).unwrap().uid(), 0, "links are not followed");
        assert_eq!(give_away(&folder, None).unwrap(), owner, "it is kept");
        assert!(message(give_away(&folder, Some("4243"))).contains("hint: chown -R 4243"));

        fs::set_permissions(temporary.path(), PermissionsExt::from_mode(0o700)).unwrap();
        assert!(message(give_away(&folder, None)).contains("which may not enter"));
    }

    #[test]
    fn entrance_follows_the_first_class_that_matches() {
        let owner = Owner { uid: 5, gid: 6 };
        assert!(may_enter(0o100, 5, 0, owner) && !may_enter(0o011, 5, 0, owner));
        assert!(may_enter(0o010, 0, 6, owner) && !may_enter(0o101, 0, 6, owner));
        assert!(may_enter(0o001, 0, 0, owner) && !may_enter(0o110, 0, 0, owner));
    }
}
