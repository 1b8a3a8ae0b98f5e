//! `docs/settings.md`, generated from the settings table.

use std::fmt::Write as _;

use anyhow::Result;
use toolsmith::settings::{Key, keys};

use super::cell;

const BEGINNING: &str = "\
# Settings

<!-- Written by `cargo xtask docs` from crates/toolsmith/src/settings/keys.rs. -->

Settings come from these sources; later ones take precedence:

1. built-in defaults,
2. `~/.toolsmith/config.toml`,
3. `.toolsmith/config.toml` in the project,
4. environment variables,
5. `--set KEY=VALUE` and command-line options.

Lists of paths and names from several files are combined. `toolsmith config` shows every effective value and its origin. Errors in
a file are reported with their line; the valid rest of the file is used.

```toml
model = \"anthropic/claude-sonnet-4-5\"

[limits]
call = \"5m\"

[tools.repo_stats]
timeout = \"30s\"
approval = \"allow\"
```

- A *duration* is `500ms`, `30s`, `5m` or `1h`; a bare number is in seconds.
- A *size* is `50KB`, `256MB` or `1GB`, in powers of 1024; a bare number is in bytes.
- *Waits*: in a project's file, the setting takes effect once the project is trusted ([security.md](security.md)).
- A variable has the same value as in a file; paths are separated by colons, names by commas. Keys with a user-defined part, such as
  `tools.<name>.timeout`, have no variable.
";

pub(super) fn render() -> Result<String> {
    let mut text = BEGINNING.to_owned();
    let mut sections: Vec<(&str, Vec<&Key>)> = Vec::new();
    for key in keys() {
        let first = key.name.split_once('.').map_or("", |(first, _)| first);
        match sections.iter_mut().find(|(name, _)| *name == first) {
            Some((_, members)) => members.push(key),
            None => sections.push((first, vec![key])),
        }
    }
    for (name, members) in sections {
        let title = if name.is_empty() { "General".to_owned() } else { format!("`{name}`") };
        writeln!(
            text,
            "\n## {title}\n\n| key | type | default | waits | description |\n|---|---|---|---|---|"
        )?;
        for key in members {
            writeln!(text, "{}", row(key))?;
        }
    }
    text.push_str("\n## Variables\n\n");
    for key in keys() {
        if let Some(variable) = key.variable() {
            writeln!(text, "- `{variable}`: `{}`", key.name)?;
        }
    }
    Ok(text)
}

fn row(key: &Key) -> String {
    let default = match key.default {
        None => "–".to_owned(),
        Some("") => "empty".to_owned(),
        Some(value) => format!("`{value}`"),
    };
    let waits = if key.waits_for_trust { "yes" } else { "" };
    format!(
        "| `{}` | {} | {default} | {waits} | {} |",
        cell(key.name),
        cell(&key.kind.describe()),
        cell(key.doc)
    )
}
