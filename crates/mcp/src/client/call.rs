//! One call of a remote tool: sent once, followed by its progress, cancelled when asked, and repeated only when the server
//! asks for input first.

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest,
        InputRequest, InputRequiredResult, InputResponses, JsonObject, RequestId, ServerResult,
    },
    service::PeerRequestOptions,
};
use toolsmith_tool::{CancelToken, ToolContext, ToolResult};

use super::{connection::Connection, progress::Progress};

/// Maximum number of requests for input before an answer.
const MAX_ROUNDS: usize = 10;

/// Outcome of a call that was not answered.
#[derive(Debug)]
pub(crate) enum CallFailure {
    Cancelled,
    Service(ServiceError),
    Invalid(String),
}

/// Sends `notifications/cancelled` unless the request was answered, also when the call's future is dropped.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl CancelOnDrop {
    fn answered(&mut self) {
        self.id = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let param = CancelledNotificationParam::new(Some(id), Some("the call was stopped".to_owned()));
            let _ = peer.notify_cancelled(param).await;
        });
    }
}

/// Calls a tool.
pub(crate) async fn call(
    connection: &Connection,
    tool: &str,
    arguments: JsonObject,
    context: &ToolContext,
) -> Result<CallToolResult, CallFailure> {
    let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    for _ in 0..MAX_ROUNDS {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
        match send(connection, request, context).await? {
            ServerResult::CallToolResult(result) => return Ok(result),
            ServerResult::InputRequiredResult(result) => {
                params.request_state = result.request_state.clone();
                params.input_responses = answer_input(connection, result, &context.cancel).await?;
            }
            _ => return Err(CallFailure::Invalid("the result is not that of a tool call".to_owned())),
        }
    }
    Err(CallFailure::Invalid(format!("it asked for input more than {MAX_ROUNDS} times")))
}

async fn send(
    connection: &Connection,
    request: ClientRequest,
    context: &ToolContext,
) -> Result<ServerResult, CallFailure> {
    let peer = &connection.peer;
    let mut handle = peer
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .map_err(CallFailure::Service)?;
    let mut guard = CancelOnDrop { peer: peer.clone(), id: Some(handle.id.clone()) };
    let mut progress = connection.handler.progress.open(handle.progress_token.clone());
    let mut last = f64::NEG_INFINITY;
    loop {
        tokio::select! {
            biased;
            () = context.cancel.cancelled() => return Err(CallFailure::Cancelled),
            next = progress.next() => {
                // Values must rise; one that does not is late or repeated.
                if next.value > last {
                    last = next.value;
                    context.updates.send(describe(&next));
                }
            }
            answer = &mut handle.rx => {
                guard.answered();
                return match answer {
                    Ok(Ok(result)) => Ok(result),
                    Ok(Err(error)) => Err(CallFailure::Service(error)),
                    Err(_) => Err(CallFailure::Service(ServiceError::TransportClosed)),
                };
            }
        }
    }
}

fn describe(progress: &Progress) -> ToolResult {
    let count = match progress.total {
        Some(total) if total > 0.0 => format!("{}/{total}", progress.value),
        _ => progress.value.to_string(),
    };
    match progress.message.as_deref().map(str::trim).filter(|message| !message.is_empty()) {
        Some(message) => ToolResult::text(format!("{message} ({count})")),
        None => ToolResult::text(count),
    }
}

/// Asks the person for what the server needs.
async fn answer_input(
    connection: &Connection,
    required: InputRequiredResult,
    cancel: &CancelToken,
) -> Result<Option<InputResponses>, CallFailure> {
    let Some(requests) = required.input_requests else { return Ok(None) };
    let mut responses = InputResponses::new();
    for (key, request) in requests {
        let response = match request {
            InputRequest::Elicitation(request) => {
                let answer = connection.handler.elicit(request.params, cancel).await;
                serde_json::to_value(answer)
            }
            InputRequest::ListRoots(_) => {
                let uri = url::Url::from_directory_path(&connection.handler.cwd).map(|url| url.to_string());
                Ok(
                    serde_json::json!({ "roots": uri.iter().map(|uri| serde_json::json!({ "uri": uri })).collect::<Vec<_>>() }),
                )
            }
            _ => {
                return Err(CallFailure::Invalid(
                    "it asked for something this client does not offer".to_owned(),
                ));
            }
        };
        let response = response.map_err(|error| CallFailure::Invalid(error.to_string()))?;
        responses.insert(key, response);
        if cancel.is_cancelled() {
            return Err(CallFailure::Cancelled);
        }
    }
    Ok(Some(responses))
}
