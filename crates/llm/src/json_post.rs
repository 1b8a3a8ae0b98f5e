//! Posting JSON to a URL that the user configured, such as a hook, over the connections of this crate.

use std::time::Duration;

use crate::{
    http::{HttpClient, HttpRequest},
    secret::Secret,
};

/// Posts JSON. Clones share their connections; nothing is set up before the first request.
#[derive(Clone, Debug, Default)]
pub struct JsonPost {
    client: HttpClient,
}

impl JsonPost {
    /// Posts `body` and returns the text of the response, at most `limit` bytes and one more. Redirects are not followed.
    ///
    /// # Errors
    /// Fails with the reason if the URL or a header is invalid, the server cannot be reached, answers with an error status,
    /// or sends nothing for `idle`.
    pub async fn send(
        &self,
        url: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
        idle: Duration,
        limit: usize,
    ) -> Result<String, String> {
        let headers = headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect();
        let request = HttpRequest { url: url.to_owned(), headers, body: Some(body) };
        let response = self.client.send(request, idle).await.map_err(|error| error.to_string())?;
        response.text(idle, limit.saturating_add(1)).await.map_err(|error| error.to_string())
    }
}
