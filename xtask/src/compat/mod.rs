//! `cargo xtask compat`: runs the probes in `crates/js/probes` and writes `docs/compat.md`.

mod probes;
mod table;
#[cfg(test)]
mod table_tests;

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context, Result};
use toolsmith_js::EngineKind;

use crate::cargo::root;
use probes::{Outcome, Probe};

/// The table.
fn document() -> PathBuf {
    root().join("docs/compat.md")
}

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let found = runtime.block_on(async {
        let place = probes::Place::prepare().await?;
        let mut found = BTreeMap::new();
        for kind in [EngineKind::Embedded, EngineKind::Node, EngineKind::Bun] {
            if let Some(outcomes) = place.run(kind).await? {
                report(kind, &place.probes, &outcomes);
                found.insert(kind.to_string(), outcomes);
            }
        }
        anyhow::Ok((place.probes.clone(), found))
    })?;
    let path = document();
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::create_dir_all(path.parent().context("the table has a folder")?)?;
    fs::write(&path, table::write(&found.0, &found.1, &table::read(&before)))?;
    println!("{} is written", path.display());
    Ok(())
}

fn report(kind: EngineKind, probes: &[Probe], outcomes: &BTreeMap<String, Outcome>) {
    let passed = outcomes.values().filter(|outcome| outcome.is_ok()).count();
    println!("{kind}: {passed} of {} probes pass", probes.len());
    for (name, outcome) in outcomes {
        if let Err(error) = outcome {
            println!("  {name}: {}", error.lines().next().unwrap_or_default());
        }
    }
}
