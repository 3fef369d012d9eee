// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! The command line `acclmt`, with the model and the software as backends, and with the feature `rtl` the
//! simulated chip.

#[cfg(feature = "rtl")]
mod rtl;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "rtl")]
    let backends = &rtl::Backends;
    #[cfg(not(feature = "rtl"))]
    let backends = &acclmt::LibraryBackends;
    acclmt::run(std::env::args_os(), backends)
}
