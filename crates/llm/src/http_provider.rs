//! A provider behind a URL: encodes the request, sends it and decodes the response in the provider's wire format.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::{Map, Value};
use toolsmith_tool::CancelToken;

use crate::{
    classify::Said,
    config::ProviderConfig,
    endpoint::Endpoint,
    error::{ErrorClass, LlmError},
    exchange::Exchange,
    http::{HttpBody, HttpClient, HttpRequest, redact},
    key::{Environment, Key},
    model::Model,
    provider::{Capabilities, Provider},
    reply::Reply,
    request::Request,
    secret::Secret,
    sse::SseParser,
    stream::{EventStream, ReplySource},
    wire::{self, Decoder, Encoded},
};

/// The most that is read of one answer, whatever it contains.
const MAX_STREAM_BYTES: usize = 512 << 20;
/// The most events of one answer, those without content included.
const MAX_EVENTS: usize = 2_000_000;
/// The most that is read of an answer that is no stream.
const MAX_ODD_BYTES: usize = 64 * 1024;

/// A provider behind a URL.
#[derive(Clone, Debug)]
pub struct HttpProvider {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: ProviderConfig,
    key: Key,
    client: HttpClient,
}

impl HttpProvider {
    /// Creates a provider with its own connections.
    pub fn new(config: ProviderConfig, environment: Environment) -> Self {
        Self::with_client(config, environment, HttpClient::default())
    }

    pub(crate) fn with_client(config: ProviderConfig, environment: Environment, client: HttpClient) -> Self {
        let key = Key::new(&config.name, config.key.clone(), environment);
        Self { inner: Arc::new(Inner { config, key, client }) }
    }

    /// Returns whether a key is available, as far as this is known without running a command.
    pub fn has_key(&self) -> bool {
        self.inner.key.is_set()
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
        self.inner.key.missing_now()
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
    Reading { body: HttpBody, parser: SseParser, decoder: Box<dyn Decoder>, read: Amount },
    Over,
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
            return Err(LlmError::invalid(format!("the answer has more than {MAX_STREAM_BYTES} bytes")));
        }
        if self.events > MAX_EVENTS {
            return Err(LlmError::invalid(format!("the answer has more than {MAX_EVENTS} events")));
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
                serde_json::to_vec(&payload)
                    .map_err(|error| LlmError::new(ErrorClass::BadRequest, error.to_string()))?
            }
            None => encoded.body.to_bytes(),
        };
        // The next request extends the kept items in place.
        drop(encoded.body);
        for (name, value) in own {
            // The key is the host's; a header of its name would replace it.
            let is_secret = self.secrets.iter().any(|(secret, _)| secret.eq_ignore_ascii_case(&name));
            if let Some(value) = value.as_str().filter(|_| !is_secret) {
                headers.push((name.to_lowercase(), Secret::new(value)));
            }
        }
        headers.push(("accept".to_owned(), Secret::new("text/event-stream")));
        let request = HttpRequest {
            url: format!("{}{}", config.api.versioned(&config.base_url), encoded.path),
            headers,
            body: Some(body),
        };
        let body = self.provider.client.send(request, config.idle_timeout).await?;
        if matches!(body.content_type().as_str(), "application/json" | "text/html") {
            return Err(not_a_stream(body, config.idle_timeout).await);
        }
        if let Some(exchange) = &self.exchange {
            let (status, headers) = body.head();
            exchange.response(status, headers).await;
        }
        reply.start();
        let (parser, decoder) = (SseParser::default(), wire::decoder(config.api));
        self.state = State::Reading { body, parser, decoder, read: Amount::default() };
        Ok(())
    }

    async fn read(
        &mut self,
        mut body: HttpBody,
        mut parser: SseParser,
        mut decoder: Box<dyn Decoder>,
        mut read: Amount,
        reply: &mut Reply,
    ) -> Result<(), LlmError> {
        let chunk = body.chunk(self.provider.config.idle_timeout).await?;
        let Some(bytes) = chunk else {
            if let Some(event) = parser.end() {
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
            }
            _ => {}
        }
        error
    }
}

/// Some servers report an error with a success status; others are not model servers at all.
async fn not_a_stream(body: HttpBody, idle: Duration) -> LlmError {
    let kind = body.content_type();
    let text = match body.text(idle, MAX_ODD_BYTES).await {
        Ok(text) => text,
        Err(error) => return error,
    };
    let has_error = serde_json::from_str::<serde_json::Value>(&text)
        .is_ok_and(|value| !value["error"].is_null() || !value[0]["error"].is_null());
    if has_error {
        return Said::parse(None, &text).into_error();
    }
    LlmError::new(
        ErrorClass::BadRequest,
        format!(
            "received {kind} instead of an event stream; check the base URL and the wire format of the server"
        ),
    )
}
