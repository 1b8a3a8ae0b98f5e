//! One cloud provider as the environment describes it: the URL of its endpoint, and who signs requests to it.

use super::{
    aws_credentials::{self, AwsProfile},
    aws_signature,
    google_credentials::{self, GoogleCredentials},
    google_token::GoogleToken,
};
use crate::{
    config::{ApiKind, KeySource, ProviderConfig},
    error::{ErrorClass, LlmError},
    http::{HttpClient, HttpRequest},
    key::Environment,
    secret::Secret,
};

const GOOGLE_PROJECT: [&str; 3] = ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID"];
const GOOGLE_LOCATION: [&str; 3] = ["GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION", "CLOUD_ML_REGION"];
/// Location that routes requests by itself.
const GOOGLE_DEFAULT_LOCATION: &str = "global";
const AZURE_RESOURCE: &str = "AZURE_OPENAI_RESOURCE_NAME";
const AZURE_URL: &str = "AZURE_OPENAI_BASE_URL";
const AWS_ENDPOINT: [&str; 2] = ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL"];

/// Access to one provider. It is looked up anew for each request, so that a profile or a login that changed is used.
#[derive(Debug)]
pub(crate) struct CloudAccess {
    provider: String,
    api: ApiKind,
    /// The cloud's own credentials may be used: the user did not configure another key.
    uses_credentials: bool,
    environment: Environment,
    token: GoogleToken,
}

impl CloudAccess {
    /// Returns the access that a provider of a cloud needs; `None` for others.
    pub(crate) fn of(config: &ProviderConfig, environment: Environment) -> Option<Self> {
        config.api.is_of_cloud().then(|| Self {
            provider: config.name.clone(),
            api: config.api,
            uses_credentials: matches!(config.key, KeySource::Cloud(_)),
            environment,
            token: GoogleToken::default(),
        })
    }

    /// Returns whether credentials are there, as far as this is known without a request.
    pub(crate) fn has_credentials(&self) -> bool {
        self.uses_credentials
            && match self.api {
                ApiKind::BedrockConverse => aws_credentials::are_there(&self.environment),
                ApiKind::GoogleVertex | ApiKind::VertexAnthropic => {
                    google_credentials::file(&self.environment).is_some_and(|file| file.is_file())
                }
                _ => false,
            }
    }

    /// Returns the error of missing credentials.
    pub(crate) fn missing(&self) -> LlmError {
        let what = match self.api {
            ApiKind::BedrockConverse => {
                "Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK."
            }
            _ => {
                "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file."
            }
        };
        LlmError::new(ErrorClass::Auth, format!("No credentials for provider: {}. {what}", self.provider))
    }

    fn unplaced(&self, what: &str) -> LlmError {
        LlmError::new(ErrorClass::Auth, format!("Provider {} has no endpoint. {what}", self.provider))
    }

    /// Returns the base URL with its placeholders replaced. A URL without placeholders is the user's own.
    pub(crate) fn base_url(&self, template: &str) -> Result<String, LlmError> {
        if !template.contains('{') {
            return Ok(template.to_owned());
        }
        match self.api {
            ApiKind::AzureResponses => self.azure_url(template),
            ApiKind::BedrockConverse => {
                if let Some(url) = AWS_ENDPOINT.iter().find_map(|name| self.environment.get(name)) {
                    return Ok(url);
                }
                let region = self.region()?;
                // China's regions have a domain of their own.
                let suffix = if region.starts_with("cn-") { ".cn" } else { "" };
                Ok(format!("{}{suffix}", template.replace("{region}", &region)))
            }
            _ => self.google_url(template),
        }
    }

    fn azure_url(&self, template: &str) -> Result<String, LlmError> {
        if let Some(url) = self.environment.get(AZURE_URL) {
            return Ok(url.trim().to_owned());
        }
        let resource = self.environment.get(AZURE_RESOURCE).ok_or_else(|| {
            self.unplaced(&format!("Set {AZURE_RESOURCE} to the name of your resource, or {AZURE_URL}."))
        })?;
        Ok(template.replace("{resource}", self.host_part(AZURE_RESOURCE, &resource)?))
    }

