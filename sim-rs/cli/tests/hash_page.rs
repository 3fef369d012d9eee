//! The files of the worked example of the page "The hash, exactly", committed to by the command line.

use std::fs;
use std::path::Path;

use acclmt::LibraryBackends;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Example {
    files: Vec<PackedFile>,
}

#[derive(Deserialize)]
struct PackedFile {
    bytes: String,
    elements: Vec<String>,
    root: String,
}

#[test]
fn roots_of_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hash.md");
    let page = fs::read_to_string(page).unwrap();
    let mut blocks = page.split("```toml\n").skip(1);
    let mut block = || blocks.next().unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let set = path("set.toml");
    fs::write(&set, block()).unwrap();
    let example: Example = toml::from_str(block()).unwrap();

    let root = |file: &str, options: &[&str]| -> u64 {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments = ["acclmt", "commit", file, "--parameters", &set];
        let arguments = arguments
            .iter()
            .chain(["--backend", "software", "--json"].iter());
        let code = acclmt::run_with(
            arguments.chain(options),
            &LibraryBackends,
            &mut out,
            &mut err,
            false,
        );
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
        let commitment: Value = serde_json::from_slice(&out).unwrap();
        let digits = commitment["root"][0].as_str().unwrap();
        u64::from_str_radix(digits.trim_start_matches("0x"), 16).unwrap()
    };
    assert!(example.files.len() >= 3);
    for PackedFile {
        bytes,
        elements,
        root: expected,
    } in &example.files
    {
        let packed = path("packed");
        fs::write(&packed, bytes).unwrap();
        assert_eq!(root(&packed, &["--pack"]).to_string(), *expected, "{bytes}");
        // The elements that the page names, with the leaves of zeros up to a level above the leaves.
        let mut elements: Vec<u64> = elements.iter().map(|x| x.parse().unwrap()).collect();
        elements.resize(elements.len().max(4), 0);
        let bytes: Vec<u8> = elements.into_iter().flat_map(u64::to_le_bytes).collect();
        let plain = path("plain");
        fs::write(&plain, bytes).unwrap();
        assert_eq!(root(&plain, &[]).to_string(), *expected);
    }
}
