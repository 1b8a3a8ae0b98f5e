//! The files of the definition cache: one for each working directory, in a private folder of the user. A file that is
//! damaged, of another version or of another directory is ignored. Writing replaces a whole file, so that two programs
//! cannot mix their entries; the loser's modules are loaded again.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use toolsmith_host::{changes::content_hash, file_stamp::FileStamp, regular_file::read_regular};

use super::{
    entry::{CachedModule, Remembered},
    inputs::Checked,
};
use crate::{
    compiled::{self, CompiledCode},
    module_request::ImportGate,
};

const FORMAT: u32 = 1;
/// Folder of compiled code.
const COMPILED: &str = "compiled";
/// Larger files are neither written nor read.
const MAX_BYTES: u64 = 64 << 20;

/// The definition cache of one working directory.
#[derive(Clone, Debug)]
pub(crate) struct Definitions {
    folder: PathBuf,
    cwd: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct CacheFile {
    format: u32,
    /// Identifies the build of the program.
    program: String,
    cwd: String,
    /// Entries by the real path of the module.
    modules: BTreeMap<String, CachedModule>,
}

/// The cache during one load of modules.
#[derive(Debug)]
pub(crate) struct Session {
    cache: Definitions,
    file: CacheFile,
    checked: Checked,
    is_changed: bool,
}

impl Definitions {
    pub(crate) fn new(folder: PathBuf, cwd: PathBuf) -> Self {
        Self { folder, cwd }
    }

    /// Returns where compiled code is kept beside the definitions.
    pub(crate) fn compiled(&self) -> CompiledCode {
        CompiledCode::new(self.folder.join(COMPILED))
    }

    fn path(&self) -> Option<PathBuf> {
        let cwd = self.cwd.to_str()?;
        Some(self.folder.join(format!("{}.json", &content_hash(cwd.as_bytes()).to_string()[..32])))
    }

    /// Reads the entries.
    pub(crate) fn open(&self) -> Session {
        let program = program_id();
        let cwd = self.cwd.to_string_lossy().into_owned();
        let file = self
            .path()
            .and_then(|path| read(&path))
            .filter(|file| file.format == FORMAT && file.program == program && file.cwd == cwd);
        let file = file.unwrap_or(CacheFile { format: FORMAT, program, cwd, modules: BTreeMap::new() });
        Session { cache: self.clone(), file, checked: Checked::default(), is_changed: false }
    }

    /// Removes the entry of a module whose definitions turned out to vary, and has it loaded from now on.
    pub(crate) fn distrust(&self, module: &Path) {
        let mut session = self.open();
        if let Some(entry) = module.to_str().and_then(|path| session.file.modules.get_mut(path)) {
            entry.remembered = Remembered::Uncached("its definitions vary".to_owned());
            session.is_changed = true;
            session.save();
        }
    }
}

impl Session {
    /// Returns what is known about a module, if all its inputs are unchanged.
    pub(crate) fn get(&mut self, module: &Path, gate: Option<&ImportGate>) -> Option<&CachedModule> {
        let entry = self.file.modules.get(module.to_str()?)?;
        entry.is_valid(gate, &mut self.checked).then_some(entry)
    }

    /// Returns the files of the last version of a module that was cached, and the other paths that decided what its
    /// imports refer to, whatever changed since.
    pub(crate) fn last_files(&self, module: &Path) -> Vec<PathBuf> {
        let entry = module.to_str().and_then(|path| self.file.modules.get(path));
        entry.map_or_else(Vec::new, |entry| [entry.inputs.files(), entry.inputs.candidates()].concat())
    }

    /// Replaces the entry of a module; `None` removes it.
    pub(crate) fn set(&mut self, module: &Path, entry: Option<CachedModule>) {
        let Some(path) = module.to_str() else { return };
        self.is_changed |= match entry {
            Some(entry) => self.file.modules.insert(path.to_owned(), entry.clone()).as_ref() != Some(&entry),
            None => self.file.modules.remove(path).is_some(),
        };
    }

