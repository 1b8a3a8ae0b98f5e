//! `toolsmith plugin search`.

use std::{io::Write as _, process::ExitCode};

use anyhow::Result;
use serde_json::json;

use super::{add::problem, interruptible, store};
use crate::{
    arguments::Shared,
    failure,
    output::{Cell, print_json, print_page, print_table},
    progress::Progress,
    project::Project,
    terminal::{self, NAME},
};

/// Arguments of `plugin search`.
#[derive(Debug, clap::Args)]
pub(super) struct SearchArguments {
    /// Words to look for.
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// Search only marketplaces that were added.
    #[arg(long)]
    offline: bool,
}

pub(super) fn run(shared: &Shared, own: &SearchArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    interruptible(|cancel| async move {
        let store = store(&project, cancel);
        let wanted: Vec<String> = own.words.iter().map(|word| word.to_lowercase()).collect();
        let mut found: Vec<(String, String)> = Vec::new();
        for (marketplace, known) in &store.lock()?.marketplaces {
            for (plugin, description) in &known.plugins {
                let text = format!("{plugin} {description}").to_lowercase();
                if wanted.iter().all(|word| text.contains(word)) {
                    found.push((format!("{plugin}@{marketplace}"), description.clone()));
                }
            }
        }
        let mut has_failed = false;
        if !own.offline {
            let progress = Progress::start("Searching");
            let searched = store.search_npm(&own.words.join(" ")).await;
            progress.end();
            match searched {
                Ok(packages) => found.extend(
                    packages.into_iter().map(|(name, description)| (format!("npm:{name}"), description)),
                ),
                Err(error) => {
                    has_failed = true;
                    let what = format!("the npm registry was not searched: {}", problem(&error));
                    failure::warn_all([&toolsmith::Warning::new(what)]);
                }
            }
        }
        let code = ExitCode::from(u8::from(has_failed && found.is_empty()));
        if shared.json {
            let rows = found.iter().map(|(source, text)| json!({ "source": source, "description": text }));
            print_json(&json!({ "plugins": rows.collect::<Vec<_>>() }))?;
            return Ok(code);
        }
        let mut page = Vec::new();
        if found.is_empty() {
            writeln!(page, "No plugins found.")?;
        } else {
            let row = |(source, text): &(String, String)| -> Vec<Cell> {
                vec![(source.clone(), Some(NAME)), (text.clone(), None)]
            };
            let rows: Vec<Vec<Cell>> = found.iter().map(row).collect();
            print_table(&mut page, &["SOURCE", "DESCRIPTION"], &rows, terminal::output_width())?;
            writeln!(page, "\nInstall one: toolsmith plugin add SOURCE")?;
        }
        print_page(&page)?;
        Ok(code)
    })
}
