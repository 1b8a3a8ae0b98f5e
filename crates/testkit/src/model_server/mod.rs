//! A server that answers like a model provider. Replies are queued in a neutral form and written in the wire format of
//! the requested path. Requests are recorded whole, including keys, and so are clients that disconnect.

mod anthropic;
mod aws_signature;
mod bedrock;
mod chat;
mod gemini;
mod google_statement;
mod http;
mod problem;
mod reply;
mod responses;
mod wire;

use std::{
    collections::VecDeque,
    fmt, io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::AbortHandle,
};

pub use aws_signature::check_aws_signature;
pub use google_statement::{check_google_statement, service_account};
pub use http::Recorded;
pub use problem::Problem;
pub use reply::{Gate, Reply, Stop, Tokens};
pub use wire::Wire;

use http::{Connection, Outcome};

/// Deadline of waits in tests.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A model provider on loopback. It stops when dropped.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    task: AbortHandle,
}

type TokenScript = Box<dyn Fn(&Recorded) -> (u16, Value) + Send>;
type Script = Box<dyn Fn(&Recorded) -> Reply + Send>;

struct State {
    replies: Mutex<VecDeque<Reply>>,
    /// Answers requests for which nothing is queued.
    otherwise: Mutex<Option<Script>>,
    models: Mutex<Option<Value>>,
    /// Answers requests for a token.
    tokens: Mutex<Option<TokenScript>>,
    requests: Mutex<Vec<Recorded>>,
    counts: watch::Sender<Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    connections: usize,
    requests: usize,
    disconnects: usize,
}

impl ModelServer {
    /// Starts on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port is available.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            replies: Mutex::new(VecDeque::new()),
            otherwise: Mutex::new(None),
            models: Mutex::new(None),
            tokens: Mutex::new(None),
            requests: Mutex::new(Vec::new()),
            counts: watch::Sender::new(Counts::default()),
        });
        let accepting = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                accepting.counts.send_modify(|counts| counts.connections += 1);
                // A reply consists of many small parts, which must not wait for acknowledgements.
                let _ = socket.set_nodelay(true);
                tokio::spawn(serve(socket, Arc::clone(&accepting)));
            }
        });
        Ok(Self { address, state, task: task.abort_handle() })
    }

    /// Returns the base URL without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Queues a reply for the next unanswered request.
    pub fn push(&self, reply: Reply) {
        lock(&self.state.replies).push_back(reply);
    }

    /// Sets the reply to every request for which nothing is queued.
    pub fn otherwise(&self, answer: impl Fn(&Recorded) -> Reply + Send + 'static) {
        *lock(&self.state.otherwise) = Some(Box::new(answer));
    }

    /// Sets the reply to `GET …/models`.
    pub fn set_models(&self, models: Value) {
        *lock(&self.state.models) = Some(models);
    }

    /// Sets the status and the reply to `POST …/token`.
    pub fn set_tokens(&self, answer: impl Fn(&Recorded) -> (u16, Value) + Send + 'static) {
        *lock(&self.state.tokens) = Some(Box::new(answer));
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.state.requests).clone()
    }

    /// Returns the last request.
    ///
    /// # Panics
    /// Panics if there was none.
    #[expect(clippy::expect_used, reason = "a test that asks for what never came has failed")]
    pub fn last_request(&self) -> Recorded {
        lock(&self.state.requests).last().cloned().expect("no request came")
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.state.counts.borrow().connections
    }

    /// Returns the number of clients that disconnected before their reply ended.
    pub fn disconnects(&self) -> usize {
        self.state.counts.borrow().disconnects
    }

    /// Waits for this many requests.
    pub async fn wait_for_requests(&self, count: usize) {
        self.wait(|counts| counts.requests >= count).await;
    }

    /// Waits for this many disconnected clients.
    pub async fn wait_for_disconnects(&self, count: usize) {
        self.wait(|counts| counts.disconnects >= count).await;
    }

    #[expect(clippy::panic, reason = "a test that waits for what never comes has failed")]
    async fn wait(&self, enough: impl FnMut(&Counts) -> bool) {
        let mut counts = self.state.counts.subscribe();
        let waited = tokio::time::timeout(TIMEOUT, counts.wait_for(enough)).await.is_ok();
        if !waited {
            panic!("waited in vain; so far {:?}", self.state.counts.borrow());
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer")
            .field("address", &self.address)
            .field("counts", &*self.state.counts.borrow())
            .finish_non_exhaustive()
    }
}

impl State {
    fn answer(&self, request: &Recorded) -> Vec<http::Piece> {
        if request.method == "GET"
            && request.path.ends_with("/models")
            && let Some(models) = &*lock(&self.models)
        {
            return http::json(200, models);
        }
        if request.path.ends_with("/token")
            && let Some(answer) = &*lock(&self.tokens)
        {
            let (status, body) = answer(request);
            return http::json(status, &body);
        }
        let Some(wire) = Wire::of_path(&request.path) else {
            return http::plain(404, "the model server does not know this path");
        };
        let queued = lock(&self.replies).pop_front();
        let reply = queued.or_else(|| lock(&self.otherwise).as_ref().map(|answer| answer(request)));
        match reply {
            Some(reply) => reply.render(wire),
            None => http::plain(500, "the model server has no reply left"),
        }
    }
}

async fn serve(socket: TcpStream, state: Arc<State>) {
    let mut connection = Connection::new(socket);
    while let Ok(Some(request)) = connection.read_request().await {
        let pieces = state.answer(&request);
        lock(&state.requests).push(request);
        state.counts.send_modify(|counts| counts.requests += 1);
        match connection.write(pieces).await {
            Outcome::Kept => {}
            Outcome::Closed => return,
            Outcome::HungUp => {
                state.counts.send_modify(|counts| counts.disconnects += 1);
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
