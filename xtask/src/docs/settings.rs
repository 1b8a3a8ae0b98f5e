//! `docs/settings.md`, generated from the settings table.

use std::fmt::Write as _;

use anyhow::Result;
use toolsmith::settings::{Key, keys};

use super::cell;

const BEGINNING: &str = "\
# Settings

<!-- Written by `cargo xtask docs` from crates/toolsmith/src/settings/keys.rs. -->

Later ones win:

1. what is built in,
2. `~/.toolsmith/config.toml`,
3. `.toolsmith/config.toml` in the working folder,
4. environment variables,
5. `--set KEY=VALUE` and the options of a command.

Lists of paths and of names are added up over the files. `toolsmith config` shows every value in force and where it came
from. What is wrong in a file is told, with the line, and left out; the rest counts.

```toml
model = \"anthropic/claude-sonnet-4-5\"

[limits]
call = \"5m\"

[tools.repo_stats]
timeout = \"30s\"
approval = \"allow\"
```

- A *time* is `500ms`, `30s`, `5m` or `1h`; a bare number is seconds.
- A *size* is `50KB`, `256MB` or `1GB`, by 1024; a bare number is bytes.
- *Waits*: in a project's file it counts once the project is trusted ([security.md](security.md)).
- A variable holds what a file would; paths in it are separated by colons, names by commas. Keys with a word of yours in
  them, as in `tools.<name>.timeout`, have none.
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
            "\n## {title}\n\n| key | holds | default | waits | what for |\n|---|---|---|---|---|"
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
