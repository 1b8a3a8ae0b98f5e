//! Places of cloud endpoints.

use std::collections::BTreeMap;

use super::*;
use crate::builtin;

fn access(provider: &str, pairs: &[(&str, &str)]) -> (CloudAccess, String) {
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let config = builtin::providers().into_iter().find(|config| config.name == provider).unwrap();
    let environment = Environment::new(move |name| pairs.get(name).cloned());
    (CloudAccess::of(&config, environment).unwrap(), config.base_url)
}

fn url(provider: &str, pairs: &[(&str, &str)]) -> Result<String, String> {
    let (access, template) = access(provider, pairs);
    access.base_url(&template).map_err(|error| error.to_string())
}

#[test]
fn places_come_from_the_environment() {
    for (provider, pairs, expected) in [
        (
            "azure",
            [("AZURE_OPENAI_RESOURCE_NAME", "mine")].as_slice(),
            "https://mine.openai.azure.com/openai/v1",
        ),
        (
            "azure",
            &[("AZURE_OPENAI_BASE_URL", "https://gateway.example/openai/v1")],
            "https://gateway.example/openai/v1",
        ),
        ("amazon-bedrock", &[("AWS_REGION", "eu-west-1")], "https://bedrock-runtime.eu-west-1.amazonaws.com"),
        (
            "amazon-bedrock",
            &[("AWS_DEFAULT_REGION", "cn-north-1")],
            "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
        ),
        (
            "amazon-bedrock",
            &[("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://vpce.example")],
            "https://vpce.example",
        ),
        (
            "google-vertex",
            &[("GOOGLE_CLOUD_PROJECT", "p-1"), ("GOOGLE_CLOUD_LOCATION", "europe-west4")],
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west4/publishers/google",
        ),
        (
            "google-vertex-anthropic",
            &[("ANTHROPIC_VERTEX_PROJECT_ID", "p-1")],
            "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/publishers/anthropic",
        ),
    ] {
        assert_eq!(url(provider, pairs).unwrap(), expected);
    }
}

#[test]
fn missing_places_name_the_variable_to_set() {
    for (provider, variable) in [
        ("azure", "AZURE_OPENAI_RESOURCE_NAME"),
        ("amazon-bedrock", "AWS_REGION"),
        ("google-vertex", "GOOGLE_CLOUD_PROJECT"),
    ] {
        let error = url(provider, &[]).unwrap_err();
        assert!(error.contains(variable) && error.contains(provider), "{error}");
    }
}

#[test]
fn a_name_cannot_lead_to_another_host() {
    for evil in ["evil.example/", "x@evil.example", "x.evil.example#", "a b", "..", "%2e", "x?y", "x\\y"] {
        assert!(url("azure", &[("AZURE_OPENAI_RESOURCE_NAME", evil)]).is_err(), "{evil}");
        assert!(url("amazon-bedrock", &[("AWS_REGION", evil)]).is_err(), "{evil}");
        let both = [("GOOGLE_CLOUD_PROJECT", "p"), ("GOOGLE_CLOUD_LOCATION", evil)];
        assert!(url("google-vertex", &both).is_err(), "{evil}");
        assert!(url("google-vertex", &[("GOOGLE_CLOUD_PROJECT", evil)]).is_err(), "{evil}");
    }
}
