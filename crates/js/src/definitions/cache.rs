//! The files of the definition cache: one for each working directory, in a private folder of the user. A file that is
//! damaged, of another version or of another directory is ignored, and so is a damaged line. Writing replaces a whole file,
//! so that two programs cannot mix their entries; the loser's modules are loaded again.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fs, io,
    io::Write as _,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use toolsmith_host::{changes::content_hash, file_stamp::FileStamp, regular_file::read_regular};

use super::{
    ahead::{ParsedAhead, ParsedEntry, PreparedDefinitions},
    entry::{CachedModule, Remembered},
    inputs::Checked,
};
use crate::{
    compiled::{self, CompiledCode},
    described::Described,
    module_request::ImportGate,
};

const FORMAT: u32 = 2;
const EXTENSION: &str = "jsonl";
/// Extension of files that earlier versions wrote. They are only removed.
const EARLIER_EXTENSION: &str = "json";
/// Folder of compiled code.
const COMPILED: &str = "compiled";
/// Larger files are neither written nor read.
const MAX_BYTES: u64 = 64 << 20;
/// Separates the path of a module from its entry. It occurs in neither, because both are JSON.
const SEPARATOR: char = '\t';

/// The definition cache of one working directory.
#[derive(Clone, Debug)]
pub(crate) struct Definitions {
    folder: PathBuf,
    cwd: PathBuf,
    /// The file that another thread reads for the first load.
    prepared: Option<PreparedDefinitions>,
}

/// The first line of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    /// Identifies the build of the program.
    program: String,
    cwd: String,
}

/// A cache file. Entries are parsed when they are needed: a command may use one of many.
#[derive(Debug)]
pub(super) struct CacheFile {
    header: Header,
    text: String,
    /// The places of entries in the text, by the real path of the module.
    modules: BTreeMap<String, Range<usize>>,
    /// Entries that another thread parses ahead.
    ahead: ParsedAhead,
}

/// The cache during one load of modules.
#[derive(Debug)]
pub(crate) struct Session {
    cache: Definitions,
    file: Arc<CacheFile>,
    checked: Checked,
    /// Entries that differ from those of the file; `None` is one that was removed.
    changed: BTreeMap<String, Option<CachedModule>>,
}

/// The entries of the cache as they were read, for several threads.
#[derive(Clone, Debug)]
pub(crate) struct ReadEntries(Arc<CacheFile>);

impl ReadEntries {
    /// Returns what is known about a module, if all its inputs are unchanged, and whether the entry was renewed.
    pub(crate) fn get(
        &self,
        module: &Path,
        gate: Option<&ImportGate>,
        checked: &mut Checked,
    ) -> Option<Current> {
        let module = module.to_str()?;
        let parsed = self.0.ahead.take(module);
        let ParsedEntry { mut entry, described } = match parsed {
            Some(parsed) => parsed,
            None => ParsedEntry { entry: self.0.entry(module)?, described: None },
        };
        let before = entry.inputs.checked_at();
        let is_valid = entry.is_valid(gate, checked);
        let is_renewed = entry.inputs.checked_at() != before;
        is_valid.then_some(Current { entry, described, is_renewed })
    }
}

/// An entry whose inputs are unchanged.
pub(crate) struct Current {
    pub(crate) entry: CachedModule,
    /// Its definitions, if they were parsed ahead.
    pub(crate) described: Option<Described>,
    /// Files were compared by content and are known by their times now.
    pub(crate) is_renewed: bool,
}

impl Definitions {
    pub(crate) fn new(folder: PathBuf, cwd: PathBuf) -> Self {
        Self { folder, cwd, prepared: None }
    }

    /// Uses what another thread reads, if that is this cache.
    pub(crate) fn prepared(mut self, prepared: Option<PreparedDefinitions>) -> Self {
        self.prepared = prepared.filter(|prepared| prepared.is_for(&self.folder, &self.cwd));
        self
    }

    /// Returns where compiled code is kept beside the definitions.
    pub(crate) fn compiled(&self) -> CompiledCode {
        CompiledCode::new(self.folder.join(COMPILED))
    }

    fn path(&self) -> Option<PathBuf> {
        let cwd = self.cwd.to_str()?;
        Some(self.folder.join(format!("{}.{EXTENSION}", &content_hash(cwd.as_bytes()).to_string()[..32])))
    }

    /// Reads the entries.
    pub(crate) fn open(&self) -> Session {
        let file = self.prepared.as_ref().and_then(PreparedDefinitions::take);
        let file = file.unwrap_or_else(|| Arc::new(self.read()));
        Session { cache: self.clone(), file, checked: Checked::default(), changed: BTreeMap::new() }
    }

    /// Reads the file.
    pub(super) fn read(&self) -> CacheFile {
        let cwd = self.cwd.to_string_lossy().into_owned();
        let header = Header { format: FORMAT, program: program_id(), cwd };
        let file = self.path().and_then(|path| CacheFile::read(&path)).filter(|file| file.header == header);
        file.unwrap_or_else(|| CacheFile {
            header,
            text: String::new(),
            modules: BTreeMap::new(),
            ahead: ParsedAhead::default(),
        })
    }

    /// Removes the entry of a module whose definitions turned out to vary, and has it loaded from now on.
    pub(crate) fn distrust(&self, module: &Path) {
        let mut session = self.open();
        if let Some(mut entry) = session.entry(module) {
            entry.remembered = Remembered::Uncached("its definitions vary".to_owned());
            session.set(module, Some(entry));
            session.save();
        }
    }
}

