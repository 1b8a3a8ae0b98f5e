//! Rules, their conditions, and those without one as text for the system prompt.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    str::FromStr,
};

use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};
use thiserror::Error;

use super::{
    file::RuleError,
    scope::{Glob, Scope, looks_like_glob},
};

/// Which responses a rule interrupts. Others continue, and the rule is sent afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InterruptMode {
    /// Every response.
    #[default]
    Always,
    /// None.
    Never,
    /// Those that break the rule in text or thinking.
    ProseOnly,
    /// Those that break it in a call.
    ToolOnly,
}

/// Unknown interrupt mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is not an interrupt mode; expected always, never, prose-only or tool-only")]
pub struct UnknownInterruptMode(pub String);

impl FromStr for InterruptMode {
    type Err = UnknownInterruptMode;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "always" => Self::Always,
            "never" => Self::Never,
            "prose-only" => Self::ProseOnly,
            "tool-only" => Self::ToolOnly,
            _ => return Err(UnknownInterruptMode(word.to_owned())),
        })
    }
}

impl InterruptMode {
    /// Returns the name used in files and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::ProseOnly => "prose-only",
            Self::ToolOnly => "tool-only",
        }
    }

    pub(super) fn interrupts(self, in_tool: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::ProseOnly => !in_tool,
            Self::ToolOnly => in_tool,
        }
    }
}

/// A rule, as parsed by [`Rule::parse`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rule {
    /// File name without its extension.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Text sent to the model.
    pub text: String,
    /// Description in one line.
    pub description: Option<String>,
    /// Files it applies to.
    pub globs: Vec<String>,
    /// Included in every request.
    pub always_apply: bool,
    /// Which responses it interrupts, overriding the setting.
    pub interrupt: Option<InterruptMode>,
    /// The conditions as written.
    pub condition: Vec<String>,
    /// The scope as written.
    pub scope: Vec<String>,
    pub(super) files: Vec<Glob>,
    pub(super) conditions: Vec<Condition>,
}

impl Rule {
    /// Returns whether it is a stream rule.
    pub fn is_stream_rule(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Returns the JSON for tools and clients.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "path": self.path,
            "content": self.text,
            "description": self.description,
            "globs": self.globs,
            "alwaysApply": self.always_apply,
            "condition": self.condition,
            "scope": self.scope,
            "interruptMode": self.interrupt.map(InterruptMode::as_str),
        })
    }

    /// Derives the name from the path.
    pub(super) fn name_of(path: &Path) -> String {
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Maximum size of a compiled expression. Matching time is proportional to it.
const MAX_COMPILED: usize = 1 << 20;
/// Tools watched by a condition that is a file pattern.
const WRITERS: [&str; 2] = ["edit", "write"];

/// One condition of a rule; any one is sufficient.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    /// `None` matches anything.
    pub(super) expression: Option<Regex>,
    pub(super) scopes: Vec<Scope>,
}

impl Condition {
    /// Creates a condition: a regular expression searched for in `scopes`, or a file pattern that matches when such a
    /// file is edited or written.
    pub(super) fn parse(text: &str, scopes: &[Scope]) -> Result<Self, RuleError> {
        let text = text.trim();
        if looks_like_glob(text) {
            let files = Glob::parse(text)?;
            let scope = |name: &str| Scope::Tool { name: Some(name.to_owned()), files: Some(files.clone()) };
            return Ok(Self { expression: None, scopes: WRITERS.into_iter().map(scope).collect() });
        }
        let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).dfa_size_limit(4 * MAX_COMPILED).build();
        let expression = built.map_err(|error| {
            let told = error.to_string();
            // The last line has the error; the lines before it point to the position.
            let reason = told.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            RuleError::new(format!("the condition \"{text}\" is not a valid regular expression: {reason}"))
        })?;
        Ok(Self { expression: Some(expression), scopes: scopes.to_vec() })
    }
}

/// Maximum size of all rules in the prompt; more would displace the actual work.
const MAX_BYTES: usize = 64 * 1024;

/// Formats the rules that are not stream rules: those that always apply in full, the others by name. Returns `None` if
/// there are none.
pub fn rules_prompt(rules: &[Rule]) -> Option<String> {
    let rules = || rules.iter().filter(|rule| !rule.is_stream_rule());
    let (mut full, mut listed) = (String::new(), String::new());
    for rule in rules() {
        let path = rule.path.display();
        let whole = format!("\n<rule name=\"{}\" path=\"{path}\">\n{}\n</rule>", rule.name, rule.text);
        if rule.always_apply && full.len() + whole.len() <= MAX_BYTES {
            full.push_str(&whole);
            continue;
        }
        let about = match (&rule.description, rule.always_apply) {
            (Some(description), _) => description.clone(),
            (None, true) => "always applies".to_owned(),
            (None, false) => String::new(),
        };
        let files =
            if rule.globs.is_empty() { String::new() } else { format!(" [{}]", rule.globs.join(", ")) };
        let line = format!("\n- {}{files}: {about} ({path})", rule.name).replace(":  (", ": (");
        if listed.len() + line.len() <= MAX_BYTES {
            listed.push_str(&line);
        }
    }
    let mut text = String::new();
    if !full.is_empty() {
        let _ = write!(text, "Rules of the user and the project; follow them:{full}");
    }
    if !listed.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        let _ = write!(text, "{gap}Rules to read before related work:{listed}");
    }
    (!text.is_empty()).then_some(text)
}
