//! Errors in each provider's own wording, which determines how clients classify them.

use serde_json::{Value, json};

use super::{
    anthropic, bedrock, chat, gemini,
    wire::{Frame, Wire},
};

/// An error, as a response or inside a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Too many requests, with the seconds to wait if given.
    RateLimited(Option<u64>),
    /// Overloaded.
    Overloaded,
    /// The context is too long.
    Overflow,
    /// The key is invalid.
    Auth,
    /// The quota is exhausted.
    Quota,
    /// The request is invalid.
    BadRequest,
    /// The provider failed.
    Server,
}

impl Problem {
    /// Returns status, headers and body.
    pub(super) fn answer(self, wire: Wire) -> (u16, Vec<(String, String)>, Value) {
        let (status, code, text) = self.words(wire);
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let body = match wire {
            Wire::Anthropic => json!({ "type": "error", "error": { "type": code, "message": text } }),
            Wire::Responses | Wire::Chat => json!({ "error": openai(code, text) }),
            Wire::Gemini => json!({ "error": google(status, code, text, self) }),
            Wire::Bedrock => {
                headers.push((
                    "x-amzn-errortype".to_owned(),
                    format!("{code}:http://internal.amazon.com/coral/"),
                ));
                json!({ "message": text })
            }
        };
        if let Self::RateLimited(Some(seconds)) = self
            && wire != Wire::Gemini
        {
            headers.push(("retry-after".to_owned(), seconds.to_string()));
        }
        (status, headers, body)
    }

    /// Returns the event that ends a stream.
    pub(super) fn event(self, wire: Wire) -> Frame {
        let (status, code, text) = self.words(wire);
        match wire {
            Wire::Anthropic => {
                anthropic::event(&json!({ "type": "error", "error": { "type": code, "message": text } }))
            }
            Wire::Responses => anthropic::event(&json!({
                "type": "response.failed",
                "response": { "status": "failed", "error": { "code": code, "message": text } },
            })),
            Wire::Chat => chat::data(&json!({ "error": openai(code, text) })),
            Wire::Gemini => gemini::data(&json!({ "error": google(status, code, text, self) })),
            Wire::Bedrock => bedrock::exception(code, text),
        }
    }

    fn words(self, wire: Wire) -> (u16, &'static str, &'static str) {
        match (wire, self) {
            (Wire::Anthropic, Self::RateLimited(_)) => (
                429,
                "rate_limit_error",
                "This request would exceed your organization's rate limit of 50 requests per minute.",
            ),
            (Wire::Anthropic, Self::Overloaded) => (529, "overloaded_error", "Overloaded"),
            (Wire::Anthropic, Self::Overflow) => {
                (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
            }
            (Wire::Anthropic, Self::Auth) => (401, "authentication_error", "invalid x-api-key"),
            (Wire::Anthropic, Self::Quota) => {
                (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.")
            }
            (Wire::Anthropic, Self::BadRequest) => {
                (400, "invalid_request_error", "messages: at least one message is required")
            }
            (Wire::Anthropic, Self::Server) => (500, "api_error", "Internal server error"),
            (Wire::Responses | Wire::Chat, Self::RateLimited(_)) => (
                429,
                "rate_limit_exceeded",
                "Rate limit reached for this model on tokens per min (TPM): Limit 30000, Used 29000, Requested 9000.",
            ),
            (Wire::Responses | Wire::Chat, Self::Overloaded) => {
                (503, "server_is_overloaded", "The server is currently overloaded with other requests.")
            }
            (Wire::Responses | Wire::Chat, Self::Overflow) => (
                400,
                "context_length_exceeded",
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
            ),
            (Wire::Responses | Wire::Chat, Self::Auth) => {
                (401, "invalid_api_key", "Incorrect API key provided.")
            }
            (Wire::Responses | Wire::Chat, Self::Quota) => (
                429,
                "insufficient_quota",
                "You exceeded your current quota, please check your plan and billing details.",
            ),
            (Wire::Responses | Wire::Chat, Self::BadRequest) => {
                (400, "invalid_request_error", "Missing required parameter: 'input'.")
            }
            (Wire::Responses | Wire::Chat, Self::Server) => (
                500,
                "server_error",
                "The server had an error while processing your request. Sorry about that!",
            ),
            (Wire::Gemini, Self::RateLimited(_)) => (
                429,
                "RESOURCE_EXHAUSTED",
                "You exceeded your current quota, please check your plan and billing details.",
            ),
            (Wire::Gemini, Self::Overloaded) => {
                (503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
            }
            (Wire::Gemini, Self::Overflow) => (
                400,
                "INVALID_ARGUMENT",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            ),
            (Wire::Gemini, Self::Auth) => {
                (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
            }
            (Wire::Gemini, Self::Quota) => (402, "FAILED_PRECONDITION", "Billing is not enabled."),
            (Wire::Gemini, Self::BadRequest) => {
                (400, "INVALID_ARGUMENT", "GenerateContentRequest.contents: contents is not specified")
            }
            (Wire::Bedrock, Self::RateLimited(_)) => {
                (429, "ThrottlingException", "Too many requests, please wait before trying again.")
            }
            (Wire::Bedrock, Self::Overloaded) => {
                (503, "ServiceUnavailableException", "The service is unable to process your request.")
            }
            (Wire::Bedrock, Self::Overflow) => (
                400,
                "ValidationException",
                "The model returned the following errors: Input is too long for requested model.",
            ),
            (Wire::Bedrock, Self::Auth) => {
                (403, "ExpiredTokenException", "The security token included in the request is expired")
            }
            (Wire::Bedrock, Self::Quota) => {
                (400, "ServiceQuotaExceededException", "You have exceeded a service quota.")
            }
            (Wire::Bedrock, Self::BadRequest) => {
                (400, "ValidationException", "A conversation must start with a user message.")
            }
            (Wire::Bedrock, Self::Server) => {
                (500, "InternalServerException", "The system encountered an unexpected error.")
            }
            (Wire::Gemini, Self::Server) => (500, "INTERNAL", "An internal error has occurred."),
        }
    }
}

fn openai(code: &str, text: &str) -> Value {
    json!({ "message": text, "type": "invalid_request_error", "param": null, "code": code })
}

fn google(status: u16, code: &str, text: &str, problem: Problem) -> Value {
    let mut error = json!({ "code": status, "message": text, "status": code });
    if let Problem::RateLimited(Some(seconds)) = problem {
        error["details"] = json!([{
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{seconds}s"),
        }]);
    }
    error
}
