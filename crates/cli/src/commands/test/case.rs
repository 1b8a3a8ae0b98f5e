//! The format of case files: input and expected output of a tool. A file contains one case or a list.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolsmith_host::regular_file::read_regular;
use toolsmith_tool::Recording;

use crate::project_files::Target;

/// Larger files are not read.
const MAX_BYTES: u64 = 64 << 20;

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with \"args\" and \"expect\"")]
pub(super) struct Case {
    /// Description.
    #[serde(default)]
    pub(super) about: String,
    /// Module path, relative to the case file; the one beside it by default.
    pub(super) module: Option<String>,
    /// Name of the tool; required if the module has several.
    pub(super) tool: Option<String>,
    /// Arguments as the model would send them.
    #[serde(default = "no_arguments")]
    pub(super) args: Value,
    /// Files created before the call.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// Recorded results of `pi.exec`.
    #[serde(default)]
    pub(super) exec: Vec<Recorded>,
    /// Answers of the surroundings, recorded in a session.
    pub(super) recording: Option<Recording>,
    /// Expected outcome.
    pub(super) expect: Option<Expect>,
}

impl Case {
    /// Removes unused recordings.
    pub(super) fn without_unused(&self, unused: &[String]) -> Vec<Recorded> {
        let mut unused = unused.to_vec();
        // Of equal ones the first are used first.
        let mut kept: Vec<Recorded> = Vec::new();
        for record in self.exec.iter().rev() {
            match unused.iter().position(|known| *known == record.shown()) {
                Some(at) => drop(unused.remove(at)),
                None => kept.insert(0, record.clone()),
            }
        }
        kept
    }
}

fn no_arguments() -> Value {
    Value::Object(Map::new())
}

/// A command and its recorded result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Recorded {
    pub(super) command: String,
    #[serde(default)]
    pub(super) args: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) stderr: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) code: i32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) killed: bool,
    /// It could not be started, with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl Recorded {
    /// Returns the command line for display.
    pub(super) fn shown(&self) -> String {
        std::iter::once(&self.command).chain(&self.args).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(code: &i32) -> bool {
    *code == 0
}

/// Expected outcome. Missing fields are not compared, but a failing call must be expected.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// Text of the result.
    pub(super) text: Option<String>,
    /// The whole result.
    pub(super) result: Option<Value>,
    /// Error text.
    pub(super) error: Option<String>,
    /// Updates: texts, or whole results.
    pub(super) updates: Option<Vec<Value>>,
    /// Created or changed files with their text; null for removed ones.
    pub(super) files: Option<BTreeMap<String, Option<String>>>,
    /// Labels of staged actions.
    pub(super) pending: Option<Vec<String>>,
}

/// A case file as on disk, so that an update changes only what it must.
#[derive(Debug)]
pub(super) struct CaseFile {
    value: Value,
}

impl CaseFile {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<(Self, Vec<Case>)> {
        let bytes = read_regular(path, MAX_BYTES).context("it cannot be read")?;
        let text = String::from_utf8(bytes).context("it is not UTF-8")?;
        let value: Value = serde_json::from_str(&text).context("it is not JSON")?;
        let cases = match &value {
            Value::Array(list) => list
                .iter()
                .enumerate()
                .map(|(index, case)| Case::deserialize(case).with_context(|| format!("case {}", index + 1)))
                .collect::<Result<Vec<Case>>>(),
            one => Case::deserialize(one).map(|case| vec![case]).map_err(anyhow::Error::from),
        };
        Ok((Self { value }, cases.context("it is not a case file")?))
    }

    /// Sets a member of a case.
    pub(super) fn set(&mut self, index: usize, key: &str, member: Value) {
        let case = match &mut self.value {
            Value::Array(list) => list.get_mut(index),
            one => Some(one),
        };
        if let Some(case) = case.and_then(Value::as_object_mut) {
            case.insert(key.to_owned(), member);
        }
    }

    /// Writes the file back. A link in its place is not written through.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.value)?;
        let folder = path.parent().unwrap_or(path);
        Target::of_user(folder)
            .write(path, &(text + "\n"))
            .with_context(|| format!("{} could not be written", path.display()))
    }
}
