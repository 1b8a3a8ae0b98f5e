//! All sessions of a user: creating, finding, copying and removing them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    blobs::Blobs,
    entry::{ENDPOINT, EntryKind, Header},
    error::{SessionError, StoreError},
    file_store::FileStore,
    files::{
        beside, create_private_folder, file_name, files_in, folder_name, id_of, lock, read_failed,
        real_folder, remove_if_there, write_failed,
    },
    format::{FORMAT_VERSION, Origin, convert, entry_line, read_header, write_header},
    listing::{SessionSummary, summarize},
    session_log::SessionLog,
    store::{MemoryStore, ReadOnlyStore},
    tree::{Position, Tree},
};

/// The sessions of a user.
#[derive(Clone, Debug)]
pub struct Sessions {
    root: PathBuf,
    blobs: Blobs,
}

/// A branch from an earlier message, in its own session.
#[derive(Debug)]
pub struct Branched {
    /// The new session: everything before the message.
    pub session: SessionLog,
    /// Text of the message, for editing.
    pub text: String,
}

impl Sessions {
    /// Uses the sessions in `<home>/sessions` and the images in `<home>/blobs`.
    pub fn at(home: impl AsRef<Path>) -> Self {
        let home = home.as_ref();
        Self { root: home.join("sessions"), blobs: Blobs::at(home.join("blobs")) }
    }

    /// Returns the directory for the sessions of a working directory.
    pub fn folder(&self, cwd: &Path) -> PathBuf {
        self.root.join(folder_name(&real_folder(cwd)))
    }

    /// Creates a session. Its file is created with the first message.
    pub fn create(&self, cwd: &Path) -> SessionLog {
        let header = Header::new(real_folder(cwd));
        let line = write_header(&header);
        let store = FileStore::planned(self.path_for(&header), line.clone(), "");
        SessionLog::new(Tree::empty(header, &line), Box::new(store), Some(self.blobs.clone()))
    }

    /// Checks by trying whether the file of a new session could be created, because permissions are not the only
    /// obstacle. Creates the directory and leaves nothing else.
    ///
    /// # Errors
    /// Fails with the reason.
    pub fn check_writable(&self, cwd: &Path) -> Result<(), StoreError> {
        let folder = self.folder(cwd);
        create_private_folder(&folder)?;
        tempfile::tempfile_in(&folder).map(drop).map_err(write_failed(&folder))
    }

    /// Opens the most recent session of a working directory, if there is one.
    ///
    /// # Errors
    /// Fails if it cannot be opened, for example because another process has it open.
    pub fn open_latest(&self, cwd: &Path) -> Result<Option<SessionLog>, SessionError> {
        self.list(cwd)?.first().map(|newest| self.open(&newest.path)).transpose()
    }

    /// Opens a session for writing. A compatible agent's file is imported into a new session.
    ///
    /// # Errors
    /// Fails if it is not a session, another process has it open, or it cannot be read.
    pub fn open(&self, path: &Path) -> Result<SessionLog, SessionError> {
        // Checked before any repair, because no file is written that is not fully understood.
        match origin(path)? {
            Some(Origin::Own(version)) if version > FORMAT_VERSION => {
                return Err(SessionError::TooNew { path: path.to_path_buf(), version });
            }
            Some(Origin::Own(_)) => {}
            Some(Origin::Foreign(_)) => return self.import(path),
            None => return Err(no_header(path)),
        }
        let (store, file) = FileStore::open(path)?;
        let tree = Tree::open(file, path)?;
        for problem in tree.problems().iter().take(20) {
            tracing::warn!(path = %path.display(), problem, "a session file has a problem");
        }
        Ok(SessionLog::new(tree, Box::new(store), Some(self.blobs.clone())))
    }

