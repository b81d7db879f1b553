//! Arguments of `tauto judgehost`.

use clap::Args;
use judging_command::arguments::{ClockArguments, ImageArguments};
use model::{Bytes, CpuSet, Nanos};
use std::path::PathBuf;
use terminal::values::{cpu_list, size, time};
use timing::Places;

pub const JUDGEHOST_EXAMPLES: &str = "\
It tests itself, registers with the server, and judges until it is asked to end: after Ctrl-C or SIGTERM it takes no \
more submissions and ends those that are open, after a second one it ends at once and gives them back.

In a pool all machines are alike. The server puts a machine that differs into no pool of others, and says in what it \
differs. docs/judgehost.md describes what a machine needs.

Exit code: 0 when it was asked to end, 2 wrong usage or input, 3 refused by the server, or internal or system error.

Examples:
  sudo tauto judgehost --server https://contest.example --token /etc/tauto/token
  sudo tauto judgehost --server http://10.0.0.1:8080 --token token --pool fast --shared --cpu-list 2-7
  sudo tauto judgehost --server http://10.0.0.1:8080 --token token --pool counted --clock instructions";

#[derive(Debug, Args)]
pub struct JudgehostArguments {
    /// Address of the server, such as https://contest.example
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// File with the token that the server issued for this judgehost; only its owner should be able to read it
    #[arg(long, value_name = "FILE")]
    pub token: PathBuf,
    /// File with the certificates of the authorities that may certify the server, in PEM format; by default SSL_CERT_FILE, else public
    /// authorities
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Pool to join; by default the server chooses the one of this machine's kind
    #[arg(long, value_name = "ID")]
    pub pool: Option<String>,
    /// Name of this judgehost, by default the machine's
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
    /// CPUs of timed runs, such as 1 or 2-3, a timed place on each core; by default they are leased by --places
    #[arg(long, value_name = "LIST", value_parser = cpu_list, visible_alias = "cpus")]
    pub cpu_list: Option<CpuSet>,
    /// Timed places, each with its own core: a number, per-l3 (one in each L3 domain, since runs that share a cache
    /// disturb each other), or all
    #[arg(long, value_name = "PLACES", default_value = "per-l3", conflicts_with = "cpu_list")]
    pub places: Places,
    /// Lease no CPUs, and time on those of --cpu-list, or on all that no other tauto has leased: for a pool that judges
    /// fast, and whose verdicts near a limit are checked by another
    #[arg(long)]
    pub shared: bool,
    /// Take no submissions before an operator has looked at what this machine measured, and lets it in
    #[arg(long)]
    pub await_admission: bool,
    /// What time is.
    #[command(flatten)]
    pub clock: ClockArguments,
    /// Whose compilers it uses: the digest is a part of the pool's kind.
    #[command(flatten)]
    pub image: ImageArguments,
    /// Folder that keeps packages; by default one for each name in the system's or user's cache
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Most bytes in that folder, archives and what was unpacked from them together
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "16GiB")]
    pub cache_size: Bytes,
    /// How long open submissions may be judged on after it was asked to end
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub drain: Nanos,
    /// Address at which Prometheus reads /metrics, such as 127.0.0.1:9281; by default none
    #[arg(long, value_name = "ADDRESS", value_parser = crate::serve::address)]
    pub metrics: Option<String>,
    /// Folder of YAML files that replace or add languages
    #[arg(long = "languages", value_name = "DIR")]
    pub languages: Option<PathBuf>,
}
