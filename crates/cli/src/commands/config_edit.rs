//! `toolsmith config set`, `unset` and `edit`: change the settings file of the user or of the project.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use toolsmith::settings::{SettingsWriteError, keys, set_setting, unset_setting};
use toolsmith_tool::closest_names;

use crate::{failure::Problem, output::one_line, project::Project, project_files, streams};

/// Changes of settings.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ConfigAction {
    /// Set a value.
    Set(SetArguments),
    /// Remove a value, so that the default or another file applies.
    Unset(UnsetArguments),
    /// Open the file in $VISUAL or $EDITOR.
    Edit(Target),
}

/// Arguments of `config set`.
#[derive(Debug, clap::Args)]
pub(crate) struct SetArguments {
    /// Setting, such as approval.mode.
    #[arg(value_name = "KEY")]
    key: String,
    /// Value; a list is separated by commas.
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    #[command(flatten)]
    target: Target,
}

/// Arguments of `config unset`.
#[derive(Debug, clap::Args)]
pub(crate) struct UnsetArguments {
    /// Setting.
    #[arg(value_name = "KEY")]
    key: String,
    #[command(flatten)]
    target: Target,
}

/// Which file is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// Change the file of the project instead of your own.
    #[arg(long)]
    project: bool,
}

impl Target {
    fn file(&self, project: &Project) -> Result<PathBuf> {
        if !self.project {
            return Ok(project.home.toolsmith().join("config.toml"));
        }
        let file = project.cwd.join(".toolsmith/config.toml");
        // The settings of a clone may be a link to anything.
        project_files::Target::in_project(&project.cwd, project.cwd.join(".toolsmith"))?.check(&file)?;
        Ok(file)
    }
}

pub(crate) fn run(project: &Project, action: &ConfigAction) -> Result<ExitCode> {
    use std::io::Write as _;
    let said = match action {
        ConfigAction::Set(own) => {
            let file = own.target.file(project)?;
            let path: Vec<&str> = own.key.split('.').collect();
            set_setting(&file, &path, &own.value).map_err(|error| explained(error, &own.key))?;
            format!("Set {} in {}", one_line(&own.key), project.show(&file))
        }
        ConfigAction::Unset(own) => {
            let file = own.target.file(project)?;
            let path: Vec<&str> = own.key.split('.').collect();
            match unset_setting(&file, &path).map_err(|error| explained(error, &own.key))? {
                true => format!("Removed {} from {}", one_line(&own.key), project.show(&file)),
                false => format!("{} is not set in {}", one_line(&own.key), project.show(&file)),
            }
        }
        ConfigAction::Edit(target) => return edit(&target.file(project)?, project),
    };
    writeln!(streams::stdout(), "{said}")?;
    Ok(ExitCode::SUCCESS)
}

fn explained(error: SettingsWriteError, key: &str) -> anyhow::Error {
    let SettingsWriteError::Unknown(_) = &error else { return Problem::failed(error.to_string()).into() };
    let problem = Problem::wrong_use(error.to_string());
    match closest_names(key, keys().iter().map(|key| key.name)).first() {
        Some(closest) => problem.hint(format!("Did you mean `{closest}`?")).into(),
        None => problem.hint("`toolsmith config --keys` lists all settings.").into(),
    }
}

fn edit(file: &std::path::Path, project: &Project) -> Result<ExitCode> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let Some(editor) = editor else {
        let hint = format!("Or edit {} yourself.", project.show(file));
        return Err(Problem::failed("set VISUAL or EDITOR to the editor to use").hint(hint).into());
    };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let code = toolsmith_host::exec::edit_on_terminal(&editor, &file.to_string_lossy())?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