    /// Opens a session for reading, ours or a compatible agent's, even if another process has it open. Nothing on disk
    /// changes.
    ///
    /// # Errors
    /// Fails if it is not a session or cannot be read.
    pub fn read(&self, path: &Path) -> Result<SessionLog, SessionError> {
        let tree = match origin(path)? {
            Some(Origin::Foreign(_)) => {
                let bytes = fs::read(path).map_err(read_failed(path))?;
                let foreign = convert(&bytes).ok_or_else(|| no_header(path))?;
                let header = foreign_header(&foreign.head, foreign.title.as_deref(), None);
                let lines = lines_of(foreign.entries.into_iter().map(Value::Object));
                Tree::read(format!("{}\n{lines}", write_header(&header)).into_bytes(), path)?
            }
            _ => Tree::open(fs::File::open(path).map_err(read_failed(path))?, path)?,
        };
        let store = ReadOnlyStore::new(path.to_path_buf());
        Ok(SessionLog::new(tree, Box::new(store), Some(self.blobs.clone())))
    }

    /// Imports a compatible agent's session into its working directory. The original file is not changed.
    ///
    /// # Errors
    /// Fails if it is not such a session, or the new file cannot be written.
    pub fn import(&self, path: &Path) -> Result<SessionLog, SessionError> {
        let bytes = fs::read(path).map_err(read_failed(path))?;
        let mut foreign = convert(&bytes).ok_or_else(|| no_header(path))?;
        // Where a model is asked is only believed where it was written here.
        foreign.entries.retain(|entry| entry.get("customType").is_none_or(|kind| kind != ENDPOINT));
        for entry in &mut foreign.entries {
            let mut value = Value::Object(std::mem::take(entry));
            self.blobs.adopt(&mut value, path)?;
            self.blobs.put_images(&mut value)?;
            if let Value::Object(fields) = value {
                *entry = fields;
            }
        }
        let header = foreign_header(&foreign.head, foreign.title.as_deref(), Some(path));
        let lines = lines_of(foreign.entries.into_iter().map(Value::Object));
        self.create_with(self.path_for(&header), header, &lines)
    }

    /// Opens a session by path or id prefix; those of the working directory come first.
    ///
    /// # Errors
    /// Fails if none or several match, or the session cannot be opened.
    pub fn resume(&self, what: &str, cwd: &Path) -> Result<SessionLog, SessionError> {
        self.open(&self.find(what, cwd)?)
    }

    /// Finds the file for a path or id prefix, as for [`Sessions::resume`].
    ///
    /// # Errors
    /// Fails if none or several match.
    pub fn find(&self, what: &str, cwd: &Path) -> Result<PathBuf, SessionError> {
        let missing = || SessionError::NotFound { what: what.to_owned() };
        if what.contains('/') || what.ends_with(".jsonl") {
            let path = cwd.join(what);
            return if path.is_file() { Ok(path) } else { Err(missing()) };
        }
        let wanted = what.trim().to_ascii_lowercase();
        if wanted.is_empty() {
            return Err(missing());
        }
        let here = files_in(&self.folder(cwd)).map_err(read_failed(&self.root))?;
        for files in [here, self.all_files()?] {
            let mut fitting: Vec<_> = files
                .into_iter()
                .filter(|path| id_of(path).is_some_and(|id| id.starts_with(&wanted)))
                .collect();
            fitting.sort();
            match fitting.as_slice() {
                [] => {}
                [path] => return Ok(path.clone()),
                several => {
                    let candidates =
                        several.iter().filter_map(|path| id_of(path)).map(str::to_owned).collect();
                    return Err(SessionError::Ambiguous { what: what.to_owned(), candidates });
                }
            }
        }
        Err(missing())
    }

