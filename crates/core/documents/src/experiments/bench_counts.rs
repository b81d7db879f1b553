//! Commands compared by counted instructions: the document of `tauto bench --clock instructions` and `--clock model`.

use crate::machines::identity::MachineIdentity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchCountsReport {
    pub machine: MachineIdentity,
    /// What counted, such as `qemu-x86_64 7.2.22`. Counts of different counters are not compared.
    pub counter: String,
    /// The caches that were simulated; `null` by instructions alone.
    pub model: Option<CacheModel>,
    pub results: Vec<CountedResult>,
    /// Letter of the command that the others are compared with; `null` if there is one command.
    pub compared_with: Option<String>,
    /// Every other command compared with that one, in order.
    pub comparisons: Vec<CountedComparison>,
    /// What a person should know, a sentence each.
    pub warnings: Vec<String>,
}

/// Two levels of cache, the first one each for instructions and for data, with lines of 64 bytes. Estimated cycles are the
/// instructions and, for each miss, the cycles of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CacheModel {
    pub first_bytes: u64,
    pub first_ways: u32,
    pub last_bytes: u64,
    pub last_ways: u32,
    /// Cycles of a miss at the first level.
    pub first_miss_cycles: u64,
    /// Cycles of a miss at the last level, beyond those of the first.
    pub last_miss_cycles: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountedResult {
    /// Its letter, such as `A`.
    pub letter: String,
    /// Its name (`--name`), else the command line, quoted for a shell.
    pub command: String,
    pub argv: Vec<String>,
    /// Value of each parameter, as text; absent without parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// What is compared: the lowest of `runs`.
    pub count: u64,
    /// Instructions of each run, or estimated cycles by the model.
    pub runs: Vec<u64>,
    /// Exit code of each run; `null` where a signal or a limit ended it.
    pub exit_codes: Vec<Option<u8>>,
    /// The instructions of the last run.
    pub instructions: u64,
    /// Misses of the last run; `null` by instructions alone.
    pub misses: Option<CacheMisses>,
    /// Functions of the last run with the most of what is compared, at most 1000.
    pub functions: Vec<CountedFunction>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CacheMisses {
    /// Of instructions, at the first level.
    pub first_instructions: u64,
    /// Of data, at the first level.
    pub first_data: u64,
    pub last: u64,
}

/// A function, or all code of a file that is in none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountedFunction {
    /// Its name in the source; `null` of code without a symbol.
    pub name: Option<String>,
    /// The file as the program sees it; `null` of code that was made at run time.
    pub file: Option<String>,
    /// Instructions, or estimated cycles by the model, without those of functions that it calls.
    pub count: u64,
}

/// A command compared with another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountedComparison {
    /// Its letter.
    pub command: String,
    /// Its count divided by the other's.
    pub ratio: f64,
    /// Whether each of its runs counted more, or each counted less, than each of the other's, or all were equal.
    pub exact: bool,
    /// Functions that differ, those with the greatest difference first.
    pub functions: Vec<ChangedFunction>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFunction {
    pub name: Option<String>,
    pub file: Option<String>,
    /// Its count in the command that is compared with.
    pub before: u64,
    pub after: u64,
}

/// Two results of counted instructions, command by command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchCountsComparisonReport {
    /// The paths of the files.
    pub files: [String; 2],
    /// Commands of the second file compared with those of the first, in their order.
    pub comparisons: Vec<CountedComparison>,
}
