//! Handlers for commands: list, run and complete.

use std::sync::Arc;

use toolsmith::CommandOutcome;

use super::{
    super::{
        driver::Driver,
        reply::{CommandRow, CommandRun, Commands, CompletionRow, Completions, Prompted},
        request::Said,
    },
    Outcome, data,
};

pub(super) fn list(driver: &Arc<Driver>) -> Outcome {
    data(Commands { commands: driver.session.commands().into_iter().map(CommandRow::from).collect() })
}

/// Runs a command; a prompt it returns starts a run.
pub(super) async fn run(driver: &Arc<Driver>, name: &str, arguments: &str) -> Outcome {
    let cancel = driver.ending.child();
    let outcome = driver.session.run_command(name, arguments, cancel).await;
    let started = match outcome.map_err(|error| error.to_string())? {
        CommandOutcome::Prompt(prompt) => {
            driver.session.prompt(prompt).map_err(|error| error.to_string())?;
            true
        }
        _ => false,
    };
    data(CommandRun { started })
}

pub(super) async fn complete(driver: &Arc<Driver>, name: &str, prefix: &str) -> Outcome {
    let completions = driver.session.complete_command(name, prefix).await;
    data(Completions { completions: completions.into_iter().map(CompletionRow::from).collect() })
}

/// Returns the command that a prompt names, `/name arguments`.
pub(super) fn named(driver: &Arc<Driver>, said: &Said) -> Option<(String, String)> {
    let text = said.only_text()?;
    driver.session.find_command(text)
}

/// Runs a command in the background, as a prompt does.
pub(super) fn start(driver: &Arc<Driver>, name: String, arguments: String) -> Outcome {
    let driver = Arc::clone(driver);
    tokio::spawn(async move {
        if let Err(error) = run(&driver, &name, &arguments).await {
            driver.session.agent().notice(error);
        }
    });
    data(Prompted { started: true })
}
