//! AWS credentials: from the environment, or from a profile in the files of the AWS command line.

use std::{collections::BTreeMap, path::PathBuf};

use toolsmith_host::regular_file;

use crate::{key::Environment, secret::Secret};

/// Larger files are not read.
const MAX_BYTES: u64 = 1 << 20;
const DEFAULT_PROFILE: &str = "default";

/// Keys that sign requests.
#[derive(Clone, Debug)]
pub(super) struct AwsCredentials {
    pub(super) access_key: String,
    pub(super) secret: Secret,
    pub(super) session_token: Option<Secret>,
}

/// Keys and region of a profile or of the environment.
#[derive(Clone, Debug, Default)]
pub(super) struct AwsProfile {
    pub(super) credentials: Option<AwsCredentials>,
    region: Option<String>,
}

/// Returns whether credentials are there.
pub(super) fn are_there(environment: &Environment) -> bool {
    load(environment).is_ok_and(|profile| profile.credentials.is_some())
}

/// Returns the region: of the environment, or of the profile.
pub(super) fn region(environment: &Environment) -> Option<String> {
    let named = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| environment.get(name));
    named.or_else(|| from_files(environment).ok()?.region)
}

/// Returns the credentials: keys of the environment, else those of the profile.
pub(super) fn load(environment: &Environment) -> Result<AwsProfile, String> {
    let keys = (environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY"));
    if let (Some(access_key), Some(secret)) = keys {
        let credentials = AwsCredentials {
            access_key: access_key.trim().to_owned(),
            secret: Secret::new(secret.trim()),
            session_token: environment.get("AWS_SESSION_TOKEN").map(|token| Secret::new(token.trim())),
        };
        return Ok(AwsProfile { credentials: Some(credentials), region: None });
    }
    from_files(environment)
}

fn from_files(environment: &Environment) -> Result<AwsProfile, String> {
    let named = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"].iter().find_map(|name| environment.get(name));
    let name = named.clone().unwrap_or_else(|| DEFAULT_PROFILE.to_owned());
    let credentials = read(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials")?;
    let config = read(environment, "AWS_CONFIG_FILE", "config")?;
    let of_config = match name.as_str() {
        DEFAULT_PROFILE => config.get(DEFAULT_PROFILE).or_else(|| config.get("profile default")),
        name => config.get(&format!("profile {name}")),
    };
    let of_credentials = credentials.get(&name);
    if named.is_some() && of_config.is_none() && of_credentials.is_none() {
        return Err(format!("there is no AWS profile \"{name}\" (AWS_PROFILE)"));
    }
    let value = |key: &str| {
        let found = of_credentials.and_then(|section| section.get(key));
        found.or_else(|| of_config.and_then(|section| section.get(key))).cloned()
    };
    let mut profile = AwsProfile { credentials: None, region: value("region") };
    match (value("aws_access_key_id"), value("aws_secret_access_key")) {
        (Some(access_key), Some(secret)) => {
            profile.credentials = Some(AwsCredentials {
                access_key,
                secret: Secret::new(secret),
                session_token: value("aws_session_token").map(Secret::new),
            });
        }
        _ if ["sso_session", "sso_start_url", "role_arn", "credential_process"]
            .iter()
            .any(|key| value(key).is_some()) =>
        {
            return Err(format!(
                "the AWS profile \"{name}\" has no keys but another kind of login. Run: eval \"$(aws configure \
                 export-credentials --profile {name} --format env)\""
            ));
        }
        _ => {}
    }
    Ok(profile)
}

type Sections = BTreeMap<String, BTreeMap<String, String>>;

fn read(environment: &Environment, variable: &str, name: &str) -> Result<Sections, String> {
    let file = match environment.get(variable) {
        Some(file) => PathBuf::from(file),
        None => match environment.get("HOME").or_else(|| environment.get("USERPROFILE")) {
            Some(home) => PathBuf::from(home).join(".aws").join(name),
            None => return Ok(Sections::new()),
        },
    };
    match regular_file::read_regular(&file, MAX_BYTES) {
        Ok(bytes) => Ok(parse(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Sections::new()),
        Err(error) => Err(format!("{} cannot be read: {error}", file.display())),
    }
}

/// Parses the files' format: sections in brackets, `key = value` lines, comments. Nested values are indented and left out.
fn parse(text: &str) -> Sections {
    let mut sections = Sections::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            sections.entry(name.clone()).or_default();
            current = Some(name);
        } else if let (Some((key, value)), Some(section)) = (line.split_once('='), &current) {
            let value = value.split(" #").next().unwrap_or_default().trim();
            if !value.is_empty() {
                let section = sections.entry(section.clone()).or_default();
                section.insert(key.trim().to_lowercase(), value.to_owned());
            }
        }
    }
    sections
}

#[cfg(test)]
#[path = "aws_credentials_tests.rs"]
mod tests;
