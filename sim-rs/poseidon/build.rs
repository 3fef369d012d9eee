//! Has the crate compiled again when a file comes to or goes from the folder of presets.

fn main() {
    println!("cargo:rerun-if-changed=presets");
}
