//! The inputs of a cached definition as the module loader observed them, and the test whether they are unchanged.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use oxc_resolver::ResolveContext;
use serde::{Deserialize, Serialize};
use toolsmith_host::{changes::content_hash, file_stamp::FileStamp, regular_file::read_regular};

use crate::module_request::ImportGate;

/// Larger files are not inputs of a cached definition.
const MAX_BYTES: u64 = 64 << 20;
/// Modules with more inputs are not cached.
const MAX_FILES: usize = 20_000;

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Input {
    path: String,
    /// SHA-256 of the content.
    hash: String,
    stamp: Option<FileStamp>,
}

impl Input {
    fn is_settled_before(&self, time: SystemTime) -> bool {
        self.stamp.is_some_and(|stamp| stamp.is_settled_before(time))
    }

    /// Returns whether the file lies outside installed packages.
    fn is_own(&self) -> bool {
        !Path::new(&self.path).components().any(|part| part.as_os_str() == "node_modules")
    }
}

/// Everything a definition depends on besides the program, the working directory and the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    /// Files that were loaded.
    loaded: Vec<Input>,
    /// Other files that resolution read.
    consulted: Vec<Input>,
    /// Paths where nothing was found.
    missing: Vec<String>,
    /// Decisions about which files may run.
    decisions: Vec<(String, bool)>,
    /// Milliseconds since the Unix epoch at which the stamps were taken.
    checked_at: u64,
}

/// Results of tests in one pass over many definitions, which have most inputs in common.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    stamps: HashMap<String, Option<FileStamp>>,
    missing: HashMap<String, bool>,
}

impl Inputs {
    /// Records the inputs of a load that began at `begun`. `None` if they cannot be named, or changed meanwhile.
    pub(crate) fn record(observed: &Observed, begun: SystemTime) -> Option<Self> {
        if observed.sources.len() + observed.consulted.len() > MAX_FILES {
            return None;
        }
        let checked_at = milliseconds(SystemTime::now());
        let mut loaded = Vec::with_capacity(observed.sources.len());
        for (path, text) in &observed.sources {
            // A file that was written since the load began is compared by the content that was loaded.
            let stamp =
                FileStamp::of(&fs::metadata(path).ok()?).filter(|stamp| stamp.is_settled_before(begun));
            loaded.push(Input { path: name(path)?, hash: content_hash(text.as_bytes()).to_string(), stamp });
        }
        let texts: HashSet<&Path> = observed.sources.iter().map(|(path, _)| path.as_path()).collect();
        let mut consulted = Vec::with_capacity(observed.consulted.len());
        for path in observed.consulted.iter().filter(|path| !texts.contains(path.as_path())) {
            // Resolution also finds directories; what they contain is named by other inputs.
            let metadata = fs::metadata(path).ok()?;
            if !metadata.is_file() {
                continue;
            }
            let stamp = FileStamp::of(&metadata);
            // It was read by others, so only its time tells that this is the content they read.
            if !stamp
                .map_or_else(|| modified_before(&metadata, begun), |stamp| stamp.is_settled_before(begun))
            {
                return None;
            }
            consulted.push(Input { path: name(path)?, hash: hash(path).ok()?, stamp });
        }
        let missing = observed.missing.iter().map(|path| name(path)).collect::<Option<_>>()?;
        let decisions = observed.decisions.iter();
        let decisions =
            decisions.map(|(path, allowed)| Some((name(path)?, *allowed))).collect::<Option<_>>()?;
        Some(Self { loaded, consulted, missing, decisions, checked_at })
    }

    /// Returns whether every input is as it was. A file whose content was compared is known by its stamp afterwards.
    pub(crate) fn are_unchanged(&mut self, gate: Option<&ImportGate>, checked: &mut Checked) -> bool {
        self.are_unchanged_at(SystemTime::now(), gate, checked)
    }

