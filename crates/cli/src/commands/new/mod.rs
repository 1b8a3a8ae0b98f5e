//! `toolsmith new`: creates a tool in its own directory.

mod template;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use toolsmith::{BUILT_IN_NAMES, trust_store};
use toolsmith_tool::is_provider_name;

use crate::{
    arguments::Shared,
    editor_types,
    failure::{self, Problem},
    output::{lossy, print_json},
    project::Project,
    project_files::Target,
};
use template::{Library, MODULE, Template};

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
pub(crate) struct NewArguments {
    /// Name of the tool, as used by the model.
    name: String,
    /// Define the parameters with zod (default).
    #[arg(long, conflicts_with = "typebox")]
    zod: bool,
    /// Define the parameters with TypeBox.
    #[arg(long)]
    typebox: bool,
    /// Create the tool in your own directory, for all projects.
    #[arg(long)]
    user: bool,
}

pub(crate) fn run(shared: &Shared, own: &NewArguments) -> Result<ExitCode> {
    check_name(&own.name)?;
    let project = Project::open(shared)?;
    let root =
        if own.user { project.home.toolsmith().join("agent") } else { project.root.join(".toolsmith") };
    let target = match own.user {
        true => Target::of_user(&root),
        false => Target::in_project(&project.root, &root)?,
    };
    let tools = root.join("tools");
    refuse_to_overwrite(&tools, &own.name)?;
    let folder = tools.join(&own.name);
    let library = if own.typebox { Library::TypeBox } else { Library::Zod };
    let template = Template::new(&own.name, library);
    let mut files = Vec::new();
    for (name, text) in template.files() {
        let path = folder.join(name);
        target.write(&path, &text).with_context(|| format!("{} could not be written", path.display()))?;
        files.push(path);
    }
    let types = editor_types::write_into(&target)
        .with_context(|| format!("could not write the types to {}", root.display()))?;
    files.extend(types.into_iter().map(|(path, _)| path));
    // The author wrote them, so they may be used (CONTRACT 2.8): the module, and the case that calls it.
    let store = trust_store(&project.home);
    let trusted = store.add(&folder.join(MODULE)).and_then(|_| store.add(&folder.join(template.case_name())));
    tell(shared, own, &project, &files)?;
    if let Err(error) = trusted {
        let warning =
            toolsmith::Warning::new(format!("the tool was created, but could not be trusted: {error}"));
        failure::warn_all([&warning.hint("Use --trust to run it.")]);
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks that every provider accepts the name and that it is a valid directory name.
fn check_name(name: &str) -> Result<()> {
    if !is_provider_name(name) {
        let hint = "Use letters, digits, \"_\" and \"-\", at most 64 characters, and start with a letter.";
        return Err(Problem::wrong_use(format!("model providers do not accept the tool name {name:?}"))
            .hint(hint)
            .into());
    }
    if BUILT_IN_NAMES.contains(&name) {
        return Err(Problem::wrong_use(format!("{name:?} is the name of a built-in tool"))
            .hint("Choose another name.")
            .into());
    }
    Ok(())
}

fn refuse_to_overwrite(tools: &Path, name: &str) -> Result<()> {
    let extensions = ["ts", "mts", "cts", "js", "mjs", "cjs"];
    let files = extensions.iter().map(|extension| tools.join(format!("{name}.{extension}")));
    for path in std::iter::once(tools.join(name)).chain(files) {
        if fs::symlink_metadata(&path).is_ok() {
            bail!("{} already exists; choose another name or remove it first", path.display());
        }
    }
    Ok(())
}

fn tell(shared: &Shared, own: &NewArguments, project: &Project, files: &[PathBuf]) -> Result<()> {
    if shared.json {
        print_json(&json!({ "name": own.name, "files": lossy(files) }))?;
        return Ok(());
    }
    let mut out = crate::streams::stdout();
    let name = &own.name;
    for path in files {
        writeln!(out, "{}", project.show(path))?;
    }
    writeln!(out, "\nTry it: toolsmith call {name} name=World")?;
    writeln!(out, "Then:   toolsmith check, toolsmith test, toolsmith dev {name} name=World")?;
    Ok(())
}
