//! Expansion of values: `${VAR}`, `${VAR:-default}`, and a whole value `!command` that is replaced by the command's output.

use std::{collections::BTreeMap, path::Path, time::Duration};

use thiserror::Error;
use toolsmith_host::exec;
use toolsmith_tool::CancelToken;

/// Deadline of a command that gives a value.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// Errors of expansion. Values are not repeated, because they may be secrets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// A variable is not set and has no default.
    #[error(
        "{place}: the environment variable {variable} is not set; set it, or write ${{{variable}:-default}}"
    )]
    Unset {
        /// Its place in the entry.
        place: String,
        /// The variable.
        variable: String,
    },
    /// A reference does not end.
    #[error("{place}: \"${{\" has no closing \"}}\"")]
    Unclosed {
        /// Its place in the entry.
        place: String,
    },
    /// The command failed.
    #[error("{place}: the command after \"!\" failed: {reason}")]
    Command {
        /// Its place in the entry.
        place: String,
        /// The reason.
        reason: String,
    },
}

/// Expands the values of one entry.
#[derive(Clone, Copy, Debug)]
pub struct Expander<'a> {
    cwd: &'a Path,
    is_on: bool,
    environment: Option<&'a BTreeMap<String, String>>,
}

impl<'a> Expander<'a> {
    /// Creates an expander whose commands run in `cwd`. Turned off, it returns values unchanged.
    pub fn new(cwd: &'a Path, is_on: bool) -> Self {
        Self { cwd, is_on, environment: None }
    }

    /// Uses these variables in place of the process's, for tests.
    #[must_use]
    pub fn environment(mut self, environment: &'a BTreeMap<String, String>) -> Self {
        self.environment = Some(environment);
        self
    }

    fn variable(&self, name: &str) -> Option<String> {
        match self.environment {
            Some(environment) => environment.get(name).cloned(),
            None => std::env::var(name).ok(),
        }
    }

    /// Expands one value.
    ///
    /// # Errors
    /// Fails if a variable is not set, a reference does not end, or a command fails.
    pub async fn value(&self, place: &str, text: &str) -> Result<String, ExpandError> {
        if !self.is_on {
            return Ok(text.to_owned());
        }
        match text.strip_prefix('!') {
            Some(command) if !command.trim().is_empty() => self.command(place, command.trim()).await,
            _ => self.references(place, text),
        }
    }

    /// Expands the values of a table.
    ///
    /// # Errors
    /// As for [`Expander::value`].
    pub async fn table(
        &self,
        place: &str,
        table: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, ExpandError> {
        let mut expanded = BTreeMap::new();
        for (key, value) in table {
            expanded.insert(key.clone(), self.value(&format!("{place}.{key}"), value).await?);
        }
        Ok(expanded)
    }

    /// Returns the values that a text may have, and whether one of them is all it can be, without running anything. The output
    /// of a command is not known, and neither is a variable that is not set. Defaults count too: another process may lack the
    /// variable.
    pub fn possible_values(&self, text: &str) -> (Vec<String>, bool) {
        if !self.is_on {
            return (vec![text.to_owned()], true);
        }
        if text.strip_prefix('!').is_some_and(|command| !command.trim().is_empty()) {
            return (Vec::new(), false);
        }
        let value = self.references("", text);
        let is_known = !matches!(value, Err(ExpandError::Unset { .. }));
        let nothing_set = BTreeMap::new();
        let default = Expander { environment: Some(&nothing_set), ..*self }.references("", text);
        let mut values: Vec<String> = [value, default].into_iter().flatten().collect();
        values.dedup();
        (values, is_known)
    }

    fn references(&self, place: &str, text: &str) -> Result<String, ExpandError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            expanded.push_str(before);
            let (inside, behind) =
                after.split_once('}').ok_or_else(|| ExpandError::Unclosed { place: place.to_owned() })?;
            let (name, default) = match inside.split_once(":-") {
                Some((name, default)) => (name, Some(default)),
                None => (inside, None),
            };
            let value = self.variable(name).filter(|value| default.is_none() || !value.is_empty());
            match value.or_else(|| default.map(str::to_owned)) {
                Some(value) => expanded.push_str(&value),
                None => {
                    return Err(ExpandError::Unset { place: place.to_owned(), variable: name.to_owned() });
                }
            }
            rest = behind;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    async fn command(&self, place: &str, command: &str) -> Result<String, ExpandError> {
        let failed = |reason: String| ExpandError::Command { place: place.to_owned(), reason };
        let request = exec::plain_shell().request(command).cwd(self.cwd).timeout(COMMAND_TIMEOUT);
        let outcome = exec::run(&request, &CancelToken::new(), |_| {})
            .await
            .map_err(|error| failed(error.to_string()))?;
        if outcome.code != 0 {
            return Err(failed(format!("exit code {}", outcome.code)));
        }
        Ok(outcome.stdout.text().trim_end_matches(['\r', '\n']).to_owned())
    }
}
