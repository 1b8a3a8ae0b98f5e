//! Replies of the server in a neutral form, including everything that can go wrong.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::{
    http::{self, Piece},
    problem::Problem,
    wire::{Frame, Wire},
};

/// Holds a reply until it is opened. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
}

impl Gate {
    /// Creates a closed gate.
    pub fn new() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)) }
    }

    /// Opens it permanently.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    pub(super) async fn opened(&self) {
        let mut open = self.open.subscribe();
        // The sender is in `self`, so it exists.
        let _ = open.wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

/// Stop reason of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It finished, or waits for tools.
    Natural,
    /// It reached a limit.
    Length,
    /// The model or its provider refuses.
    Refusal,
}

/// Token counts. Cached tokens are not part of `input`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Uncached input.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Cache reads.
    pub cache_read: u64,
    /// Cache writes.
    pub cache_write: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(Vec<String>),
    Thinking { deltas: Vec<String>, signature: Option<String> },
    Calls(Vec<Call>),
    Problem(Problem),
    Raw(Vec<u8>),
    Wait(Gate),
    Cut,
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) deltas: Vec<String>,
}

/// A reply to one request.
#[derive(Clone, Debug)]
pub struct Reply {
    parts: Vec<Part>,
    stop: Stop,
    tokens: Tokens,
    split: Option<usize>,
    refused: Option<Refused>,
    /// That of the wire format if `None`.
    content_type: Option<String>,
}

/// A reply that is not a stream.
#[derive(Clone, Debug)]
enum Refused {
    Problem(Problem, Vec<(String, String)>),
    Whole(u16, Vec<(String, String)>, Vec<u8>),
    Nonsense(Vec<u8>),
}

impl Reply {
    /// Creates an empty response.
    pub fn new() -> Self {
        Self {
            parts: Vec::new(),
            stop: Stop::Natural,
            tokens: Tokens::default(),
            split: None,
            refused: None,
            content_type: None,
        }
    }

    /// Rejects the request with this error.
    pub fn refuse(problem: Problem) -> Self {
        Self { refused: Some(Refused::Problem(problem, Vec::new())), ..Self::new() }
    }

