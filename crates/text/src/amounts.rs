//! Times and sizes as people read them, in few characters.

/// Formats a time: `18 µs`, `4.2 ms`, `1.2 s`, `3m 05s`, `2h 10m`.
pub fn time_text(microseconds: u64) -> String {
    let seconds = microseconds / 1_000_000;
    match microseconds {
        0..1_000 => format!("{microseconds} µs"),
        1_000..10_000 => format!("{}.{} ms", microseconds / 1000, microseconds / 100 % 10),
        10_000..1_000_000 => format!("{} ms", microseconds / 1000),
        1_000_000..10_000_000 => format!("{seconds}.{} s", microseconds / 100_000 % 10),
        10_000_000..60_000_000 => format!("{seconds} s"),
        60_000_000..3_600_000_000 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats a size in powers of 1024: `512 B`, `4.2 KB`, `34 MB`.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let power = (bytes.ilog2() / 10).min(6);
    let unit = UNITS.get(power as usize - 1).copied().unwrap_or("EB");
    let one: u64 = 1 << (10 * power);
    let whole = bytes / one;
    match whole {
        0..10 => format!("{whole}.{} {unit}", bytes % one / (one / 10).max(1) % 10),
        _ => format!("{whole} {unit}"),
    }
}

/// Formats a number: `999`, `12.3k`, `4.5M`.
pub fn count_text(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..100_000 => format!("{}.{}k", count / 1000, count / 100 % 10),
        100_000..1_000_000 => format!("{}k", count / 1000),
        1_000_000..1_000_000_000 => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
        _ => format!("{}.{}G", count / 1_000_000_000, count / 100_000_000 % 10),
    }
}

#[cfg(test)]
#[path = "amounts_tests.rs"]
mod tests;
