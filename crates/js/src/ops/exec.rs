//! `pi.exec`: the one door for processes, for JavaScript (CONTRACT 3.2).

use std::{rc::Rc, sync::Arc, time::Duration};

use rquickjs::{Object, Result, function::Func};
use serde::Deserialize;
use serde_json::json;
use toolsmith_host::exec::{PathRule, Request, Stdin, run};
use toolsmith_tool::CancelToken;

use super::{process::start_error_code, runtime::whole};
use crate::{
    engine::EngineShared,
    instance::{HostError, Settled, ThreadState, Work},
    options::ExecAnswer,
};

/// The kernel's request.
#[derive(Deserialize)]
struct ExecRequest {
    command: String,
    args: Vec<String>,
    cwd: Option<String>,
    env: std::collections::BTreeMap<String, Option<String>>,
    stdin: Option<String>,
    timeout: Option<f64>,
    /// The signal was aborted already: nothing is to be started.
    aborted: bool,
}

pub(super) fn install(host: &Object<'_>, state: &Rc<ThreadState>) -> Result<()> {
    let state = Rc::clone(state);
    host.set("exec", Func::from(move |number: f64, json: String| start(&state, whole(number), &json)))
}

pub(super) fn start(state: &ThreadState, number: u64, json: &str) {
    let cwd = state.cwd().to_path_buf();
    let engine = Arc::clone(&state.shared.engine);
    let meter = state.meter();
    let held = state.shared.charge(json.len());
    let request: std::result::Result<ExecRequest, _> = state.data_limit().read(json);
    state.shared.spawn_work(number, Work::Process, |token| async move {
        let _held = match held {
            Ok(held) => held,
            Err(error) => return Settled::Failed(error),
        };
        let request = match request {
            Ok(request) => request,
            Err(error) => return Settled::Failed(HostError::of_class("TypeError", error.to_string())),
        };
        let mut process =
            Request::new(request.command).args(request.args).path_rule(PathRule::Tool).meter(&meter);
        process.cwd = Some(request.cwd.map_or_else(|| cwd.clone(), |given| cwd.join(given)));
        process.env = request.env;
        if let Some(text) = request.stdin {
            process.stdin = Stdin::Bytes(text.into_bytes());
        }
        process.timeout =
            request.timeout.and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
        if request.aborted {
            token.cancel("aborted before it started");
        }
        run_to_end(&process, &token, &engine).await
    });
}

async fn run_to_end(process: &Request, token: &CancelToken, engine: &EngineShared) -> Settled {
    let answer = match &engine.exec {
        Some(handler) => handler
            .exec(process, token)
            .await
            .map_err(|message| HostError::new(message).with("code", "ENOENT")),
        None => match run(process, token, |_| {}).await {
            Ok(outcome) => {
                engine.hold([&outcome.stdout, &outcome.stderr]);
                Ok(ExecAnswer::from(&outcome))
            }
            Err(error) => Err(match start_error_code(&error) {
                Some((code, number)) => {
                    HostError::new(error.to_string()).with("code", code).with("errno", -number)
                }
                None => HostError::new(error.to_string()).with("code", "ERR_INVALID_ARG_VALUE"),
            }),
        },
    };
    match answer {
        Ok(ExecAnswer { stdout, stderr, code, killed }) => {
            let result = json!({ "stdout": stdout, "stderr": stderr, "code": code, "killed": killed });
            Settled::Text(result.to_string())
        }
        Err(error) => Settled::Failed(error),
    }
}
