//! Where a store is.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where a store is. Its text is a folder, or a URL that starts with `postgres://` or `postgresql://`.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A folder: `contest.sqlite` and `blobs/` are in it.
    Folder(PathBuf),
    /// A connection string of PostgreSQL. It may have a password.
    Postgres(String),
}

impl FromStr for StoreAddress {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
        Ok(if is_postgres { Self::Postgres(text.to_owned()) } else { Self::Folder(text.into()) })
    }
}

/// Without the password, so that it can stand in logs.
impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres://...".to_owned() };
    // Parameters can have a password, too.
    let rest = rest.split_once('?').map_or(rest, |(before, _)| before);
    let Some((login, place)) = rest.rsplit_once('@') else { return format!("{scheme}://{rest}") };
    let user = login.split_once(':').map_or(login, |(user, _)| user);
    format!("{scheme}://{user}@{place}")
}

#[cfg(test)]
mod tests {
    use super::StoreAddress;

    #[test]
    fn a_password_is_not_shown() {
        let check = |url: &str, expect: &str| {
            let address: StoreAddress = url.parse().unwrap();
            assert_eq!(address.to_string(), expect);
            assert_eq!(format!("{address:?}"), expect);
        };
        check("postgres://judge:se@cret@db/contest?password=secret", "postgres://judge@db/contest");
        check("postgresql://db/contest", "postgresql://db/contest");
        check("/var/lib/contest", "/var/lib/contest");
    }
}
