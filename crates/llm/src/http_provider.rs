//! A provider behind a URL: encodes the request, sends it and decodes the response in the provider's wire format.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use toolsmith_tool::CancelToken;

use crate::{
    classify::Said,
    cloud::CloudAccess,
    config::{ApiKind, KeySource, ProviderConfig},
    endpoint::Endpoint,
    error::{ErrorClass, LlmError},
    event_stream::EventStreamParser,
    http::{HttpBody, HttpClient, HttpRequest, redact},
    key::{Environment, Key},
    model::Model,
    provider::{Capabilities, Exchange, Provider},
    reply::Reply,
    request::Request,
    secret::Secret,
    sse::{SseEvent, SseParser},
    stream::{EventStream, ReplySource},
    wire::{self, Decoder, Encoded},
};

/// The most that is read of one answer, whatever it contains.
const MAX_STREAM_BYTES: usize = 512 << 20;
/// The most events of one answer, those without content included.
const MAX_EVENTS: usize = 2_000_000;
/// The most that is read of an answer that is no stream. A complete message may contain whole files.
const MAX_WHOLE_BYTES: usize = 64 << 20;
const EVENT_STREAM: &str = "application/vnd.amazon.eventstream";

/// A provider behind a URL.
#[derive(Clone, Debug)]
pub struct HttpProvider {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: ProviderConfig,
    key: Key,
    /// Set for the providers of clouds.
    cloud: Option<CloudAccess>,
    client: HttpClient,
}

impl Inner {
    /// Returns the error of a provider that cannot be asked for lack of a key.
    fn missing_key(&self) -> Option<LlmError> {
        match (&self.config.key, &self.cloud) {
            (KeySource::Cloud(_), Some(cloud)) => {
                (!self.key.is_set() && !cloud.has_credentials()).then(|| cloud.missing())
            }
            _ => self.key.missing_now(),
        }
    }

    fn base_url(&self) -> Result<String, LlmError> {
        match &self.cloud {
            Some(cloud) => cloud.base_url(&self.config.base_url),
            None => Ok(self.config.base_url.clone()),
        }
    }
}

impl HttpProvider {
    /// Creates a provider with its own connections.
    pub fn new(config: ProviderConfig, environment: Environment) -> Self {
        Self::with_client(config, environment, HttpClient::default())
    }

    pub(crate) fn with_client(config: ProviderConfig, environment: Environment, client: HttpClient) -> Self {
        let key = Key::new(&config.name, config.key.clone(), environment.clone());
        let cloud = CloudAccess::of(&config, environment);
        Self { inner: Arc::new(Inner { config, key, cloud, client }) }
    }

    /// Returns whether a key is available, as far as this is known without running a command.
    pub fn has_key(&self) -> bool {
        self.inner.key.is_set() || self.inner.cloud.as_ref().is_some_and(CloudAccess::has_credentials)
    }

    /// Returns the configuration.
    pub fn config(&self) -> &ProviderConfig {
        &self.inner.config
    }
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.inner.config.name
    }

    fn capabilities(&self, model: &Model) -> Capabilities {
        let config = &self.inner.config;
        wire::capabilities(config.api, &config.quirks, Capabilities::of(model))
    }

    fn endpoint(&self) -> Option<Endpoint> {
        Some(Endpoint::of(&self.inner.config))
    }

    fn missing_key(&self) -> Option<LlmError> {
        self.inner.missing_key()
    }

    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
        let config = &self.inner.config;
        let encoded = wire::encode(config.api, request, &config.quirks);
        let source = Connection {
            provider: Arc::clone(&self.inner),
            state: State::Ready(encoded),
            secrets: Vec::new(),
            exchange: request.exchange.clone(),
        };
        EventStream::new(Box::new(source), Reply::new(request, config.api.as_str()), cancel)
    }
}

/// One request and its response.
struct Connection {
    provider: Arc<Inner>,
    state: State,
    /// Secrets that were sent and must not appear in messages.
    secrets: Vec<(String, Secret)>,
    /// Sees the request and the response.
    exchange: Option<Arc<dyn Exchange>>,
}

enum State {
    Ready(Encoded),
    Reading { body: HttpBody, parser: Parser, decoder: Box<dyn Decoder>, read: Amount },
    Over,
}

/// Splits the body into events.
enum Parser {
    Sse(SseParser),
    EventStream(EventStreamParser),
}

impl Parser {
    fn of(content_type: &str) -> Self {
        match content_type {
            EVENT_STREAM => Self::EventStream(EventStreamParser::default()),
            _ => Self::Sse(SseParser::default()),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, LlmError> {
        match self {
            Self::Sse(parser) => parser.push(bytes),
            Self::EventStream(parser) => parser.push(bytes),
        }
    }

    fn end(&mut self) -> Result<Option<SseEvent>, LlmError> {
        match self {
            Self::Sse(parser) => Ok(parser.end()),
            Self::EventStream(parser) => parser.end().map(|()| None),
        }
    }
}

/// How much of an answer was read.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    bytes: usize,
    events: usize,
}

impl Amount {
    /// Counts; an answer without an end is given up.
    fn add(&mut self, bytes: usize, events: usize) -> Result<(), LlmError> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.events = self.events.saturating_add(events);
        if self.bytes > MAX_STREAM_BYTES {
            return Err(LlmError::too_long(format!("it has more than {MAX_STREAM_BYTES} bytes")));
        }
        if self.events > MAX_EVENTS {
            return Err(LlmError::too_long(format!("it has more than {MAX_EVENTS} events")));
        }
        Ok(())
    }
}

