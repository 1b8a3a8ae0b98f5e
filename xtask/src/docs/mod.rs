//! `cargo xtask docs [--check]`: the pages of `docs/` that are written from the code. A test fails when one is stale.
//!
//! A page more is a module with a `render` function and a line in [`PAGES`].

mod settings;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::root;

/// A page that is written from the code.
struct Page {
    /// Where it is, from the root.
    path: &'static str,
    /// Its text as it should be.
    render: fn() -> Result<String>,
}

const PAGES: &[Page] = &[Page { path: "docs/settings.md", render: settings::render }];

/// Writes all pages; with `check` it only says which are stale.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for page in PAGES {
        let path = root().join(page.path);
        let text = (page.render)().with_context(|| page.path)?;
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            continue;
        }
        stale.push(page.path);
        if !check {
            fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
            println!("{} is written", page.path);
        }
    }
    if check && !stale.is_empty() {
        bail!("{} is stale; `cargo xtask docs` writes it anew", stale.join(", "));
    }
    Ok(())
}

/// Text as it stands in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_generated_page_is_what_the_code_says() {
        super::run(true).unwrap_or_else(|error| panic!("{error:#}"));
    }
}
