//! Backups and stores that were damaged, or that come from elsewhere.

use crate::support::{Server, set_up};
use crate::{state_of, with_causes};
use server::backup::{self, BackupError, Until};
use std::path::Path;
use store::StoreAddress;
use tempfile::TempDir;

#[test]
fn a_damaged_backup_is_found() {
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    let source = StoreAddress::Folder(server.data.path().to_owned());
    let made = backup::back_up(&source, folder.path()).unwrap();
    let blob = server.app.published.state().blobs().next().unwrap().0.to_string();
    let path = folder.path().join("blobs").join(&blob[..2]).join(&blob);
    let content = std::fs::read(&path).unwrap();
    let check = |expect: &str| {
        let error = backup::verify(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
        let to = folder.path().join("to");
        assert!(backup::restore(folder.path(), &StoreAddress::Folder(to.clone()), Until::End).is_err());
        // Nothing starts on half of it, and trying again is possible.
        assert!(!to.exists() || store::open(&StoreAddress::Folder(to.clone())).is_err());
        let _ = std::fs::remove_dir_all(to);
    };
    std::fs::write(&path, b"something else").unwrap();
    check(&format!("content {blob} is damaged"));
    std::fs::remove_file(&path).unwrap();
    check(&format!("content {blob} is missing"));
    std::fs::write(&path, content).unwrap();
    backup::verify(folder.path()).unwrap();
    let log = folder.path().join(&made.manifest.log);
    let mut bytes = std::fs::read(&log).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&log, bytes).unwrap();
    check("the log has another hash");
}

#[test]
fn an_event_that_was_changed_is_named_by_the_start_and_the_backup() {
    let mut server = Server::start();
    set_up(&server);
    let events = server.app.published.state().seq();
    let folder = TempDir::new().unwrap();
    let from = folder.path().join("backup");
    backup::back_up(&StoreAddress::Folder(server.data.path().to_owned()), &from).unwrap();
    let data = std::mem::replace(&mut server.data, TempDir::new().unwrap());
    drop(server);
    let file = data.path().join("contest.sqlite");
    let changed = |sql: &str| {
        let connection = rusqlite::Connection::open(&file).unwrap();
        let team = "SELECT max(seq) FROM event WHERE body LIKE '%ants%'";
        let seq: u64 = connection.query_row(team, [], |row| row.get(0)).unwrap();
        assert_eq!(connection.execute(sql, [seq]).unwrap(), 1);
        seq
    };
    // The team of an event becomes another one; nothing else in the file is amiss.
    let sql = "UPDATE event SET body = replace(body, 'ants', 'bees') WHERE seq = ?";
    let seq = changed(sql);
    let source = StoreAddress::Folder(data.path().to_owned());
    let expect = format!(
        "the store is damaged: event {seq} is not what was written, by its hash: restore the last backup"
    );
    let text = with_causes(&store::open(&source).err().unwrap());
    assert!(text.starts_with(&expect), "{text}");
    // A backup of it is refused, and the one of before stays.
    let text = with_causes(&backup::back_up(&source, &from).unwrap_err());
    assert!(text.starts_with(&expect), "{text}");
    assert_eq!(backup::verify(&from).unwrap().0.events, events);
    forge(&from, &sql.replace('?', &seq.to_string()));
    let text = with_causes(&backup::verify(&from).unwrap_err());
    assert!(text.starts_with(&expect), "{text}");
    let to = StoreAddress::Folder(folder.path().join("to"));
    assert!(with_causes(&backup::restore(&from, &to, Until::End).unwrap_err()).starts_with(&expect));
    // What came before is still right.
    assert_eq!(backup::restore(&from, &to, Until::Event(seq - 1)).unwrap().seq(), seq - 1);
    assert_eq!(state_of(&to).seq(), seq - 1);
}

