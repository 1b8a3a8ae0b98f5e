//! `cargo xtask docs [--check]`: the generated pages of `docs/`. A test fails if one is stale.
//!
//! To add a page, add a module with a `render` function and a line in [`PAGES`].

mod api;
mod rpc;
mod settings;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::root;

/// A generated page.
struct Page {
    /// Path from the root.
    path: &'static str,
    /// Returns its current text.
    render: fn() -> Result<String>,
}

const PAGES: &[Page] = &[
    Page { path: "docs/settings.md", render: settings::render },
    Page { path: "docs/api.md", render: api::render },
    Page { path: "docs/module.md", render: api::render_module },
];

/// Writes all pages; with `check`, only reports stale ones.
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
    if !check {
        return rpc::write();
    }
    if !stale.is_empty() {
        bail!("{} is stale; `cargo xtask docs` writes it anew", stale.join(", "));
    }
    Ok(())
}

/// Escapes text for a table cell.
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
