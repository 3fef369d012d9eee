//! One Poseidon hash on one thread: every library beside acclmt.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use acclmt_bench_peers::peer::{Identity, PeerError, Timed};
use acclmt_bench_peers::report::SEED;
use acclmt_bench_peers::{peers, workers::Workers};
use criterion::{Criterion, SamplingMode};
use serde_json::Value;

/// The library that the others are compared with.
const OURS: &str = "acclmt";

/// Nanoseconds of a hash.
#[derive(Clone, Copy)]
struct Time {
    median: f64,
    /// Of the fastest sample: what other load on the machine disturbs least.
    fastest: f64,
}

/// Benches one hash and returns its time.
fn bench(criterion: &mut Criterion, output: &Path, peer: &dyn Timed) -> Time {
    let Identity {
        library, preset, ..
    } = peer.identity();
    let group_name = format!("hash-{preset}");
    let workers = Workers::one();
    let mut group = criterion.benchmark_group(&group_name);
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function(*library, |bencher| {
        bencher.iter_custom(|asked| {
            let start = Instant::now();
            let hashes = peer.run(asked, &workers);
            // A call may compute several hashes, and so more than were asked for.
            start.elapsed().mul_f64(asked as f64 / hashes as f64)
        });
    });
    group.finish();
    let directory = output.join(group_name).join(library).join("new");
    Time {
        median: median(&directory).unwrap_or(f64::NAN),
        fastest: fastest(&directory).unwrap_or(f64::NAN),
    }
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

fn main() -> Result<(), PeerError> {
    let output = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/criterion");
    let mut criterion = Criterion::default()
        .output_directory(&output)
        .sample_size(1000)
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let peers = peers::all(SEED)?;
    let times: Vec<_> = (peers.iter())
        .map(|peer| bench(&mut criterion, &output, peer.as_ref()))
        .collect();
    criterion.final_summary();

    let results: Vec<_> = (peers.iter().map(|peer| peer.identity()).zip(times)).collect();
    for (what, time) in [
        ("median", (|time| time.median) as fn(Time) -> f64),
        ("fastest sample", |time| time.fastest),
    ] {
        println!("one hash, one thread, {what}");
        println!(
            "{:<18} {:>12} {:<14} {:>12} {:>15}",
            "preset", OURS, "library", "its time", "its / acclmt"
        );
        for (identity, peer_time) in results.iter().filter(|(peer, _)| peer.library != OURS) {
            let ours = (results.iter())
                .find(|(ours, _)| ours.library == OURS && ours.preset == identity.preset);
            let ours = ours.map_or(f64::NAN, |(_, ours)| time(*ours));
            let theirs = time(*peer_time);
            println!(
                "{:<18} {ours:>9.0} ns {:<14} {theirs:>9.0} ns {:>15.2}",
                identity.preset,
                identity.library,
                theirs / ours
            );
        }
    }
    Ok(())
}
