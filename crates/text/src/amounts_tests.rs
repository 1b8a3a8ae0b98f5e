//! Amounts as people read them.

use super::{count_text, size_text, time_text};

#[test]
fn times_have_the_unit_that_people_would_use() {
    let cases = [
        (0, "0 µs"),
        (999, "999 µs"),
        (4_250, "4.2 ms"),
        (45_000, "45 ms"),
        (1_234_000, "1.2 s"),
        (59_999_999, "59 s"),
        (185_000_000, "3m 05s"),
        (7_800_000_000, "2h 10m"),
        (u64::MAX, "5124095576h 01m"),
    ];
    for (microseconds, text) in cases {
        assert_eq!(time_text(microseconds), text);
    }
}

#[test]
fn sizes_have_at_most_one_digit_behind_the_point() {
    let cases = [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KB"),
        (4_400, "4.2 KB"),
        (34 << 20, "34 MB"),
        ((1 << 30) - 1, "1023 MB"),
        (u64::MAX, "15 EB"),
    ];
    for (bytes, text) in cases {
        assert_eq!(size_text(bytes), text);
    }
}

#[test]
fn large_counts_are_shortened() {
    let cases = [(0, "0"), (999, "999"), (12_345, "12.3k"), (123_456, "123k"), (4_560_000, "4.5M")];
    for (count, text) in cases {
        assert_eq!(count_text(count), text);
    }
}
