//! Folders with hooks, and dispatchers that run them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolsmith_agent::{CallOutcome, CallRequest, Dispatcher, DispatcherBuilder};
use toolsmith_host::exec::{Request, run};
use toolsmith_middleware::hooks::{
    Dialect, Handler, Hook, HookEvent, HookGate, Hooks, HooksOptions, Matcher,
};
use toolsmith_testkit::agent::{Probe, dispatching, spec, yolo};
use toolsmith_tool::{CancelToken, ToolSpec};

pub(super) struct Kit {
    pub(super) folder: TempDir,
    pub(super) hooks: Hooks,
    pub(super) notices: Arc<Mutex<Vec<String>>>,
}

impl Kit {
    pub(super) fn new(make: impl FnOnce(&Path) -> Vec<Hook>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hooks = make(folder.path()).into_iter().map(Arc::new).collect();
        let hooks = Hooks::new(hooks, HooksOptions::new(folder.path()));
        let notices = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&notices);
        hooks.set_notify(move |notice| heard.lock().unwrap().push(notice));
        Self { folder, hooks, notices }
    }

    /// One hook in the format of Claude Code before calls of `bash`, with this script.
    pub(super) fn guarding(command: &str) -> Self {
        Self::new(|_| vec![claude(HookEvent::PreToolUse, "Bash", command)])
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub(super) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(super) fn notices(&self) -> Vec<String> {
        self.notices.lock().unwrap().clone()
    }

    pub(super) fn builder(&self) -> DispatcherBuilder {
        self.with([echo("bash"), echo("other")])
    }

    pub(super) fn with(&self, tools: impl IntoIterator<Item = Probe>) -> DispatcherBuilder {
        dispatching(tools).approval(yolo()).gate(Arc::new(HookGate::new(self.hooks.clone())))
    }

    pub(super) fn dispatcher(&self) -> Dispatcher {
        self.builder().build()
    }

    pub(super) async fn call(&self, command: &str) -> CallOutcome {
        self.dispatcher().call(bash(command)).await
    }
}

/// Runs a program to its end.
pub(super) async fn program(name: &str, argument: impl AsRef<Path>) {
    let request = Request::new(name).args([argument.as_ref().to_str().unwrap()]);
    assert_eq!(run(&request, &CancelToken::new(), |_| {}).await.unwrap().code, 0);
}

pub(super) fn bash(command: &str) -> CallRequest {
    CallRequest::new("call-1", "bash", json!({ "command": command }))
}

/// A tool with the parameters of `bash` that gives back its arguments.
pub(super) fn echo(name: &str) -> Probe {
    Probe::new(shell_spec(name), |call, _| async move {
        Ok(toolsmith_tool::ToolResult::text(call.arguments.to_string()))
    })
}

pub(super) fn shell_spec(name: &str) -> ToolSpec {
    spec(name).parameters(json!({
        "type": "object",
        "properties": { "command": { "type": "string" }, "timeout": { "type": "integer", "minimum": 1 } },
        "required": ["command"],
        "additionalProperties": false,
    }))
}

pub(super) fn claude(event: HookEvent, matcher: &str, command: &str) -> Hook {
    let mut hook = Hook::new(event, Handler::Shell { command: command.to_owned() }, "settings.json");
    hook.dialect = Dialect::Claude;
    hook.matcher = Matcher::parse(matcher).unwrap();
    hook
}

/// A file hook with this script.
pub(super) fn file(folder: &Path, event: HookEvent, name: &str, script: &str) -> Hook {
    let path = folder.join(name);
    fs::write(&path, script).unwrap();
    let handler = Handler::File { path: path.clone(), interpreter: vec!["sh".to_owned()] };
    let mut hook = Hook::new(event, handler, path);
    hook.matcher = Matcher::tool(name.split('.').next().unwrap());
    hook.fails_closed = event == HookEvent::PreToolUse;
    hook
}

pub(super) fn soon(mut hook: Hook) -> Hook {
    hook.timeout = Duration::from_millis(200);
    hook
}

pub(super) fn text(outcome: &CallOutcome) -> String {
    outcome.result.joined_text()
}
