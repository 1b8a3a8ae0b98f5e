//! Our plugin directory: what is staged, installed, updated, disabled and removed there.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;
use toolsmith_tool::CancelToken;

use super::{
    describe::parts_of,
    error::PluginError,
    fetch::{Fetched, Fetcher},
    lock::{self, LockedMarketplace, LockedPlugin, PluginLock},
    manifest::{PluginManifest, read_plugin},
    marketplace::{Marketplace, Place},
    source::PluginSource,
};
use crate::home::Home;

/// The plugin directory of a user.
#[derive(Clone, Debug)]
pub struct PluginStore {
    root: PathBuf,
    home: PathBuf,
    fetcher: Fetcher,
}

/// A plugin that was fetched and not installed yet. It is removed when this is dropped.
#[derive(Debug)]
#[non_exhaustive]
pub struct StagedPlugin {
    /// Name under which it would be installed.
    pub name: String,
    /// Source.
    pub source: PluginSource,
    /// Manifest.
    pub manifest: PluginManifest,
    /// Every part in a line.
    pub parts: BTreeSet<String>,
    /// Parts of the plugin of this name that is installed now.
    pub installed: Option<BTreeSet<String>>,
    folder: PathBuf,
    commit: Option<String>,
    integrity: Option<String>,
    /// The npm packages it depends on are there.
    is_complete: bool,
    stage: TempDir,
}

impl StagedPlugin {
    /// Returns the commit or the hash that identifies what was fetched.
    pub fn fingerprint(&self) -> Option<&str> {
        self.commit.as_deref().or(self.integrity.as_deref())
    }
}

impl PluginStore {
    /// Uses the plugin directory of `home`. `programs` are the directories in which npm and git are looked for.
    pub fn new(home: &Home, programs: std::ffi::OsString, cancel: CancelToken) -> Self {
        Self {
            root: home.toolsmith().join("plugins"),
            home: home.user().to_path_buf(),
            fetcher: Fetcher { programs, cancel },
        }
    }

    fn lock_file(&self) -> PathBuf {
        self.root.join("toolsmith-plugins.lock.json")
    }

    /// Returns the lock file's content.
    ///
    /// # Errors
    /// Fails if it is damaged.
    pub fn lock(&self) -> Result<PluginLock, PluginError> {
        lock::read(&self.lock_file())
    }