    fn are_unchanged_at(
        &mut self,
        now: SystemTime,
        gate: Option<&ImportGate>,
        checked: &mut Checked,
    ) -> bool {
        let at = UNIX_EPOCH + Duration::from_millis(self.checked_at);
        let allows = |path: &str| gate.is_none_or(|gate| gate.allows(Path::new(path)));
        let mut files = self.loaded.iter_mut().chain(&mut self.consulted);
        let mut is_renewed = false;
        let are_unchanged = self.missing.iter().all(|path| checked.is_missing(path))
            && self.decisions.iter().all(|(path, allowed)| allows(path) == *allowed)
            && files.all(|input| checked.is_unchanged(input, at, now, &mut is_renewed));
        if is_renewed {
            // Stamps that were settled before stay so.
            self.checked_at = milliseconds(now);
        }
        are_unchanged
    }

    /// Returns when the stamps were taken.
    pub(crate) fn checked_at(&self) -> u64 {
        self.checked_at
    }

    /// Records files by their content now, after a load that began at `begun`. A file that may have been written since
    /// counts as changed.
    pub(crate) fn of_files(files: &[PathBuf], begun: SystemTime) -> Self {
        let mut inputs = Self { checked_at: milliseconds(SystemTime::now()), ..Self::default() };
        for file in files {
            let (Some(path), Ok(metadata)) = (name(file), fs::metadata(file)) else {
                inputs.missing.extend(name(file));
                continue;
            };
            let stamp = FileStamp::of(&metadata);
            let is_settled = stamp
                .map_or_else(|| modified_before(&metadata, begun), |stamp| stamp.is_settled_before(begun));
            // No content has an empty hash.
            let hash = if is_settled { hash(file).unwrap_or_default() } else { String::new() };
            inputs.loaded.push(Input { path, hash, stamp: stamp.filter(|_| is_settled) });
        }
        inputs
    }

    /// Adds files that were not loaded, such as those that only a call imports, by their content now.
    pub(crate) fn with_consulted<'a>(mut self, files: impl Iterator<Item = &'a PathBuf>) -> Self {
        let now = SystemTime::now();
        for file in files.take(MAX_FILES) {
            let stamp = fs::metadata(file).ok().as_ref().and_then(FileStamp::of);
            let stamp = stamp.filter(|stamp| stamp.is_settled_before(now));
            let known = |input: &Input| Path::new(&input.path) == file;
            if let (Some(path), Ok(hash), false) = (name(file), hash(file), self.loaded.iter().any(known)) {
                self.consulted.push(Input { path, hash, stamp });
            }
        }
        self
    }

    /// Returns whether the files that were loaded or that a call may load, other than those of installed packages, are as they
    /// were. A file whose content was compared is known by its stamp afterwards.
    pub(crate) fn own_files_are_unchanged(&mut self) -> bool {
        let now = SystemTime::now();
        let mut checked = Checked::default();
        let mut own = self.loaded.iter_mut().chain(&mut self.consulted).filter(|input| input.is_own());
        self.missing.iter().all(|path| checked.is_missing(path))
            && own.all(|input| {
                let stamp = fs::metadata(&input.path).ok().as_ref().and_then(FileStamp::of);
                if stamp.is_some() && stamp == input.stamp {
                    return true;
                }
                let is_same = hash(Path::new(&input.path)).is_ok_and(|hash| hash == input.hash);
                if is_same {
                    input.stamp = stamp.filter(|stamp| stamp.is_settled_before(now));
                }
                is_same
            })
    }

    /// Returns the hashes of the files that were loaded or that a call may load, other than those of installed packages, as they
    /// are now, and the paths that were missing and are not any more.
    pub(crate) fn own_content(&self) -> String {
        let mut checked = Checked::default();
        let own = self.loaded.iter().chain(&self.consulted).filter(|input| input.is_own());
        let mut parts: Vec<String> =
            own.map(|input| hash(Path::new(&input.path)).unwrap_or_default()).collect();
        parts.extend(self.missing.iter().filter(|path| !checked.is_missing(path)).cloned());
        parts.join(" ")
    }

    /// Returns the files that were loaded.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.loaded.iter().map(|input| PathBuf::from(&input.path)).collect()
    }

    /// Returns the other paths that decided what imports refer to.
    pub(crate) fn candidates(&self) -> Vec<PathBuf> {
        let consulted = self.consulted.iter().map(|input| &input.path);
        consulted.chain(&self.missing).map(PathBuf::from).collect()
    }
}

