//! `toolsmith mcp install`: the entry that adds these tools to another agent's configuration.

use std::{fs, io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use serde_json::{Value, json};
use toolsmith_mcp::config::{ConfigFile, add_server};
use toolsmith_tool::is_hidden;

use crate::{
    arguments::Shared,
    failure::Problem,
    output::print_json,
    project::Project,
    terminal::{DIM, GOOD, paint},
};

/// Arguments of `mcp install`.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArguments {
    /// The agent.
    #[arg(long, value_enum, value_name = "CLIENT")]
    client: Client,
    /// Write the entry instead of printing it.
    #[arg(long)]
    write: bool,
    /// Replace an existing entry.
    #[arg(long, requires = "write")]
    force: bool,
    /// Name of the entry.
    #[arg(long, default_value = "toolsmith", value_name = "NAME")]
    name: String,
    /// Further arguments for `toolsmith mcp serve`, after `--`.
    #[arg(value_name = "OPTIONS", trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

/// Agents whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Client {
    /// Claude Code: .mcp.json in this directory.
    ClaudeCode,
    /// Codex: ~/.codex/config.toml.
    Codex,
    /// Zed: .zed/settings.json in this directory.
    Zed,
    /// VS Code: .vscode/mcp.json in this directory.
    Vscode,
    /// Cursor: .cursor/mcp.json in this directory.
    Cursor,
}

struct Entry {
    file: PathBuf,
    /// The key of the table that holds it.
    key: &'static str,
    value: Value,
}

fn entry(project: &Project, own: &InstallArguments) -> Result<Entry> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if own.name.is_empty() || !own.name.chars().all(is_allowed) {
        return Err(Problem::wrong_use("--name takes letters, digits, - and _").into());
    }
    let command = std::env::current_exe().context("could not find this program")?;
    let command = command.to_str().context("the path of this program is not UTF-8")?;
    let cwd = toolsmith_host::real_path(&project.cwd).unwrap_or_else(|_| project.cwd.clone());
    let cwd_text = cwd.to_str().context("the path of this directory is not UTF-8")?;
    let mut args = vec!["mcp", "serve", "--cwd", cwd_text];
    args.extend(own.options.iter().map(String::as_str));
    let value = json!({ "command": command, "args": args });
    let (file, key) = match own.client {
        Client::ClaudeCode => (cwd.join(".mcp.json"), "mcpServers"),
        Client::Codex => (project.home.user().join(".codex/config.toml"), "mcp_servers"),
        Client::Zed => (cwd.join(".zed/settings.json"), "context_servers"),
        Client::Vscode => (cwd.join(".vscode/mcp.json"), "servers"),
        Client::Cursor => (cwd.join(".cursor/mcp.json"), "mcpServers"),
    };
    let value = match own.client {
        Client::Vscode => json!({ "type": "stdio", "command": command, "args": args }),
        Client::Zed => json!({ "source": "custom", "command": command, "args": args, "env": {} }),
        _ => value,
    };
    Ok(Entry { file, key, value })
}

/// The entry as the file would contain it.
fn text(own: &InstallArguments, entry: &Entry) -> String {
    if own.client != Client::Codex {
        let whole = json!({ entry.key: { own.name.as_str(): entry.value } });
        return with_escapes(&format!("{whole:#}\n"));
    }
    // A JSON string is also a TOML string, and so is a list of them.
    let (command, args) = (&entry.value["command"], &entry.value["args"]);
    with_escapes(&format!("[{}.{}]\ncommand = {command}\nargs = {args}\n", entry.key, own.name))
}

/// Writes hidden and reordering characters of strings as escapes, which mean the same. Those beyond 16 bits have another form in
/// JSON than in TOML, and stay.
fn with_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match u32::from(letter) {
            code if is_hidden(letter) && letter != '\n' && code <= 0xffff => {
                shown.push_str(&format!("\\u{code:04x}"));
            }
            _ => shown.push(letter),
        }
    }
    shown
}

pub(super) fn run(shared: &Shared, own: &InstallArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let entry = entry(&project, own)?;
    let text = text(own, &entry);
    if own.write {
        match own.client {
            Client::Codex => append_toml(&entry, own, &text)?,
            _ => {
                let file = ConfigFile::in_project(&entry.file, entry.key, &project.cwd);
                add_server(file, &own.name, entry.value.clone(), own.force)?;
            }
        }
    }
    if shared.json {
        print_json(&json!({ "file": entry.file.to_string_lossy(), "entry": text, "written": own.write }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    match own.write {
        true => writeln!(out, "{} {}", paint(GOOD, "Written to"), project.show(&entry.file))?,
        false => {
            write!(out, "{text}")?;
            let note =
                format!("Add this to {}, or run the command again with --write.", project.show(&entry.file));
            writeln!(crate::streams::stderr(), "{}", paint(DIM, note))?;
        }
    }
    if !project.is_trusted() {
        let note = "Tools of this directory are served only after `toolsmith trust`.";
        writeln!(crate::streams::stderr(), "{}", paint(DIM, note))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds a table at the end of a TOML file. An existing one is not changed: the rest of it may be the user's.
fn append_toml(entry: &Entry, own: &InstallArguments, text: &str) -> Result<()> {
    let old = match fs::read_to_string(&entry.file) {
        Ok(old) => old,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("could not read {}", entry.file.display())),
    };
    let parsed: toml::Table = toml::from_str(&old).map_err(|error| {
        Problem::failed(format!("{} is not TOML: {}", entry.file.display(), error.message()))
    })?;
    if parsed.get(entry.key).and_then(|table| table.get(&own.name)).is_some() {
        let what = format!("\"{}\" is already configured in {}", own.name, entry.file.display());
        return Err(Problem::failed(what).hint("Remove it there, or choose another --name.").into());
    }
    if let Some(folder) = entry.file.parent() {
        fs::create_dir_all(folder)?;
    }
    let separator = if old.is_empty() || old.ends_with("\n\n") { "" } else { "\n" };
    let end = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let mut file = fs::File::options().create(true).append(true).open(&entry.file)?;
    file.write_all(format!("{end}{separator}{text}").as_bytes())?;
    Ok(())
}
