//! The pace of a host: in which cycles it offers no input word and takes no output word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// When the streams of a simulated chip stall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stalls {
    /// Seed of the random stalls.
    pub seed: u64,
    /// Share of the cycles, at random, in which no input word is offered; below 1.
    pub input: f64,
    /// Share of the cycles, at random, in which no output word is taken; below 1.
    pub output: f64,
    /// Input words that the host has in a cycle, evenly.
    pub input_rate: Rate,
}

/// Words of a stream in a clock cycle: a fraction above 0 and at most 1, in its lowest terms.
///
/// As text it is `N/D` or a decimal number. In JSON and TOML it is one of these or a number, which stands
/// for the fraction of a denominator up to [`Rate::MAX_CYCLES`] that it equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    words: u32,
    cycles: u32,
}

impl Default for Rate {
    /// A word in every cycle.
    fn default() -> Self {
        Self {
            words: 1,
            cycles: 1,
        }
    }
}

/// A value is no rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is no rate: expected a number of words a cycle above 0 and at most 1, as N/D or a decimal \
     number, with a denominator up to {}",
    Rate::MAX_CYCLES
)]
pub struct RateError {
    text: String,
}

impl Rate {
    /// Largest denominator: two rates differ by at least 10^-8, so that each has a decimal number of its own.
    pub const MAX_CYCLES: u32 = 10_000;

    /// `words` words every `cycles` cycles.
    ///
    /// # Errors
    ///
    /// When there is no word, there are more words than cycles, or the cycles are too many.
    pub fn new(words: u32, cycles: u32) -> Result<Self, RateError> {
        let divisor = greatest_common_divisor(words, cycles).max(1);
        let rate = Self {
            words: words / divisor,
            cycles: cycles / divisor,
        };
        if words == 0 || words > cycles || rate.cycles > Self::MAX_CYCLES {
            return Err(RateError {
                text: format!("{words}/{cycles}"),
            });
        }
        Ok(rate)
    }

    /// The rate that a number of words a cycle stands for.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn from_words_per_cycle(value: f64) -> Result<Self, RateError> {
        // The convergents of the continued fraction: the first one that is the number.
        let (mut before, mut last) = ((0_u64, 1_u64), (1_u64, 0_u64));
        let mut rest = value;
        while (0.0..=1.0).contains(&value) && (0.0..1e9).contains(&rest) {
            let term = rest.floor() as u64;
            let next = (term * last.0 + before.0, term * last.1 + before.1);
            let [words, cycles] = [next.0, next.1].map(u32::try_from);
            let (Ok(words), Ok(cycles)) = (words, cycles) else {
                break;
            };
            if cycles > Self::MAX_CYCLES {
                break;
            }
            if words != 0 && (f64::from(words) / f64::from(cycles) - value).abs() < 1e-12 {
                return Self::new(words, cycles);
            }
            (before, last) = (last, next);
            rest = 1.0 / (rest - term as f64);
        }
        Err(RateError {
            text: value.to_string(),
        })
    }

    /// Words every [`cycles`](Self::cycles) cycles.
    pub fn words(self) -> u32 {
        self.words
    }

    /// Cycles of [`words`](Self::words) words.
    pub fn cycles(self) -> u32 {
        self.cycles
    }

    /// Words a cycle.
    pub fn words_per_cycle(self) -> f64 {
        f64::from(self.words) / f64::from(self.cycles)
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let error = || RateError {
            text: text.to_owned(),
        };
        let rate = match text.split_once('/') {
            Some((words, cycles)) => {
                let number = |text: &str| text.trim().parse().map_err(|_| error());
                Self::new(number(words)?, number(cycles)?)
            }
            None => Self::from_words_per_cycle(text.trim().parse().map_err(|_| error())?),
        };
        rate.map_err(|_| error())
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.words, self.cycles)
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.words_per_cycle())
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Rate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of words a cycle above 0 and at most 1, or a text N/D")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rate, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Rate, E> {
                Rate::from_words_per_cycle(value).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Rate, E> {
                self.visit_f64(value as f64)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Rate, E> {
                self.visit_f64(value as f64)
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_written() {
        let rate = |text: &str| text.parse::<Rate>().unwrap();
        assert_eq!(rate("2/6"), Rate::new(1, 3).unwrap());
        assert_eq!(rate("0.25").to_string(), "1/4");
        assert_eq!(rate("0.3333").to_string(), "3333/10000");
        assert_eq!(rate("1"), Rate::default());
        assert_eq!(serde_json::from_str::<Rate>("1").unwrap(), Rate::default());
        assert_eq!(serde_json::from_str::<Rate>("\"3/7\"").unwrap().words(), 3);
    }

    #[test]
    fn every_rate_has_a_number_of_its_own() {
        let some = (1..200).chain(9_900..=Rate::MAX_CYCLES).flat_map(|cycles| {
            [1, 2, cycles / 3, cycles / 2, cycles - 1, cycles].map(|w| (w, cycles))
        });
        for (words, cycles) in some.filter(|&(words, cycles)| (1..=cycles).contains(&words)) {
            let rate = Rate::new(words, cycles).unwrap();
            let text = serde_json::to_string(&rate).unwrap();
            assert_eq!(serde_json::from_str::<Rate>(&text).unwrap(), rate, "{text}");
        }
    }

    #[test]
    fn wrong_rates_are_refused() {
        for text in [
            "",
            "0",
            "0/3",
            "4/3",
            "1.5",
            "-0.5",
            "1/0",
            "a/b",
            "1/20001",
            "nan",
            "inf",
            "1/2/3",
            "0.3333333333",
            "1e-30",
        ] {
            let error = text.parse::<Rate>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("'{text}' is no rate")),
                "{error}"
            );
        }
    }
}
