// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Made by bindgen from tb/verilated/cpp/shim.h. After a change there:
//
//     cargo run --manifest-path tb/bindings/Cargo.toml

pub const ACCLMT_WORDS: u32 = 8;
pub const ACCLMT_OUTPUT_WORDS: u32 = 11;
pub const ACCLMT_OBSERVED_WORDS: u32 = 50;
pub const ACCLMT_OBSERVED_SUB_ENGINES: u32 = 8;
pub const ACCLMT_OBSERVED_COUNTED: u32 = 5;
pub const ACCLMT_OBSERVED_CLEARED: u32 = 6;
pub const ACCLMT_OBSERVED_JOB: u32 = 7;
pub const ACCLMT_OBSERVED_JOB_LEVEL: u32 = 8;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct acclmt_chip {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct acclmt_answer {
    pub data: u32,
    pub refused: u32,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct acclmt_transfer {
    pub input: *const u32,
    pub input_count: u64,
    pub output: *mut u32,
    pub output_capacity: u64,
    pub cycles: u64,
    pub taken: u64,
    pub given: u64,
}
unsafe extern "C" {
    pub fn acclmt_chip_new(seed: u32) -> *mut acclmt_chip;
}
unsafe extern "C" {
    pub fn acclmt_chip_free(chip: *mut acclmt_chip);
}
unsafe extern "C" {
    pub fn acclmt_chip_reset(chip: *mut acclmt_chip);
}
unsafe extern "C" {
    pub fn acclmt_chip_write(
        chip: *mut acclmt_chip,
        address: u32,
        value: u32,
    ) -> acclmt_answer;
}
unsafe extern "C" {
    pub fn acclmt_chip_read(chip: *mut acclmt_chip, address: u32) -> acclmt_answer;
}
unsafe extern "C" {
    pub fn acclmt_chip_transfer(chip: *mut acclmt_chip, transfer: *mut acclmt_transfer);
}
unsafe extern "C" {
    pub fn acclmt_chip_stalls(
        chip: *mut acclmt_chip,
        seed: u64,
        input: u32,
        output: u32,
    );
}
unsafe extern "C" {
    pub fn acclmt_chip_input_rate(chip: *mut acclmt_chip, words: u32, cycles: u32);
}
unsafe extern "C" {
    pub fn acclmt_chip_trace(
        chip: *mut acclmt_chip,
        path: *const ::std::os::raw::c_char,
        first: u64,
        count: u64,
        depth: u32,
    );
}
unsafe extern "C" {
    pub fn acclmt_chip_trace_end(chip: *mut acclmt_chip) -> u64;
}
unsafe extern "C" {
    pub fn acclmt_chip_observe(chip: *mut acclmt_chip, on: u32);
}
unsafe extern "C" {
    pub fn acclmt_chip_observed(chip: *const acclmt_chip) -> *const u32;
}
unsafe extern "C" {
    pub fn acclmt_chip_observed_cycles(chip: *const acclmt_chip) -> u64;
}
unsafe extern "C" {
    pub fn acclmt_chip_forget(chip: *mut acclmt_chip);
}
unsafe extern "C" {
    pub fn acclmt_chip_cycles(chip: *const acclmt_chip) -> u64;
}
unsafe extern "C" {
    pub fn acclmt_chip_interrupt(chip: *const acclmt_chip) -> u32;
}
unsafe extern "C" {
    pub fn acclmt_chip_failure(
        chip: *const acclmt_chip,
    ) -> *const ::std::os::raw::c_char;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct acclmt_bench {
    _unused: [u8; 0],
}
unsafe extern "C" {
    pub fn acclmt_units_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_mutants_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_tree_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_sets_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_pool_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_flips_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_engines_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_axi_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_dma_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_dma_chip_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_clocks_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_crossing_new(seed: u32) -> *mut acclmt_bench;
}
unsafe extern "C" {
    pub fn acclmt_bench_free(bench: *mut acclmt_bench);
}
unsafe extern "C" {
    pub fn acclmt_bench_input_words(bench: *const acclmt_bench) -> u32;
}
unsafe extern "C" {
    pub fn acclmt_bench_output_words(bench: *const acclmt_bench) -> u32;
}
unsafe extern "C" {
    pub fn acclmt_bench_run(
        bench: *mut acclmt_bench,
        input: *const u32,
        output: *mut u32,
        cycles: u64,
    );
}
unsafe extern "C" {
    pub fn acclmt_bench_failure(
        bench: *const acclmt_bench,
    ) -> *const ::std::os::raw::c_char;
}
