//! One client and one session: reads lines, executes requests in order, and sends events.
//!
//! Answers, aborts and `shutdown` are handled immediately. All other requests run one after another, because a request
//! may depend on the previous one; a long one delays only those behind it.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::sync::mpsc;
use toolsmith::{Home, Session, providers, settings::Settings};
use toolsmith_agent::session::Sessions;
use toolsmith_llm::{Environment, Providers};
use toolsmith_tool::CancelToken;

use super::{
    approvals::ClientApprover,
    client_ui::ClientUi,
    frame::{Frame, Limits, PROTOCOL_VERSION},
    handlers,
    host_tools::HostTools,
    incoming::{Incoming, MAX_FRAME_BYTES},
    outgoing::Outgoing,
    reply::{LoadProblem, ModelInfo, SessionInfo},
    request::{Answer, Request, RequestId},
};

/// Maximum number of queued requests.
const MAX_WAITING: usize = 256;
/// Time the current request has to finish once the client is gone.
const LAST_REQUEST: Duration = Duration::from_secs(2);

/// A request that waits for its turn. A call is registered before it waits, so that `abort_tool` finds it.
struct Waiting {
    id: Option<RequestId>,
    command: String,
    request: Box<Request>,
    call: Option<(String, CancelToken)>,
}

/// State shared by requests.
pub(super) struct Driver {
    pub(super) session: Session,
    pub(super) outgoing: Arc<Outgoing>,
    pub(super) ui: Arc<ClientUi>,
    pub(super) approver: Arc<ClientApprover>,
    pub(super) host_tools: HostTools,
    pub(super) setting: Setting,
    /// Triggered when the session ends; work outside a run observes it.
    pub(super) ending: CancelToken,
    /// Calls made with `call_tool`.
    calls: Mutex<HashMap<String, CancelToken>>,
    last_call: AtomicU64,
}

/// Reason why serving ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client closed standard input or requested it.
    Closed,
    /// The client no longer reads.
    Gone(String),
    /// A signal was received, or standard output was closed.
    Stopped(String),
}