    /// Writes the entries, if they changed. A cache that cannot be written is not an error.
    pub(crate) fn save(mut self) {
        if !self.is_changed {
            return;
        }
        self.file.modules.retain(|path, _| Path::new(path).exists());
        let Some(path) = self.cache.path() else { return };
        if let Err(error) = write(&self.cache.folder, &path, &self.file) {
            tracing::debug!(%error, "definitions were not cached");
        }
    }
}

/// Identifies this build of the program and its time zone: a new kernel may describe modules differently, and every `Date` depends
/// on the zone.
pub(crate) fn program_id() -> String {
    let zone = (std::env::var_os("TZ"), fs::read_link("/etc/localtime").ok());
    let metadata = std::env::current_exe().and_then(fs::metadata);
    let stamp = metadata.as_ref().ok().and_then(FileStamp::of);
    let size = metadata.as_ref().map(fs::Metadata::len).unwrap_or_default();
    let modified = metadata.and_then(|metadata| metadata.modified()).ok();
    content_hash(format!("{} {size} {modified:?} {stamp:?} {zone:?}", env!("CARGO_PKG_VERSION")).as_bytes())
        .to_string()
}

fn read(path: &Path) -> Option<CacheFile> {
    serde_json::from_slice(&read_regular(path, MAX_BYTES).ok()?).ok()
}

fn write(folder: &Path, path: &Path, file: &CacheFile) -> io::Result<()> {
    let bytes = serde_json::to_vec(file)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Ok(());
    }
    toolsmith_host::create_private_folder(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&bytes)?;
    new.persist(path).map_err(io::Error::from)?;
    Ok(())
}

/// Summary of one cached module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CacheSummary {
    /// The module.
    pub path: PathBuf,
    /// Its definitions are used without loading it.
    pub is_cached: bool,
    /// The reason why it is loaded, if it is not cached, or the engine it needs.
    pub reason: Option<String>,
    /// Number of files it depends on.
    pub files: usize,
    /// All its inputs are unchanged, so the entry is in use.
    pub is_current: bool,
}

/// The cached modules of one working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CachedProject {
    /// The working directory.
    pub cwd: PathBuf,
    /// It was written by this build of the program.
    pub is_current: bool,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Its modules.
    pub modules: Vec<CacheSummary>,
}

/// Lists the definition cache in `folder`.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn list_definitions(folder: &Path) -> io::Result<Vec<CachedProject>> {
    let program = program_id();
    let mut projects = Vec::new();
    for path in cache_files(folder)? {
        let Some(file) = read(&path) else { continue };
        let mut checked = Checked::default();
        let is_current = file.format == FORMAT && file.program == program;
        let modules = file.modules.iter().map(|(path, entry)| CacheSummary {
            path: PathBuf::from(path),
            is_cached: matches!(entry.remembered, Remembered::Definitions(_)),
            reason: match &entry.remembered {
                Remembered::Definitions(_) => None,
                Remembered::Engine(engine, why) => Some(format!("runs in {}: {why}", engine.kind())),
                Remembered::Uncached(why) => Some(why.clone()),
            },
            files: entry.inputs.files().len(),
            is_current: is_current && entry.inputs.are_unchanged(None, &mut checked),
        });
        projects.push(CachedProject {
            modules: modules.collect(),
            cwd: PathBuf::from(file.cwd),
            is_current,
            bytes: fs::metadata(&path).map_or(0, |metadata| metadata.len()),
        });
    }
    Ok(projects)
}

/// Removes the definition cache in `folder`, with compiled code; returns the number of files with definitions.
///
/// # Errors
/// Fails if a file cannot be removed.
pub fn clear_definitions(folder: &Path) -> io::Result<usize> {
    let files = cache_files(folder)?;
    for file in &files {
        fs::remove_file(file)?;
    }
    compiled::clear(&folder.join(COMPILED))?;
    Ok(files.len())
}

fn cache_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    Ok(files)
}
