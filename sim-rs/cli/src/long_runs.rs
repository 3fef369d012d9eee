//! What is said before a run that takes minutes.

use std::time::Duration;

use crate::backends::BackendFactory;

/// Runs that take longer are announced.
pub const LONG: Duration = Duration::from_secs(60);

/// The backends beside `backend` that take less than a quarter of its time, by `time` of each; a part of
/// a sentence, or nothing.
pub fn faster(
    backends: &dyn BackendFactory,
    backend: &str,
    own: Duration,
    time: impl Fn(&str) -> Option<Duration>,
) -> String {
    let others = backends.names().iter().filter(|name| **name != backend);
    let faster = others.filter_map(|name| {
        let time = time(name).filter(|&time| 4 * time < own)?;
        Some(format!("'{name}' takes {}", about(time)))
    });
    let faster: Vec<String> = faster.collect();
    if faster.is_empty() {
        return String::new();
    }
    format!("; the backend {}", faster.join(", "))
}

/// A time as people say it.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        ..1.0 => return "less than a second".to_owned(),
        1.0..120.0 => (seconds, "seconds"),
        120.0..7200.0 => (seconds / 60.0, "minutes"),
        7200.0..172_800.0 => (seconds / 3600.0, "hours"),
        _ => (seconds / 86_400.0, "days"),
    };
    format!("about {number:.0} {unit}")
}
