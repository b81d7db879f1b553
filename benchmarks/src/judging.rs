//! What a server and judgehosts take from submission to verdict, in addition to what compiling and running take.

mod load;
mod pools;
mod real;
mod recorded;
mod site;

use crate::figure::Figure;
use anyhow::Result;
use load::Load;
pub use real::Host;
pub use site::Site;
use std::path::Path;

pub fn all(tauto: &Path) -> Result<Vec<Figure>> {
    let mut rows = recorded::ten_hosts(&Load::finals(10))?;
    rows.extend(real::one_host(tauto)?);
    rows.extend(pools::two_hosts(tauto)?);
    Ok(rows)
}
