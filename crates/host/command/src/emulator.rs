//! The emulator that counts instructions, or why there is none.

use sandbox::{Emulator, NoEmulator};
use terminal::failure::input_with_hint;

/// Finds the emulator.
pub fn emulator() -> anyhow::Result<Emulator> {
    Emulator::find().map_err(|why| match why {
        NoEmulator::Missing(name) => input_with_hint(
            format!("instructions cannot be counted here: {name} is missing"),
            "install qemu-user (apt install qemu-user), or leave out --clock instructions",
        ),
        why => anyhow::anyhow!("instructions cannot be counted here: {why}"),
    })
}
