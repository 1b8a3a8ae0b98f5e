//! Providers of clouds: where they are, how requests are signed, and what happens to credentials that are wrong.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::json;
use toolsmith_llm::{
    ApiKind, AssistantMessage, CancelToken, Environment, ErrorClass, HttpProvider, KeySource, LlmError,
    Message, Model, Provider, ProviderConfig, Providers, Request,
};
use toolsmith_testkit::{
    ModelServer, Problem, Project, Reply, check_aws_signature, check_google_statement, service_account,
};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const MODEL: &str = "us.anthropic.claude-test-v1:0";

struct Cloud {
    server: ModelServer,
    provider: HttpProvider,
    model: Model,
}

fn environment(pairs: &[(&str, &str)]) -> Environment {
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Environment::new(move |name| pairs.get(name).cloned())
}

impl Cloud {
    async fn new(api: ApiKind, model: &str, key: KeySource, pairs: &[(&str, &str)]) -> Self {
        let server = ModelServer::start().await.unwrap();
        let config =
            ProviderConfig::new("cloud", api, server.url()).key(key).idle_timeout(Duration::from_secs(60));
        let provider = HttpProvider::new(config, environment(pairs));
        Self { server, provider, model: Model::unknown("cloud", model) }
    }

    async fn bedrock(pairs: &[(&str, &str)]) -> Self {
        let key = KeySource::Cloud(vec!["AWS_BEARER_TOKEN_BEDROCK".to_owned()]);
        Self::new(ApiKind::BedrockConverse, MODEL, key, pairs).await
    }

    async fn ask(&self) -> Result<AssistantMessage, LlmError> {
        let asked = [Message::user("hi")];
        let request = Request::new(&self.model).messages(&asked);
        self.provider.stream(&request, CancelToken::new()).finish().await
    }
}

const AWS: [(&str, &str); 3] =
    [("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", SECRET), ("AWS_REGION", "us-east-1")];

#[tokio::test]
async fn bedrock_requests_are_signed_for_what_they_are() {
    let cloud = Cloud::bedrock(&AWS).await;
    assert!(cloud.provider.has_key() && cloud.provider.missing_key().is_none());
    cloud.server.push(Reply::new().text("Hello"));
    assert_eq!(cloud.ask().await.unwrap().text(), "Hello");
    let request = cloud.server.last_request();
    assert_eq!(request.path, "/model/us.anthropic.claude-test-v1%3A0/converse-stream");
    let signer = check_aws_signature(&request, SECRET, "us-east-1", "bedrock").unwrap();
    assert_eq!(signer, "AKIDEXAMPLE");
    assert_eq!(request.header("x-amz-security-token"), None);
    // The check itself notices every difference.
    assert!(check_aws_signature(&request, "other", "us-east-1", "bedrock").is_err());
    assert!(check_aws_signature(&request, SECRET, "us-east-2", "bedrock").is_err());
    let mut changed = request.clone();
    changed.raw_body.push(b' ');
    assert!(check_aws_signature(&changed, SECRET, "us-east-1", "bedrock").is_err());
    let mut changed = request;
    changed.path = "/model/other/converse-stream".to_owned();
    assert!(check_aws_signature(&changed, SECRET, "us-east-1", "bedrock").is_err());
}

#[tokio::test]
async fn a_session_token_is_sent_and_signed() {
    let mut pairs = AWS.to_vec();
    pairs.push(("AWS_SESSION_TOKEN", "session-token-1"));
    let cloud = Cloud::bedrock(&pairs).await;
    cloud.server.push(Reply::new().text("ok"));
    cloud.ask().await.unwrap();
    let request = cloud.server.last_request();
    assert_eq!(request.header("x-amz-security-token"), Some("session-token-1"));
    check_aws_signature(&request, SECRET, "us-east-1", "bedrock").unwrap();
}