    /// Returns the directory of an installed plugin.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.join("node_modules").join(name)
    }

    /// Removes what a killed program left behind. Nothing fetches for this long.
    fn remove_leftovers(&self) {
        const LONGEST: Duration = Duration::from_secs(3600);
        let is_old = |entry: &fs::DirEntry| {
            let age = entry.metadata().and_then(|metadata| metadata.modified()).ok()?.elapsed().ok()?;
            Some(age > LONGEST)
        };
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_stage =
                [".staging-", ".removed-"].iter().any(|start| name.to_string_lossy().starts_with(start));
            if is_stage && is_old(&entry) == Some(true) {
                // Somebody else may be removing it.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Fetches a plugin without installing it. Nothing of it runs.
    ///
    /// # Errors
    /// Fails if it cannot be fetched or is not a plugin. [`PluginError::Marketplace`] lists the plugins of a marketplace,
    /// which is remembered.
    pub async fn stage(&self, source: &PluginSource) -> Result<StagedPlugin, PluginError> {
        fs::create_dir_all(&self.root).map_err(PluginError::io(&self.root))?;
        self.remove_leftovers();
        let stage = tempfile::Builder::new().prefix(".staging-").tempdir_in(&self.root);
        let stage = stage.map_err(PluginError::io(&self.root))?;
        let fetched = match source {
            PluginSource::Marketplace { plugin, marketplace } => {
                self.fetch_from_marketplace(plugin, marketplace, stage.path()).await?
            }
            source => {
                let fetched = self.fetcher.fetch(source, stage.path()).await?;
                if let Some(marketplace) = Marketplace::read(&fetched.folder)? {
                    return Err(self.remember(marketplace, source)?);
                }
                fetched
            }
        };
        let Some(manifest) = read_plugin(&fetched.folder).map_err(PluginError::Invalid)? else {
            return Err(PluginError::NoPlugin(source.to_string()));
        };
        let name = match source {
            PluginSource::Marketplace { plugin, .. } => plugin.clone(),
            PluginSource::Path(path) if manifest.file.is_none() => {
                path.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            PluginSource::Git { url, .. } if manifest.file.is_none() => {
                let last = url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
                last.trim_end_matches(".git").to_owned()
            }
            _ => manifest.name,
        };
        if !is_plugin_name(&name) {
            return Err(PluginError::Invalid(format!("{name:?} is not a valid name of a plugin")));
        }
        let lock = self.lock()?;
        let current = self.folder(&name);
        if current.exists() {
            let from = lock.plugins.get(&name).and_then(|entry| entry.source.clone());
            // Another version of the same package is an update of it.
            let is_same = from.as_deref().is_some_and(|from| is_same_source(from, &source.to_string()));
            if !is_same {
                let from = from.unwrap_or_else(|| current.display().to_string());
                return Err(PluginError::Taken { name, from });
            }
        }
        // The directory is called as it will be: a skill in it may be named after it.
        let folder = stage.path().join("ready").join(&name);
        let above = folder.parent().map(PathBuf::from).unwrap_or_default();
        fs::create_dir_all(&above).map_err(PluginError::io(&above))?;
        fs::rename(&fetched.folder, &folder).map_err(PluginError::io(&folder))?;
        let Some((manifest, parts)) = read_parts(&name, &folder)? else {
            return Err(PluginError::NoPlugin(source.to_string()));
        };
        Ok(StagedPlugin {
            parts,
            installed: read_parts(&name, &current).ok().flatten().map(|(_, parts)| parts),
            is_complete: manifest.contents.dependencies.is_empty(),
            name,
            source: source.clone(),
            manifest,
            folder,
            commit: fetched.commit,
            integrity: fetched.integrity,
            stage,
        })
    }

    /// Fetches the npm packages that a staged plugin depends on, without running their scripts, and reads its parts again: a
    /// manifest may name files of those packages. What is shown to a person is what the plugin has after this.
    ///
    /// # Errors
    /// Fails if the packages cannot be fetched.
    pub async fn complete(&self, staged: &mut StagedPlugin) -> Result<(), PluginError> {
        if staged.is_complete {
            return Ok(());
        }
        self.fetcher.dependencies(&staged.folder).await?;
        let Some((manifest, parts)) = read_parts(&staged.name, &staged.folder)? else {
            return Err(PluginError::NoPlugin(staged.source.to_string()));
        };
        (staged.manifest, staged.parts, staged.is_complete) = (manifest, parts, true);
        Ok(())
    }

    async fn fetch_from_marketplace(
        &self,
        plugin: &str,
        marketplace: &str,
        stage: &Path,
    ) -> Result<Fetched, PluginError> {
        let source = self.marketplace_source(marketplace)?;
        let base = stage.join("marketplace");
        fs::create_dir_all(&base).map_err(PluginError::io(&base))?;
        let list = self.fetcher.fetch(&source, &base).await?;
        let Some(found) = Marketplace::read(&list.folder)? else {
            return Err(PluginError::NotFound(format!("{source} is not a marketplace any more")));
        };
        let mut fetched = match found.place(plugin)? {
            Place::Folder(folder) => Fetched { folder, ..list },
            Place::Source(source) => {
                let own = stage.join("plugin");
                fs::create_dir_all(&own).map_err(PluginError::io(&own))?;
                self.fetcher.fetch(&source, &own).await?
            }
        };
        // A copy of its own: several plugins may share one directory of the marketplace.
        let copy = stage.join("own");
        let integrity = super::copy::copy_tree(&fetched.folder, &copy)?;
        found.complete(plugin, &copy)?;
        fetched.folder = copy;
        if fetched.commit.is_none() {
            fetched.integrity = Some(integrity);
        }
        Ok(fetched)
    }

    /// Returns the source of a marketplace: one that was added here, or one of Claude Code.
    fn marketplace_source(&self, name: &str) -> Result<PluginSource, PluginError> {
        if let Some(known) = self.lock()?.marketplaces.get(name) {
            return PluginSource::parse(&known.source, |path| PathBuf::from(path));
        }
        let theirs = self.home.join(".claude/plugins/marketplaces").join(name);
        if is_plugin_name(name) && theirs.is_dir() {
            return Ok(PluginSource::Path(theirs));
        }
        let what = format!("there is no marketplace \"{name}\"; add it first: toolsmith plugin add git:URL");
        Err(PluginError::NotFound(what))
    }

    fn remember(&self, marketplace: Marketplace, source: &PluginSource) -> Result<PluginError, PluginError> {
        let entry = LockedMarketplace { source: source.to_string(), plugins: marketplace.plugins.clone() };
        lock::change(&self.lock_file(), |lock| lock.marketplaces.insert(marketplace.name.clone(), entry))?;
        Ok(PluginError::Marketplace(Box::new(marketplace)))
    }

    /// Installs a staged plugin, in place of an earlier version. It is installed only if it then has no other parts than
    /// `staged.parts`.
    ///
    /// # Errors
    /// Fails if dependencies cannot be fetched, files cannot be moved, or the plugin has parts that were not shown; the earlier
    /// version stays then.
    pub async fn install(&self, mut staged: StagedPlugin) -> Result<PathBuf, PluginError> {
        let shown = staged.parts.clone();
        self.complete(&mut staged).await?;
        let target = self.folder(&staged.name);
        let parent = target.parent().map(PathBuf::from).unwrap_or_default();
        fs::create_dir_all(&parent).map_err(PluginError::io(&parent))?;
        let old = staged.stage.path().join("replaced");
        let had_one = target.symlink_metadata().is_ok();
        if had_one {
            fs::rename(&target, &old).map_err(PluginError::io(&target))?;
        }
        let moved = fs::rename(&staged.folder, &target).map_err(PluginError::io(&target));
        // A link may lead elsewhere from here than it did before.
        let checked = moved.and_then(|()| {
            let parts = read_parts(&staged.name, &target)?.map(|(_, parts)| parts).unwrap_or_default();
            match parts.difference(&shown).next() {
                None => Ok(()),
                Some(part) => Err(PluginError::Hidden { name: staged.name.clone(), part: part.clone() }),
            }
        });
        if let Err(error) = checked {
            // Nothing is there if it could not be moved.
            let _ = fs::rename(&target, staged.stage.path().join("refused"));
            if had_one {
                let _ = fs::rename(&old, &target);
            }
            return Err(error);
        }
        lock::change(&self.lock_file(), |lock| {
            let entry = lock.plugins.entry(staged.name.clone()).or_default();
            entry.version = staged.manifest.version.clone();
            entry.source = Some(staged.source.to_string());
            entry.commit = staged.commit.clone();
            entry.integrity = staged.integrity.clone();
        })?;
        Ok(target)
    }

    /// Removes a plugin; returns whether there was one.
    ///
    /// # Errors
    /// Fails if its files cannot be removed.
    pub fn remove(&self, name: &str) -> Result<bool, PluginError> {
        if !is_plugin_name(name) {
            return Ok(false);
        }
        let folder = self.folder(name);
        let exists = folder.symlink_metadata().is_ok();
        if exists {
            // Moved away first, so that a session never sees half of it.
            let stage = tempfile::Builder::new().prefix(".removed-").tempdir_in(&self.root);
            let stage = stage.map_err(PluginError::io(&self.root))?;
            fs::rename(&folder, stage.path().join("plugin")).map_err(PluginError::io(&folder))?;
        }
        let was_listed = lock::change(&self.lock_file(), |lock| lock.plugins.remove(name).is_some())?;
        Ok(exists || was_listed)
    }

    /// Enables or disables a plugin, or one of its parts such as `skills/NAME`.
    ///
    /// # Errors
    /// Fails if the plugin is not installed or the lock file cannot be written.
    pub fn set_enabled(&self, name: &str, part: Option<&str>, is_enabled: bool) -> Result<(), PluginError> {
        if !self.folder(name).is_dir() {
            return Err(PluginError::NotFound(format!("the plugin \"{name}\" is not installed")));
        }
        lock::change(&self.lock_file(), |lock| {
            let entry: &mut LockedPlugin = lock.plugins.entry(name.to_owned()).or_default();
            match part {
                None => entry.enabled = Some(is_enabled),
                Some(part) => {
                    entry.disabled.retain(|known| known != part);
                    if !is_enabled {
                        entry.disabled.push(part.to_owned());
                    }
                }
            }
        })
    }

    /// Searches the npm registry for plugins.
    ///
    /// # Errors
    /// Fails if the registry cannot be reached.
    pub async fn search_npm(&self, text: &str) -> Result<Vec<(String, String)>, PluginError> {
        let words: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with('-')).collect();
        fs::create_dir_all(&self.root).map_err(PluginError::io(&self.root))?;
        let arguments = [
            &["search", "--json", "--searchlimit=20", "--fetch-retries=1", "--", "keywords:pi-package"],
            words.as_slice(),
        ]
        .concat();
        let output = self.fetcher.run("npm", &arguments, &self.root).await?;
        let found: Vec<serde_json::Value> = serde_json::from_str(&output).unwrap_or_default();
        let text =
            |value: &serde_json::Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Ok(found.iter().map(|one| (text(one, "name"), text(one, "description"))).collect())
    }
}

/// Reads a plugin and describes its parts; `None` if nothing in the directory is part of a plugin.
fn read_parts(name: &str, folder: &Path) -> Result<Option<(PluginManifest, BTreeSet<String>)>, PluginError> {
    let manifest = read_plugin(folder).map_err(PluginError::Invalid)?;
    Ok(manifest.map(|manifest| {
        let parts = parts_of(name, folder, &manifest);
        (manifest, parts)
    }))
}

/// Returns whether two sources are the same but for the version.
fn is_same_source(one: &str, other: &str) -> bool {
    let without_version = |source: &str| match source.strip_prefix("npm:") {
        Some(package) => match package.char_indices().skip(1).find(|(_, c)| *c == '@') {
            Some((at, _)) => format!("npm:{}", &package[..at]),
            None => source.to_owned(),
        },
        None => source.split('#').next().unwrap_or(source).to_owned(),
    };
    without_version(one) == without_version(other)
}

/// A name is a directory below `node_modules`, possibly in a scope.
fn is_plugin_name(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with(['.', '-'])
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match name.strip_prefix('@').and_then(|name| name.split_once('/')) {
        Some((scope, name)) => is_part(scope) && is_part(name),
        None => is_part(name) && name != "node_modules",
    }
}
