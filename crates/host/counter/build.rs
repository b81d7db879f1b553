//! Compiles the plugins for the emulator and the program with a known count, which are then parts of this crate.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    let plugin = [
        "-std=gnu11",
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wl,-z,relro,-z,now,-s",
        "-pthread",
    ];
    build("src/count.c", "count.so", &plugin);
    build("src/profile.c", "profile.so", &plugin);
    // Its content is the same wherever it is built.
    build("src/canary.S", "canary", &["-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none,-s"]);
}

fn build(source: &str, name: &str, options: &[&str]) {
    println!("cargo::rerun-if-changed={source}");
    let made = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    if let Err(why) = compile(source, &made, options) {
        // Everything else works without it, and what needs it says that it is missing.
        println!("cargo::warning=instructions cannot be counted: {why}");
        fs::write(&made, "").expect("cargo's folder is writable");
    }
}

fn compile(source: &str, made: &Path, options: &[&str]) -> Result<(), String> {
    let compiler = cc::Build::new().opt_level(2).try_get_compiler().map_err(|error| error.to_string())?;
    // Not by `cc` itself, which makes archives.
    let status = Command::new(compiler.path())
        .args(options)
        .arg("-o")
        .args([made, Path::new(source)])
        .status()
        .map_err(|error| format!("{}: {error}", compiler.path().display()))?;
    if status.success() { Ok(()) } else { Err(format!("the C compiler failed on {source}: {status}")) }
}
