//! Compiles the plugins for the emulator, which are then parts of this crate.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    for name in ["count", "profile"] {
        let source = format!("src/{name}.c");
        println!("cargo::rerun-if-changed={source}");
        let plugin = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join(format!("{name}.so"));
        if let Err(why) = compile(&source, &plugin) {
            // Everything else works without it, and what needs it says that it is missing.
            println!("cargo::warning=instructions cannot be counted under an emulator: {why}");
            fs::write(&plugin, "").expect("cargo's folder is writable");
        }
    }
}

fn compile(source: &str, plugin: &Path) -> Result<(), String> {
    let compiler = cc::Build::new().opt_level(2).try_get_compiler().map_err(|error| error.to_string())?;
    // Not by `cc` itself, which makes archives.
    let status = Command::new(compiler.path())
        .args(["-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"])
        .args(["-Wl,-z,relro,-z,now,-s", "-pthread", "-o"])
        .arg(plugin)
        .arg(source)
        .status()
        .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if status.success() { Ok(()) } else { Err(format!("the C compiler failed: {status}")) }
}