#[async_trait]
impl ReplySource for Connection {
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        let outcome = match std::mem::replace(&mut self.state, State::Over) {
            State::Ready(encoded) => self.connect(encoded, reply).await,
            State::Reading { body, parser, decoder, read } => {
                self.read(body, parser, decoder, read, reply).await
            }
            State::Over => Err(LlmError::invalid("the connection is over")),
        };
        outcome.map_err(|error| self.name_failure(error))
    }
}

impl Connection {
    async fn connect(&mut self, encoded: Encoded, reply: &mut Reply) -> Result<(), LlmError> {
        let config = &self.provider.config;
        let key = self.provider.key.get().await?;
        let base_url = self.provider.base_url()?;
        let has_key = key.is_some();
        let mut headers: Vec<(String, Secret)> =
            config.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
        let has = |name: &str| config.headers.keys().any(|own| own.eq_ignore_ascii_case(name));
        if let Some(key) = key {
            let (name, before) = config.api.key_header();
            if !has(name) {
                headers.push((name.to_owned(), Secret::new(format!("{before}{}", key.expose()))));
            }
        }
        self.secrets.clone_from(&headers);
        let own = encoded.headers.iter().filter(|(name, _)| !has(name));
        let mut own: Map<String, Value> =
            own.map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        let body = match &self.exchange {
            Some(exchange) => {
                let payload = exchange.request(encoded.body.to_value()).await;
                own = exchange.headers(own).await;
                let bytes = serde_json::to_vec(&payload);
                bytes.map_err(|error| LlmError::new(ErrorClass::BadRequest, error.to_string()))?.into()
            }
            None => encoded.body.to_content(),
        };
        // The next request extends the kept items in place, once this one is sent.
        drop(encoded.body);
        for (name, value) in own {
            // The key is the host's; a header of its name would replace it.
            let is_secret = self.secrets.iter().any(|(secret, _)| secret.eq_ignore_ascii_case(&name));
            if let Some(value) = value.as_str().filter(|_| !is_secret) {
                headers.push((name.to_lowercase(), Secret::new(value)));
            }
        }
        let accepted =
            if config.api == ApiKind::BedrockConverse { EVENT_STREAM } else { "text/event-stream" };
        headers.push(("accept".to_owned(), Secret::new(accepted)));
        let mut request = HttpRequest {
            url: format!("{}{}", config.api.versioned(&base_url), encoded.path),
            headers,
            body: Some(body),
        };
        if let (false, Some(cloud)) = (has_key, &self.provider.cloud) {
            // Last, because a signature covers everything above.
            self.secrets.extend(cloud.authorize(&mut request, &self.provider.client).await?);
        }
        let body = self.provider.client.send(request, config.idle_timeout).await?;
        let content_type = body.content_type();
        if matches!(content_type.as_str(), "application/json" | "text/html") {
            return self.read_whole(body, &content_type, reply).await;
        }
        if let Some(exchange) = &self.exchange {
            let (status, headers) = body.head();
            exchange.response(status, headers).await;
        }
        reply.start();
        let (parser, decoder) = (Parser::of(&content_type), wire::decoder(config.api));
        self.state = State::Reading { body, parser, decoder, read: Amount::default() };
        Ok(())
    }

    /// Reads an answer that is not a stream: a complete message, or an error with a success status.
    async fn read_whole(
        &mut self,
        body: HttpBody,
        content_type: &str,
        reply: &mut Reply,
    ) -> Result<(), LlmError> {
        let config = &self.provider.config;
        let head = body.head();
        let text = body.text(config.idle_timeout, MAX_WHOLE_BYTES).await?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        if !value["error"].is_null() || !value[0]["error"].is_null() {
            return Err(Said::parse(None, &text).into_error());
        }
        let mut decoder = wire::decoder(config.api);
        let Some(events) = decoder.whole(&value) else {
            return Err(LlmError::new(
                ErrorClass::BadRequest,
                format!(
                    "received {content_type} that is not a message; check the base URL and the wire format of the server"
                ),
            ));
        };
        if let Some(exchange) = &self.exchange {
            exchange.response(head.0, head.1).await;
        }
        reply.start();
        for event in &events {
            decoder.event(event, reply)?;
            if reply.is_finished() {
                return Ok(());
            }
        }
        decoder.end(reply)
    }

    async fn read(
        &mut self,
        mut body: HttpBody,
        mut parser: Parser,
        mut decoder: Box<dyn Decoder>,
        mut read: Amount,
        reply: &mut Reply,
    ) -> Result<(), LlmError> {
        let chunk = body.chunk(self.provider.config.idle_timeout).await?;
        let Some(bytes) = chunk else {
            if let Some(event) = parser.end()? {
                decoder.event(&event, reply)?;
            }
            return if reply.is_finished() { Ok(()) } else { decoder.end(reply) };
        };
        let events = parser.push(&bytes)?;
        read.add(bytes.len(), events.len())?;
        for event in events {
            decoder.event(&event, reply)?;
            if reply.is_finished() {
                body.drain();
                return Ok(());
            }
        }
        self.state = State::Reading { body, parser, decoder, read };
        Ok(())
    }

    /// Adds the provider and redacts secrets.
    fn name_failure(&self, mut error: LlmError) -> LlmError {
        let config = &self.provider.config;
        error.provider.clone_from(&config.name);
        error.text = redact(&error.text, &self.secrets);
        match error.class {
            ErrorClass::Network => error.text = format!("{}: {}", config.host(), error.text),
            ErrorClass::Auth => {
                if let (Some(_), Some(origin)) = (error.status, self.provider.key.origin()) {
                    error.text = format!("{} ({origin})", error.text);
                }
                self.provider.key.forget();
                if let Some(cloud) = &self.provider.cloud {
                    cloud.forget();
                }
            }
            _ => {}
        }
        error
    }
}
