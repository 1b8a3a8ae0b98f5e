//! The user's time zone, from the file that has it. The search of `jiff` lists all zones of the system first, which takes as long as
//! the rest of a start, and reads whatever `TZ` names to its end.

use std::path::{Path, PathBuf};

use jiff::{Timestamp, civil::Date, tz::TimeZone};

use crate::regular_file::read_regular;

/// The file of the system's zone.
const SYSTEM: &str = "/etc/localtime";
/// Directories with a file for each zone, as in the C library.
const ZONES: [&str; 2] = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo"];
/// The second Sunday of March and the first one of November.
const DEFAULT_DATES: &str = ",M3.2.0,M11.1.0";
/// Largest file of a zone. The largest ones have a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// Returns today's date where the user is.
pub fn today() -> Date {
    Timestamp::now().to_zoned(local_time_zone()).date()
}

/// Returns the time zone of `TZ`, or that of the system. UTC takes the place of one that cannot be read.
pub fn local_time_zone() -> TimeZone {
    // Windows has no files of zones.
    if cfg!(windows) {
        return TimeZone::system();
    }
    match std::env::var("TZ") {
        Ok(name) => zone_named(&name),
        Err(_) => zone_in(Path::new(SYSTEM)),
    }
    .unwrap_or(TimeZone::UTC)
}

/// Reads `TZ` as the C library does: the name of a zone or a file, behind an optional colon, or a rule such as `CET-1CEST`.
fn zone_named(name: &str) -> Option<TimeZone> {
    let name = name.strip_prefix(':').unwrap_or(name);
    if name.is_empty() {
        return Some(TimeZone::UTC);
    }
    let files = ZONES.map(|folder| PathBuf::from(folder).join(name));
    let named = files.iter().find_map(|file| zone_in(file));
    // Without its dates, daylight saving time has those of the C library.
    let rule = || TimeZone::posix(name).or_else(|_| TimeZone::posix(&format!("{name}{DEFAULT_DATES}"))).ok();
    // Systems without such files have the zones that are built in.
    named.or_else(rule).or_else(|| TimeZone::get(name).ok())
}

fn zone_in(file: &Path) -> Option<TimeZone> {
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let name = target.to_str().and_then(|path| path.rsplit_once("zoneinfo/")).map_or("", |(_, name)| name);
    TimeZone::tzif(name, &read_regular(file, MAX_BYTES).ok()?).ok()
}

#[cfg(all(test, unix))]
#[path = "time_zone_tests.rs"]
mod tests;
