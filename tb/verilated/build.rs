// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Has Verilator translate the SystemVerilog into C++, and compiles that.
//!
//! The features of the crate choose the large prime and the reduction of the build; both go into a package
//! that the tops of the testbench take their parameters from. They choose, too, which benches there are
//! besides the chip, and whether what the tests reach is counted. What was translated and compiled once for the same sources is taken from a cache in the
//! target folder, whatever the profile.
//!
//! Environment: `VERILATOR_ROOT` names a Verilator other than the one on the `PATH`;
//! `ACCLMT_LINT_ONLY=1` builds no simulation, which a check of the Rust code does not need.

#[path = "build/cache.rs"]
mod cache;
#[path = "build/compiler.rs"]
mod compiler;
#[path = "build/coverage.rs"]
mod coverage;
#[path = "build/netlist.rs"]
mod netlist;
#[path = "build/verilator.rs"]
mod verilator;

use std::env;
use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cache::Cache;
use compiler::{Compiler, Library};
use netlist::Netlist;
use verilator::{Verilator, collect_folders, is_source};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The large primes that a build can have, the default one first: the feature, and the prime in hexadecimal.
const PRIMES: [(&str, &str); 6] = [
    (
        "bls12-381",
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
    ),
    (
        "bls12-377",
        "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001",
    ),
    (
        "bn254",
        "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
    ),
    (
        "pallas",
        "40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
    ),
    (
        "vesta",
        "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
    ),
    (
        "starknet",
        "0800000000000011000000000000000000000000000000000000000000000001",
    ),
];

/// Say which blocks Verilator compiles on their own: all, or those that have no memory.
const BLOCKS: Option<&str> = Some("acclmt_tb_blocks.vlt");
const BLOCKS_WITHOUT_MEMORIES: Option<&str> = Some("acclmt_tb_blocks_without_memories.vlt");

/// A SystemVerilog top that becomes a C++ class.
struct Top {
    module: &'static str,
    class: &'static str,
    /// The file that says which blocks Verilator compiles on their own.
    blocks: Option<&'static str>,
    /// Further files of the testbench.
    with: &'static [&'static str],
    /// Whether it can write waveforms.
    waveforms: bool,
    /// Files of the design, and those of the testbench that take their places.
    replaced: &'static [(&'static str, &'static [&'static str])],
}

/// Two clocks: the first flops of synchronisers settle at random.
const TWO_CLOCKS: &[(&str, &[&str])] = &[(
    "acclmt_synchroniser.sv",
    &["acclmt_tb_steps_pkg.sv", "acclmt_tb_synchroniser.sv"],
)];

/// Bits of the memories flip.
const FLIPS: &[(&str, &[&str])] = &[(
    "acclmt_mem_1r1w.sv",
    &["acclmt_tb_flips_pkg.sv", "acclmt_tb_flips_memory.sv"],
)];

/// The whole chip.
const CHIP: Top = Top {
    module: "acclmt_tb_chip",
    class: "VacclmtChip",
    blocks: BLOCKS,
    with: &["acclmt_tb_pass_numbers.sv"],
    waveforms: true,
    replaced: &[],
};

/// A bench of blocks, which a feature of the crate asks for.
struct Bench {
    feature: &'static str,
    top: Top,
    /// Whether the faulty copies of blocks are in it.
    mutants: bool,
    /// Whether it is there with the default prime only: buses and trees move words of any prime alike, and faults are
    /// found with any.
    default_prime: bool,
}