#[tokio::test]
async fn a_profile_signs_and_a_changed_file_is_read_again() {
    let credentials =
        |secret: &str| format!("[work]\naws_access_key_id = AKWORK\naws_secret_access_key = {secret}\n");
    let home = Project::new(&[
        (".aws/credentials", &credentials(SECRET)),
        (".aws/config", "[profile work]\nregion = eu-west-1\n"),
    ]);
    let cloud = Cloud::bedrock(&[("HOME", home.root.to_str().unwrap()), ("AWS_PROFILE", "work")]).await;
    cloud.server.otherwise(|_| Reply::new().text("ok"));
    cloud.ask().await.unwrap();
    let signer = check_aws_signature(&cloud.server.last_request(), SECRET, "eu-west-1", "bedrock").unwrap();
    assert_eq!(signer, "AKWORK");
    home.write(".aws/credentials", &credentials("another-secret"));
    cloud.ask().await.unwrap();
    check_aws_signature(&cloud.server.last_request(), "another-secret", "eu-west-1", "bedrock").unwrap();
}

#[tokio::test]
async fn a_bearer_token_comes_before_keys() {
    let mut pairs = AWS.to_vec();
    pairs.push(("AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-1"));
    let cloud = Cloud::bedrock(&pairs).await;
    cloud.server.push(Reply::new().text("ok"));
    cloud.ask().await.unwrap();
    let request = cloud.server.last_request();
    assert_eq!(request.header("authorization"), Some("Bearer bedrock-api-key-1"));
    assert_eq!(request.header("x-amz-date"), None);
}

#[tokio::test]
async fn missing_credentials_ask_nobody_and_say_what_to_set() {
    let cloud = Cloud::bedrock(&[("AWS_REGION", "us-east-1")]).await;
    assert!(!cloud.provider.has_key() && cloud.provider.missing_key().is_some());
    let error = cloud.ask().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(error.to_string().contains("AWS_PROFILE"), "{error}");
    let error = Cloud::bedrock(&AWS[..2]).await.ask().await.unwrap_err();
    assert!(error.to_string().contains("AWS_REGION"), "{error}");
    assert_eq!(cloud.server.connections(), 0);
}

#[tokio::test]
async fn expired_credentials_are_an_authorization_error_that_shows_no_secret() {
    let mut pairs = AWS.to_vec();
    pairs.push(("AWS_SESSION_TOKEN", "session-token-1"));
    let cloud = Cloud::bedrock(&pairs).await;
    cloud.server.push(Reply::refuse(Problem::Auth));
    let error = cloud.ask().await.unwrap_err();
    assert_eq!((error.class, error.status), (ErrorClass::Auth, Some(403)));
    assert!(error.to_string().contains("expired"), "{error}");
    let echo = format!(r#"{{"message":"wrong: {SECRET} session-token-1"}}"#);
    cloud.server.push(Reply::whole(403, "application/json", echo));
    let error = cloud.ask().await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error}");
    assert!(!error.to_string().contains("session-token-1"), "{error}");
    assert!(!format!("{:?}", cloud.provider).contains(SECRET));
}

#[tokio::test]
async fn a_redirect_to_another_host_carries_no_credentials() {
    let elsewhere = ModelServer::start().await.unwrap();
    elsewhere.otherwise(|_| Reply::new().text("caught"));
    let vertex = Vertex::service_account(ApiKind::GoogleVertex).await;
    let bedrock = Cloud::bedrock(&AWS).await;
    for cloud in [&bedrock, &vertex.cloud] {
        for status in [301, 302, 307, 308] {
            let target = format!("{}{}", elsewhere.url(), "/model/x/converse-stream");
            cloud.server.push(Reply::whole(status, "text/plain", "").header("location", &target));
            let error = cloud.ask().await.unwrap_err();
            assert!(error.to_string().contains("redirects"), "{error}");
        }
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_place_that_a_session_remembers_gets_no_credentials() {
    let server = ModelServer::start().await.unwrap();
    server.otherwise(|_| Reply::new().text("ok"));
    let mut providers = Providers::builtin(environment(&AWS));
    let mut endpoint = providers.get("amazon-bedrock").unwrap().endpoint().unwrap();
    endpoint.base_url = server.url();
    providers.add_recorded(&endpoint);
    let selected = providers.select_at("amazon-bedrock", MODEL).unwrap();
    let asked = [Message::user("hi")];
    let request = Request::new(&selected.model).messages(&asked);
    let _ = selected.provider.stream(&request, CancelToken::new()).finish().await;
    let sent = server.last_request();
    assert!(
        sent.header("authorization").is_none() && sent.header("x-amz-security-token").is_none(),
        "{sent:?}"
    );
}

#[tokio::test]
async fn broken_messages_of_a_stream_end_it() {
    let cloud = Cloud::bedrock(&AWS).await;
    // A head that announces four gigabytes, with a right checksum; and the same with a wrong one.
    let oversized = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0x87, 0xD8, 0x6B, 0xC7];
    for bytes in [oversized.to_vec(), vec![0; 64], b"HTTP/1.1 200 OK, hello there".to_vec()] {
        cloud.server.push(Reply::new().text("so far").raw(bytes));
        let error = cloud.ask().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::InvalidResponse, "{error}");
        assert!(error.is_retryable());
    }
}

