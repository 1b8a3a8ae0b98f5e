//! The bill of materials: every package in the program, in the format CycloneDX.

use std::{fs, path::Path};

use anyhow::Result;
use serde_json::json;

use super::VERSION;
use crate::{cargo::Metadata, notices};

/// Writes `toolsmith-VERSION.cdx.json`.
pub(super) fn write(metadata: &Metadata, to: &Path) -> Result<()> {
    let mut components: Vec<_> = notices::shipped(metadata)?
        .into_iter()
        .map(|package| {
            json!({
                "type": "library",
                "name": package.name,
                "version": package.version,
                "purl": format!("pkg:cargo/{}@{}", package.name, package.version),
                "licenses": package.license.iter().map(|text| json!({ "expression": text.replace('/', " OR ") })).collect::<Vec<_>>(),
            })
        })
        .collect();
    components.sort_by_key(|component| component["purl"].to_string());
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "toolsmith", "version": VERSION } },
        "components": components,
    });
    let text = serde_json::to_string_pretty(&bill)?;
    Ok(fs::write(to.join(format!("toolsmith-{VERSION}.cdx.json")), text + "\n")?)
}
