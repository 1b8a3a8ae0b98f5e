//! The table in `docs/compat.md`: written, and read again to check it.

use std::collections::BTreeMap;

use super::probes::{Outcome, Probe};

const HEAD: &str = "\
# What modules can use

Written by `cargo xtask compat`, which runs a probe for each row; a test checks that the rows marked *embedded* are still
true. A probe is strict: one member that is missing or behaves otherwise than in Node or Bun fails its row.

- **embedded**: works in the engine that is built in.
- **sidecar**: works where Bun or Node is installed; a module that imports it moves there by itself, or is told to with
  `engine = \"bun\"` or `engine = \"node\"`. **sidecar (bun)** and **sidecar (node)** work in that one only.
- **no**: the probe fails everywhere it was tried.

User interfaces: thirty example extensions of pi 1.5 that open views, overlays, dialogs, widgets, editors, headers, footers and
renderers were opened in the terminal interface, driven by keys and closed, among them `snake.ts`, `space-invaders.ts`,
`overlay-qa-tests.ts`, `questionnaire.ts`, `modal-editor.ts`, `custom-footer.ts` and `plan-mode`. All of them worked.

| module | members | where |
|---|---|---|
";

/// Where each probe passes, by row.
pub(super) type Verdicts = BTreeMap<String, String>;

/// Writes the table. Results for runtimes that are not installed stay unchanged.
pub(super) fn write(
    probes: &[Probe],
    found: &BTreeMap<String, BTreeMap<String, Outcome>>,
    before: &Verdicts,
) -> String {
    let passes = |engine: &str, probe: &Probe| {
        found.get(engine).and_then(|outcomes| outcomes.get(&probe.name)).map(Result::is_ok)
    };
    let mut text = HEAD.to_owned();
    for probe in probes {
        let was = before.get(&probe.module).map(String::as_str).unwrap_or_default();
        let known = |engine: &str| {
            let remembered = was == "sidecar" || was == format!("sidecar ({engine})");
            passes(engine, probe).unwrap_or(remembered)
        };
        let verdict = match (passes("embedded", probe) == Some(true), known("node"), known("bun")) {
            (true, ..) => "embedded",
            (false, true, true) => "sidecar",
            (false, true, false) => "sidecar (node)",
            (false, false, true) => "sidecar (bun)",
            (false, false, false) => "no",
        };
        text.push_str(&format!("| {} | {} | {verdict} |\n", code(&probe.module), probe.members));
    }
    text
}

/// Reads the results in a table.
pub(super) fn read(text: &str) -> Verdicts {
    text.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
            let (module, _, verdict) = (cells.next()?, cells.next()?, cells.next()?);
            Some((module.replace('`', ""), verdict.to_owned()))
        })
        .collect()
}

/// Module names are formatted as code; packages and plain words are not.
fn code(module: &str) -> String {
    match module.strip_prefix("npm: ") {
        Some(package) => format!("npm: `{package}`"),
        None => module.split(", ").map(part).collect::<Vec<_>>().join(", "),
    }
}

/// Formats a name as code, without the text in parentheses.
fn part(text: &str) -> String {
    match text.split_once(" (") {
        Some((name, rest)) => format!("`{name}` ({rest}"),
        None if text.contains(' ') || text.ends_with(')') || text.starts_with("ES2") => text.to_owned(),
        None => format!("`{text}`"),
    }
}
