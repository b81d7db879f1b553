//! The contestants: from a file of accounts, by name, and as the folder has them from before.

use anyhow::Context;
use arena::host::Contestant;
use contest_rules::Role;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use terminal::failure::{because, input, input_with_hint};

/// The folder's own file, in the form of accounts.yaml of a contest package.
const FILE: &str = "accounts.yaml";

/// The contestants of a contest, as accounts.
pub struct Accounts {
    pub all: Vec<Contestant>,
    /// Those that have just got one.
    pub new: Vec<Contestant>,
}

/// Reads the accounts of the folder and of a file, and makes new ones for names.
///
/// Fails if a contestant has no password.
pub fn gather(folder: &Path, file: Option<&Path>, names: &[String]) -> anyhow::Result<Accounts> {
    let kept = folder.join(FILE);
    let mut known: BTreeMap<String, Contestant> = BTreeMap::new();
    let from = [kept.exists().then_some(kept.as_path()), file];
    for one in from.into_iter().flatten().map(read).collect::<anyhow::Result<Vec<_>>>()?.concat() {
        known.insert(one.name.clone(), one);
    }
    let mut new = Vec::new();
    for name in names {
        if !known.contains_key(name) {
            let password = server::random_secret()[..20].to_owned();
            let one = Contestant { name: name.clone(), password };
            known.insert(name.clone(), one.clone());
            new.push(one);
        }
    }
    if let Some((name, problem)) = known.values().find_map(|one| Some((&one.name, one.problem()?))) {
        return Err(input(format!("contestant '{name}' {problem}")));
    }
    Ok(Accounts { all: known.into_values().collect(), new })
}

/// Keeps the accounts in the folder, readable for its owner only.
pub fn keep(folder: &Path, all: &[Contestant]) -> anyhow::Result<()> {
    let path = folder.join(FILE);
    let part = folder.join("accounts.yaml.part");
    let failed = || format!("cannot write {}", path.display());
    match std::fs::remove_file(&part) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(failed),
        _ => {}
    }
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part).with_context(failed)?;
    let text: String = all
        .iter()
        .map(|one| {
            // A JSON text is a YAML text, whatever is in it.
            let quoted = |text: &str| serde_json::Value::from(text).to_string();
            let (name, password) = (quoted(&one.name), quoted(&one.password));
            format!(
                "- id: {name}\n  username: {name}\n  type: team\n  team_id: {name}\n  password: {password}\n"
            )
        })
        .collect();
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.sync_all().with_context(failed)?;
    std::fs::rename(&part, &path).with_context(failed)
}

fn read(file: &Path) -> anyhow::Result<Vec<Contestant>> {
    let failed = || because(format!("cannot read the contestants in {}", file.display()));
    let bytes = std::fs::read(file).with_context(failed)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (files, findings) = contest_rules::files::read_one(&name, "accounts", &bytes);
    if let Some(finding) = findings.iter().find(|finding| !finding.is_warning) {
        return Err(anyhow::anyhow!("{finding}").context(failed()));
    }
    let mut all = Vec::new();
    for account in files.accounts.into_iter().filter(|account| account.settings.role == Role::Team) {
        let name = account.settings.id.to_string();
        let Some(password) = account.password else {
            return Err(input_with_hint(
                format!("'{name}' in {} has no password", file.display()),
                "add 'password: ...', or give --contestant NAME for a random one",
            ));
        };
        all.push(Contestant { name, password });
    }
    Ok(all)
}