/// A server that is Vertex AI and gives tokens, and credentials for it.
struct Vertex {
    cloud: Cloud,
    tokens: Arc<AtomicUsize>,
    _home: Project,
}

impl Vertex {
    async fn new(api: ApiKind, file: impl FnOnce(&str) -> serde_json::Value) -> Self {
        let home = Project::new(&[]);
        let path = home.path("credentials.json");
        let model = if api == ApiKind::GoogleVertex { "gemini-3-test" } else { "claude-test@default" };
        let pairs = [("GOOGLE_APPLICATION_CREDENTIALS", path.to_str().unwrap())];
        let cloud = Cloud::new(api, model, KeySource::Cloud(Vec::new()), &pairs).await;
        home.write("credentials.json", &file(&format!("{}/token", cloud.server.url())).to_string());
        Self { cloud, tokens: Arc::default(), _home: home }
    }

    async fn service_account(api: ApiKind) -> Self {
        let vertex = Self::new(api, service_account).await;
        let tokens = Arc::clone(&vertex.tokens);
        vertex.cloud.server.set_tokens(move |request| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
            match check_google_statement(&request.raw_body, now) {
                Ok(claims) if claims["scope"] == "https://www.googleapis.com/auth/cloud-platform" => {
                    let number = tokens.fetch_add(1, Ordering::SeqCst) + 1;
                    (200, json!({ "access_token": format!("ya29.token-{number}"), "expires_in": 3599 }))
                }
                other => {
                    (400, json!({ "error": "invalid_grant", "error_description": format!("{other:?}") }))
                }
            }
        });
        vertex
    }
}

#[tokio::test]
async fn a_service_account_signs_a_statement_and_its_token_is_kept() {
    let vertex = Vertex::service_account(ApiKind::GoogleVertex).await;
    assert!(vertex.cloud.provider.has_key());
    vertex.cloud.server.otherwise(|_| Reply::new().text("ok"));
    for _ in 0..3 {
        assert_eq!(vertex.cloud.ask().await.unwrap().text(), "ok");
        let request = vertex.cloud.server.last_request();
        assert_eq!(request.header("authorization"), Some("Bearer ya29.token-1"));
        assert_eq!(request.path, "/models/gemini-3-test:streamGenerateContent?alt=sse");
    }
    assert_eq!(vertex.tokens.load(Ordering::SeqCst), 1);
    // A refused token is not used again.
    vertex.cloud.server.push(Reply::whole(
        401,
        "application/json",
        r#"{"error":{"message":"expired ya29.token-1","status":"UNAUTHENTICATED"}}"#,
    ));
    let error = vertex.cloud.ask().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth);
    assert!(!error.to_string().contains("ya29"), "{error}");
    vertex.cloud.ask().await.unwrap();
    assert_eq!(vertex.cloud.server.last_request().header("authorization"), Some("Bearer ya29.token-2"));
}

#[tokio::test]
async fn anthropic_at_vertex_has_its_version_in_the_body() {
    let vertex = Vertex::service_account(ApiKind::VertexAnthropic).await;
    vertex.cloud.server.push(Reply::new().thinking(["Hm."], Some("SIGNED")).text("Hello"));
    assert_eq!(vertex.cloud.ask().await.unwrap().text(), "Hello");
    let request = vertex.cloud.server.last_request();
    assert_eq!(request.path, "/models/claude-test@default:streamRawPredict");
    assert_eq!(request.body["anthropic_version"], "vertex-2023-10-16");
    assert!(request.body.get("model").is_none() && request.body["stream"] == true, "{}", request.body);
    assert_eq!(request.header("anthropic-version"), None);
}

