//! `pi.exec`: the one door for processes, for JavaScript (CONTRACT 3.2).

use std::{rc::Rc, time::Duration};

use rquickjs::{Object, Result, function::Func};
use serde::Deserialize;
use serde_json::json;
use toolsmith_host::exec::{Request, Stdin, run};
use toolsmith_tool::CancelToken;

use super::runtime::whole;
use crate::instance::{HostError, Settled, ThreadState};

/// What the kernel asks for.
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
    let request: std::result::Result<ExecRequest, _> = serde_json::from_str(json);
    state.shared.spawn_operation(number, |token| async move {
        let request = match request {
            Ok(request) => request,
            Err(error) => return Settled::Failed(HostError::of_class("TypeError", error.to_string())),
        };
        let mut process = Request::new(request.command).args(request.args);
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
        run_to_end(&process, &token).await
    });
}

async fn run_to_end(process: &Request, token: &CancelToken) -> Settled {
    match run(process, token, |_| {}).await {
        Ok(outcome) => {
            let result = json!({
                "stdout": outcome.stdout.text(),
                "stderr": outcome.stderr.text(),
                "code": outcome.code,
                "killed": outcome.killed,
            });
            Settled::Text(result.to_string())
        }
        Err(error) => Settled::Failed(HostError::new(error.to_string()).with("code", "ENOENT")),
    }
}