impl Session {
    /// Returns what is known about a module, if all its inputs are unchanged.
    pub(crate) fn get(&mut self, module: &Path, gate: Option<&ImportGate>) -> Option<CachedModule> {
        let Current { entry, is_renewed, .. } = self.entries().get(module, gate, &mut self.checked)?;
        if is_renewed {
            self.set(module, Some(entry.clone()));
        }
        Some(entry)
    }

    /// Returns the entries as they were read.
    pub(crate) fn entries(&self) -> ReadEntries {
        ReadEntries(Arc::clone(&self.file))
    }

    fn entry(&self, module: &Path) -> Option<CachedModule> {
        let path = module.to_str()?;
        match self.changed.get(path) {
            Some(changed) => changed.clone(),
            None => self.file.entry(path),
        }
    }

    /// Returns the files of the last version of a module that was cached, and the other paths that decided what its
    /// imports refer to, whatever changed since.
    pub(crate) fn last_files(&self, module: &Path) -> Vec<PathBuf> {
        self.entry(module)
            .map_or_else(Vec::new, |entry| [entry.inputs.files(), entry.inputs.candidates()].concat())
    }

    /// Replaces the entry of a module; `None` removes it.
    pub(crate) fn set(&mut self, module: &Path, entry: Option<CachedModule>) {
        if let Some(path) = module.to_str()
            && self.entry(module) != entry
        {
            self.changed.insert(path.to_owned(), entry);
        }
    }

    /// Writes the entries, if they changed. A cache that cannot be written is not an error.
    pub(crate) fn save(self) {
        if self.changed.is_empty() {
            return;
        }
        let Some(path) = self.cache.path() else { return };
        if let Err(error) = self.file.write(&self.changed, &self.cache.folder, &path) {
            tracing::debug!(%error, "definitions were not cached");
        }
    }
}

impl CacheFile {
    /// Reads a file: a line with the header, then one for each module. A line that is damaged is ignored.
    fn read(path: &Path) -> Option<Self> {
        let text = String::from_utf8(read_regular(path, MAX_BYTES).ok()?).ok()?;
        let (header, rest) = text.split_once('\n')?;
        let header = serde_json::from_str(header).ok()?;
        let mut at = text.len() - rest.len();
        let mut modules = BTreeMap::new();
        for line in rest.split_inclusive('\n') {
            let end = at + line.trim_end_matches('\n').len();
            if let Some((path, _)) = line.split_once(SEPARATOR)
                && let Ok(name) = serde_json::from_str(path)
            {
                modules.insert(name, at + path.len() + SEPARATOR.len_utf8()..end);
            }
            at += line.len();
        }
        let ahead = ParsedAhead::of(modules.keys());
        Some(Self { header, text, modules, ahead })
    }

    /// Parses entries ahead, those that nobody asked for yet.
    pub(super) fn parse_ahead(&self) {
        self.ahead.fill(|module| self.entry(module));
    }

    fn entry(&self, module: &str) -> Option<CachedModule> {
        self.modules.get(module).and_then(|place| self.parse(place))
    }

    fn parse(&self, place: &Range<usize>) -> Option<CachedModule> {
        serde_json::from_str(self.text.get(place.clone())?).ok()
    }

    /// Writes the entries with these changes. Those of modules that are gone are left out.
    fn write(
        &self,
        changed: &BTreeMap<String, Option<CachedModule>>,
        folder: &Path,
        path: &Path,
    ) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(&self.header)?;
        let names: BTreeSet<&String> = self.modules.keys().chain(changed.keys()).collect();
        for name in names.into_iter().filter(|name| Path::new(name).exists()) {
            let entry = match changed.get(name) {
                Some(None) => continue,
                Some(Some(entry)) => Cow::Owned(serde_json::to_string(entry)?),
                None => {
                    let place = self.modules.get(name).cloned().unwrap_or_default();
                    Cow::Borrowed(self.text.get(place).unwrap_or_default())
                }
            };
            bytes.push(b'\n');
            serde_json::to_writer(&mut bytes, name)?;
            write!(bytes, "{SEPARATOR}{entry}")?;
        }
        bytes.push(b'\n');
        if bytes.len() as u64 > MAX_BYTES {
            return Ok(());
        }
        toolsmith_host::create_private_folder(folder)?;
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&bytes)?;
        new.persist(path).map_err(io::Error::from)?;
        Ok(())
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
        let Some(file) = CacheFile::read(&path) else { continue };
        let mut checked = Checked::default();
        let is_current = file.header.format == FORMAT && file.header.program == program;
        let entries = file.modules.iter().filter_map(|(path, entry)| Some((path, file.parse(entry)?)));
        let modules = entries.map(|(path, mut entry)| CacheSummary {
            path: PathBuf::from(path),
            is_cached: matches!(entry.remembered, Remembered::Definitions(_)),
            files: entry.inputs.files().len(),
            is_current: is_current && entry.inputs.are_unchanged(None, &mut checked),
            reason: match entry.remembered {
                Remembered::Definitions(_) => None,
                Remembered::Engine(engine, why) => Some(format!("runs in {}: {why}", engine.kind())),
                Remembered::Uncached(why) => Some(why),
            },
        });
        projects.push(CachedProject {
            modules: modules.collect(),
            cwd: PathBuf::from(&file.header.cwd),
            is_current,
            bytes: file.text.len() as u64,
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
        .filter(|path| {
            path.extension()
                .is_some_and(|found| [EXTENSION, EARLIER_EXTENSION].iter().any(|own| found == *own))
        })
        .collect();
    files.sort();
    Ok(files)
}
