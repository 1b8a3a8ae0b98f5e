//! Times and sizes.

use super::*;

#[test]
fn times_are_read_with_their_units() {
    for (text, milliseconds) in
        [("500ms", 500), ("30s", 30_000), ("1.5s", 1500), ("5m", 300_000), ("2", 2000)]
    {
        assert_eq!(parse_duration(text).unwrap(), Duration::from_millis(milliseconds), "{text}");
    }
    for text in ["", "s", "-1s", "1y", "1e400", "ten", "1..2s"] {
        assert!(parse_duration(text).is_err(), "{text}");
    }
}

#[test]
fn sizes_are_read_with_their_units() {
    for (text, bytes) in [("512", 512), ("50KB", 50 << 10), ("256 MB", 256 << 20), ("1g", 1 << 30)] {
        assert_eq!(size(text).unwrap(), bytes, "{text}");
    }
    for text in ["", "0", "MB", "-1", "1.5MB", "99999999999999999999", "18446744073709551615GB"] {
        assert!(size(text).is_err(), "{text}");
    }
}
