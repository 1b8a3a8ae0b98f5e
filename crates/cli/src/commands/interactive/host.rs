//! What the terminal interface needs from the program: sessions as the command line describes them, trust, models and
//! settings.

use std::sync::{Mutex, PoisonError};

use toolsmith::{
    KeyStore, ModelError, Session, SessionBuildError, providers, settings::set_user_setting,
    tool::async_trait, trust_store,
};
use toolsmith_llm::{KeySource, Providers};
use toolsmith_tui::app::{Host, ModelEntry, OpenError, OpenRequest, ProviderEntry, TrustQuestion};

use crate::{arguments::Shared, commands::print::PrintArguments, output::one_line, project::Project};

/// The working directory and the command line.
pub(super) struct ProjectHost {
    shared: Shared,
    arguments: PrintArguments,
    /// The first session is opened as the command line says; later ones as the interface asks.
    notice: Mutex<Option<String>>,
}

impl ProjectHost {
    pub(super) fn new(shared: Shared, arguments: PrintArguments) -> Self {
        Self { shared, arguments, notice: Mutex::new(None) }
    }

    fn project(&self) -> Result<Project, String> {
        Project::open(&self.shared).map_err(|error| format!("{error:#}"))
    }
}

fn open_error(error: &SessionBuildError) -> OpenError {
    let needs_model = matches!(error, SessionBuildError::Model(ModelError::None));
    OpenError { message: error.to_string(), needs_model }
}

#[async_trait]
impl Host for ProjectHost {
    async fn open(&self, request: OpenRequest) -> Result<Session, OpenError> {
        let failed = |message: String| OpenError { message, needs_model: false };
        // Reading settings and looking for modules may wait for the disk.
        let (shared, arguments) = (self.shared.clone(), self.arguments.clone());
        let prepared = tokio::task::spawn_blocking(move || {
            let project = Project::open_for_session(&shared)?;
            let (source, notice) = match request.source {
                Some(source) => (source, None),
                None => arguments.interactive_source(&project),
            };
            let discovered = project.discover();
            let builder =
                arguments.session_at(&project, discovered, source)?.mode(toolsmith::SessionMode::Tui);
            let builder = builder.ui(request.ui).approver(request.approver);
            anyhow::Ok((
                match request.reviewer {
                    Some(reviewer) => builder.reviewer(reviewer),
                    None => builder,
                },
                notice,
            ))
        });
        let (builder, notice) = prepared
            .await
            .map_err(|error| failed(error.to_string()))?
            .map_err(|error| failed(format!("{error:#}")))?;
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = notice;
        builder.build().await.map_err(|error| open_error(&error))
    }

    fn open_notice(&self) -> Option<String> {
        self.notice.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn trust_question(&self) -> Option<TrustQuestion> {
        let project = self.project().ok()?;
        if project.trust.was_declined(&project.root) {
            return None;
        }
        let entries = project.waiting_entries(&project.discover());
        if entries.is_empty() {
            return None;
        }
        Some(TrustQuestion { folder: one_line(&project.root.to_string_lossy()), entries })
    }

    fn answer_trust(&self, is_trusted: bool) -> Result<(), String> {
        let project = self.project()?;
        let store = trust_store(&project.home);
        let stored = if is_trusted { store.add(&project.root) } else { store.decline(&project.root) };
        stored.map(|_| ()).map_err(|error| error.to_string())
    }

    async fn models(&self) -> Vec<ModelEntry> {
        let Ok(project) = self.project() else { return Vec::new() };
        let settings = &project.loaded.settings;
        let Ok(mut providers) = providers(settings, KeyStore::at(&project.home).environment()) else {
            return Vec::new();
        };
        if settings.discovery.local_models {
            providers.discover().await;
        }
        let entry = |model: toolsmith_llm::Model| ModelEntry {
            detail: format!("{} · {}k context", model.name, model.context_window / 1000),
            reference: model.reference(),
        };
        providers.available().into_iter().map(entry).collect()
    }

    async fn providers(&self) -> Vec<ProviderEntry> {
        let Ok(project) = self.project() else { return Vec::new() };
        let settings = &project.loaded.settings;
        let Ok(mut known) = providers(settings, KeyStore::at(&project.home).environment()) else {
            return Vec::new();
        };
        let servers = if settings.discovery.local_models { known.discover().await } else { Vec::new() };
        let names: Vec<String> = known.names().map(str::to_owned).collect();
        let entries = names.iter().filter_map(|name| known.get(name).ok()).filter_map(|provider| {
            let config = provider.config();
            let (variable, detail) = match &config.key {
                KeySource::Env(names) => (names.first().cloned(), names.join(" or ")),
                KeySource::Cloud(names) => {
                    let mut ways = names.clone();
                    ways.push("credentials of its cloud".to_owned());
                    (names.first().cloned(), ways.join(" or "))
                }
                _ if Providers::is_discoverable(config) => {
                    let found = servers.iter().find(|server| server.provider == config.name);
                    let state = match found {
                        Some(server) => format!("{} models", server.models.len()),
                        None => "no server answers".to_owned(),
                    };
                    (None, format!("{} ({state})", config.host()))
                }
                _ => return None,
            };
            let is_usable = provider.has_key() && (variable.is_some() || detail.contains("models"));
            Some(ProviderEntry { name: config.name.clone(), variable, detail, is_usable })
        });
        entries.collect()
    }

    fn store_key(&self, variable: &str, key: &str) -> Result<(), String> {
        let project = self.project()?;
        KeyStore::at(&project.home).set(variable, key).map(drop).map_err(|error| error.to_string())
    }

    fn remove_key(&self, variable: &str) -> Result<bool, String> {
        let project = self.project()?;
        KeyStore::at(&project.home).remove(variable).map_err(|error| error.to_string())
    }

    fn set_setting(&self, key: &str, value: &str) -> Result<(), String> {
        let project = self.project()?;
        // The name of a tool may have dots in it.
        let path: Vec<&str> = match key.strip_prefix("tools.approval.") {
            Some(tool) => vec!["tools", "approval", tool],
            None => key.split('.').collect(),
        };
        set_user_setting(&project.home, &path, value).map(|_| ()).map_err(|error| error.to_string())
    }
}
