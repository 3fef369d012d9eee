//! Records what this package is built from: the versions of Cargo.lock, and the compiler.

fn main() {
    if let Err(error) = built::write_built_file() {
        println!(
            "cargo::error=the versions of the libraries cannot be read from Cargo.lock: {error}"
        );
    }
}