    /// Lists the sessions of a working directory, most recent first.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn list(&self, cwd: &Path) -> Result<Vec<SessionSummary>, SessionError> {
        let folder = self.folder(cwd);
        Ok(summaries(files_in(&folder).map_err(read_failed(&folder))?))
    }

    /// Returns the summary of one file; `None` if it is not a session.
    pub fn summary(&self, path: &Path) -> Option<SessionSummary> {
        summarize(path)
    }

    /// Lists the sessions of all working directories, most recent first.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn list_all(&self) -> Result<Vec<SessionSummary>, SessionError> {
        Ok(summaries(self.all_files()?))
    }

    /// Copies a session with all branches and artifacts to a new one that continues at the same position. A session in
    /// memory gives one in memory.
    ///
    /// # Errors
    /// Fails if the copy cannot be written.
    pub fn fork(&self, session: &SessionLog) -> Result<SessionLog, SessionError> {
        let positions: Vec<Position> = (0..session.len()).collect();
        let leaf = session.tree().leaf();
        let fork = self.copy(session, &positions, String::new())?;
        fork.set_leaf(leaf);
        if let (Some(from), Some(to)) = (session.artifacts(), fork.artifacts()) {
            copy_folder(&from.folder, &to.folder)?;
        }
        Ok(fork)
    }

    /// Creates a session with what came before a user message.
    ///
    /// # Errors
    /// Fails if the entry is not a user message, or the new session cannot be written.
    pub fn branch(&self, session: &SessionLog, entry_id: &str) -> Result<Branched, SessionError> {
        let (at, text) = session.user_message(entry_id)?;
        let (path, labels) = {
            let tree = session.tree();
            let path = tree.parent(at).map(|parent| tree.path_to(Some(parent))).unwrap_or_default();
            let labels = labels_of(&tree, &path);
            (path, labels)
        };
        let session = self.copy(session, &path, labels)?;
        Ok(Branched { session, text })
    }

    /// Returns whether the file is one of these sessions: it lies in the folder of a working folder, as itself and not as a
    /// link.
    pub fn owns(&self, path: &Path) -> bool {
        let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let folder = path.parent().and_then(Path::parent);
        match (folder.map(toolsmith_host::real_path), toolsmith_host::real_path(&self.root)) {
            (Some(Ok(folder)), Ok(root)) => is_file && folder == root && id_of(path).is_some(),
            _ => false,
        }
    }

    /// Removes a session with its artifacts. Images stay: other sessions may show them.
    ///
    /// # Errors
    /// Fails if another process has it open, it is not one of our sessions, or it cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<(), SessionError> {
        let is_ours = self.owns(path);
        if fs::symlink_metadata(path).map_err(read_failed(path))?.is_symlink() {
            let reason = "it is a link; name the file itself".to_owned();
            return Err(SessionError::NotASession { path: path.to_path_buf(), reason });
        }
        match origin(path)? {
            Some(Origin::Foreign(_)) => return Err(no_header(path)),
            // Also one whose header was torn, if it lies among ours.
            None if !is_ours => return Err(no_header(path)),
            _ => {}
        }
        let file = fs::File::open(path).map_err(read_failed(path))?;
        let _lock = lock(&file, path)?;
        // Beside a file that lies elsewhere, a folder of that name is somebody's own.
        if is_ours {
            let artifacts = path.with_extension("");
            match fs::remove_dir_all(&artifacts) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(write_failed(&artifacts)(error).into());
                }
                _ => {}
            }
            remove_if_there(&beside(path, ".torn"))?;
        }
        Ok(remove_if_there(path)?)
    }

    /// Creates a session with some entries of another one, followed by these lines.
    fn copy(
        &self,
        from: &SessionLog,
        positions: &[Position],
        after: String,
    ) -> Result<SessionLog, SessionError> {
        let mut header = Header::new(from.cwd());
        header.title = from.name();
        header.parent_session = from.file().map(|path| path.to_string_lossy().into_owned());
        let lines = {
            let tree = from.tree();
            positions.iter().fold(String::new(), |text, at| text + &tree.line(*at) + "\n") + &after
        };
        // Beside the original if that is ours: the working directory in a header may have lost non-UTF-8 bytes.
        let beside = from.file().and_then(Path::parent).filter(|folder| folder.starts_with(&self.root));
        let path = match beside {
            Some(folder) => folder.join(file_name(&header)),
            None => self.path_for(&header),
        };
        if from.file().is_some() && !lines.is_empty() {
            return self.create_with(path, header, &lines);
        }
        let line = write_header(&header);
        let text = format!("{line}\n{lines}").into_bytes();
        if from.file().is_none() {
            let tree = Tree::read(text, Path::new("in memory"))?;
            return Ok(SessionLog::new(tree, Box::new(MemoryStore), None));
        }
        // The session is empty, so no file is needed.
        let title = header.title.clone().unwrap_or_default();
        let store = FileStore::planned(path, line.clone(), &title);
        Ok(SessionLog::new(Tree::empty(header, &line), Box::new(store), Some(self.blobs.clone())))
    }

    fn create_with(&self, path: PathBuf, header: Header, lines: &str) -> Result<SessionLog, SessionError> {
        let line = write_header(&header);
        let store = FileStore::create(
            path.clone(),
            line.clone(),
            header.title.as_deref().unwrap_or_default(),
            lines,
        )?;
        let tree = Tree::read(format!("{line}\n{lines}").into_bytes(), &path)?;
        Ok(SessionLog::new(tree, Box::new(store), Some(self.blobs.clone())))
    }

    fn path_for(&self, header: &Header) -> PathBuf {
        self.folder(&header.cwd).join(file_name(header))
    }

    fn all_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folders = match fs::read_dir(&self.root) {
            Ok(folders) => folders,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(read_failed(&self.root)(error)),
        };
        // A directory that cannot be read hides its own sessions only.
        Ok(folders.filter_map(|folder| files_in(&folder.ok()?.path()).ok()).flatten().collect())
    }
}

