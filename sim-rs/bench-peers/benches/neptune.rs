//! One Poseidon hash on one thread: acclmt against neptune, with Filecoin's parameters.

use std::fs;
use std::path::Path;
use std::time::Duration;

use acclmt_bench_peers::Pair;
use blstrs::Scalar;
use criterion::{Criterion, SamplingMode};
use generic_array::typenum::{U2, U4, U8, U11};
use neptune::Arity;
use serde_json::Value;

/// Nanoseconds of a hash.
#[derive(Clone, Copy)]
struct Time {
    median: f64,
    /// Of the fastest sample: what other load on the machine disturbs least.
    fastest: f64,
}

/// Benches one arity and returns the times of acclmt and neptune.
fn compare<A: Arity<Scalar>>(criterion: &mut Criterion, output: &Path) -> (usize, [Time; 2]) {
    let pair = Pair::<A>::new();
    pair.assert_equal_digests();
    let name = format!("hash-arity-{}", pair.arity());
    let mut group = criterion.benchmark_group(&name);
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("acclmt", |bencher| bencher.iter(pair.acclmt()));
    group.bench_function("neptune", |bencher| bencher.iter(pair.neptune()));
    group.finish();
    let times = ["acclmt", "neptune"].map(|library| {
        let directory = output.join(&name).join(library).join("new");
        Time {
            median: median(&directory).unwrap_or(f64::NAN),
            fastest: fastest(&directory).unwrap_or(f64::NAN),
        }
    });
    (pair.arity(), times)
}

/// Reads what criterion wrote; there is nothing in its test mode.
fn read(directory: &Path, name: &str) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(directory.join(name)).ok()?).ok()
}

fn median(directory: &Path) -> Option<f64> {
    read(directory, "estimates.json")?["median"]["point_estimate"].as_f64()
}

fn fastest(directory: &Path) -> Option<f64> {
    let sample = read(directory, "sample.json")?;
    let times = sample["times"].as_array()?;
    let counts = sample["iters"].as_array()?;
    let time = |(time, count): (&Value, &Value)| Some(time.as_f64()? / count.as_f64()?);
    times.iter().zip(counts).filter_map(time).reduce(f64::min)
}

fn main() {
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/criterion");
    let mut criterion = Criterion::default()
        .output_directory(&output)
        .sample_size(1000)
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let results = [
        compare::<U2>(&mut criterion, &output),
        compare::<U4>(&mut criterion, &output),
        compare::<U8>(&mut criterion, &output),
        compare::<U11>(&mut criterion, &output),
    ];
    criterion.final_summary();
    for (what, time) in [
        ("median", (|time| time.median) as fn(Time) -> f64),
        ("fastest sample", |time| time.fastest),
    ] {
        println!("one hash, one thread, {what}");
        println!(
            "{:>5} {:>12} {:>12} {:>16}",
            "arity", "acclmt", "neptune", "neptune / acclmt"
        );
        for (arity, times) in &results {
            let [ours, neptune] = times.map(time);
            let ratio = neptune / ours;
            println!("{arity:>5} {ours:>9.0} ns {neptune:>9.0} ns {ratio:>16.2}");
        }
    }
}
