//! The file: a list of packages, then the texts.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

use super::{grouping::group, packages::Notice};

const BEGINNING: &str = "\
Third-party notices

The toolsmith program is built from the packages below, beside its own code, and their licences apply to them. Crates are
those of the default build on Linux; npm packages are bundled into it. Each number is a text further down. Written by
`cargo xtask notices`.

";
/// Prefix of list lines, so that the list can be read again.
const ENTRY: &str = "* ";

pub(super) fn write(notices: &[Notice]) -> Result<String> {
    let groups = group(notices);
    let mut page = BEGINNING.to_owned();
    for notice in notices {
        let is_member =
            |members: &[(String, Vec<String>)]| members.iter().any(|(name, _)| *name == notice.name);
        let numbers = groups.iter().enumerate().filter(|(_, group)| is_member(&group.members));
        let numbers: Vec<String> = numbers.map(|(at, _)| (at + 1).to_string()).collect();
        ensure!(
            !numbers.is_empty(),
            "{} has no licence text, and no other package has its licence",
            notice.name
        );
        writeln!(page, "{ENTRY}{} | {} | {}", notice.name, notice.licence, numbers.join(", "))?;
    }
    for (at, group) in groups.iter().enumerate() {
        write!(page, "\n{}\nText {}\n\n", "=".repeat(80), at + 1)?;
        for (name, owners) in &group.members {
            let (_, name) = name.split_once(' ').unwrap_or_default();
            if owners.is_empty() {
                writeln!(page, "  {name}")?;
            }
            for owner in owners {
                writeln!(page, "  {name}: {owner}")?;
            }
        }
        write!(page, "\n{}\n", group.body)?;
    }
    Ok(page)
}

/// Returns the packages a file lists.
pub(super) fn listed(page: &str) -> Vec<String> {
    let entries = page.lines().filter_map(|line| line.strip_prefix(ENTRY)?.split_once(" | "));
    entries.map(|(name, _)| name.to_owned()).collect()
}