impl Checked {
    fn is_missing(&mut self, path: &str) -> bool {
        if let Some(known) = self.missing.get(path) {
            return *known;
        }
        // As the resolver looks: a link that leads to nothing is missing.
        let missing = match fs::metadata(path) {
            Ok(_) => false,
            Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        };
        self.missing.insert(path.to_owned(), missing);
        missing
    }

    /// Returns whether a file is as it was, by its stamp of `checked_at` or by its content. In the second case its stamp is renewed,
    /// if a later change would have another one.
    fn is_unchanged(
        &mut self,
        input: &mut Input,
        checked_at: SystemTime,
        now: SystemTime,
        is_renewed: &mut bool,
    ) -> bool {
        let stamp = match self.stamps.get(&input.path) {
            Some(known) => *known,
            None => {
                let stamp = fs::metadata(&input.path).ok().as_ref().and_then(FileStamp::of);
                self.stamps.insert(input.path.clone(), stamp);
                stamp
            }
        };
        if stamp.is_some() && stamp == input.stamp && input.is_settled_before(checked_at) {
            return true;
        }
        let is_same = hash(Path::new(&input.path)).is_ok_and(|hash| hash == input.hash);
        // The stamp was taken before the content was read, so it belongs to that content or to none.
        if is_same && let Some(stamp) = stamp.filter(|stamp| stamp.is_settled_before(now)) {
            input.stamp = Some(stamp);
            *is_renewed = true;
        }
        is_same
    }
}

/// Hashes a file as the loader reads it: without a byte order mark.
fn hash(path: &Path) -> io::Result<String> {
    let bytes = read_regular(path, MAX_BYTES)?;
    Ok(content_hash(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).to_string())
}

/// Returns a path as text. Others are not cached.
fn name(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

fn modified_before(metadata: &fs::Metadata, time: SystemTime) -> bool {
    metadata.modified().is_ok_and(|modified| modified + Duration::from_secs(2) < time)
}

pub(super) fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Files and decisions that a module was loaded from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// Files that were loaded, with their text.
    pub(crate) sources: Vec<(PathBuf, Arc<str>)>,
    /// Files that resolution found and read, such as manifests.
    pub(crate) consulted: BTreeSet<PathBuf>,
    /// Files that resolution looked for and did not find.
    pub(crate) missing: BTreeSet<PathBuf>,
    /// Decisions about which files may run.
    pub(crate) decisions: BTreeMap<PathBuf, bool>,
    /// It depends on something that is none of these.
    pub(crate) read_surroundings: bool,
}

impl Observed {
    /// Returns the paths beside the loaded files that decided what imports refer to.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = &PathBuf> {
        self.consulted.iter().chain(&self.missing)
    }

    /// Records what the resolver looked at.
    pub(crate) fn note_resolution(&mut self, context: ResolveContext) {
        self.consulted.extend(context.file_dependencies);
        // A directory in the place of a file is reported as missing, before the resolver looks into it.
        self.missing.extend(context.missing_dependencies.into_iter().filter(|path| !path.is_dir()));
    }

    /// Records files that count, whether they exist or not.
    pub(crate) fn note_files(&mut self, files: impl Iterator<Item = PathBuf>) {
        for file in files {
            let found = if file.is_file() { &mut self.consulted } else { &mut self.missing };
            found.insert(file);
        }
    }

    /// Records the manifests that decide the format of an installed package's file.
    pub(crate) fn note_manifests(&mut self, file: &Path) {
        if !file.components().any(|part| part.as_os_str() == "node_modules") {
            return;
        }
        for folder in file.ancestors().skip(1) {
            let manifest = folder.join("package.json");
            if manifest.is_file() {
                self.consulted.insert(manifest);
                return;
            }
            self.missing.insert(manifest);
        }
    }
}

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;
