//! `toolsmith --mode rpc`: a session for another program, as JSON lines on standard input and output. `docs/rpc.md`
//! describes the protocol; its tables are generated from the types here.

mod approvals;
mod client_ui;
mod driver;
mod frame;
mod handlers;
mod host_tools;
mod incoming;
mod outgoing;
mod questions;
mod reference;
mod reply;
mod request;
pub(crate) mod schema;

use std::{
    io::{self, BufReader},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use toolsmith::Session;
use toolsmith_agent::Approver;
use toolsmith_tool::{CancelToken, Ui};

use crate::{
    arguments::Shared,
    commands::print::PrintArguments,
    failure::{self, Problem},
    interrupts,
    project::Project,
    runtime,
};
use approvals::ClientApprover;
use client_ui::ClientUi;
use driver::{Driver, End, Setting};
use frame::Frame;
use outgoing::Outgoing;

/// Exit code if the client no longer reads.
const CLIENT_GONE: u8 = 1;

/// Serves one client.
pub(crate) fn run(shared: &Shared, own: &PrintArguments) -> Result<ExitCode> {
    let outgoing = Outgoing::start(io::stdout()).context("could not start threads")?;
    runtime::block_on(async {
        let outcome = serve(shared, own, &outgoing).await;
        if let Err(error) = &outcome {
            let problem = error.downcast_ref::<Problem>();
            let hint = problem.and_then(|problem| problem.hint.clone());
            outgoing.send(&Frame::Fatal { error: failure::told(error), hint });
            outgoing.finish().await;
        }
        outcome
    })
}

async fn serve(shared: &Shared, own: &PrintArguments, outgoing: &Arc<Outgoing>) -> Result<ExitCode> {
    let project = Project::open_for_session(shared)?;
    project.warn();
    let ui = ClientUi::new(Arc::clone(outgoing));
    let approver = ClientApprover::new(Arc::clone(outgoing));
    let builder = own
        .session(&project, project.discover())?
        .ui(Arc::clone(&ui) as Arc<dyn Ui>)
        .approver(Arc::clone(&approver) as Arc<dyn Approver>);
    let session: Session = builder.build().await?;
    failure::warn_about_tools(&session.loaded());
    failure::warn_about_extensions(&session);
    own.check_flags(&session)?;
    session.watch_tools();

    let ending = CancelToken::new();
    let stopper = ending.clone();
    let came = interrupts::listen_with(CLIENT_GONE, move |reason, _| stopper.cancel(reason));
    let setting = Setting {
        cwd: project.cwd.clone(),
        home: project.home.clone(),
        settings: project.loaded.settings.clone(),
    };
    let driver = Driver::new(session, Arc::clone(outgoing), ui, approver, setting, ending);
    let incoming = incoming::start(BufReader::with_capacity(64 << 10, io::stdin()))
        .context("could not start threads")?;
    let end = driver.serve(incoming).await;
    match (came.exit_code(), end) {
        (Some(code), _) if code != CLIENT_GONE => Ok(ExitCode::from(code)),
        // A client that closes standard input may close standard output immediately afterwards.
        (_, End::Closed) => Ok(ExitCode::SUCCESS),
        (_, End::Gone(reason) | End::Stopped(reason)) => {
            Err(Problem::failed(format!("The session ended: {reason}")).into())
        }
    }
}
