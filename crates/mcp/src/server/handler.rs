//! Requests of one connection.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
        CompleteResult, ElicitRequest, Implementation, InputRequest, InputRequests, InputRequiredResult,
        JsonObject, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceTemplate,
        ResourceUpdatedNotificationParam, ResourcesCapability, SealOptions, ServerCapabilities, ServerConfig,
        SubscribeRequestParams, SubscriptionFilter, Tool as RemoteTool, ToolsCapability,
        UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::{OnceCell, broadcast, watch};

use super::{
    dialogs::Question,
    mapping::{self, Generation},
    parked,
    pending::{self, LIST_URI, PendingActions, RESOLVE, TEMPLATE, UNDO},
    progress::ProgressTarget,
    running_call::{Asking, CallStep, RunningCall},
    served::{ServedCall, ServedSession},
    serving::{ServeEvent, Shared, random_handle},
};

const ANSWER_KEY: &str = "answer";

/// Groups requests that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// All requests of this handler come from one client.
    Connection,
    /// Those of the newer revision do not.
    Http,
}

/// The handler of one connection.
pub(super) struct Handler {
    shared: Arc<Shared>,
    binding: Binding,
    session: OnceCell<Arc<dyn ServedSession>>,
    /// Counts changes. A reader also sees one that was made while it did something else.
    pending_changed: watch::Sender<u64>,
    subscribed: Arc<Mutex<HashSet<String>>>,
    /// Events since the connection was made: a client may use the tools before its `initialized` is handled.
    early_events: Mutex<Option<broadcast::Receiver<ServeEvent>>>,
}

/// The content of a sealed state.
#[derive(Serialize, Deserialize)]
struct State {
    handle: String,
}

impl Handler {
    pub(super) fn new(shared: Arc<Shared>, binding: Binding) -> Self {
        let early_events = Mutex::new(Some(shared.events.sender.subscribe()));
        Self {
            shared,
            binding,
            session: OnceCell::new(),
            pending_changed: watch::Sender::default(),
            subscribed: Arc::default(),
            early_events,
        }
    }

    /// Opens the session of the connection.
    async fn session(&self) -> Arc<dyn ServedSession> {
        let session = self.session.get_or_init(|| async {
            let session = self.shared.tools.open().await;
            let changed = self.pending_changed.clone();
            session.on_pending(Box::new(move || changed.send_modify(|count| *count += 1)));
            session
        });
        Arc::clone(session.await)
    }

    /// Ends the session of the connection.
    pub(super) async fn end(&self) {
        if let Some(session) = self.session.get() {
            session.end().await;
        }
    }

    fn is_modern(context: &RequestContext<RoleServer>) -> bool {
        let version = context.protocol_version();
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }

    async fn actions(&self, context: &RequestContext<RoleServer>) -> PendingActions {
        let is_stateless = self.binding == Binding::Http && Self::is_modern(context);
        let session = if is_stateless { self.shared.stateless().await } else { self.session().await };
        PendingActions { session, shared: Arc::clone(&self.shared), is_stateless }
    }

    fn generation(context: &RequestContext<RoleServer>) -> Generation {
        match Self::is_modern(context) {
            true => Generation::Stateless,
            false => Generation::Handshake,
        }
    }

    fn tools(&self, generation: Generation) -> Vec<RemoteTool> {
        let served = self.shared.tools.tools();
        let mut tools: Vec<RemoteTool> = served.iter().map(|spec| mapping::tool(spec, generation)).collect();
        if self.shared.tools.can_stage() {
            tools.extend(pending::tools());
        }
        // The order is part of the client's prompt cache.
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        tools
    }

    fn asking(context: &RequestContext<RoleServer>) -> Asking {
        let declared = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        match declared {
            // An empty declaration means forms.
            Some(elicitation) if elicitation.form.is_some() || elicitation.url.is_none() => {
                match Self::is_modern(context) {
                    true => Asking::Repeat,
                    false => Asking::Request(context.peer.clone()),
                }
            }
            _ => Asking::No,
        }
    }