/// Determines the format of a file from its first lines.
fn origin(path: &Path) -> Result<Option<Origin>, StoreError> {
    use io::{BufRead as _, Read as _};
    let file = fs::File::open(path).map_err(read_failed(path))?;
    // Headers are short; a file without line ends is not read into memory to find out.
    let lines = io::BufReader::new(file.take(1 << 20)).split(b'\n').take(2);
    for line in lines {
        let line = line.map_err(read_failed(path))?;
        if let Some(head) = read_header(&line) {
            return Ok(Some(head.origin()));
        }
    }
    Ok(None)
}

fn no_header(path: &Path) -> SessionError {
    SessionError::NotASession { path: path.to_path_buf(), reason: "it has no session header".to_owned() }
}

fn foreign_header(head: &super::format::HeadLine, title: Option<&str>, from: Option<&Path>) -> Header {
    let mut header = Header::new(PathBuf::from(&head.cwd));
    header.title = title.map(str::to_owned);
    match from {
        Some(from) => header.parent_session = Some(from.to_string_lossy().into_owned()),
        // Opened for reading only, so it is not imported.
        None => {
            header.id.clone_from(&head.id);
            header.timestamp.clone_from(&head.timestamp);
            header.parent_session.clone_from(&head.parent_session);
        }
    }
    header
}

fn lines_of(values: impl Iterator<Item = Value>) -> String {
    values.fold(String::new(), |text, value| text + &value.to_string() + "\n")
}

/// Creates entries for labels of a path that were set elsewhere in the tree.
fn labels_of(tree: &Tree, path: &[Position]) -> String {
    let mut lines = String::new();
    let mut parent = path.last().map(|at| tree.id(*at).to_owned());
    for at in path {
        let Some(label) = tree.label(tree.id(*at)) else {
            continue;
        };
        let kind = EntryKind::Label { target_id: tree.id(*at).to_owned(), label: Some(label.to_owned()) };
        let mut entry = tree.next_entry(kind);
        entry.parent_id = parent.replace(entry.id.clone());
        lines.push_str(&entry_line(entry).to_string());
        lines.push('\n');
    }
    lines
}

fn summaries(files: Vec<PathBuf>) -> Vec<SessionSummary> {
    let mut found: Vec<_> = files.iter().filter_map(|path| summarize(path)).collect();
    found.sort_by(|one, other| (other.modified, &other.path).cmp(&(one.modified, &one.path)));
    found
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), StoreError> {
    let files = match fs::read_dir(from) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(read_failed(from)(error)),
    };
    create_private_folder(to)?;
    for file in files.flatten() {
        let path = file.path();
        if path.is_file() {
            fs::copy(&path, to.join(file.file_name())).map_err(write_failed(to))?;
        }
    }
    Ok(())
}
