//! Running probes: each is a module whose tool passes or reports a difference.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use tempfile::TempDir;
use toolsmith_js::{Engine, EngineKind, EngineOptions, LoadedModule};
use toolsmith_testkit::install_packages;
use toolsmith_tool::{CancelToken, ToolCall, ToolContext};

use crate::cargo::root;

/// The support file beside the probes.
const MAKER: &str = "probe.mjs";
/// Deadline of one probe.
const DEADLINE: Duration = Duration::from_secs(20);

/// A probe's own description.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) name: String,
    pub(super) module: String,
    pub(super) members: String,
}

/// Passed, or the difference.
pub(super) type Outcome = Result<(), String>;

/// A copy of the probes with their packages.
pub(super) struct Place {
    folder: TempDir,
    pub(super) probes: Vec<Probe>,
}

impl Place {
    pub(super) async fn prepare() -> Result<Self> {
        let crate_folder = root().join("crates/js");
        let packages =
            install_packages(&crate_folder.join("tests/npm"), &root().join("target/tmp/npm")).await?;
        let folder = tempfile::tempdir()?;
        let probes = copy(&crate_folder.join("probes"), folder.path())?;
        std::os::unix::fs::symlink(packages, folder.path().join("node_modules"))?;
        Ok(Self { folder, probes })
    }

    /// Runs all probes in one kind of engine; `None` if it is not installed.
    pub(super) async fn run(&self, kind: EngineKind) -> Result<Option<BTreeMap<String, Outcome>>> {
        let root = self.folder.path().canonicalize()?;
        let engine = Engine::new(EngineOptions::new(&root).engine(kind));
        let mut outcomes = BTreeMap::new();
        for probe in &self.probes {
            let path = root.join(format!("{}.mjs", probe.name));
            let module = engine.load(&[path]).await.pop().context("a module was loaded")?;
            if module.errors.first().is_some_and(|error| error.message.ends_with("which is not installed")) {
                return Ok(None);
            }
            outcomes.insert(probe.name.clone(), outcome(&module).await);
        }
        Ok(Some(outcomes))
    }
}

async fn outcome(module: &LoadedModule) -> Outcome {
    if let Some(error) = module.errors.first() {
        return Err(error.message.clone());
    }
    let tool = module.tools.first().ok_or("it has no tool")?;
    let cancel = CancelToken::new();
    let context = ToolContext::detached().with_cancel(cancel.clone());
    let call = tool.tool.execute(ToolCall::new("probe", serde_json::json!({})), context);
    tokio::pin!(call);
    let outcome = tokio::select! {
        outcome = &mut call => outcome,
        () = tokio::time::sleep(DEADLINE) => {
            cancel.cancel("it took too long");
            call.await
        }
    };
    outcome.map(|_| ()).map_err(|error| error.to_string())
}

/// Copies the probes and reads their descriptions.
fn copy(from: &Path, to: &Path) -> Result<Vec<Probe>> {
    let mut probes = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(from)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        if path.is_dir() {
            fs::create_dir_all(to.join(&name))?;
            copy_files(&path, &to.join(&name))?;
            continue;
        }
        fs::copy(&path, to.join(&name))?;
        if let Some(stem) = name.strip_suffix(".mjs").filter(|_| name != MAKER) {
            probes.push(read(stem, &fs::read_to_string(&path)?)?);
        }
    }
    Ok(probes)
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Returns the first two arguments of `probe`, which are texts.
fn read(name: &str, source: &str) -> Result<Probe> {
    let Some((_, rest)) = source.split_once("export default probe(") else {
        bail!("{name}.mjs exports no probe");
    };
    let mut texts = Vec::new();
    let mut rest = rest;
    for _ in 0..2 {
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Text>();
        let Text(text) =
            stream.next().context("a text is missing")?.with_context(|| format!("{name}.mjs"))?;
        rest = rest[stream.byte_offset()..].trim_start_matches([',', ' ', '\n']);
        texts.push(text);
    }
    let members = texts.pop().unwrap_or_default();
    Ok(Probe { name: name.to_owned(), module: texts.pop().unwrap_or_default(), members })
}

#[derive(Deserialize)]
struct Text(String);
