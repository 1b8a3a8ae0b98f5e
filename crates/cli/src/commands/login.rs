//! `toolsmith login`, `logout` and `models`: stored keys, and the models they make available.

use std::{
    io::{BufRead as _, IsTerminal as _, Write as _},
    process::ExitCode,
};

use anyhow::Result;
use serde_json::json;
use toolsmith::{KeyPlace, KeyStore, providers};
use toolsmith_llm::{KeySource, Providers};

use crate::{
    arguments::Shared,
    failure::Problem,
    project::Project,
    runtime, streams,
    terminal::{DIM, NAME, paint},
};

/// Arguments of `login`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LoginArguments {
    /// Provider, such as anthropic, openai or google.
    provider: String,
}

/// Arguments of `logout`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LogoutArguments {
    /// Provider, such as anthropic or openai.
    provider: String,
}

/// Arguments of `models`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ModelsArguments {
    /// Part of a name.
    query: Option<String>,
}

/// The variable that a provider's key is stored for.
pub(crate) fn variable(providers: &Providers, provider: &str) -> Result<String, Problem> {
    let known = providers.get(provider).map_err(|error| Problem::wrong_use(error.to_string()))?;
    match &known.config().key {
        KeySource::Env(names) => names.first().cloned().ok_or_else(|| no_key(provider)),
        KeySource::Cloud(names) => names.first().cloned().ok_or_else(|| {
            Problem::wrong_use(format!("{provider} takes no key, but the credentials of its cloud"))
                .hint("Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.")
        }),
        _ => Err(no_key(provider)),
    }
}

fn no_key(provider: &str) -> Problem {
    Problem::wrong_use(format!("{provider} takes no key from the environment"))
        .hint("Its key is configured in the settings, or it needs none.")
}

pub(crate) fn login(shared: &Shared, own: &LoginArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let store = KeyStore::at(&project.home);
    let known = providers(&project.loaded.settings, store.environment())?;
    let variable = variable(&known, &own.provider)?;
    let key = read_key(&own.provider)?;
    if key.trim().is_empty() {
        return Err(Problem::wrong_use("the key is empty; nothing was stored").into());
    }
    let place = match store.set(&variable, &key)? {
        KeyPlace::Keychain => "the keychain".to_owned(),
        _ => project.show(store.file()),
    };
    let mut out = streams::stdout();
    writeln!(out, "Stored the key for {} in {place}.", paint(NAME, &own.provider))?;
    if std::env::var_os(&variable).is_some() {
        writeln!(out, "{}", paint(DIM, format_args!("{variable} is set and takes precedence over it.")))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn logout(shared: &Shared, own: &LogoutArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let store = KeyStore::at(&project.home);
    let known = providers(&project.loaded.settings, store.environment())?;
    let is_removed = store.remove(&variable(&known, &own.provider)?)?;
    let text = if is_removed { "Removed the key for" } else { "No stored key for" };
    writeln!(streams::stdout(), "{text} {}.", paint(NAME, &own.provider))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a key: without echo on a terminal, else from standard input.
fn read_key(provider: &str) -> Result<String> {
    let stdin = std::io::stdin();
    let mut line = String::new();
    if !stdin.is_terminal() {
        stdin.lock().read_line(&mut line)?;
        return Ok(line);
    }
    write!(streams::stderr(), "Key for {}: ", paint(NAME, provider))?;
    streams::stderr().flush()?;
    let hidden = toolsmith_host::HiddenInput::start()?;
    let read = stdin.lock().read_line(&mut line);
    drop(hidden);
    writeln!(streams::stderr())?;
    read?;
    Ok(line)
}

pub(crate) fn models(shared: &Shared, own: &ModelsArguments) -> Result<ExitCode> {
    let project = Project::open(shared)?;
    let settings = &project.loaded.settings;
    let mut known = providers(settings, KeyStore::at(&project.home).environment())?;
    runtime::block_on(async {
        if settings.discovery.local_models {
            known.discover().await;
        }
        let query = own.query.as_deref().unwrap_or_default().to_lowercase();
        let mut found = known.available();
        found.retain(|model| format!("{} {}", model.reference(), model.name).to_lowercase().contains(&query));
        if shared.json {
            let all: Vec<_> = found
                .iter()
                .map(|model| {
                    json!({
                        "model": model.reference(),
                        "name": model.name,
                        "contextWindow": model.context_window,
                        "images": model.images,
                        "thinking": model.thinking.is_supported(),
                    })
                })
                .collect();
            streams::print_json_line(&json!(all))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut out = streams::stdout();
        for model in &found {
            let detail = format!("  {} · {}k context", model.name, model.context_window / 1000);
            writeln!(out, "{}{}", paint(NAME, model.reference()), paint(DIM, detail))?;
        }
        if found.is_empty() {
            writeln!(out, "No model has a key. `toolsmith login PROVIDER` stores one.")?;
        }
        Ok(ExitCode::SUCCESS)
    })
}
