//! Which user the server of `tauto serve` becomes, if root starts it. Pure.

use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// The user of the project, if it exists.
pub const USUAL_NAME: &str = "tautochrone";
/// The users that systemd gives to services with `DynamicUser=` (systemd.exec(5)); nothing else is assigned there.
const FREE_FIRST: u32 = 61_184;
const FREE_LAST: u32 = 65_519;
/// Root: user and group.
const ROOT: u32 = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub uid: u32,
    pub gid: u32,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnerError {
    #[error("there is no user '{0}'")]
    Unknown(String),
    #[error("the server may not run as root: '{0}' has all rights")]
    Root(String),
    #[error("the data folder belongs to user {folder}, not to '{name}'")]
    Other { name: String, folder: u32 },
    #[error("no user from {FREE_FIRST} to {FREE_LAST} is free")]
    NoneFree,
}

/// Users as `/etc/passwd` lists them.
#[derive(Clone, Debug, Default)]
pub struct Users(Vec<(String, Owner)>);

impl Users {
    /// Reads the text of `/etc/passwd`; lines that have another form are left out.
    pub fn read(text: &str) -> Self {
        let user = |line: &str| {
            let mut fields = line.split(':');
            let (name, _, uid, gid) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            Some((name.to_owned(), Owner { uid: uid.parse().ok()?, gid: gid.parse().ok()? }))
        };
        Self(text.lines().filter_map(user).collect())
    }

    fn named(&self, name: &str) -> Option<Owner> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, owner)| *owner)
    }

    /// Returns a user by name or number; a number without an entry has the group of the same number.
    fn find(&self, name: &str) -> Option<Owner> {
        let numbered = |uid: u32| {
            let known = self.0.iter().find(|(_, owner)| owner.uid == uid).map(|(_, owner)| *owner);
            known.unwrap_or(Owner { uid, gid: uid })
        };
        self.named(name).or_else(|| name.parse().ok().map(numbered))
    }

    fn has(&self, uid: u32) -> bool {
        self.0.iter().any(|(_, owner)| owner.uid == uid)
    }
}

/// Returns the user that `wanted` names; otherwise the owner of the data folder, unless that is root; otherwise the user
/// of this project; otherwise a free one, which depends on the folder so that two folders seldom share one. `is_used` is
/// asked whether processes of a user exist.
pub fn choose(
    folder: &Path,
    folder_owner: Option<Owner>,
    wanted: Option<&str>,
    users: &Users,
    is_used: impl Fn(u32) -> bool,
) -> Result<Owner, OwnerError> {
    let owned = folder_owner.filter(|owner| owner.uid != ROOT);
    if let Some(name) = wanted {
        let owner = users.find(name).ok_or_else(|| OwnerError::Unknown(name.to_owned()))?;
        if owner.uid == ROOT {
            return Err(OwnerError::Root(name.to_owned()));
        }
        return match owned {
            Some(folder) if folder.uid != owner.uid => {
                Err(OwnerError::Other { name: name.to_owned(), folder: folder.uid })
            }
            _ => Ok(owner),
        };
    }
    if let Some(owner) = owned.or_else(|| users.named(USUAL_NAME).filter(|owner| owner.uid != ROOT)) {
        // Files that root's group may read are not the server's business.
        let gid = if owner.gid == ROOT { owner.uid } else { owner.gid };
        return Ok(Owner { gid, ..owner });
    }
    let count = FREE_LAST - FREE_FIRST + 1;
    let mut hasher = DefaultHasher::new();
    folder.hash(&mut hasher);
    let begin = (hasher.finish() % u64::from(count)) as u32;
    let candidates = (0..count).map(|step| FREE_FIRST + (begin + step) % count);
    let free = candidates.into_iter().find(|uid| !users.has(*uid) && !is_used(*uid));
    free.map(|uid| Owner { uid, gid: uid }).ok_or(OwnerError::NoneFree)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/bash\ntoor:x:0:0::/:\nalice:x:1000:100::/home/alice:/bin/sh\n\
                          broken\nbad:x:many:0::/:\nodd:x:7:0::/:\n";
    const FOLDER: &str = "/var/lib/tautochrone";

    fn owner(uid: u32, gid: u32) -> Owner {
        Owner { uid, gid }
    }

    fn chosen(folder: Option<Owner>, wanted: Option<&str>, passwd: &str) -> Result<Owner, OwnerError> {
        choose(Path::new(FOLDER), folder, wanted, &Users::read(passwd), |_| false)
    }

    #[test]
    fn the_wanted_user_comes_first_then_the_folders_owner() {
        let root = Some(owner(0, 0));
        assert_eq!(chosen(None, Some("alice"), PASSWD), Ok(owner(1000, 100)));
        assert_eq!(chosen(root, Some("1000"), PASSWD), Ok(owner(1000, 100)));
        assert_eq!(chosen(root, Some("4242"), PASSWD), Ok(owner(4242, 4242)));
        assert_eq!(chosen(Some(owner(33, 44)), None, PASSWD), Ok(owner(33, 44)));
        assert_eq!(chosen(Some(owner(33, 0)), None, PASSWD), Ok(owner(33, 33)), "not root's group");
        let with_ours = format!("{PASSWD}tautochrone:x:990:991::/:/sbin/nologin\n");
        assert_eq!(chosen(root, None, &with_ours), Ok(owner(990, 991)));
        assert_eq!(chosen(Some(owner(33, 44)), None, &with_ours), Ok(owner(33, 44)));
    }

    #[test]
    fn root_strangers_and_unknown_users_are_refused() {
        assert_eq!(chosen(None, Some("toor"), PASSWD), Err(OwnerError::Root("toor".to_owned())));
        assert_eq!(chosen(None, Some("0"), PASSWD), Err(OwnerError::Root("0".to_owned())));
        assert_eq!(chosen(None, Some("bad"), PASSWD), Err(OwnerError::Unknown("bad".to_owned())));
        let other = OwnerError::Other { name: "alice".to_owned(), folder: 33 };
        assert_eq!(chosen(Some(owner(33, 33)), Some("alice"), PASSWD), Err(other));
    }

    #[test]
    fn a_free_user_is_in_no_list_and_has_no_process() {
        let first = chosen(Some(owner(0, 0)), None, PASSWD).unwrap();
        assert!((FREE_FIRST..=FREE_LAST).contains(&first.uid) && first.gid == first.uid);
        assert_eq!(chosen(None, None, PASSWD), Ok(first), "the same folder has the same user");
        let taken = format!("{PASSWD}x:x:{}:1::/:\n", first.uid);
        let second = chosen(None, None, &taken).unwrap();
        assert_ne!(second, first);
        let third =
            choose(Path::new(FOLDER), None, None, &Users::read(&taken), |uid| uid == second.uid).unwrap();
        assert!(third != first && third != second);
        let none = choose(Path::new(FOLDER), None, None, &Users::default(), |_| true);
        assert_eq!(none, Err(OwnerError::NoneFree));
    }
}