    /// Creates an arbitrary response.
    pub fn whole(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            refused: Some(Refused::Whole(status, http::header("content-type", content_type), body.into())),
            ..Self::new()
        }
    }

    /// Sends bytes that are not HTTP.
    pub fn nonsense(bytes: impl Into<Vec<u8>>) -> Self {
        Self { refused: Some(Refused::Nonsense(bytes.into())), ..Self::new() }
    }

    /// Adds a header to a rejection.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Some(Refused::Problem(_, headers) | Refused::Whole(_, headers, _)) = &mut self.refused {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Adds a text in one delta.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.text_deltas([text])
    }

    /// Adds a text in these deltas.
    #[must_use]
    pub fn text_deltas<'a>(self, deltas: impl IntoIterator<Item = &'a str>) -> Self {
        self.part(Part::Text(owned(deltas)))
    }

    /// Adds thinking, signed if the format supports it.
    #[must_use]
    pub fn thinking<'a>(self, deltas: impl IntoIterator<Item = &'a str>, signature: Option<&str>) -> Self {
        self.part(Part::Thinking { deltas: owned(deltas), signature: signature.map(str::to_owned) })
    }

    /// Adds a call with its arguments in one delta.
    #[must_use]
    pub fn call(self, id: &str, name: &str, arguments: &Value) -> Self {
        self.call_deltas(id, name, [arguments.to_string().as_str()])
    }

    /// Adds a call with its arguments in these deltas, JSON or not. Consecutive calls alternate delta by delta if the
    /// format allows it. Gemini has only whole arguments.
    #[must_use]
    pub fn call_deltas<'a>(
        mut self,
        id: &str,
        name: &str,
        deltas: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let call = Call { id: id.to_owned(), name: name.to_owned(), deltas: owned(deltas) };
        if let Some(Part::Calls(calls)) = self.parts.last_mut() {
            calls.push(call);
            return self;
        }
        self.part(Part::Calls(vec![call]))
    }

    /// Fails here, inside the stream.
    #[must_use]
    pub fn problem(self, problem: Problem) -> Self {
        self.part(Part::Problem(problem))
    }

    /// Adds bytes that belong to no format.
    #[must_use]
    pub fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.part(Part::Raw(bytes.into()))
    }

    /// Waits here until `gate` is open.
    #[must_use]
    pub fn wait(self, gate: &Gate) -> Self {
        self.part(Part::Wait(gate.clone()))
    }

    /// Closes the connection here.
    #[must_use]
    pub fn cut(self) -> Self {
        self.part(Part::Cut)
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the token counts.
    #[must_use]
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Sends the stream in pieces of this many bytes, splitting lines and characters.
    #[must_use]
    pub fn split(mut self, bytes: usize) -> Self {
        self.split = Some(bytes.max(1));
        self
    }

    /// Sets another content type for the stream.
    #[must_use]
    pub fn content_type(mut self, content_type: &str) -> Self {
        self.content_type = Some(content_type.to_owned());
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    pub(super) fn render(&self, wire: Wire) -> Vec<Piece> {
        match &self.refused {
            Some(Refused::Problem(problem, extra)) => {
                let (status, mut headers, body) = problem.answer(wire);
                headers.extend(extra.iter().cloned());
                http::whole(status, &headers, body.to_string().as_bytes())
            }
            Some(Refused::Whole(status, headers, body)) => http::whole(*status, headers, body),
            Some(Refused::Nonsense(bytes)) => vec![Piece::Raw(bytes.clone()), Piece::Close],
            None => self.render_stream(wire),
        }
    }

    fn render_stream(&self, wire: Wire) -> Vec<Piece> {
        let mut renderer = wire.renderer();
        let content_type = self.content_type.as_deref().unwrap_or_else(|| wire.content_type());
        let mut pieces = vec![http::chunked(&http::header("content-type", content_type))];
        self.push_frames(&mut pieces, renderer.start(&self.tokens));
        for part in &self.parts {
            match part {
                Part::Text(deltas) => self.push_frames(&mut pieces, renderer.text(deltas)),
                Part::Thinking { deltas, signature } => {
                    self.push_frames(&mut pieces, renderer.thinking(deltas, signature.as_deref()));
                }
                Part::Calls(calls) => self.push_frames(&mut pieces, renderer.calls(calls)),
                Part::Problem(problem) => {
                    // Providers end the stream with it.
                    self.push_bytes(&mut pieces, problem.event(wire));
                    pieces.push(Piece::LastChunk);
                    return pieces;
                }
                Part::Raw(bytes) => self.push_bytes(&mut pieces, bytes.clone()),
                Part::Wait(gate) => pieces.push(Piece::Wait(gate.clone())),
                Part::Cut => {
                    pieces.push(Piece::Close);
                    return pieces;
                }
            }
        }
        self.push_frames(&mut pieces, renderer.end(self.stop, &self.tokens));
        pieces.push(Piece::LastChunk);
        pieces
    }

    fn push_frames(&self, pieces: &mut Vec<Piece>, frames: Vec<Frame>) {
        for frame in frames {
            self.push_bytes(pieces, frame);
        }
    }

    fn push_bytes(&self, pieces: &mut Vec<Piece>, bytes: Vec<u8>) {
        match self.split {
            Some(size) => pieces.extend(bytes.chunks(size).map(|chunk| Piece::Chunk(chunk.to_vec()))),
            None if bytes.is_empty() => {}
            None => pieces.push(Piece::Chunk(bytes)),
        }
    }
}

impl Default for Reply {
    fn default() -> Self {
        Self::new()
    }
}

fn owned<'a>(deltas: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    deltas.into_iter().map(str::to_owned).collect()
}

/// Returns the deltas of several calls, alternating: the index of the call, and the delta.
pub(super) fn taking_turns(calls: &[Call]) -> Vec<(usize, &str)> {
    let longest = calls.iter().map(|call| call.deltas.len()).max().unwrap_or(0);
    let mut deltas = Vec::new();
    for round in 0..longest {
        for (at, call) in calls.iter().enumerate() {
            if let Some(delta) = call.deltas.get(round) {
                deltas.push((at, delta.as_str()));
            }
        }
    }
    deltas
}
