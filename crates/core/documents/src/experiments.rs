//! Documents of experiments: `tauto bench`, `tauto lab`, `tauto noise`, `tauto policy` and `tauto sim`.

mod bench;
mod bench_counts;
mod lab;
mod noise;
mod policy;
mod sim;
mod sim_contest;
mod sim_import;
mod sim_right_size;

pub use bench::*;
pub use bench_counts::*;
pub use lab::*;
pub use noise::*;
pub use policy::*;
pub use sim::*;
pub use sim_contest::*;
pub use sim_import::*;
pub use sim_right_size::*;
