//! Fetching a plugin into a staging directory with the programs people have: npm and git. Neither runs code of the plugin: npm
//! runs no lifecycle scripts and fetches nothing with git, and git runs no hooks.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value};
use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

use super::{copy::copy_tree, error::PluginError, source::PluginSource};
use crate::discovery::read_json;

/// Longest time of one program.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Lines of a program's errors that are shown.
const MAX_LINES: usize = 6;

/// Stands for the git that npm would start. npm prepares a package of a git repository by a second npm in the clone, which
/// reads the clone's own settings: they can name any program in place of git, whatever `--ignore-scripts` says.
const NO_GIT: &str = if cfg!(windows) { r"NUL\git" } else { "/dev/null/git" };
const GIT_PACKAGE: &str = "a package comes from a git repository, and npm could run code of it before you are asked; \
                           packages of a registry and archives can be installed, and `git:URL` for a plugin";

/// Fetched files and their fingerprint.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    pub(super) folder: PathBuf,
    pub(super) commit: Option<String>,
    pub(super) integrity: Option<String>,
}

/// Fetches plugins.
#[derive(Clone, Debug)]
pub(super) struct Fetcher {
    /// Directories in which programs are looked for.
    pub(super) programs: OsString,
    pub(super) cancel: CancelToken,
}

impl Fetcher {
    /// Fetches a source into an empty directory.
    pub(super) async fn fetch(&self, source: &PluginSource, stage: &Path) -> Result<Fetched, PluginError> {
        match source {
            PluginSource::Npm(package) => self.npm(package, stage).await,
            PluginSource::Git { url, reference, folder } => {
                let mut fetched = self.git(url, reference.as_deref(), stage).await?;
                if let Some(folder) = folder {
                    fetched.folder = super::inside(&fetched.folder, folder).map_err(|_| {
                        PluginError::Invalid(format!("the repository has no directory \"{folder}\""))
                    })?;
                }
                Ok(fetched)
            }
            PluginSource::Path(path) => {
                let folder = stage.join("copy");
                let integrity = copy_tree(path, &folder)?;
                Ok(Fetched { folder, integrity: Some(integrity), commit: None })
            }
            PluginSource::Marketplace { .. } => Err(PluginError::UnknownSource(source.to_string())),
        }
    }

    /// Installs the npm packages that a plugin from elsewhere depends on.
    pub(super) async fn dependencies(&self, folder: &Path) -> Result<(), PluginError> {
        if folder.join("node_modules").exists() {
            return Ok(());
        }
        // Settings of npm name programs that it runs.
        match std::fs::remove_file(folder.join(".npmrc")) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(PluginError::io(folder.join(".npmrc"))(error)),
        }
        self.run("npm", &[NPM, &["--no-save", "--no-package-lock"]].concat(), folder).await.map(drop)
    }

    async fn npm(&self, package: &str, stage: &Path) -> Result<Fetched, PluginError> {
        let manifest = stage.join("package.json");
        fs::write(&manifest, "{\"private\":true}\n").map_err(PluginError::io(&manifest))?;
        // Each plugin gets its own copies of its dependencies, so that none is taken for a plugin.
        let arguments = [NPM, &["--install-strategy=nested", "--save-exact", "--", package]].concat();
        self.run("npm", &arguments, stage).await?;
        let read = |name: &str| read_json::<Map<String, Value>>(&stage.join(name)).ok().flatten();
        let name = read("package.json")
            .and_then(|manifest| manifest.get("dependencies")?.as_object()?.keys().next().cloned())
            .ok_or_else(|| PluginError::NoPlugin(format!("npm:{package}")))?;
        let key = format!("node_modules/{name}");
        let integrity = read("package-lock.json")
            .and_then(|lock| Some(lock.get("packages")?.get(&key)?.get("integrity")?.as_str()?.to_owned()));
        Ok(Fetched { folder: stage.join(key), integrity, commit: None })
    }

    async fn git(&self, url: &str, reference: Option<&str>, stage: &Path) -> Result<Fetched, PluginError> {
        let folder = stage.join("repository");
        let target = folder.display().to_string();
        let is_commit = |text: &str| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut arguments =
            vec!["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "clone", "-q"];
        match reference {
            Some(reference) if is_commit(reference) => arguments.push("--no-checkout"),
            Some(reference) => arguments.extend(["--depth=1", "--branch", reference]),
            None => arguments.push("--depth=1"),
        }
        arguments.extend(["--no-recurse-submodules", "--", url, &target]);
        self.run("git", &arguments, stage).await?;
        if let Some(commit) = reference.filter(|reference| is_commit(reference)) {
            let arguments = ["-c", "core.hooksPath=/dev/null", "checkout", "-q", "--detach", commit];
            self.run("git", &arguments, &folder).await?;
        }
        let commit = self.run("git", &["rev-parse", "HEAD"], &folder).await?.trim().to_owned();
        let history = folder.join(".git");
        fs::remove_dir_all(&history).map_err(PluginError::io(&history))?;
        Ok(Fetched { folder, commit: Some(commit), integrity: None })
    }

    /// Runs a program and returns its output.
    pub(super) async fn run(
        &self,
        program: &str,
        arguments: &[&str],
        cwd: &Path,
    ) -> Result<String, PluginError> {
        let failed = |reason: String| PluginError::Program { program: program.to_owned(), reason };
        let request = Request::new(program)
            .args(arguments.iter().copied())
            .cwd(cwd)
            .env("PATH", self.programs.to_string_lossy())
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("npm_config_ignore_scripts", "true")
            .env("npm_config_git", NO_GIT)
            .timeout(TIMEOUT);
        let outcome = run(&request, &self.cancel, |_| {}).await.map_err(|error| failed(error.to_string()))?;
        if outcome.killed {
            return Err(failed("it was stopped before it was done".to_owned()));
        }
        if outcome.code != 0 {
            let text = outcome.stderr.text();
            // Some versions of npm do not name the program.
            if text.contains(NO_GIT) || (text.contains("ENOTDIR") && text.contains("spawn")) {
                return Err(failed(GIT_PACKAGE.to_owned()));
            }
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            let last = lines.iter().skip(lines.len().saturating_sub(MAX_LINES)).copied().collect::<Vec<_>>();
            return Err(failed(match last.is_empty() {
                true => format!("exit code {}", outcome.code),
                false => last.join("\n"),
            }));
        }
        Ok(outcome.stdout.text())
    }
}

/// Options of every npm installation. Packages that the host serves are peers, so peers are left out.
const NPM: &[&str] = &[
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--omit=dev",
    "--omit=peer",
    "--legacy-peer-deps",
    "--fetch-retries=1",
    "--fetch-timeout=30000",
    "--loglevel=error",
];
