//! Progress notifications, routed to the call they belong to. The token of a call is known only after its request was sent,
//! so notifications for unknown tokens are kept for a moment. Late and repeated ones are dropped.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::mpsc;

/// Notifications kept for tokens that are not known yet.
const MAX_EARLY: usize = 64;
/// Notifications waiting for one call. A server that sends more loses some; the newest value counts.
const CAPACITY: usize = 64;

/// Progress of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) value: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

impl From<ProgressNotificationParam> for Progress {
    fn from(param: ProgressNotificationParam) -> Self {
        Self { value: param.progress, total: param.total, message: param.message }
    }
}

#[derive(Default)]
struct Routes {
    known: HashMap<ProgressToken, mpsc::Sender<Progress>>,
    early: VecDeque<(ProgressToken, Progress)>,
}

/// The routes of one connection. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct ProgressRoutes {
    routes: Arc<Mutex<Routes>>,
}

/// The progress of one call. Dropping it ends the route.
pub(crate) struct ProgressRoute {
    token: ProgressToken,
    routes: ProgressRoutes,
    received: mpsc::Receiver<Progress>,
}

impl ProgressRoutes {
    fn lock(&self) -> std::sync::MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the route of a call.
    pub(crate) fn open(&self, token: ProgressToken) -> ProgressRoute {
        let (sender, received) = mpsc::channel(CAPACITY);
        let mut routes = self.lock();
        let (ours, others): (Vec<_>, Vec<_>) = routes.early.drain(..).partition(|(own, _)| *own == token);
        routes.early = others.into();
        for (_, progress) in ours {
            let _ = sender.try_send(progress);
        }
        routes.known.insert(token.clone(), sender);
        drop(routes);
        ProgressRoute { token, routes: self.clone(), received }
    }

    /// Delivers a notification.
    pub(crate) fn deliver(&self, param: ProgressNotificationParam) {
        let mut routes = self.lock();
        let token = param.progress_token.clone();
        match routes.known.get(&token) {
            Some(sender) => {
                let _ = sender.try_send(param.into());
            }
            None => {
                if routes.early.len() >= MAX_EARLY {
                    routes.early.pop_front();
                }
                routes.early.push_back((token, param.into()));
            }
        }
    }
}

impl ProgressRoute {
    /// Waits for the next notification; never returns when there are no more.
    pub(crate) async fn next(&mut self) -> Progress {
        match self.received.recv().await {
            Some(progress) => progress,
            None => std::future::pending().await,
        }
    }
}

impl Drop for ProgressRoute {
    fn drop(&mut self) {
        self.routes.lock().known.remove(&self.token);
    }
}
