//! The tool calls of a stored session, with their recordings, and cases made of them.

use std::{
    collections::HashMap,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use toolsmith::Discovered;
use toolsmith_agent::{
    Arguments, LOAD_RECORDING, RECORDING, RecordedCall, RecordedEnd,
    session::{SessionLog, Sessions},
};
use toolsmith_host::{real_path, regular_file::read_regular};
use toolsmith_llm::{Message, ToolResultMessage};
use toolsmith_tool::{CWD_MARK, LoadRecording, Recording, SessionView as _, ToolResult, redact_value};

use crate::{failure::Problem, project::Project};

/// Larger recordings are not read.
const MAX_RECORDING: u64 = 32 << 20;

/// A call of a session.
pub(crate) struct SessionCall {
    /// Its number among the calls of the session, starting at one.
    pub(crate) number: usize,
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// The model's text, if it is not the arguments as JSON.
    raw: Option<String>,
    pub(crate) result: ToolResult,
    /// The tool was called; false if the call was refused before.
    pub(crate) was_called: bool,
    pub(crate) recording: Option<Recording>,
    /// Questions of its module while it was loaded; calls of one instance share them.
    pub(crate) load: Option<Arc<LoadRecording>>,
    pub(crate) end: RecordedEnd,
}

impl SessionCall {
    /// Returns whether a replay calls the tool.
    pub(crate) fn is_replayed(&self) -> bool {
        self.recording.is_some() || !self.was_called
    }

    /// Returns the recording with the load of the module.
    pub(crate) fn whole_recording(&self) -> Option<Recording> {
        let mut recording = self.recording.clone()?;
        recording.load = self.load.as_ref().map(|load| Box::new(LoadRecording::clone(load)));
        Some(recording)
    }

    /// Returns the arguments as the model sent them.
    pub(crate) fn sent(&self) -> Arguments {
        match &self.raw {
            Some(raw) => raw.as_str().into(),
            None => self.arguments.clone().into(),
        }
    }
}

/// Finds a session by its id, an id prefix or its path, and returns its calls in order.
pub(crate) fn read_session(project: &Project, what: &str) -> Result<(SessionLog, Vec<SessionCall>)> {
    let sessions = Sessions::at(project.home.toolsmith());
    let path = sessions.find(what, &project.cwd)?;
    let log = sessions.read(&path)?;
    let read = artifacts::<RecordedCall>(&log, RECORDING);
    let mut recordings: HashMap<String, RecordedCall> =
        read.map(|(_, call)| (call.call_id.clone(), call)).collect();
    let loads: HashMap<String, Arc<LoadRecording>> =
        artifacts(&log, LOAD_RECORDING).map(|(id, load)| (id, Arc::new(load))).collect();
    let messages = log.messages();
    let mut results: HashMap<&str, &ToolResultMessage> = HashMap::new();
    for message in &messages {
        if let Message::ToolResult(result) = message {
            results.entry(&result.tool_call_id).or_insert(result);
        }
    }
    let mut calls = Vec::new();
    for message in &messages {
        let Message::Assistant(answer) = message else { continue };
        for call in answer.tool_calls() {
            // A call without a result was interrupted.
            let Some(result) = results.get(call.id.as_str()) else { continue };
            let recorded = recordings.remove(&call.id);
            let end = recorded.as_ref().map(|recorded| recorded.end).unwrap_or_default();
            let load = recorded.as_ref().and_then(|recorded| recorded.load.as_ref());
            let (load, is_lost) = match load {
                Some(id) => (loads.get(id).cloned(), !loads.contains_key(id)),
                None => (None, false),
            };
            let (mut recording, own) = match recorded {
                Some(RecordedCall { recording, result, .. }) => (Some(recording), result),
                None => (None, None),
            };
            if let Some(recording) = recording.as_mut().filter(|_| is_lost) {
                recording.incomplete =
                    Some("the recording of its module's load is missing or damaged".to_owned());
            }
            calls.push(SessionCall {
                number: calls.len() + 1,
                id: call.id.clone(),
                tool: call.name.clone(),
                arguments: call.arguments.clone(),
                raw: call.raw_arguments.clone(),
                // The tool's own result has no credentials, and nothing was cut from it or added to it.
                result: own.unwrap_or_else(|| whole_result(result)),
                was_called: result.metrics.is_some(),
                recording,
                load,
                end,
            });
        }
    }
    Ok((log, calls))
}

fn whole_result(message: &ToolResultMessage) -> ToolResult {
    let mut result = ToolResult { content: message.content.clone(), ..ToolResult::default() };
    result.details.clone_from(&message.details);
    result.is_error = message.is_error;
    result
}

/// Reads the artifacts of a kind beside a session, with their ids. A damaged one counts as missing.
fn artifacts<T: DeserializeOwned>(log: &SessionLog, kind: &str) -> impl Iterator<Item = (String, T)> {
    let ending = format!(".{kind}.log");
    let files = log.artifacts_dir().and_then(|folder| fs::read_dir(folder).ok());
    files.into_iter().flatten().flatten().filter_map(move |file| {
        let id = file.file_name().to_string_lossy().strip_suffix(&ending)?.to_owned();
        let bytes = read_regular(&file.path(), MAX_RECORDING).ok()?;
        Some((id, serde_json::from_slice(&bytes).ok()?))
    })
}

/// Returns the module of each call whose load was recorded: at the same place, or a file of the same name.
pub(crate) fn modules_of(
    calls: &[SessionCall],
    discovered: &Discovered,
    project: &Project,
) -> Vec<Option<PathBuf>> {
    let real = |path: &Path| real_path(project.cwd.join(path)).unwrap_or_else(|_| path.to_path_buf());
    let found: Vec<(&Path, PathBuf)> =
        discovered.ready().map(|module| (module.path.as_path(), real(&module.path))).collect();
    let module_of = |load: &LoadRecording| {
        let path = PathBuf::from(load.module.replace(CWD_MARK, &project.cwd.to_string_lossy()));
        let path = real(&path);
        let same = found.iter().find(|(_, known)| *known == path);
        let same = same.or_else(|| found.iter().find(|(_, known)| known.file_name() == path.file_name()));
        same.map(|(path, _)| path.to_path_buf())
    };
    calls.iter().map(|call| call.load.as_deref().and_then(module_of)).collect()
}

/// Chooses calls by a number or an id prefix; all without one.
pub(crate) fn choose(calls: Vec<SessionCall>, wanted: Option<&str>) -> Result<Vec<SessionCall>> {
    let Some(wanted) = wanted else { return Ok(calls) };
    let count = calls.len();
    let number: Option<usize> = wanted.parse().ok();
    let fits = |call: &SessionCall| Some(call.number) == number || call.id.starts_with(wanted);
    let mut found: Vec<SessionCall> = calls.into_iter().filter(fits).collect();
    match found.len() {
        0 => {
            let problem = Problem::wrong_use(format!("the session has no call \"{wanted}\""));
            Err(problem.hint(format!("It has {count} calls. Give a number, or an id prefix.")).into())
        }
        1 => Ok(found),
        _ if found.iter().any(|call| Some(call.number) == number) => {
            found.retain(|call| Some(call.number) == number);
            Ok(found)
        }
        several => Err(Problem::wrong_use(format!("\"{wanted}\" is the prefix of {several} calls")).into()),
    }
}

/// A result as JSON, with the working directory and secrets replaced.
pub(crate) fn comparable(result: &ToolResult, cwd: &Path, secrets: &[String]) -> Value {
    let mut value = json!({ "content": result.content, "isError": result.is_error });
    if let Some(details) = &result.details {
        value["details"] = details.clone();
    }
    hide(&mut value, &cwd.to_string_lossy(), secrets);
    value
}

fn hide(value: &mut Value, cwd: &str, secrets: &[String]) {
    redact_value(value, secrets);
    mark_cwd(value, cwd);
}

fn mark_cwd(value: &mut Value, cwd: &str) {
    match value {
        Value::String(text) => *text = text.replace(cwd, CWD_MARK),
        Value::Array(list) => list.iter_mut().for_each(|item| mark_cwd(item, cwd)),
        Value::Object(fields) => fields.values_mut().for_each(|item| mark_cwd(item, cwd)),
        _ => {}
    }
}

/// Returns a result as cases have it: the flag of an error is left out where there is none.
fn without_error_flag(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.remove("isError");
    }
    result
}

