//! Series of measurements: taken in turns, so that a slow moment of the machine affects all of them.

use std::time::Duration;

/// Times of one thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    times: Vec<Duration>,
}

impl Sample {
    pub(crate) fn push(&mut self, time: Duration) {
        self.times.push(time);
    }

    fn sorted(&self) -> Vec<Duration> {
        let mut times = self.times.clone();
        times.sort();
        times
    }

    pub(crate) fn median(&self) -> Duration {
        let times = self.sorted();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    /// Returns the 95th percentile.
    pub(crate) fn late(&self) -> Duration {
        let times = self.sorted();
        times.get((times.len() * 95).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Returns the middle half, which shows how stable the median is.
    pub(crate) fn spread(&self) -> (Duration, Duration) {
        let times = self.sorted();
        let at = |part: usize| times.get(times.len() * part / 4).copied().unwrap_or_default();
        (at(1), at(3))
    }

    /// Returns the ratio to another series.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        self.median().as_secs_f64() / other.median().as_secs_f64()
    }
}

/// Formats `1.23 ms (1.10–1.40)`.
pub(crate) fn describe(sample: &Sample) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let (low, high) = sample.spread();
    format!("{:.2} ms ({:.2}–{:.2})", milliseconds(sample.median()), milliseconds(low), milliseconds(high))
}

/// Formats a figure with its budget, which it must not exceed.
pub(crate) fn verdict(figure: f64, budget: f64) -> String {
    let mark = if figure <= budget { "within" } else { "OVER" };
    format!("{figure:.2} ({mark} {budget})")
}
