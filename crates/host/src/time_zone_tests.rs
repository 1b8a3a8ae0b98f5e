//! Names, rules and files as time zones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use jiff::{Timestamp, tz::TimeZone};

use super::{zone_in, zone_named};

/// The offset in hours in the middle of winter.
fn hours(zone: &TimeZone) -> i32 {
    let winter: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
    zone.to_offset(winter).seconds() / 3600
}

#[test]
fn a_zone_is_named_by_a_rule_a_name_or_a_file() {
    for rule in ["CET-1CEST", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ-1"] {
        assert_eq!(zone_named(rule).as_ref().map(hours), Some(1), "{rule}");
    }
    assert_eq!(zone_named("").as_ref().map(hours), Some(0));
    if Path::new("/usr/share/zoneinfo/Asia/Tokyo").exists() {
        for name in ["Asia/Tokyo", ":Asia/Tokyo", ":/usr/share/zoneinfo/Asia/Tokyo"] {
            assert_eq!(zone_named(name).as_ref().map(hours), Some(9), "{name}");
        }
    }
}

#[test]
fn a_file_that_never_ends_or_is_no_zone_is_none() {
    assert!(zone_named(":/dev/zero").is_none());
    assert!(zone_in(Path::new("/dev/zero")).is_none());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zone");
    fs::write(&file, "TZif").unwrap();
    assert!(zone_in(&file).is_none());
    assert!(zone_named("\u{1b}]0;x\u{7}").is_none());
}