/// Changes the log of a backup as its maker could, with the hash in its manifest.
pub fn forge(folder: &Path, sql: &str) {
    let path = folder.join("backup.json");
    let mut manifest: backup::Manifest = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let log = folder.join(&manifest.log);
    rusqlite::Connection::open(&log).unwrap().execute_batch(sql).unwrap();
    manifest.log_sha256 = store::BlobHash::of(&std::fs::read(&log).unwrap()).to_string();
    manifest.log = format!("log-{}-{}.sqlite", manifest.events, &manifest.log_sha256[..16]);
    std::fs::rename(log, folder.join(&manifest.log)).unwrap();
    std::fs::write(&path, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

#[test]
fn nothing_in_a_foreign_log_runs() {
    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let server = Server::with_demo();
    let source = StoreAddress::Folder(server.data.path().to_owned());
    let check = |sql: &str, expect: &str| {
        let folder = TempDir::new().unwrap();
        backup::back_up(&source, folder.path()).unwrap();
        forge(folder.path(), sql);
        let to = StoreAddress::Folder(folder.path().join("to"));
        for error in [
            backup::verify(folder.path()).unwrap_err(),
            backup::restore(folder.path(), &to, Until::End).unwrap_err(),
        ] {
            assert!(error.to_string().contains(expect), "{sql}: {error}");
        }
        assert!(!folder.path().join("to").exists());
    };
    check(
        "CREATE TRIGGER evil AFTER UPDATE ON fence BEGIN DELETE FROM event; END",
        "trigger 'evil', which this release does not make",
    );
    check(&format!("CREATE VIEW evil AS {ENDLESS}"), "view 'evil'");
    check(
        &format!("ALTER TABLE event RENAME TO other; CREATE VIEW event AS {ENDLESS}"),
        "which this release does not make",
    );
    check("CREATE INDEX more ON event (length(body))", "index 'more'");
    check("CREATE TABLE other (x CHECK (x > 0))", "table 'other'");
    check("ALTER TABLE event ADD COLUMN more TEXT AS (hex(body))", "table 'event'");
    check("DROP TABLE checkpoint", "tables of ours are missing");
    // Another file next to it, such as a journal, is no part of it.
    let folder = TempDir::new().unwrap();
    backup::back_up(&source, folder.path()).unwrap();
    forge(folder.path(), "PRAGMA journal_mode = WAL");
    let (manifest, _) = backup::verify(folder.path()).unwrap();
    std::fs::write(folder.path().join(format!("{}-wal", manifest.log)), [0; 100]).unwrap();
    backup::verify(folder.path()).unwrap();
}

#[test]
fn a_restore_follows_no_link_and_is_alone() {
    use std::os::unix::fs::symlink;
    let server = Server::with_demo();
    let folder = TempDir::new().unwrap();
    let (from, to, victim) =
        (folder.path().join("backup"), folder.path().join("to"), folder.path().join("victim"));
    backup::back_up(&StoreAddress::Folder(server.data.path().to_owned()), &from).unwrap();
    let restore = || backup::restore(&from, &StoreAddress::Folder(to.clone()), Until::End);
    let chain = |error: BackupError| with_causes(&error);
    for name in ["restoring", "blobs", "contest.sqlite.new"] {
        std::fs::create_dir(&to).unwrap();
        std::fs::write(&victim, "precious").unwrap();
        symlink(&victim, to.join(name)).unwrap();
        if name != "restoring" {
            std::fs::write(to.join("restoring"), "").unwrap();
        }
        let text = chain(restore().unwrap_err());
        assert!(text.contains("cannot"), "{text}");
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious", "{name}");
        std::fs::remove_dir_all(&to).unwrap();
    }
    // While another one runs.
    std::fs::create_dir(&to).unwrap();
    let mark = std::fs::File::create(to.join("restoring")).unwrap();
    mark.try_lock().unwrap();
    let text = chain(restore().unwrap_err());
    assert!(text.contains("another restore into"), "{text}");
    drop(mark);
    restore().unwrap();
    assert!(!to.join("restoring").exists());
    // Of many at once, one restores and the others are refused.
    let to = folder.path().join("many");
    let restored = std::thread::scope(|scope| {
        let one = || backup::restore(&from, &StoreAddress::Folder(to.clone()), Until::End);
        let all: Vec<_> = (0..6).map(|_| scope.spawn(one)).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(Result::is_ok).count()
    });
    assert_eq!(restored, 1);
    assert_eq!(state_of(&StoreAddress::Folder(to)), backup::verify(&from).unwrap().1);
}