    fn google_url(&self, template: &str) -> Result<String, LlmError> {
        let location = GOOGLE_LOCATION.iter().find_map(|name| self.environment.get(name));
        let location = location.unwrap_or_else(|| GOOGLE_DEFAULT_LOCATION.to_owned());
        let location = self.host_part(GOOGLE_LOCATION[0], &location)?;
        let host = match location {
            "global" => "aiplatform.googleapis.com".to_owned(),
            // Multi-regions have another form.
            "us" | "eu" => format!("aiplatform.{location}.rep.googleapis.com"),
            location => format!("{location}-aiplatform.googleapis.com"),
        };
        let project = GOOGLE_PROJECT.iter().find_map(|name| self.environment.get(name));
        let project = match project {
            Some(project) => project,
            None => google_credentials::load(&self.environment)
                .ok()
                .flatten()
                .and_then(|found| found.project)
                .ok_or_else(|| {
                    self.unplaced(&format!("Set {} to the id of your project.", GOOGLE_PROJECT[0]))
                })?,
        };
        let project = self.host_part(GOOGLE_PROJECT[0], &project)?;
        Ok(template.replace("{host}", &host).replace("{project}", project).replace("{location}", location))
    }

    /// Returns a name that becomes part of a URL, if it cannot lead to another host.
    fn host_part<'a>(&self, variable: &str, name: &'a str) -> Result<&'a str, LlmError> {
        let name = name.trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        match !name.is_empty() && name.chars().all(is_plain) {
            true => Ok(name),
            false => Err(self.unplaced(&format!("{variable} must be a plain name, not a URL."))),
        }
    }

    fn region(&self) -> Result<String, LlmError> {
        let region = aws_credentials::region(&self.environment)
            .ok_or_else(|| self.unplaced("Set AWS_REGION, such as us-east-1."))?;
        self.host_part("AWS_REGION", &region).map(str::to_owned)
    }

    /// Adds what authorizes a request that carries no key; returns the values to keep secret.
    pub(crate) async fn authorize(
        &self,
        request: &mut HttpRequest,
        client: &HttpClient,
    ) -> Result<Vec<(String, Secret)>, LlmError> {
        if !self.uses_credentials {
            return Ok(Vec::new());
        }
        match self.api {
            ApiKind::BedrockConverse => {
                let AwsProfile { credentials, .. } =
                    aws_credentials::load(&self.environment).map_err(|what| self.unusable(&what))?;
                let credentials = credentials.ok_or_else(|| self.missing())?;
                let headers = aws_signature::sign(request, &credentials, &self.region()?)
                    .map_err(|what| self.unusable(&what))?;
                request.headers.extend(headers.clone());
                let mut secrets = headers;
                secrets.push(("secret".to_owned(), credentials.secret));
                secrets.extend(credentials.session_token.map(|token| ("token".to_owned(), token)));
                Ok(secrets)
            }
            ApiKind::GoogleVertex | ApiKind::VertexAnthropic => {
                let found =
                    google_credentials::load(&self.environment).map_err(|what| self.unusable(&what))?;
                let found: GoogleCredentials = found.ok_or_else(|| self.missing())?;
                let token = self.token.get(&found, client).await?;
                let mut headers =
                    vec![("authorization".to_owned(), Secret::new(format!("Bearer {}", token.expose())))];
                if let Some(project) = &found.quota_project {
                    headers.push(("x-goog-user-project".to_owned(), Secret::new(project)));
                }
                request.headers.extend(headers.clone());
                Ok(headers)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn unusable(&self, what: &str) -> LlmError {
        LlmError::new(
            ErrorClass::Auth,
            format!("The credentials for {} cannot be used: {what}", self.provider),
        )
    }

    /// The provider refused the credentials: a token is requested again next time.
    pub(crate) fn forget(&self) {
        self.token.forget();
    }
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
