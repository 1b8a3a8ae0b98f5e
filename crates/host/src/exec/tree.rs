//! Who descends from whom, read from `/proc`.

use std::{collections::HashMap, fs};

/// Every living descendant of `root`, parents before children. The supervisor adopts orphans, so nothing below it is
/// missed, whatever session or group it moved to.
pub(super) fn descendants(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some((parent, false)) = read_parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut queue = vec![root];
    while let Some(pid) = queue.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend_from_slice(&below);
        queue.extend(below);
    }
    found
}

/// The parent of a process, and whether it has ended and only waits to be reaped.
fn read_parent(pid: u32) -> Option<(u32, bool)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name is in parentheses and may hold anything, parentheses and spaces included.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    Some((parent, matches!(state, "Z" | "X")))
}