#[tokio::test]
async fn the_login_of_gcloud_is_renewed_and_pays_with_its_project() {
    let vertex = Vertex::new(ApiKind::GoogleVertex, |token_url| {
        json!({
            "type": "authorized_user", "client_id": "id", "client_secret": "client-secret", "refresh_token": "1//refresh",
            "quota_project_id": "payer", "token_uri": token_url,
        })
    })
    .await;
    vertex.cloud.server.set_tokens(|request| {
        let form = String::from_utf8_lossy(&request.raw_body).into_owned();
        match form.contains("grant_type=refresh_token") && form.contains("refresh_token=1%2F%2Frefresh") {
            true => (200, json!({ "access_token": "ya29.user", "expires_in": 3599 })),
            false => (400, json!({ "error": "invalid_grant" })),
        }
    });
    vertex.cloud.server.push(Reply::new().text("ok"));
    vertex.cloud.ask().await.unwrap();
    let request = vertex.cloud.server.last_request();
    assert_eq!(request.header("authorization"), Some("Bearer ya29.user"));
    assert_eq!(request.header("x-goog-user-project"), Some("payer"));
}

#[tokio::test]
async fn a_revoked_login_and_an_odd_token_server_are_explained_without_secrets() {
    for (status, body, wanted) in [
        (
            400,
            json!({ "error": "invalid_grant", "error_description": "Token has been expired or revoked." }),
            "revoked",
        ),
        (200, json!({ "nothing": 1 }), "gave no token"),
        (200, json!([]), "gave no token"),
        (500, json!({ "error": "backend" }), "not renewed"),
    ] {
        let vertex = Vertex::new(ApiKind::GoogleVertex, service_account).await;
        vertex.cloud.server.set_tokens(move |_| (status, body.clone()));
        let error = vertex.cloud.ask().await.unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(!error.to_string().contains("PRIVATE KEY") && !error.to_string().contains("eyJ"), "{error}");
        if status == 400 {
            assert_eq!(error.class, ErrorClass::Auth);
            assert!(error.to_string().contains("gcloud auth application-default login"), "{error}");
        }
    }
}

#[tokio::test]
async fn unusable_key_files_are_named_and_nobody_is_asked() {
    for (file, wanted) in [
        (json!("text"), "has no \"type\""),
        (json!({ "type": "external_account" }), "external_account"),
        (json!({ "type": "service_account", "client_email": "a@b" }), "private_key"),
        (
            json!({ "type": "service_account", "client_email": "a@b", "private_key": "-----BEGIN" }),
            "cannot be used",
        ),
        (
            json!({ "type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r", "token_uri": "http://evil.example/token" }),
            "not https",
        ),
    ] {
        let vertex = Vertex::new(ApiKind::GoogleVertex, |_| file.clone()).await;
        let error = vertex.cloud.ask().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Auth, "{error}");
        assert!(error.to_string().contains(wanted), "{file}: {error}");
        assert_eq!(vertex.cloud.server.connections(), 0);
    }
}

#[tokio::test]
async fn azure_has_its_own_header() {
    let cloud = Cloud::new(
        ApiKind::AzureResponses,
        "my-deployment",
        KeySource::env("AZURE_OPENAI_API_KEY"),
        &[("AZURE_OPENAI_API_KEY", "azure-key-1")],
    )
    .await;
    cloud.server.push(Reply::new().text("Hello"));
    assert_eq!(cloud.ask().await.unwrap().text(), "Hello");
    let request = cloud.server.last_request();
    assert_eq!(request.path, "/openai/v1/responses");
    assert_eq!((request.header("api-key"), request.header("authorization")), (Some("azure-key-1"), None));
    assert_eq!(request.body["model"], "my-deployment");
}

#[tokio::test]
async fn an_api_key_is_enough_for_gemini_at_vertex() {
    let key = KeySource::Cloud(vec!["GOOGLE_CLOUD_API_KEY".to_owned()]);
    let pairs = [("GOOGLE_CLOUD_API_KEY", "AIza-test-key")];
    let cloud = Cloud::new(ApiKind::GoogleVertex, "gemini-3-test", key, &pairs).await;
    cloud.server.push(Reply::new().text("ok"));
    cloud.ask().await.unwrap();
    let request = cloud.server.last_request();
    assert_eq!(
        (request.header("x-goog-api-key"), request.header("authorization")),
        (Some("AIza-test-key"), None)
    );
}
