//! Logins against an authorization server that the test plays.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};
use toolsmith_mcp::{
    ClientOptions, Servers,
    auth::{LoginError, LoginPrompt, TokenFile, login},
    config::{ConfigOrigin, ServerConfig, Transport},
};
use toolsmith_testkit::Project;
use toolsmith_tool::async_trait;

/// An MCP server and its authorization server, which issues secrets and tokens that have expired.
struct Issuer {
    base: String,
    /// Bodies of requests for tokens.
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Issuer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let tokens: Arc<Mutex<Vec<String>>> = Arc::default();
        let (own_base, own_tokens) = (base.clone(), Arc::clone(&tokens));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (base, tokens) = (own_base.clone(), Arc::clone(&own_tokens));
                tokio::spawn(async move { answer(stream, &base, &tokens).await });
            }
        });
        Self { base, tokens }
    }

    fn config(&self) -> ServerConfig {
        let transport = Transport::Http { url: format!("{}/mcp", self.base), headers: Default::default() };
        ServerConfig::new("issues", ConfigOrigin::given(), transport)
    }

    fn token_requests(&self) -> Vec<String> {
        self.tokens.lock().expect("not poisoned").clone()
    }
}

async fn answer(mut stream: TcpStream, base: &str, tokens: &Mutex<Vec<String>>) {
    let (path, body) = read_request(&mut stream).await;
    let (status, value) = match path.split('?').next().unwrap_or_default() {
        path if path.contains("oauth-protected-resource") => {
            ("200 OK", json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] }))
        }
        path if path.contains("oauth-authorization-server") => (
            "200 OK",
            json!({
                "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }),
        ),
        "/register" => {
            ("201 Created", json!({ "client_id": "id", "client_secret": "s3cret", "redirect_uris": [] }))
        }
        "/token" => {
            tokens.lock().expect("not poisoned").push(body);
            (
                "200 OK",
                json!({ "access_token": "a", "token_type": "Bearer", "expires_in": 1, "refresh_token": "r" }),
            )
        }
        "/mcp" => ("401 Unauthorized", json!({})),
        _ => ("404 Not Found", json!({})),
    };
    let text = value.to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// Reads a request; returns its target and body.
async fn read_request(stream: &mut TcpStream) -> (String, String) {
    let mut reading = BufReader::new(stream);
    let mut first = String::new();
    reading.read_line(&mut first).await.expect("a request");
    let mut length = 0;
    loop {
        let mut line = String::new();
        reading.read_line(&mut line).await.expect("a header");
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await.expect("a body");
    (
        first.split_whitespace().nth(1).unwrap_or_default().to_owned(),
        String::from_utf8_lossy(&body).into_owned(),
    )
}

/// A person whose browser returns with these parameters; `STATE` stands for the state of the login. Others send requests first.
struct Browser(&'static str);

#[async_trait]
impl LoginPrompt for Browser {
    async fn show(&self, url: &str) {
        let url = url::Url::parse(url).expect("a URL");
        let parameter = |name: &str| {
            let found = url.query_pairs().find(|(key, _)| key == name);
            found.expect("the parameter").1.into_owned()
        };
        let callback = url::Url::parse(&parameter("redirect_uri")).expect("a URL");
        let address = format!("127.0.0.1:{}", callback.port().expect("a port"));
        let own = self.0.replace("STATE", &parameter("state"));
        for query in ["code=EVIL&state=x", "code=EVIL", "error=access_denied", &own] {
            let mut stream = TcpStream::connect(&address).await.expect("it listens");
            let request = format!("GET {}?{query} HTTP/1.1\r\n\r\n", callback.path());
            stream.write_all(request.as_bytes()).await.expect("sent");
        }
    }

    async fn pasted(&self) -> String {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_was_issued_with_the_client_id_is_used_for_refreshes() {
    let (issuer, project) = (Issuer::start().await, Project::new(&[]));
    let tokens = TokenFile::at(project.path("auth.json"));
    login(&issuer.config(), &project.root, &tokens, &Browser("code=1&state=STATE")).await.expect("logged in");
    // The token has expired, so every connection refreshes it; the secret outlives that.
    for refreshes in 1..=2 {
        let options = ClientOptions::new(&project.root, tokens.clone());
        let servers = Servers::new(vec![issuer.config()], &options);
        servers.start("issues").await.expect_err("this server accepts no token");
        servers.close().await;
        let requests = issuer.token_requests();
        assert!(requests.len() > refreshes, "{requests:?}");
        assert!(requests.iter().all(|body| body.contains("client_secret=s3cret")), "{requests:?}");
        assert!(requests[1..].iter().all(|body| body.contains("grant_type=refresh_token")), "{requests:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_reported_with_its_reason() {
    let (issuer, project) = (Issuer::start().await, Project::new(&[]));
    let tokens = TokenFile::at(project.path("auth.json"));
    let browser = Browser("error=access_denied&error_description=not+today&state=STATE");
    let refused = login(&issuer.config(), &project.root, &tokens, &browser).await;
    let Err(LoginError::Failed(reason)) = refused else { panic!("{refused:?}") };
    assert_eq!(reason, "the authorization server answered access_denied: not today");
    assert!(issuer.token_requests().is_empty());
}
