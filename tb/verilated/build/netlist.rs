// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! A simulation whose chip is a netlist with mutants (`synth/mutants/mutate.py`), in place of the sources.

use std::env;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::{BENCHES, CHIP, Result, Top, enabled, is_package, read, watched};

/// Names the netlist.
const VARIABLE: &str = "ACCLMT_NETLIST";

/// What tells the top that it cannot look into the chip.
const PREAMBLE: &str = "`define ACCLMT_TB_NETLIST\n";

/// The netlist in place of the design, or of a bench with it.
pub struct Netlist {
    path: PathBuf,
    text: String,
    /// Its top, the last module in it.
    top: String,
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
        let top = (modules_of(&text).last())
            .ok_or_else(|| format!("{} has no module", path.display()))?
            .to_owned();
        Ok(Some(Self { path, text, top }))
    }

    /// Whether it is that of a bench.
    pub fn is_of(&self, bench: &Top) -> bool {
        self.top == bench.module
    }

    /// Whether a top has the netlist in it: a bench that is one, or the chip with that of the design.
    pub fn is_in(&self, top: &Top) -> bool {
        self.is_of(top)
            || (top.module == CHIP.module && !BENCHES.iter().any(|bench| self.is_of(&bench.top)))
    }

    /// The sources of the top in `bench`, of a netlist of the design, or of a bench that is a netlist, with the files of the
    /// design that are packages. `blocks` says which blocks of the design Verilator compiles on their own.
    pub fn sources(
        &self,
        cache: &Cache,
        design: &[PathBuf],
        package: &Path,
        blocks: &Path,
        bench: Option<PathBuf>,
    ) -> Result<Vec<PathBuf>> {
        let mut sources = vec![
            cache.file("acclmt_tb_netlist.vlt", &self.settings(&read(blocks)?))?,
            cache.file("acclmt_tb_netlist.sv", PREAMBLE)?,
        ];
        sources.extend(design.iter().filter(|path| is_package(path)).cloned());
        sources.push(package.to_owned());
        sources.push(self.path.clone());
        sources.extend(bench);
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
        // A netlist is no clean code, and its signals have no names.
        let path = self.path.display();
        let mut settings = format!(
            "`verilator_config\n\
             lint_off -rule UNOPTFLAT\n\
             lint_off -file \"{path}\"\n\
             tracing_off -file \"{path}\"\n"
        );
        for module in modules_of(&self.text) {
            let of_size = module.rsplit_once("_v");
            if of_size.is_some_and(|(base, _)| names.contains(&base)) {
                settings += &format!("hier_block -module \"{module}\"\n");
            }
        }
        settings
    }
}

/// The names of the modules in a text.
fn modules_of(text: &str) -> impl Iterator<Item = &str> {
    (text.lines()).filter_map(|line| line.strip_prefix("module ")?.split(['(', ' ']).next())
}

/// C++ for the benches that are asked for and not there: those that are no netlist.
pub fn absent_benches(netlist: &Netlist) -> String {
    let mut text = "#include <cstdio>\n#include <cstdlib>\n#include \"shim.h\"\n".to_owned();
    for bench in BENCHES.iter().filter(|bench| !netlist.is_of(&bench.top)) {
        text += &format!(
            "acclmt_bench *acclmt_{}_new(uint32_t) {{\n  \
             std::fputs(\"error: a simulation of a netlist has no bench of blocks\\n\", stderr);\n  \
             std::exit(EXIT_FAILURE);\n}}\n",
            bench.feature
        );
    }
    text
}