const BENCHES: [Bench; 12] = [
    Bench {
        feature: "units",
        top: Top {
            module: "acclmt_tb_units",
            class: "VacclmtUnits",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: false,
    },
    Bench {
        feature: "mutants",
        top: Top {
            module: "acclmt_tb_mutants",
            class: "VacclmtMutants",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: true,
        default_prime: true,
    },
    Bench {
        feature: "tree",
        top: Top {
            module: "acclmt_tb_tree",
            class: "VacclmtTree",
            blocks: None,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: true,
    },
    Bench {
        feature: "sets",
        top: Top {
            module: "acclmt_tb_sets",
            class: "VacclmtSets",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: false,
    },
    Bench {
        feature: "pool",
        top: Top {
            module: "acclmt_tb_pool",
            class: "VacclmtPool",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: false,
    },
    Bench {
        feature: "flips",
        top: Top {
            module: "acclmt_tb_flips",
            class: "VacclmtFlips",
            blocks: BLOCKS_WITHOUT_MEMORIES,
            with: &[],
            waveforms: false,
            replaced: FLIPS,
        },
        mutants: false,
        default_prime: true,
    },
    Bench {
        feature: "engines",
        top: Top {
            module: "acclmt_tb_engines",
            class: "VacclmtEngines",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: false,
    },
    Bench {
        feature: "axi",
        top: Top {
            module: "acclmt_tb_axi",
            class: "VacclmtAxi",
            blocks: BLOCKS,
            with: &[],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: true,
    },
    Bench {
        feature: "dma",
        top: Top {
            module: "acclmt_tb_dma",
            class: "VacclmtDma",
            blocks: BLOCKS,
            with: &["acclmt_tb_dma_pins.sv"],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: true,
    },
    Bench {
        feature: "dma_chip",
        top: Top {
            module: "acclmt_tb_dma_chip",
            class: "VacclmtDmaWhole",
            blocks: BLOCKS,
            with: &["acclmt_tb_dma_pins.sv"],
            waveforms: false,
            replaced: &[],
        },
        mutants: false,
        default_prime: false,
    },
    Bench {
        feature: "clocks",
        top: Top {
            module: "acclmt_tb_clocks",
            class: "VacclmtClocks",
            blocks: BLOCKS,
            replaced: TWO_CLOCKS,
            with: &[],
            waveforms: false,
        },
        mutants: false,
        default_prime: true,
    },
    Bench {
        feature: "crossing",
        top: Top {
            module: "acclmt_tb_crossing",
            class: "VacclmtCrossing",
            blocks: None,
            replaced: TWO_CLOCKS,
            with: &[],
            waveforms: false,
        },
        mutants: true,
        default_prime: true,
    },
];

const INSTALL_HINT: &str = "install what is missing with `make setup`, or on Debian and Ubuntu with \
     `apt-get install g++ make verilator zlib1g-dev`";

/// A deliberate fault: a copy of a block under another name, with some texts replaced.
struct Mutant {
    module: &'static str,
    name: &'static str,
    /// Each text, which is there once, and what takes its place.
    faults: &'static [(&'static str, &'static str)],
}

/// One fault for each kind of mistake that the tests of the blocks must find.
const MUTANTS: [Mutant; 27] = [
    Mutant {
        module: "acclmt_mul",
        name: "acclmt_mul_mutant_carry",
        // The recombination loses the carry of the middle term.
        faults: &[(
            "Upper'(added) - Upper'(low)",
            "Upper'(added[2*Low-1:0]) - Upper'(low)",
        )],
    },
    Mutant {
        module: "acclmt_mul",
        name: "acclmt_mul_mutant_goldilocks",
        // The products of the slices disturb each other.
        faults: &[("low = separate ? '0 : low_product", "low = low_product")],
    },
    Mutant {
        module: "acclmt_sqr",
        name: "acclmt_sqr_mutant",
        // The recombination loses the carry of the middle term.
        faults: &[(
            "Upper'(middle) - Upper'(low)",
            "Upper'(middle[2*Low-1:0]) - Upper'(low)",
        )],
    },
    Mutant {
        module: "acclmt_operand_add",
        name: "acclmt_operand_add_mutant_carry",
        // The carries between the slices are lost.
        faults: &[("a[s] = {!goldilocks,", "a[s] = {1'b0,")],
    },
    Mutant {
        module: "acclmt_operand_add",
        name: "acclmt_operand_add_mutant_reduction",
        // A slice is reduced only if it has a carry, not if it is from p to 2^64 - 1.
        faults: &[("reduced[s][SliceWidth]) ?", "sum[s][SliceWidth]) ?")],
    },
    Mutant {
        module: "acclmt_operand_add",
        name: "acclmt_operand_add_mutant_one",
        // p - x is a complement without its one.
        faults: &[("carry_in = negative_i", "carry_in = 1'b0")],
    },
    Mutant {
        module: "acclmt_operand_add",
        name: "acclmt_operand_add_mutant_slices",
        // The negative reaches beyond slice 0.
        faults: &[("{negative_i && !goldilocks}}", "{negative_i}}")],
    },
    Mutant {
        module: "acclmt_pair_product",
        name: "acclmt_pair_product_mutant",
        // The coefficients are taken for one another.
        faults: &[(".coefficient_i(b_i)", ".coefficient_i(a_i)")],
    },
    Mutant {
        module: "acclmt_accumulate",
        name: "acclmt_accumulate_mutant_carry",
        // The carries between the chunks are not resolved.
        faults: &[("(Goldilocks && goldilocks_i, sum_q)", "(1'b1, sum_q)")],
    },
    Mutant {
        module: "acclmt_accumulate",
        name: "acclmt_accumulate_mutant_room",
        // The uppermost bit that chunk 0 carries into the next one is lost.
        faults: &[(
            "goldilocks_i, sum_q)",
            "goldilocks_i, sum_q & ~((Slices*ChunkWidth)'(1) << (ChunkWidth - 1)))",
        )],
    },
    Mutant {
        module: "acclmt_accumulate",
        name: "acclmt_accumulate_mutant_initial",
        // A sum begins without what has grown beyond the chunks.
        faults: &[(
            "first_i ? initial_i[k]",
            "first_i ? ChunkWidth'(initial_i[k][DigitWidth-1:0])",
        )],
    },
    Mutant {
        module: "acclmt_slot_sum",
        name: "acclmt_slot_sum_mutant",
        // The uppermost bit of a chunk is lost.
        faults: &[(
            "keep_i ? sum_i[k]",
            "keep_i ? ChunkWidth'(sum_i[k][ChunkWidth-2:0])",
        )],
    },
    Mutant {
        module: "acclmt_reduce_constant",
        name: "acclmt_reduce_constant_mutant_carry",
        // The known top bit is wrong where all bits below it are zero.
        faults: &[("negative_top = top ^ rest_nonzero", "negative_top = ~top")],
    },
    Mutant {
        module: "acclmt_reduce_constant",
        name: "acclmt_reduce_constant_mutant_subtraction",
        // No subtraction when the quotient is the prime itself.
        faults: &[(
            "residue_q <= difference[HighWidth] ||",
            "residue_q <= difference[HighWidth] || difference == '0 ||",
        )],
    },
    Mutant {
        module: "acclmt_reduce_goldilocks",
        name: "acclmt_reduce_goldilocks_mutant",
        // No subtraction when the sum of the parts is the prime itself.
        faults: &[(
            "corrected[Width-1] ?",
            "(corrected[Width-1] || corrected == '0) ?",
        )],
    },
    Mutant {
        module: "acclmt_reduce_goldilocks",
        name: "acclmt_reduce_goldilocks_mutant_room",
        // The uppermost bits of a value are lost.
        faults: &[("acclmt_pkg::ChunkWidth-1:96", "acclmt_pkg::ChunkWidth-5:96")],
    },
    Mutant {
        module: "acclmt_reduce_runtime",
        name: "acclmt_reduce_runtime_mutant",
        // The residue of the uppermost slice is taken for a sign.
        faults: &[(
            "negative = remainder[Digits][WordWidth]",
            "negative = remainder[Digits][WordWidth-1]",
        )],
    },
    Mutant {
        module: "acclmt_mod_add",
        name: "acclmt_mod_add_mutant_slice",
        // The negative primes of the slices are complements without their ones.
        faults: &[("if (goldilocks) carry[int'(SliceWidth)*s] = 1'b1;", "")],
    },
    Mutant {
        module: "acclmt_mod_add",
        name: "acclmt_mod_add_mutant_borrow",
        // A carry out of the redundant form is lost.
        faults: &[("majority[int'(SliceWidth)*(s+1)-1] ||", "")],
    },
    Mutant {
        module: "acclmt_sbox",
        name: "acclmt_sbox_mutant",
        // x^7: the first product takes the element of another cycle.
        faults: &[(
            "(third_valid || seventh_each_cycle) ? cube : x_second",
            "(third_valid || seventh_each_cycle) ? cube : x_third",
        )],
    },
    Mutant {
        module: "acclmt_full_round_pairs",
        name: "acclmt_full_round_pairs_mutant",
        // Lane 2 is missing in Goldilocks mode; otherwise the second pair of beats is a state of its own.
        faults: &[
            ("digit[0] + digit[1] + digit[2]", "digit[0] + digit[1]"),
            (
                "BeatWidth'(MaxBeats) || beat_i[1]",
                "BeatWidth'(MaxBeats) || !beat_i[2]",
            ),
        ],
    },
    Mutant {
        module: "acclmt_adder_rows",
        name: "acclmt_adder_rows_mutant",
        // The uppermost bit of a row is lost, which those of sixteen elements have.
        faults: &[(
            "high = row[SumWidth-1:SliceWidth]",
            "high = {1'b0, row[SumWidth-2:SliceWidth]}",
        )],
    },
    Mutant {
        module: "acclmt_full_round_adders",
        name: "acclmt_full_round_adders_mutant",
        faults: &[(
            "acclmt_adder_rows u_rows",
            "acclmt_adder_rows_mutant u_rows",
        )],
    },
    Mutant {
        module: "acclmt_sum_reduction",
        name: "acclmt_sum_reduction_mutant",
        // The first place beyond the state is not zero.
        faults: &[("place >= of_state.width", "place > of_state.width")],
    },
    Mutant {
        module: "acclmt_gray_counter",
        name: "acclmt_gray_counter_mutant_code",
        // The code is binary, which the assertions must find.
        faults: &[("gray_q <= next ^ (next >> 1)", "gray_q <= next")],
    },
    Mutant {
        module: "acclmt_gray_counter",
        name: "acclmt_gray_counter_mutant_output",
        // The same behind the back of the assertions.
        faults: &[("gray_o = gray_q", "gray_o = count_q")],
    },
    Mutant {
        module: "acclmt_gray_fifo",
        name: "acclmt_gray_fifo_mutant",
        // Binary pointers on both sides: right as long as every bit arrives at the same time.
        faults: &[
            (
                "acclmt_gray_counter #(\n    .Width(CountWidth)\n  ) u_written (",
                "acclmt_gray_counter_mutant_output #(\n    .Width(CountWidth)\n  ) u_written (",
            ),
            (
                "acclmt_gray_counter #(\n    .Width(CountWidth)\n  ) u_taken (",
                "acclmt_gray_counter_mutant_output #(\n    .Width(CountWidth)\n  ) u_taken (",
            ),
            ("^(taken_gray_synced >> i)", "taken_gray_synced[i]"),
            ("^(written_gray_synced >> i)", "written_gray_synced[i]"),
        ],
    },
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<()> {
    let crate_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out_dir = PathBuf::from(variable("OUT_DIR")?);
    // Sources are named relative to the crate, so that what Verilator writes does not depend on where that is.
    env::set_current_dir(&crate_dir).map_err(|error| with_path("enter", &crate_dir, error))?;
    for name in ["VERILATOR_ROOT", "ACCLMT_LINT_ONLY"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let parameters = Parameters::of_features()?;
    let netlist = Netlist::of_environment()?;
    println!("cargo:rustc-env=ACCLMT_FIELD={}", parameters.field);
    if env::var_os("ACCLMT_LINT_ONLY").is_some_and(|value| value == "1") {
        return Ok(());
    }

    let verilator = Verilator::find()?;
    // What is missing is said before anything is translated.
    let compiler = Compiler::new(
        &verilator.version,
        vec![verilator.include.clone(), verilator.include.join("vltstd")],
        watched(crate_dir.join("cpp/prelude.h")),
    )?;
    let cache = Cache::open(&out_dir)?;
    let design = read_file_list(Path::new("rtl/acclmt.f"))?;
    let package = cache.file("acclmt_tb_build_pkg.sv", &parameters.package())?;
    let settings = match parameters.coverage {
        true => Some(cache.file("acclmt_tb_coverage.vlt", &coverage::settings(&design)?)?),
        false => None,
    };

    // The C interface, then the models and what connects them with it.
    let cpp = |name: &str| watched(crate_dir.join("cpp").join(name));
    for header in ["bench.h", "model.h", "rest.h", "shim.h"] {
        cpp(header);
    }
    let mut libraries = vec![
        Library {
            name: "runtime".to_owned(),
            files: verilator.runtime(),
            includes: Vec::new(),
            defines: Vec::new(),
            generated: false,
        },
        Library {
            name: "interface".to_owned(),
            files: ["messages.cpp", "bench.cpp", "coverage.cpp"]
                .map(cpp)
                .into(),
            includes: vec![crate_dir.join("cpp")],
            defines: Vec::new(),
            generated: false,
        },
    ];
    // What `cpp/prelude.h` has for a build that counts.
    let coverage_define: Vec<_> = (parameters.coverage)
        .then(|| ("ACCLMT_COVERAGE", "1".to_owned()))
        .into_iter()
        .collect();
    let mut add = |top: &Top, mutants: &[PathBuf], interface, defines| -> Result<()> {
        let bench = |name: &str| watched(Path::new("bench").join(name));
        let module = bench(&format!("{}.sv", top.module));
        let within = netlist.as_ref().filter(|netlist| netlist.is_in(top));
        let sources = if let (Some(netlist), Some(blocks)) = (within, top.blocks) {
            let around = (!netlist.is_of(top)).then_some(module);
            netlist.sources(&cache, &design, &package, &bench(blocks), around)?
        } else {
            // Settings act on what is read behind them.
            let mut sources: Vec<_> = settings.iter().cloned().collect();
            sources.push(bench("acclmt_tb.vlt"));
            sources.extend(top.blocks.map(bench));
            sources.extend(replaced(&design, top.replaced)?.into_iter().map(watched));
            sources.push(package.clone());
            sources.extend(mutants.iter().cloned());
            sources.extend(top.with.iter().map(|name| bench(name)));
            sources.push(module);
            sources
        };
        let directory = verilator.translate(&cache, top, &sources, parameters.coverage)?;
        let mut folders = Vec::new();
        collect_folders(&directory, &mut folders)?;
        for folder in folders {
            let mut files = paths_in(&folder)?;
            files.retain(|path| is_source(path));
            let (name, includes) = match folder.strip_prefix(&directory)?.to_str() {
                Some("") | None => (top.class.to_owned(), vec![folder]),
                // With what is in front of a block.
                Some(block) => (
                    block.replace('/', "."),
                    vec![folder.clone(), crate_dir.join("cpp")],
                ),
            };
            // A block that another top has as well.
            if libraries.iter().any(|library| library.name == name) {
                continue;
            }
            libraries.push(Library {
                name,
                files,
                includes,
                defines: coverage_define.clone(),
                generated: true,
            });
        }
        libraries.push(Library {
            name: format!("{}.interface", top.class),
            files: vec![interface],
            includes: vec![crate_dir.join("cpp"), directory],
            defines,
            generated: false,
        });
        Ok(())
    };
    add(&CHIP, &[], cpp("chip.cpp"), Vec::new())?;
    let is_built = |bench: &&Bench| {
        (netlist.as_ref()).is_none_or(|netlist| netlist.is_of(&bench.top))
            && enabled(bench.feature)
            && (!bench.default_prime || parameters.is_default)
    };
    for bench in BENCHES.iter().filter(is_built) {
        let mutants = match bench.mutants {
            true => write_mutants(&design, &cache)?,
            false => Vec::new(),
        };
        let defines = vec![
            ("ACCLMT_BENCH_CLASS", bench.top.class.to_owned()),
            ("ACCLMT_BENCH_HEADER", format!("<{}.h>", bench.top.class)),
            ("ACCLMT_BENCH_NEW", format!("acclmt_{}_new", bench.feature)),
            // What flips in a memory may break any promise of the design.
            (
                "ACCLMT_BENCH_ASSERTIONS",
                (bench.top.replaced != FLIPS).to_string(),
            ),
        ];
        add(&bench.top, &mutants, cpp("bench_top.cpp"), defines)?;
    }

    if let Some(netlist) = &netlist {
        libraries.push(Library {
            name: "netlist".to_owned(),
            files: vec![
                cpp("mutant.cpp"),
                cache.file("absent.cpp", &netlist::absent_benches(netlist))?,
            ],
            includes: vec![crate_dir.join("cpp")],
            defines: Vec::new(),
            generated: false,
        });
    }

    let objects = compiler.compile(&cache, &libraries)?;
    cc::Build::new()
        .cpp(true)
        .objects(objects)
        .try_compile("acclmt_verilated")?;
    println!("cargo:rustc-link-lib=z");
    println!("cargo:rustc-link-lib=pthread");
    Ok(())
}

/// Whether a feature of the crate is on.
fn enabled(feature: &str) -> bool {
    let name = feature.to_uppercase().replace('-', "_");
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

/// What the features choose.
struct Parameters {
    /// Name of the field whose prime is the large one.
    field: &'static str,
    /// The prime in hexadecimal.
    prime: &'static str,
    /// Whether it is that of the first feature.
    is_default: bool,
    /// Whether the prime can be changed at run time.
    runtime_modulus: bool,
    /// Whether what the tests reach is counted.
    coverage: bool,
}

impl Parameters {
    fn of_features() -> Result<Self> {
        let chosen: Vec<_> = PRIMES
            .into_iter()
            .filter(|(feature, _)| enabled(feature))
            .collect();
        let &[(field, prime)] = &chosen[..] else {
            let names = |primes: &[(&str, &str)]| {
                let names: Vec<_> = primes.iter().map(|(feature, _)| *feature).collect();
                names.join(", ")
            };
            let found = match chosen.len() {
                0 => "no feature names the large prime of the chip".to_owned(),
                _ => format!("several features name its large prime ({})", names(&chosen)),
            };
            return Err(format!(
                "the chip has one large prime, but {found}; give `--no-default-features --features \
                 NAME` with one of {}",
                names(&PRIMES)
            )
            .into());
        };
        Ok(Self {
            field,
            prime,
            is_default: field == PRIMES[0].0,
            runtime_modulus: enabled("runtime-modulus"),
            coverage: enabled("coverage"),
        })
    }

    /// The package that the tops of the testbench take their parameters from.
    fn package(&self) -> String {
        format!(
            "// Made by tb/verilated/build.rs from the features of the crate.\n\
             package acclmt_tb_build_pkg;\n  \
             localparam logic [255:0] Prime = 256'h{};\n  \
             localparam int unsigned Reduction = {};\n\
             endpackage\n",
            self.prime,
            u32::from(self.runtime_modulus)
        )
    }
}

/// The sources that a file list names, relative to its folder.
fn read_file_list(list: &Path) -> Result<Vec<PathBuf>> {
    let list = watched(list.to_owned());
    let folder = list.parent().unwrap_or(Path::new("."));
    Ok(read(&list)?
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| watched(folder.join(line)))
        .collect())
}

/// The sources of the design, with files of the testbench in the places of some.
fn replaced(design: &[PathBuf], replaced: &[(&str, &[&str])]) -> Result<Vec<PathBuf>> {
    let mut sources = design.to_vec();
    for (file, others) in replaced {
        let place = sources
            .iter()
            .position(|source| source.ends_with(file))
            .ok_or_else(|| format!("the file list of the design has no {file}"))?;
        let others = others.iter().map(|name| Path::new("bench").join(name));
        sources.splice(place..=place, others);
    }
    Ok(sources)
}

/// Whether a file of the design is a package.
fn is_package(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| stem.ends_with("_pkg"))
}

/// Writes the faulty copies; fails if a fault no longer fits the source.
fn write_mutants(design: &[PathBuf], cache: &Cache) -> Result<Vec<PathBuf>> {
    MUTANTS
        .iter()
        .map(|mutant| {
            let file = format!("{}.sv", mutant.module);
            let source = design
                .iter()
                .find(|source| source.ends_with(&file))
                .ok_or_else(|| format!("the file list of the design has no {file}"))?;
            let mut text = read(source)?;
            for (original, fault) in mutant.faults {
                let count = text.matches(original).count();
                if count != 1 {
                    return Err(format!(
                        "the fault of {} fits {count} places of {}, not one; adapt MUTANTS in \
                         tb/verilated/build.rs to the source",
                        mutant.name,
                        source.display()
                    )
                    .into());
                }
                text = text.replace(original, fault);
            }
            // Its own name, and that of the instances of a recursive block.
            let text = text
                .replace(
                    &format!("module {} ", mutant.module),
                    &format!("module {} ", mutant.name),
                )
                .replace(
                    &format!(" {} #(", mutant.module),
                    &format!(" {} #(", mutant.name),
                );
            cache.file(&format!("{}.sv", mutant.name), &text)
        })
        .collect()
}

/// What is in a folder, in order.
fn paths_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).map_err(|error| with_path("read", directory, error))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Has cargo run this build again when the file changes.
fn watched(path: PathBuf) -> PathBuf {
    println!("cargo:rerun-if-changed={}", path.display());
    path
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| with_path("read", path, error))
}

fn with_path(what: &str, path: &Path, error: impl Display) -> Box<dyn Error> {
    format!("cannot {what} {}: {error}", path.display()).into()
}

fn variable(name: &str) -> Result<String> {
    env::var(name).map_err(|_| format!("cargo did not set {name}").into())
}