    fn start(
        &self,
        name: String,
        arguments: JsonObject,
        actions: PendingActions,
        context: &RequestContext<RoleServer>,
    ) -> RunningCall {
        let progress = ProgressTarget::default();
        progress.set(&context.peer, context.meta.get_progress_token());
        let id = self.shared.next_call();
        let generation = Self::generation(context);
        // Bound now: a reload during the call must not change what its result is checked against.
        let spec = self.shared.tools.tools().into_iter().find(|spec| spec.name == name);
        RunningCall::start(Self::asking(context), progress, move |context| async move {
            match name.as_str() {
                RESOLVE => actions.resolve(id, &arguments, context).await,
                UNDO => actions.undo(id, &arguments, context).await,
                _ => {
                    let call = ServedCall { id, name, arguments: Value::Object(arguments), context };
                    let outcome = actions.session.call(call).await;
                    let mut result = match &spec {
                        Some(spec) => mapping::result_of(spec, outcome.result, generation),
                        None => mapping::result(outcome.result),
                    };
                    result.content.extend(actions.describe_staged(&outcome.staged));
                    result
                }
            }
        })
    }

    /// Follows a call to its result or its next question, and cancels it with its request.
    async fn follow(
        &self,
        mut call: RunningCall,
        binding_data: &[u8],
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        loop {
            let step = tokio::select! {
                biased;
                step = call.next() => step,
                () = context.ct.cancelled() => {
                    call.cancel.cancel("the client cancelled the call");
                    // The library sends no answer to a cancelled request; the tool still gets its time to stop.
                    match call.next().await {
                        CallStep::Finished(result) => return Ok(result.into()),
                        CallStep::Asks(question) => {
                            let _ = question.answer.send(None);
                            continue;
                        }
                    }
                }
            };
            match step {
                CallStep::Finished(result) => return Ok(result.into()),
                CallStep::Asks(question) => match self.ask(call, question, binding_data)? {
                    Ok(response) => return Ok(response),
                    // Too many calls wait already: the question has no answer.
                    Err(back) => {
                        let (back, question) = *back;
                        let _ = question.answer.send(None);
                        call = back;
                    }
                },
            }
        }
    }

    /// Parks a call and asks the client to come back with the answer.
    fn ask(
        &self,
        call: RunningCall,
        question: Question,
        binding_data: &[u8],
    ) -> Result<Result<CallToolResponse, Box<(RunningCall, Question)>>, ErrorData> {
        let handle = random_handle();
        let params = question.params.clone();
        if let Err(back) = self.shared.parked.park(handle.clone(), call, question) {
            return Ok(Err(back));
        }
        let options = SealOptions::new().associated_data(binding_data).ttl(parked::MAX_TIME);
        let sealed = self.shared.codec.seal_json_with(&State { handle }, &options);
        let state = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let mut requests = InputRequests::new();
        requests.insert(ANSWER_KEY.to_owned(), InputRequest::Elicitation(ElicitRequest::new(params)));
        Ok(Ok(InputRequiredResult::new(Some(requests), Some(state)).into()))
    }

    /// Continues a parked call. The state is sealed, bound to the same call, and works once.
    fn resume(
        &self,
        request: &CallToolRequestParams,
        state: &str,
        binding_data: &[u8],
    ) -> Result<RunningCall, ErrorData> {
        let invalid =
            || ErrorData::invalid_params("the request state is invalid, expired or was used before", None);
        let opened: State = self.shared.codec.open_json_with(state, binding_data).map_err(|_| invalid())?;
        let parked = self.shared.parked.take(&opened.handle).ok_or_else(invalid)?;
        let answer = request.input_responses.as_ref().and_then(|responses| responses.get(ANSWER_KEY));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        let _ = parked.question.answer.send(answer);
        Ok(parked.call)
    }

    /// Forwards changes to a client of an older revision for the life of its connection.
    fn forward(&self, peer: Peer<RoleServer>) {
        let early = self.early_events.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut events = early.unwrap_or_else(|| self.shared.events.sender.subscribe());
        let mut changed = self.pending_changed.subscribe();
        let subscribed = Arc::clone(&self.subscribed);
        tokio::spawn(async move {
            loop {
                let sent = tokio::select! {
                    event = events.recv() => match event {
                        Ok(ServeEvent::Tools) | Err(broadcast::error::RecvError::Lagged(_)) => {
                            peer.notify_tool_list_changed().await
                        }
                        Err(broadcast::error::RecvError::Closed) => return,
                    },
                    Ok(()) = changed.changed() => {
                        let is_subscribed =
                            subscribed.lock().unwrap_or_else(PoisonError::into_inner).contains(LIST_URI);
                        if is_subscribed {
                            let param = ResourceUpdatedNotificationParam::new(LIST_URI);
                            let _ = peer.notify_resource_updated(param).await;
                        }
                        peer.notify_resource_list_changed().await
                    }
                    () = tokio::time::sleep(std::time::Duration::from_secs(5)) => {
                        if peer.is_transport_closed() { return }
                        continue
                    }
                };
                if sent.is_err() {
                    return;
                }
            }
        });
    }
}

