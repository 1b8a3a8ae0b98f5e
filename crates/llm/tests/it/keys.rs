//! Keys from wherever they are kept, and what is said when they are not there.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use toolsmith_llm::{
    ApiKind, CancelToken, Environment, ErrorClass, HttpProvider, KeySource, LlmError, Message, Model,
    Provider, ProviderConfig, Request,
};
use toolsmith_testkit::{ModelServer, Problem, Reply};

async fn ask(provider: &HttpProvider) -> Result<(), LlmError> {
    let model = Model::unknown("mine", "m");
    let asked = [Message::user("hi")];
    let request = Request::new(&model).messages(&asked);
    provider.stream(&request, CancelToken::new()).finish().await.map(|_| ())
}

fn provider(server: &ModelServer, key: KeySource, environment: Environment) -> HttpProvider {
    let config = ProviderConfig::new("mine", ApiKind::OpenAiChat, server.url()).key(key);
    HttpProvider::new(config, environment)
}

fn sent(server: &ModelServer) -> Option<String> {
    server.last_request().header("authorization").map(str::to_owned)
}

#[tokio::test]
async fn a_key_is_looked_up_when_it_is_needed() {
    let server = ModelServer::start().await.unwrap();
    server.otherwise(|_| Reply::new().text("ok"));
    let value: Arc<Mutex<Option<&str>>> = Arc::default();
    let read = Arc::clone(&value);
    let environment = Environment::new(move |name| match name {
        "SECOND_KEY" => read.lock().unwrap().map(str::to_owned),
        _ => Some("  ".to_owned()),
    });
    let source = KeySource::Env(vec!["FIRST_KEY".to_owned(), "SECOND_KEY".to_owned()]);
    let provider = provider(&server, source, environment);
    assert!(!provider.has_key());
    let error = ask(&provider).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth);
    assert_eq!(error.to_string(), "No API key for provider: mine. Set FIRST_KEY or SECOND_KEY.");
    assert_eq!(server.connections(), 0, "nobody was asked");

    *value.lock().unwrap() = Some("sk-later\n");
    assert!(provider.has_key());
    ask(&provider).await.unwrap();
    assert_eq!(sent(&server).as_deref(), Some("Bearer sk-later"));
}

#[tokio::test]
async fn a_command_is_run_once_and_again_when_its_key_is_refused() {
    let server = ModelServer::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("runs");
    let command = format!("echo run >> '{0}'; echo sk-$(wc -l < '{0}' | tr -d ' ')", log.display());
    let provider = provider(&server, KeySource::Command(command), Environment::new(|_| None));
    let refuse = Arc::new(AtomicBool::new(false));
    let refusing = Arc::clone(&refuse);
    server.otherwise(move |_| match refusing.load(Ordering::SeqCst) {
        true => Reply::refuse(Problem::Auth),
        false => Reply::new().text("ok"),
    });
    ask(&provider).await.unwrap();
    ask(&provider).await.unwrap();
    assert_eq!(sent(&server).as_deref(), Some("Bearer sk-1"));
    refuse.store(true, Ordering::SeqCst);
    assert_eq!(ask(&provider).await.unwrap_err().class, ErrorClass::Auth);
    refuse.store(false, Ordering::SeqCst);
    ask(&provider).await.unwrap();
    assert_eq!(sent(&server).as_deref(), Some("Bearer sk-2"));
}

#[tokio::test]
async fn a_command_that_fails_says_why_and_shows_nothing_it_printed() {
    let server = ModelServer::start().await.unwrap();
    let run = async |command: &str| {
        let source = KeySource::Command(command.to_owned());
        let provider = provider(&server, source, Environment::new(|_| None));
        ask(&provider).await.unwrap_err().to_string()
    };
    assert_eq!(
        run("echo half-a-key; echo locked >&2; exit 3").await,
        "No API key for provider: mine. Its command exited with code 3: locked"
    );
    assert_eq!(run("true").await, "No API key for provider: mine. Its command printed nothing.");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_server_without_a_key_gets_none() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().text("ok"));
    ask(&provider(&server, KeySource::None, Environment::new(|_| None))).await.unwrap();
    assert_eq!(sent(&server), None);
}
