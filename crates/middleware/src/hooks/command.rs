//! Running a hook: a process under the supervisor, or a request. Both end with their deadline and with the call.

use std::time::Duration;

use toolsmith_host::{
    exec::{ExecError, Request, Stdin, run, shells},
    output::{Output, OutputLimits},
};
use toolsmith_llm::JsonPost;
use toolsmith_tool::CancelToken;

use super::definition::{Handler, Hook};

/// Bytes of each output stream that are read. More is a failure.
const MAX_OUTPUT: usize = 1 << 20;
/// Time to end by itself after the deadline.
const GRACE: Duration = Duration::from_millis(500);

/// A hook that ran to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// Exit code; zero for a request that succeeded.
    pub code: i32,
    /// Standard output, or the body of the response.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Environment and place of a process.
pub(super) struct Surroundings<'a> {
    pub(super) cwd: &'a str,
    pub(super) env: Vec<(String, String)>,
}

/// Runs a hook with `input` to its end.
///
/// # Errors
/// Fails with the reason if it cannot be started or reached, takes too long, is cancelled, or prints too much or text that is
/// not UTF-8.
pub(super) async fn run_hook(
    hook: &Hook,
    input: Vec<u8>,
    surroundings: &Surroundings<'_>,
    post: &JsonPost,
    cancel: &CancelToken,
) -> Result<Ran, String> {
    let programs = match &hook.handler {
        Handler::Http { url, headers, allowed_env } => {
            let headers =
                headers.iter().map(|(name, value)| (name.clone(), expand(value, allowed_env))).collect();
            return request(hook, url, headers, input, post, cancel).await;
        }
        Handler::File { path, interpreter } => {
            let path = path.to_str().ok_or("its path is not UTF-8")?.to_owned();
            let mut words = interpreter.clone();
            words.push(path);
            vec![words]
        }
        Handler::Shell { command } => shells().iter().map(|shell| shell.words(command)).collect(),
        Handler::Program { program, args } => {
            vec![std::iter::once(program).chain(args).cloned().collect()]
        }
    };
    let mut outcome = Err(ExecError::NoProgram);
    for words in programs {
        let mut words = words.into_iter();
        let mut request = Request::new(words.next().unwrap_or_default())
            .args(words)
            .cwd(surroundings.cwd)
            .stdin(Stdin::Bytes(input.clone()))
            .timeout(hook.timeout)
            .grace(GRACE)
            .output(OutputLimits::new(MAX_OUTPUT, 0).spill_dir(None));
        for (name, value) in surroundings.env.iter().chain(&hook.env) {
            request = request.env(name, value);
        }
        outcome = run(&request, cancel, |_| {}).await;
        if !outcome.as_ref().is_err_and(ExecError::is_not_found) {
            break;
        }
    }
    let outcome = outcome.map_err(|error| error.to_string())?;
    if outcome.killed {
        return Err(match cancel.is_cancelled() {
            true => "it was cancelled".to_owned(),
            false => format!("timed out after {:?}", hook.timeout),
        });
    }
    let stdout = text(&outcome.stdout).ok_or("it printed more than 1 MB")?;
    let stdout = String::from_utf8(stdout.to_vec()).map_err(|_| "its output is not UTF-8")?;
    // An error message is for people; whatever can be read of it is better than none.
    let stderr = String::from_utf8_lossy(&outcome.stderr.head).into_owned();
    Ok(Ran { code: outcome.code, stdout, stderr })
}

fn text(output: &Output) -> Option<&[u8]> {
    (output.omitted() == 0).then_some(output.head.as_slice())
}

async fn request(
    hook: &Hook,
    url: &str,
    headers: Vec<(String, String)>,
    input: Vec<u8>,
    post: &JsonPost,
    cancel: &CancelToken,
) -> Result<Ran, String> {
    let sent = post.send(url, headers, input, hook.timeout, MAX_OUTPUT);
    let body = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err("it was cancelled".to_owned()),
        answer = tokio::time::timeout(hook.timeout, sent) => {
            answer.map_err(|_| format!("timed out after {:?}", hook.timeout))??
        }
    };
    if body.len() > MAX_OUTPUT {
        return Err("it answered with more than 1 MB".to_owned());
    }
    Ok(Ran { code: 0, stdout: body, stderr: String::new() })
}

/// Replaces `$NAME` and `${NAME}` by variables that the hook may read; others become empty.
fn expand(value: &str, allowed: &[String]) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (name, after) = match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some(pair) => pair,
            None => rest
                .split_at(rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())),
        };
        if name.is_empty() {
            text.push('$');
            continue;
        }
        if allowed.iter().any(|allowed| allowed == name) {
            text.push_str(&std::env::var(name).unwrap_or_default());
        }
        rest = after;
    }
    text.push_str(rest);
    text
}
