//! A provider that an extension registered with an address and a key. It is used only while the extension may run and registers it.

use std::sync::{Arc, Mutex, PoisonError};

use toolsmith_llm::{
    Capabilities, Endpoint, Environment, ErrorClass, EventStream, LlmError, Model, Provider, Reply,
    ReplySource, Request, Selection,
};
use toolsmith_tool::{CancelToken, async_trait};

use super::{
    super::model_choice::providers,
    models::{ExtensionModels, Registered},
};
use crate::settings::{ProviderSettings, Settings};

/// A provider of an extension.
pub(super) struct RegisteredProvider {
    name: String,
    /// The model it was selected for.
    model: String,
    models: ExtensionModels,
    /// Makes the provider again if its registration changes.
    remade: Option<(Settings, Environment)>,
    /// The provider, and the registration it was made of.
    made: Mutex<(ProviderSettings, Arc<dyn Provider>)>,
}

impl RegisteredProvider {
    pub(super) fn new(
        models: ExtensionModels,
        selection: &Selection,
        registered: Registered,
        remade: Option<(Settings, Environment)>,
    ) -> Self {
        Self {
            name: selection.model.provider.clone(),
            model: selection.model.id.clone(),
            models,
            remade,
            made: Mutex::new((without_models(registered.settings), Arc::clone(&selection.provider))),
        }
    }

    /// Returns the provider as it was made last. It must not be asked.
    fn made(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.made.lock().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// Returns the provider as it is registered now.
    fn current(&self) -> Result<Arc<dyn Provider>, LlmError> {
        let registered = self.models.get(&self.name).ok_or_else(|| {
            self.failed("the extension that registered it is not loaded any more; select another model")
        })?;
        let is_own = registered.own.is_some();
        let settings = without_models(registered.settings);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.0 != settings || is_own {
            let remade = self.remade.as_ref().filter(|_| !is_own);
            let provider = remade.and_then(|(settings, environment)| {
                let known = providers(&self.models.added_to(settings), environment.clone()).ok()?;
                Some(known.select_at(&self.name, &self.model).ok()?.provider)
            });
            let changed = || self.failed("its extension changed it; select the model again");
            *made = (settings, provider.ok_or_else(changed)?);
        }
        Ok(Arc::clone(&made.1))
    }

    /// An error that another attempt would meet again.
    fn failed(&self, why: &str) -> LlmError {
        LlmError::new(ErrorClass::BadRequest, format!("the provider {} cannot be used: {why}", self.name))
    }
}

/// Returns what decides where requests go, and with which key.
fn without_models(mut settings: ProviderSettings) -> ProviderSettings {
    settings.models.clear();
    settings
}

impl Provider for RegisteredProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self, model: &Model) -> Capabilities {
        self.made().capabilities(model)
    }

    fn endpoint(&self) -> Option<Endpoint> {
        self.made().endpoint()
    }

    fn missing_key(&self) -> Option<LlmError> {
        match self.current() {
            Ok(provider) => provider.missing_key(),
            Err(error) => Some(error),
        }
    }

    fn is_gone(&self) -> bool {
        self.models.get(&self.name).is_none()
    }

    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
        match self.current() {
            Ok(provider) => provider.stream(request, cancel),
            Err(error) => EventStream::new(Box::new(Failed(error)), Reply::new(request, &self.name), cancel),
        }
    }
}

/// An answer that fails before anything is asked.
struct Failed(LlmError);

#[async_trait]
impl ReplySource for Failed {
    async fn advance(&mut self, _reply: &mut Reply) -> Result<(), LlmError> {
        Err(self.0.clone())
    }
}
