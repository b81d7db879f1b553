//! Arguments of `tauto server`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const BACKUP_EXAMPLES: &str = "\
The server may run meanwhile. What is in the folder already is not copied again, so a backup every few minutes costs \
little. One that is interrupted leaves the one of before.

Exit code: 0, 2 wrong usage, 3 if it failed.

Example:
  sudo tauto server backup --data /var/lib/tautochrone --output /mnt/backup/contest";

const RESTORE_EXAMPLES: &str = "\
The folder or database must be new. Until all is restored no server starts in it; after an interruption run it again.

With --until the log ends there, and nothing waits to be judged: to look at a contest as it was, or to export it.

Exit code: 0, 2 wrong usage, 3 if it failed.

Examples:
  sudo tauto server restore /mnt/backup/contest --data /var/lib/tautochrone
  tauto server restore backup --data then --until 2026-11-23T14:00:00Z";

/// What to do with the data of a server.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ServerCommand {
    /// Back up everything that a server keeps, also while it runs
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup(BackupArguments),
    /// Check that a backup is complete and undamaged
    VerifyBackup(VerifyBackupArguments),
    /// Restore a backup into a new folder or database
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(RestoreBackupArguments),
}

// Where a server keeps its data.
#[derive(Debug, Args)]
pub struct StoreArguments {
    /// Folder of the server's data
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// PostgreSQL database, if the server has one
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// File with the URL of --database
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    pub database_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct BackupArguments {
    /// Where the data is.
    #[command(flatten)]
    pub store: StoreArguments,
    /// Folder of the backup
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct VerifyBackupArguments {
    /// Folder of the backup
    #[arg(value_name = "DIR")]
    pub backup: PathBuf,
}

#[derive(Debug, Args)]
pub struct RestoreBackupArguments {
    /// Folder of the backup
    #[arg(value_name = "DIR")]
    pub backup: PathBuf,
    /// Where the data goes.
    #[command(flatten)]
    pub store: StoreArguments,
    /// The last event or the time up to which the log is restored, such as 1200 or 2026-11-23T14:00:00Z
    #[arg(long, value_name = "POSITION")]
    pub until: Option<String>,
}