/// A case made of a call.
pub(crate) struct NewCase<'a> {
    pub(crate) about: String,
    pub(crate) module: &'a Path,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Value,
    pub(crate) recording: Option<Recording>,
    pub(crate) result: &'a ToolResult,
    /// Where the call ran.
    pub(crate) cwd: &'a Path,
    /// Part of the file's name.
    pub(crate) mark: String,
}

impl NewCase<'_> {
    /// Writes the case beside the module. An existing file is not overwritten.
    pub(crate) fn write(self, secrets: &[String]) -> Result<PathBuf> {
        let stem = self.module.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.module.parent().unwrap_or(Path::new("."));
        let path = folder.join(format!("{stem}.{}.case.json", self.mark));
        let mut arguments = self.arguments.clone();
        hide(&mut arguments, &self.cwd.to_string_lossy(), secrets);
        let mut case = Map::new();
        case.insert("about".to_owned(), self.about.into());
        case.insert("tool".to_owned(), self.tool.into());
        case.insert("args".to_owned(), arguments);
        if let Some(mut recording) = self.recording {
            // A case has one call of one module, which is beside it.
            if let Some(load) = &mut recording.load {
                load.instance.clear();
                load.module.clear();
            }
            case.insert("recording".to_owned(), serde_json::to_value(recording)?);
        }
        let result = comparable(self.result, self.cwd, secrets);
        let texts = result["content"].as_array().into_iter().flatten();
        let is_text = texts.clone().all(|block| block["type"] == "text");
        let text = texts.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n");
        let expect = match (self.result.is_error, is_text && result.get("details").is_none()) {
            (true, _) => json!({ "error": text }),
            (false, true) => json!({ "text": text }),
            (false, false) => json!({ "result": without_error_flag(result) }),
        };
        case.insert("expect".to_owned(), expect);
        let text = serde_json::to_string_pretty(&Value::Object(case))? + "\n";
        // A new file is never a link to another one.
        let mut file = fs::File::options().write(true).create_new(true).open(&path);
        if let Ok(file) = &mut file {
            file.write_all(text.as_bytes())
                .with_context(|| format!("{} could not be written", path.display()))?;
        }
        file.with_context(|| format!("{} could not be created", path.display()))?;
        Ok(path)
    }
}
