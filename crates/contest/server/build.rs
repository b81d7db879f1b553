//! Builds the crate again when the page was built again.

const PAGE: &str = "../../../web/dist";

fn main() {
    // Cargo takes a path that does not exist for one that changed. Where it cannot be made, that is all that is lost.
    let _ = std::fs::create_dir_all(PAGE);
    println!("cargo:rerun-if-changed={PAGE}");
}
