//! `toolsmith trust [PATH] [--list|--remove]`: decides whose code may run (CONTRACT 2.8).

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith::{Home, find_project, trust_store};
use toolsmith_host::trust::{TrustEntry, TrustKind};
use toolsmith_tool::visible_line;

use crate::{
    arguments::Shared,
    failure::Problem,
    output::{print_json, show_path},
    terminal::{DIM, GOOD, WARNING, paint},
};

/// Arguments of `trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArguments {
    /// Directory or file to trust (default: the project of the working directory).
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// List trusted directories and files.
    #[arg(long, conflicts_with_all = ["remove", "path"])]
    list: bool,
    /// Remove the trust entry.
    #[arg(long)]
    remove: bool,
}

pub(crate) fn run(shared: &Shared, own: &TrustArguments) -> Result<ExitCode> {
    let home = Home::from_environment()?;
    let store = trust_store(&home);
    let here = std::env::current_dir()?;
    let cwd = shared.cwd.as_ref().map_or_else(|| here.clone(), |folder| here.join(folder));
    let mut out = crate::streams::stdout();
    if own.list {
        let entries = store.load()?.entries();
        if shared.json {
            print_json(
                &json!({ "file": store.file().to_string_lossy(), "trusted": entries.iter().map(to_json).collect::<Vec<_>>() }),
            )?;
        } else if entries.is_empty() {
            writeln!(
                out,
                "Nothing is trusted. `toolsmith trust` trusts the project of the working directory."
            )?;
        } else {
            for entry in &entries {
                let gone = if entry.exists() { "" } else { "  (gone)" };
                let word = paint(
                    if is_trusted(entry) { GOOD } else { WARNING },
                    format_args!("{:8}", word(entry.kind)),
                );
                writeln!(
                    out,
                    "{word}  {}{}",
                    show_path(&entry.path, &PathBuf::new(), &home),
                    paint(DIM, gone)
                )?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let path = own.path.as_ref().map_or_else(|| find_project(&cwd, &home), |path| cwd.join(path));
    if own.remove {
        if !store.remove(&path)? {
            let what = format!("{} has no trust entry of its own", path.display());
            return Err(Problem::failed(what).hint("`toolsmith trust --list` shows all entries.").into());
        }
        let still = store.load()?.covers(&path);
        if shared.json {
            print_json(&json!({ "path": path.to_string_lossy(), "trusted": still }))?;
        } else {
            writeln!(out, "{} {}", paint(WARNING, "Removed trust:"), visible_line(&path.to_string_lossy()))?;
            if still {
                writeln!(out, "It lies in a trusted directory, so its code still runs.")?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let entry = store.add(&path)?;
    if shared.json {
        print_json(&to_json(&entry))?;
    } else {
        let more = if entry.kind == TrustKind::Folder { " and everything in it" } else { "" };
        writeln!(out, "{} {}{more}", paint(GOOD, "Trusted:"), visible_line(&entry.path.to_string_lossy()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_trusted(entry: &TrustEntry) -> bool {
    entry.kind != TrustKind::Declined
}

fn word(kind: TrustKind) -> &'static str {
    match kind {
        TrustKind::Folder => "folder",
        TrustKind::File => "file",
        _ => "declined",
    }
}

fn to_json(entry: &TrustEntry) -> Value {
    json!({
        "path": entry.path.to_string_lossy(),
        "kind": word(entry.kind),
        "trusted": is_trusted(entry),
        "exists": entry.exists(),
    })
}
