//! Where it was measured.

use std::fs;

use serde::Serialize;

use crate::built_info;

/// The processor and the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Model name of the processor, or `unknown`.
    pub cpu: String,
    /// Most threads that were measured with.
    pub threads: usize,
    /// Version of the compiler.
    pub rustc: &'static str,
    /// Extensions of the processor that this program was compiled for, of those that matter here.
    pub target_features: Vec<&'static str>,
}

impl Machine {
    /// This machine, measured with up to `threads` threads.
    pub fn here(threads: usize) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let features = [
            (cfg!(target_feature = "adx"), "adx"),
            (cfg!(target_feature = "bmi2"), "bmi2"),
            (cfg!(target_feature = "avx2"), "avx2"),
            (cfg!(target_feature = "avx512f"), "avx512f"),
            (cfg!(target_feature = "neon"), "neon"),
        ];
        Self {
            cpu: model_name(&cpuinfo).unwrap_or("unknown").to_owned(),
            threads,
            rustc: built_info::RUSTC_VERSION,
            target_features: (features.into_iter())
                .filter_map(|(has, name)| has.then_some(name))
                .collect(),
        }
    }
}

/// The first model name in the text of `/proc/cpuinfo`.
fn model_name(cpuinfo: &str) -> Option<&str> {
    let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let (_, name) = lines.find(|(key, _)| key.trim() == "model name")?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models() {
        let text = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: A B: C\n\nmodel name\t: D\n";
        assert_eq!(model_name(text), Some("A B: C"));
        assert_eq!(model_name("processor: 0\n"), None);
        assert_eq!(model_name("model name:\n"), None);
        assert!(Machine::here(2).rustc.starts_with("rustc 1."));
    }
}
