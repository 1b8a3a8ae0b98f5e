//! The tokens of all servers in one file that only the user can read. Entries are keyed by server and URL, so that a changed
//! URL never receives the token of another site.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde_json::{Map, Value};
use toolsmith_host::{private, regular_file};

const MAX_BYTES: u64 = 4 << 20;
/// Field of an entry with the secret that the authorization server issued. The protocol library stores none.
const SECRET: &str = "client_secret";

/// The file. Nothing is read before it is needed.
#[derive(Clone, Debug)]
pub struct TokenFile {
    file: PathBuf,
}

impl TokenFile {
    /// Uses a file, which need not exist.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Returns whether there is a token for the server at this URL.
    pub fn has(&self, server: &str, url: &str) -> bool {
        self.read().is_ok_and(|table| table.contains_key(&key(server, url)))
    }

    /// Removes the tokens of a server for all URLs; `false` if there are none.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn remove(&self, server: &str) -> io::Result<bool> {
        let mut table = self.read()?;
        let before = table.len();
        let prefix = format!("{server} ");
        table.retain(|key, _| !key.starts_with(&prefix));
        if table.len() == before {
            return Ok(false);
        }
        self.write(&table)?;
        Ok(true)
    }

    pub(super) fn entry(&self, server: &str, url: &str) -> TokenEntry {
        TokenEntry { file: self.clone(), key: key(server, url), issued_secret: None }
    }

    fn read(&self) -> io::Result<Map<String, Value>> {
        match regular_file::read_regular(&self.file, MAX_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Map::new()),
            Err(error) => Err(error),
        }
    }

    /// Replaces the file in one step. It is never readable by others, not even while it is written.
    fn write(&self, table: &Map<String, Value>) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(&serde_json::to_vec_pretty(table)?)?;
        new.as_file().sync_all()?;
        new.persist(&self.file)?;
        Ok(())
    }

    /// Takes the lock that serialises refreshes of several processes. It is held until the value is dropped.
    fn lock(&self) -> io::Result<fs::File> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let path = self.file.with_extension("lock");
        let file = private(fs::File::options().create(true).truncate(false).write(true)).open(path)?;
        toolsmith_host::file_lock::lock(&file)?;
        Ok(file)
    }
}

fn key(server: &str, url: &str) -> String {
    let url = url::Url::parse(url).map(|url| url.to_string()).unwrap_or_else(|_| url.to_owned());
    format!("{server} {url}")
}

/// One server's tokens.
#[derive(Clone)]
pub(super) struct TokenEntry {
    file: TokenFile,
    key: String,
    /// Stored with the next tokens.
    issued_secret: Option<String>,
}

/// Changes of the file within this process happen one at a time.
fn writing() -> &'static tokio::sync::Mutex<()> {
    static WRITING: OnceLock<tokio::sync::Mutex<()>> = OnceLock::new();
    WRITING.get_or_init(Default::default)
}

fn failed(error: impl std::fmt::Display) -> AuthError {
    AuthError::InternalError(format!("the token file cannot be used: {error}"))
}

impl TokenEntry {
    pub(super) async fn exists(&self) -> bool {
        self.load().await.is_ok_and(|found| found.is_some())
    }

    /// Sets the secret that the authorization server issued with the client id.
    pub(super) fn issued_secret(mut self, secret: Option<String>) -> Self {
        self.issued_secret = secret;
        self
    }

    /// Returns the stored client id, and the secret that was issued with it.
    pub(super) fn client(&self) -> Option<(String, Option<String>)> {
        let table = self.file.read().ok()?;
        let entry = table.get(&self.key)?;
        let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
        Some((text("client_id")?, text(SECRET)))
    }
}

#[async_trait::async_trait]
impl CredentialStore for TokenEntry {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let table = self.file.read().map_err(failed)?;
        table.get(&self.key).map(|value| serde_json::from_value(value.clone()).map_err(failed)).transpose()
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let _alone = writing().lock().await;
        let mut table = self.file.read().map_err(failed)?;
        // Refreshed tokens belong to the client that was registered before.
        let secret = self.issued_secret.clone().or_else(|| {
            let old =
                table.get(&self.key).filter(|old| old["client_id"] == credentials.client_id.as_str())?;
            old.get(SECRET)?.as_str().map(str::to_owned)
        });
        let mut entry = serde_json::to_value(credentials).map_err(failed)?;
        if let (Some(secret), Some(fields)) = (secret, entry.as_object_mut()) {
            fields.insert(SECRET.to_owned(), Value::String(secret));
        }
        table.insert(self.key.clone(), entry);
        self.file.write(&table).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        let _alone = writing().lock().await;
        let mut table = self.file.read().map_err(failed)?;
        if table.shift_remove(&self.key).is_some() {
            self.file.write(&table).map_err(failed)?;
        }
        Ok(())
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let file = self.file.clone();
        let lock = tokio::task::spawn_blocking(move || file.lock()).await.map_err(failed)?.map_err(failed)?;
        Ok(Some(CredentialRefreshGuard::new(Arc::new(lock))))
    }
}
