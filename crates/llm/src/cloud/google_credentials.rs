//! Google's application default credentials: a service account's key file, or the login of `gcloud`.

use std::path::PathBuf;

use serde_json::Value;
use toolsmith_host::regular_file;

use crate::{key::Environment, secret::Secret};

/// Larger files are not read.
const MAX_BYTES: u64 = 1 << 20;
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// Credentials that can be exchanged for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GoogleCredentials {
    pub(super) grant: Grant,
    /// Address that gives tokens.
    pub(super) token_url: String,
    /// The project they belong to.
    pub(super) project: Option<String>,
    /// The project that pays for a user's requests.
    pub(super) quota_project: Option<String>,
}

/// Proof of who asks for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Grant {
    ServiceAccount { email: String, key_id: Option<String>, key: Secret },
    User { client_id: String, client_secret: Secret, refresh_token: Secret },
}

/// Returns the file of the credentials; it need not exist.
pub(super) fn file(environment: &Environment) -> Option<PathBuf> {
    if let Some(file) = environment.get("GOOGLE_APPLICATION_CREDENTIALS") {
        return Some(file.into());
    }
    let name = "application_default_credentials.json";
    match (environment.get("CLOUDSDK_CONFIG"), environment.get("APPDATA"), environment.get("HOME")) {
        (Some(folder), ..) => Some(PathBuf::from(folder).join(name)),
        (_, _, Some(home)) => Some(PathBuf::from(home).join(".config/gcloud").join(name)),
        (_, Some(data), _) => Some(PathBuf::from(data).join("gcloud").join(name)),
        _ => None,
    }
}

/// Reads the credentials; `None` if there is no file. Errors never repeat what the file contains.
pub(super) fn load(environment: &Environment) -> Result<Option<GoogleCredentials>, String> {
    let Some(file) = file(environment) else { return Ok(None) };
    let bytes = match regular_file::read_regular(&file, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound
                && environment.get("GOOGLE_APPLICATION_CREDENTIALS").is_none() =>
        {
            return Ok(None);
        }
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
    };
    let value: Value =
        serde_json::from_slice(&bytes).map_err(|_| format!("{} is not JSON", file.display()))?;
    let text = |key: &str| value[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let need = |key: &str| text(key).ok_or_else(|| format!("{} has no \"{key}\"", file.display()));
    let grant = match text("type").as_deref() {
        Some("service_account") => Grant::ServiceAccount {
            email: need("client_email")?,
            key_id: text("private_key_id"),
            key: Secret::new(need("private_key")?),
        },
        Some("authorized_user") => Grant::User {
            client_id: need("client_id")?,
            client_secret: Secret::new(need("client_secret")?),
            refresh_token: Secret::new(need("refresh_token")?),
        },
        Some(other) => {
            return Err(format!(
                "{} is of the type \"{}\"; supported are service_account and authorized_user",
                file.display(),
                other.chars().take(40).collect::<String>()
            ));
        }
        None => return Err(format!("{} has no \"type\"", file.display())),
    };
    let token_url = text("token_uri").unwrap_or_else(|| TOKEN_URL.to_owned());
    let quota_project = text("quota_project_id");
    let project = text("project_id").or_else(|| quota_project.clone());
    Ok(Some(GoogleCredentials { grant, token_url, project, quota_project }))
}
