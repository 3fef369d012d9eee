// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Writes `tb/verilated/src/bindings.rs`, the Rust declarations of the C interface of the simulation, or with
//! `--check` compares it with what it would write.
//!
//! `tb/verilated/Cargo.toml` needs no bindgen because of that, and a build no libclang.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, panic};

/// What stands above the declarations.
const HEADER: &str = "\
// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Made by bindgen from tb/verilated/cpp/shim.h. After a change there:
//
//     cargo run --manifest-path tb/bindings/Cargo.toml

";

/// The command that mends a file that is not current.
const COMMAND: &str = "cargo run --manifest-path tb/bindings/Cargo.toml";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let check = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        other => {
            return Err(format!("unknown arguments {other:?}; the only one is --check").into());
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilated");
    let path = folder.join("src/bindings.rs");
    let text = bindings(&folder.join("cpp/shim.h"))?;
    if !check {
        fs::write(&path, text)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("wrote {}", path.display());
        return Ok(());
    }
    let found = fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if found == text {
        return Ok(());
    }
    let line = found
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b)
        .count();
    Err(format!(
        "{} is not what bindgen makes of cpp/shim.h, from line {} on; write it again with `{COMMAND}`",
        path.display(),
        line + 1
    )
    .into())
}

/// The declarations of a C header.
fn bindings(header: &Path) -> Result<String, Box<dyn Error>> {
    // bindgen panics where it finds no libclang; its message is replaced by one that says what to do.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let bindings = panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header(header.to_string_lossy())
            .allowlist_file(".*/shim\\.h")
            .disable_header_comment()
            .formatter(bindgen::Formatter::Prettyplease)
            // Sizes and offsets of the machine that this runs on.
            .layout_tests(false)
            .generate()
    });
    panic::set_hook(hook);
    let bindings = bindings
        .map_err(|_| "bindgen found no libclang; install it with `.ci/setup --lint`, or name its folder in LIBCLANG_PATH")?
        .map_err(|error| format!("bindgen cannot read {}: {error}", header.display()))?;
    Ok(format!("{HEADER}{bindings}"))
}
