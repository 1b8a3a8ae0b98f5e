//! `toolsmith types`: writes type definitions for editors.

use std::{
    io::Write as _,
    path::{Component, Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::{
    arguments::Shared,
    editor_types::{self, Written},
    output::print_json,
    project::Project,
    project_files::Target,
};

/// Arguments of `types`.
#[derive(Debug, clap::Args)]
pub(crate) struct TypesArguments {
    /// Directory for toolsmith.d.ts and tsconfig.json (default: .toolsmith of the project), or - to print the types.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(shared: &Shared, own: &TypesArguments) -> Result<ExitCode> {
    if own.folder.as_deref() == Some(Path::new("-")) {
        write!(crate::streams::stdout(), "{}", editor_types::types())?;
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::open(shared)?;
    let folder = match &own.folder {
        Some(folder) => project.cwd.join(folder),
        None => project.root.join(".toolsmith"),
    };
    // A folder elsewhere was named by the user; one in the project has to be in it.
    let is_inside =
        folder.starts_with(&project.root) && !folder.components().any(|part| part == Component::ParentDir);
    let target =
        if is_inside { Target::in_project(&project.root, &folder) } else { Ok(Target::of_user(&folder)) };
    let files = target
        .and_then(|target| editor_types::write_into(&target))
        .with_context(|| format!("could not write the types to {}", folder.display()))?;
    if shared.json {
        let told: Vec<_> = files
            .iter()
            .map(|(path, what)| json!({ "path": path.to_string_lossy(), "state": what.as_str() }))
            .collect();
        print_json(&json!({ "files": told }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = crate::streams::stdout();
    for (path, what) in &files {
        writeln!(out, "{}: {}", project.show(path), what.as_str())?;
        if *what == Written::Kept {
            writeln!(out, "  To use the types, add \"{}\" to its \"include\".", editor_types::TYPES_FILE)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