impl Driver {
    pub(super) fn new(
        session: Session,
        outgoing: Arc<Outgoing>,
        ui: Arc<ClientUi>,
        approver: Arc<ClientApprover>,
        setting: Setting,
        ending: CancelToken,
    ) -> Arc<Self> {
        let host_tools = HostTools::new(Arc::clone(&outgoing));
        let (calls, last_call) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { session, outgoing, ui, approver, host_tools, setting, ending, calls, last_call })
    }

    /// Serves until the client is gone, requests the end, or `ending` is triggered; then ends the session.
    pub(super) async fn serve(self: &Arc<Self>, mut incoming: mpsc::Receiver<Incoming>) -> End {
        self.outgoing.send(&self.ready());
        let events = tokio::spawn(self.outgoing.follow(&self.session));
        let (waiting, turns) = mpsc::channel(MAX_WAITING);
        let worker = tokio::spawn(Arc::clone(self).work(turns));

        let gone = self.outgoing.gone();
        let end = loop {
            let line = tokio::select! {
                biased;
                () = gone.cancelled() => break End::Gone(gone.reason().unwrap_or_default()),
                () = self.ending.cancelled() => break End::Stopped(self.ending.reason().unwrap_or_default()),
                line = async {
                    self.outgoing.room().await;
                    incoming.recv().await
                } => line,
            };
            let Some(line) = line else { break End::Closed };
            if !self.take(line, &waiting) {
                break End::Closed;
            }
        };

        drop(waiting);
        // Nobody can be asked any more, so pending questions end without an answer.
        self.ui.close();
        self.approver.close();
        self.host_tools.close();
        self.session.force_stop("the client is gone");
        let mut worker = worker;
        if tokio::time::timeout(LAST_REQUEST, &mut worker).await.is_err() {
            self.ending.force("the session ended");
            worker.abort();
        }
        self.ending.force("the session ended");
        self.session.dispose().await;
        events.abort();
        self.outgoing.send_events();
        self.outgoing.finish().await;
        end
    }

    fn ready(&self) -> Frame {
        Frame::Ready {
            protocol_version: PROTOCOL_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            session: SessionInfo::of(&self.session),
            model: ModelInfo::from(&self.session.agent().model()),
            limits: Limits { max_frame_bytes: MAX_FRAME_BYTES, max_waiting_requests: MAX_WAITING },
            load_problems: LoadProblem::all(&self.session),
        }
    }

    /// Handles a line; `false` if it was the last one.
    fn take(&self, line: Incoming, waiting: &mpsc::Sender<Waiting>) -> bool {
        match line {
            Incoming::Wrong { id, command, error } => self.reply(id, &command, Err(error)),
            Incoming::Answer(command, answer) => {
                let id = RequestId::Text(answer.id().to_owned());
                if let Err(error) = self.answered(answer) {
                    self.reply(Some(id), &command, Err(error));
                }
            }
            Incoming::Request(id, command, request) => match *request {
                Request::Shutdown => {
                    self.reply(id, &command, Ok(Value::Null));
                    return false;
                }
                Request::Abort { reason } => {
                    self.session.abort(reason.as_deref().unwrap_or("requested by the client"));
                    self.reply(id, &command, Ok(Value::Null));
                }
                Request::AbortRetry => {
                    let outcome = handlers::conversation::abort_retry(self);
                    self.reply(id, &command, outcome);
                }
                Request::AbortTool { tool_call_id } => {
                    let outcome = self.abort_call(&tool_call_id);
                    self.reply(id, &command, outcome);
                }
                mut request => {
                    let mut call = None;
                    if let Request::CallTool { tool_call_id, .. } = &mut request {
                        let call_id = tool_call_id.take().unwrap_or_else(|| self.next_call_id());
                        let Some(cancel) = self.begin_call(&call_id) else {
                            let error = format!("A call \"{call_id}\" is on its way already");
                            self.reply(id, &command, Err(error));
                            return true;
                        };
                        call = Some((call_id, cancel));
                    }
                    let wanted = Waiting { id, command, request: Box::new(request), call };
                    if let Err(full) = waiting.try_send(wanted) {
                        let Waiting { id, command, call, .. } = full.into_inner();
                        if let Some((call_id, _)) = call {
                            self.end_call(&call_id);
                        }
                        let error = format!("{MAX_WAITING} requests are already queued; wait for replies");
                        self.reply(id, &command, Err(error));
                    }
                }
            },
        }
        true
    }

    fn answered(&self, answer: Answer) -> Result<(), String> {
        match answer {
            Answer::UiResponse { id, value, confirmed, cancelled } => {
                self.ui.answer(&id, value, confirmed, cancelled)
            }
            Answer::ApprovalResponse { id, approved, remember, note } => {
                self.approver.answer(&id, approved, remember, note)
            }
            Answer::HostToolUpdate { id, partial_result } => self.host_tools.update(&id, partial_result),
            Answer::HostToolResult { id, result, is_error } => self.host_tools.result(&id, result, is_error),
        }
    }

    /// Executes queued requests one after another.
    async fn work(self: Arc<Self>, mut turns: mpsc::Receiver<Waiting>) {
        while let Some(Waiting { id, command, request, call }) = turns.recv().await {
            match (*request, call) {
                // The one that others need not wait for.
                (Request::CallTool { name, arguments, .. }, Some((call_id, cancel))) => {
                    let own = Arc::clone(&self);
                    tokio::spawn(async move {
                        let outcome = handlers::tools::call(&own, name, arguments, call_id, cancel).await;
                        own.reply(id, &command, outcome);
                    });
                }
                (request, _) => {
                    // On a task of its own: one that panics must not take those behind it along.
                    let own = Arc::clone(&self);
                    let work = tokio::spawn(async move { handlers::request(&own, request).await });
                    let outcome = work.await.unwrap_or_else(|error| Err(format!("It crashed: {error}")));
                    self.reply(id, &command, outcome);
                }
            }
        }
    }

    pub(super) fn reply(&self, id: Option<RequestId>, command: &str, outcome: handlers::Outcome) {
        self.outgoing.send(&Frame::response(id, command, outcome));
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, CancelToken>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates an id for a call without one.
    pub(super) fn next_call_id(&self) -> String {
        format!("rpc-call-{}", self.last_call.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Registers a call for `abort_tool`; `None` if the id is taken.
    pub(super) fn begin_call(&self, id: &str) -> Option<CancelToken> {
        let mut calls = self.calls();
        if calls.contains_key(id) {
            return None;
        }
        let cancel = self.ending.child();
        calls.insert(id.to_owned(), cancel.clone());
        Some(cancel)
    }

    pub(super) fn end_call(&self, id: &str) {
        self.calls().remove(id);
    }

    fn abort_call(&self, id: &str) -> handlers::Outcome {
        match self.calls().get(id) {
            Some(cancel) => {
                cancel.cancel("requested by the client");
                Ok(Value::Null)
            }
            None => Err(format!("no call \"{id}\" is in progress")),
        }
    }
}

/// The environment of the session.
pub(super) struct Setting {
    pub(super) cwd: PathBuf,
    pub(super) home: Home,
    pub(super) settings: Settings,
}

impl Setting {
    /// Returns the stored sessions.
    pub(super) fn sessions(&self) -> Sessions {
        Sessions::at(self.home.toolsmith())
    }

    /// Returns the known providers.
    pub(super) fn providers(&self) -> Result<Providers, String> {
        providers(&self.settings, Environment::process()).map_err(|error| error.to_string())
    }
}
