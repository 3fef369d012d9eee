// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulation whose chip is a netlist with mutants (`synth/mutants/mutate.py`), in place of the sources.

use std::env;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::{BENCHES, Result, enabled, is_package, read, watched};

/// Names the netlist.
const VARIABLE: &str = "ACCLMT_NETLIST";

/// What tells the top that it cannot look into the chip.
const PREAMBLE: &str = "`define ACCLMT_TB_NETLIST\n";

/// The netlist in place of the design.
pub struct Netlist {
    path: PathBuf,
    text: String,
}

impl Netlist {
    /// The netlist that the environment names, if the feature `netlist` asks for one.
    pub fn of_environment() -> Result<Option<Self>> {
        println!("cargo:rerun-if-env-changed={VARIABLE}");
        if !enabled("netlist") {
            return Ok(None);
        }
        let path = env::var_os(VARIABLE).ok_or_else(|| {
            format!(
                "the feature `netlist` needs the path of the netlist in {VARIABLE}; `make mutants` sets it"
            )
        })?;
        let path = watched(PathBuf::from(path));
        let text = read(&path)?;
        Ok(Some(Self { path, text }))
    }

    /// The sources of the top in `bench`, with the files of the design that are packages. `blocks` says which blocks of the
    /// design Verilator compiles on their own.
    pub fn sources(
        &self,
        cache: &Cache,
        design: &[PathBuf],
        package: &Path,
        blocks: &Path,
        bench: &Path,
    ) -> Result<Vec<PathBuf>> {
        let mut sources = vec![
            cache.file("acclmt_tb_netlist.vlt", &self.settings(&read(blocks)?))?,
            cache.file("acclmt_tb_netlist.sv", PREAMBLE)?,
        ];
        sources.extend(design.iter().filter(|path| is_package(path)).cloned());
        sources.push(package.to_owned());
        sources.push(self.path.clone());
        sources.push(bench.to_owned());
        Ok(sources)
    }

    /// The settings for Verilator: the blocks of the design, which have a number behind their names for each of their
    /// sizes.
    fn settings(&self, blocks: &str) -> String {
        let names: Vec<_> = (blocks.lines())
            .filter_map(|line| {
                line.strip_prefix("hier_block -module \"")?
                    .split('"')
                    .next()
            })
            .collect();
        let modules = (self.text.lines())
            .filter_map(|line| line.strip_prefix("module ")?.split(['(', ' ']).next());
        // A netlist is no clean code, and its signals have no names.
        let path = self.path.display();
        let mut settings = format!(
            "`verilator_config\n\
             lint_off -rule UNOPTFLAT\n\
             lint_off -file \"{path}\"\n\
             tracing_off -file \"{path}\"\n"
        );
        for module in modules {
            let of_size = module.rsplit_once("_v");
            if of_size.is_some_and(|(base, _)| names.contains(&base)) {
                settings += &format!("hier_block -module \"{module}\"\n");
            }
        }
        settings
    }
}

/// C++ for the benches that are asked for and not there.
pub fn absent_benches() -> String {
    let mut text = "#include <cstdio>\n#include <cstdlib>\n#include \"shim.h\"\n".to_owned();
    for bench in &BENCHES {
        text += &format!(
            "acclmt_bench *acclmt_{}_new(uint32_t) {{\n  \
             std::fputs(\"error: a simulation of a netlist has no bench of blocks\\n\", stderr);\n  \
             std::exit(EXIT_FAILURE);\n}}\n",
            bench.feature
        );
    }
    text
}