/// Returns the data a state is bound to: the method, the tool and its arguments.
fn binding_data(request: &CallToolRequestParams) -> Vec<u8> {
    let arguments = request.arguments.as_ref().map(canonical).unwrap_or_default();
    Sha256::digest(format!("tools/call\0{}\0{arguments}", request.name).as_bytes()).to_vec()
}

/// The arguments as text that does not depend on the order of keys.
fn canonical(arguments: &JsonObject) -> String {
    let sorted: std::collections::BTreeMap<_, _> = arguments.iter().collect();
    serde_json::to_string(&sorted).unwrap_or_default()
}

impl Drop for Handler {
    fn drop(&mut self) {
        if let (Some(session), Ok(runtime)) = (self.session.get(), tokio::runtime::Handle::try_current()) {
            let session = Arc::clone(session);
            runtime.spawn(async move { session.end().await });
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        capabilities.tools = Some(tools);
        let can_stage = self.shared.tools.can_stage();
        if can_stage {
            let mut resources = ResourcesCapability::default();
            (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
            capabilities.resources = Some(resources);
        }
        let us = Implementation::new("toolsmith", env!("CARGO_PKG_VERSION")).with_title("Toolsmith");
        let config = ServerConfig::new(capabilities).with_server_info(us);
        match can_stage {
            true => config.with_instructions(
                "Some tools stage changes instead of making them. Their result names a pending action; read its diff, then \
                 call toolsmith_resolve to apply or discard it. toolsmith_undo reverts an applied change.",
            ),
            false => config,
        }
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.forward(context.peer);
        self.session().await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools(Self::generation(&context))))
    }

    fn get_tool(&self, name: &str) -> Option<RemoteTool> {
        self.tools(Generation::Stateless).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let data = binding_data(&request);
        let call = match &request.request_state {
            Some(state) => {
                let call = self.resume(&request, state, &data)?;
                call.progress.set(&context.peer, context.meta.get_progress_token());
                call
            }
            None => {
                if self.get_tool(&request.name).is_none() {
                    let name: String = request.name.chars().take(100).collect();
                    return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None));
                }
                let actions = self.actions(&context).await;
                self.start(
                    request.name.into_owned(),
                    request.arguments.unwrap_or_default(),
                    actions,
                    &context,
                )
            }
        };
        self.follow(call, &data, &context).await
    }

    // Prompts and completion are not declared, so they are not there.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = match self.shared.tools.can_stage() {
            true => self.actions(&context).await.resources(),
            false => Vec::new(),
        };
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut templates = Vec::new();
        if self.shared.tools.can_stage() {
            let mut template = ResourceTemplate::new(TEMPLATE, "pending-action");
            template.description = Some("Diff of a pending action".to_owned());
            template.mime_type = Some(pending::DIFF_TYPE.to_owned());
            templates.push(template);
        }
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = match self.shared.tools.can_stage() {
            true => self.actions(&context).await.read(&request.uri).await,
            false => None,
        };
        match found {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => {
                let data = serde_json::json!({ "uri": request.uri });
                Err(ErrorData::resource_not_found("Resource not found", Some(data)))
            }
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !request.uri.starts_with(LIST_URI) {
            return Err(ErrorData::resource_not_found("Resource not found", None));
        }
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.prompts_list_changed = None;
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| uri.starts_with(LIST_URI));
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted().clone();
        let mut events = self.shared.events.sender.subscribe();
        let mut changed = self.pending_changed.subscribe();
        let is_stateless = self.binding == Binding::Http;
        if !is_stateless {
            self.session().await;
        }
        loop {
            let sent = tokio::select! {
                () = context.cancelled() => return Ok(()),
                event = events.recv() => match event {
                    Err(broadcast::error::RecvError::Closed) => return Ok(()),
                    _ if accepted.tools_list_changed != Some(true) => continue,
                    _ => context.sink().notify_tool_list_changed().await,
                },
                // What belongs to no connection is nobody's to watch.
                Ok(()) = changed.changed(), if !is_stateless => {
                    let wanted = accepted.resource_subscriptions.iter().flatten().any(|uri| uri == LIST_URI);
                    if wanted {
                        let _ = context.sink().notify_resource_updated(LIST_URI).await;
                    }
                    match accepted.resources_list_changed {
                        Some(true) => context.sink().notify_resource_list_changed().await,
                        _ => continue,
                    }
                }
            };
            if sent.is_err() {
                return Ok(());
            }
        }
    }
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler").field("binding", &self.binding).finish_non_exhaustive()
    }
}
