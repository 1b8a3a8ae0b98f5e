//! A provider of one's own: anything that can answer a request can be the model.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use toolsmith::{
    Session, async_trait,
    llm::{Capabilities, EventStream, LlmError, Model, Provider, Reply, ReplySource, Request, StopReason},
    tool::CancelToken,
};

/// Answers with what it was given.
struct Accountant;

struct Answer {
    words: String,
    pieces: usize,
}

impl Provider for Accountant {
    fn name(&self) -> &str {
        "accountant"
    }

    fn capabilities(&self, model: &Model) -> Capabilities {
        Capabilities::of(model)
    }

    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
        let words = format!("{} messages, {} tools, ", request.messages.len(), request.tools.len());
        EventStream::new(Box::new(Answer { words, pieces: 0 }), Reply::new(request, "own"), cancel)
    }
}

#[async_trait]
impl ReplySource for Answer {
    /// Called until the reply is finished. Whatever takes time is awaited here.
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
        self.pieces += 1;
        match self.pieces {
            1 => reply.text(0, &self.words),
            _ => {
                reply.text(0, "and an answer in two pieces.");
                reply.finish(StopReason::Stop);
            }
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::unknown("accountant", "ledger-1");
    let session =
        Session::builder(std::env::current_dir()?).provider(Arc::new(Accountant), model).build().await?;
    println!("{}", session.run("What did you get?").await?.text);
    println!("{}", session.run("And now?").await?.text);
    session.dispose().await;
    Ok(())
}
