//! The clocks that are stated for the chip in libraries of cells.
//!
//! `synth/clocks.toml` states them, with the layouts and paths that they follow from; this is what reports need of it.

/// The clock of the chip in a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryClock {
    /// Name of the library, as `make area` has it.
    pub library: &'static str,
    /// The clock rate in MHz.
    pub megahertz: u64,
}

/// That of ASAP7, a predictive library of 7 nm.
pub const ASAP7: LibraryClock = LibraryClock {
    library: "asap7",
    megahertz: 400,
};

/// That of SG13G2, an open library of 130 nm that is manufactured.
pub const SG13G2: LibraryClock = LibraryClock {
    library: "sg13g2",
    megahertz: 54,
};

/// All of them.
pub const ALL: [LibraryClock; 2] = [ASAP7, SG13G2];

impl LibraryClock {
    /// How often in a second something happens that takes so many `cycles`.
    pub fn rate(&self, cycles: f64) -> f64 {
        1e6 * self.megahertz as f64 / cycles
    }

    /// Seconds of so many cycles.
    pub fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / (1e6 * self.megahertz as f64)
    }

    /// Head of a column of `unit` at this clock, on two lines.
    pub fn head(&self, unit: &str) -> String {
        format!("{unit} at {}\nMHz ({})", self.megahertz, self.library)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_seconds_are_each_other_s_inverse() {
        for clock in ALL {
            let cycles = 13_u64;
            assert!((clock.rate(cycles as f64) * clock.seconds(cycles) - 1.0).abs() < 1e-12);
        }
        assert_eq!(ASAP7.seconds(400_000_000), 1.0);
        assert_eq!(ASAP7.head("ms"), "ms at 400\nMHz (asap7)");
    }
}
