//! Which case files `test` uses, and which modules they may name (CONTRACT 2.8). A case file chooses what runs and with
//! which arguments, so trusting a module does not cover the case files beside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolsmith::{FoundModule, TrustedFiles};
use toolsmith_js::ModuleRequest;

use crate::{failure::Problem, project::Project};

/// Modules and case files that may be used.
pub(super) struct Territory {
    /// Modules that discovery found and that may run.
    ready: Vec<FoundModule>,
    trusted: TrustedFiles,
    is_project_trusted: bool,
    /// Folders that were named on the command line, without symbolic links. They need no trust.
    given: Vec<PathBuf>,
}

impl Territory {
    pub(super) fn new(project: &Project, ready: Vec<FoundModule>) -> Self {
        let is_project_trusted = project.is_trusted();
        Self { ready, trusted: project.trusted_files(), is_project_trusted, given: Vec::new() }
    }

    /// Adds a path of the command line: a folder, or the folder of a file.
    pub(super) fn give(&mut self, path: &Path) {
        let folder = if path.is_dir() { path } else { module_folder(path) };
        self.given.extend(toolsmith_host::real_path(folder));
    }

    /// Returns whether a case file beside one of the modules that were found may be used.
    pub(super) fn allows_case(&self, case: &Path, module: &FoundModule) -> bool {
        let Ok(real) = toolsmith_host::real_path(case) else { return false };
        let is_beside =
            || toolsmith_host::real_path(module_folder(&real)).ok() == real_parent(&module.real_path);
        self.trusted.allows(&real) || module.imports.is_none() && is_beside()
    }

    /// Returns whether a case file below a path of the command line may be used: it must not be a link out of it.
    pub(super) fn allows_given(&self, case: &Path) -> bool {
        toolsmith_host::real_path(case).is_ok_and(|real| self.is_given(&real) || self.trusted.allows(&real))
    }

    /// Returns the load request for the module of a case.
    pub(super) fn request(&self, module: &Path) -> Result<ModuleRequest, Problem> {
        let shown = module.display();
        let real = toolsmith_host::real_path(module)
            .map_err(|error| Problem::failed(format!("the module {shown} cannot be read: {error}")))?;
        if !fs::metadata(&real).is_ok_and(|about| about.is_file()) {
            return Err(Problem::failed(format!("the module {shown} is not a file")));
        }
        if self.is_given(&real) {
            return Ok(ModuleRequest::new(module));
        }
        if let Some(found) = self.ready.iter().find(|found| found.real_path == real) {
            return Ok(found.request());
        }
        if !self.trusted.allows(&real) {
            let what = format!("the case names the module {}, which is not trusted", real.display());
            let command = format!("To trust it, run: toolsmith trust {}", real.display());
            return Err(Problem::failed(format!("{what}\n{command}")));
        }
        let request = ModuleRequest::new(module);
        Ok(if self.is_project_trusted { request } else { request.imports(self.trusted.gate()) })
    }

    fn is_given(&self, real: &Path) -> bool {
        self.given.iter().any(|folder| real.starts_with(folder))
    }
}

/// The folder of the module a case file is about: its own, or the one above `cases`.
fn module_folder(file: &Path) -> &Path {
    let own = file.parent().unwrap_or(Path::new("."));
    if own.file_name().is_some_and(|name| name == "cases") { own.parent().unwrap_or(own) } else { own }
}

fn real_parent(file: &Path) -> Option<PathBuf> {
    toolsmith_host::real_path(file.parent()?).ok()
}
