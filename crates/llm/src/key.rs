//! Provider keys: from the environment, from a command, or given literally. They are looked up before each request, so
//! that a key set later is used.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use toolsmith_host::exec;
use toolsmith_tool::CancelToken;

use crate::{
    config::KeySource,
    error::{ErrorClass, LlmError},
    secret::Secret,
};

/// A password manager may ask its user first.
const COMMAND_TIME: Duration = Duration::from_secs(60);

/// Access to environment variables. This crate never reads the environment on its own.
#[derive(Clone)]
pub struct Environment(Arc<LookUp>);

type LookUp = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Environment {
    /// Uses the environment of this process.
    pub fn process() -> Self {
        Self::new(|name| std::env::var(name).ok())
    }

    /// Uses a custom lookup function.
    pub fn new(look_up: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(look_up))
    }

    /// Returns the value of a variable that is set and not blank.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.trim().is_empty())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}

/// The key of one provider.
#[derive(Debug)]
pub(crate) struct Key {
    provider: String,
    source: KeySource,
    environment: Environment,
    /// Cached output of the command.
    printed: Mutex<Option<Secret>>,
}

/// Names the variables to set. A key in the place of a variable's name is not repeated.
fn set_one_of(names: &[String]) -> String {
    let is_name = |name: &&String| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let names: Vec<&str> = names.iter().filter(is_name).map(String::as_str).collect();
    match names.as_slice() {
        [] => "`api_key_env` must be the name of a variable, in capital letters.".to_owned(),
        names => format!("Set {}.", names.join(" or ")),
    }
}

impl Key {
    pub(crate) fn new(provider: &str, source: KeySource, environment: Environment) -> Self {
        Self { provider: provider.to_owned(), source, environment, printed: Mutex::new(None) }
    }

    /// Returns the key; `None` if none is needed.
    pub(crate) async fn get(&self) -> Result<Option<Secret>, LlmError> {
        match &self.source {
            KeySource::None => Ok(None),
            KeySource::Literal(key) => Ok(Some(key.clone())),
            KeySource::Cloud(names) => {
                let found = names.iter().find_map(|name| self.environment.get(name));
                Ok(found.map(|key| Secret::new(key.trim())))
            }
            KeySource::Env(names) => match names.iter().find_map(|name| self.environment.get(name)) {
                Some(key) => Ok(Some(Secret::new(key.trim()))),
                None => Err(self.missing(set_one_of(names))),
            },
            KeySource::Command(command) => self.run(command).await.map(Some),
        }
    }

    /// Describes where the key comes from, for error messages.
    pub(crate) fn origin(&self) -> Option<String> {
        match &self.source {
            KeySource::None => None,
            KeySource::Literal(_) => Some("the key comes from the settings".to_owned()),
            KeySource::Env(names) | KeySource::Cloud(names) => names
                .iter()
                .find(|name| self.environment.get(name).is_some())
                .map(|name| format!("the key comes from {name}")),
            KeySource::Command(_) => Some("the key comes from its command".to_owned()),
        }
    }

    /// Returns whether a key is available, as far as this is known without running a command.
    pub(crate) fn is_set(&self) -> bool {
        match &self.source {
            KeySource::None | KeySource::Command(_) | KeySource::Literal(_) => true,
            KeySource::Env(names) | KeySource::Cloud(names) => {
                names.iter().any(|name| self.environment.get(name).is_some())
            }
        }
    }

    /// The error of a key that is not set.
    pub(crate) fn missing_now(&self) -> Option<LlmError> {
        match &self.source {
            KeySource::Env(names) if !self.is_set() => Some(self.missing(set_one_of(names))),
            _ => None,
        }
    }

    /// The provider refused the key: a command is asked again next time.
    pub(crate) fn forget(&self) {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    async fn run(&self, command: &str) -> Result<Secret, LlmError> {
        let printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(key) = printed {
            return Ok(key);
        }
        let request = exec::plain_shell().request(command).timeout(COMMAND_TIME);
        // Dropping this future, as cancellation does, kills the command.
        let outcome = exec::run(&request, &CancelToken::new(), |_| {})
            .await
            .map_err(|error| self.missing(format!("Its command could not be started: {error}")))?;
        if outcome.code != 0 {
            // Standard output may contain part of a key; standard error does not.
            let complaint = outcome.stderr.text();
            let complaint = complaint.trim();
            let code = outcome.code;
            return Err(self.missing(match complaint.lines().next() {
                Some(line) => format!("Its command exited with code {code}: {line}"),
                None => format!("Its command exited with code {code}."),
            }));
        }
        let text = outcome.stdout.text();
        let key = text.trim();
        if key.is_empty() {
            return Err(self.missing("Its command printed nothing.".to_owned()));
        }
        let key = Secret::new(key);
        *self.printed.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.clone());
        Ok(key)
    }

    fn missing(&self, what_to_do: String) -> LlmError {
        LlmError::new(ErrorClass::Auth, format!("No API key for provider: {}. {what_to_do}", self.provider))
    }
}
