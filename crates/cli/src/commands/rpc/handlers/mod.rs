//! Request handlers, one file per subject. Each returns the `data` of its reply, or an error.

pub(super) mod commands;
pub(super) mod conversation;
pub(super) mod models;
pub(super) mod previews;
pub(super) mod sessions;
pub(super) mod tools;

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use toolsmith::AbandonedBranch;

use super::{driver::Driver, request::Request};

/// Name of the position before the first entry in `go_to`.
const BEFORE_EVERYTHING: &str = "root";

/// Outcome of a request.
pub(super) type Outcome = Result<Value, String>;

/// Executes one request.
pub(super) async fn request(driver: &Arc<Driver>, request: Request) -> Outcome {
    match request {
        Request::Initialize { protocol_version, client, ui, approval } => {
            conversation::initialize(driver, protocol_version, client, ui, approval)
        }
        Request::Prompt { said, streaming_behavior } => match commands::named(driver, &said) {
            Some((name, arguments)) => commands::start(driver, name, arguments),
            None => conversation::prompt(driver, said.into(), streaming_behavior),
        },
        Request::GetCommands => commands::list(driver),
        Request::RunCommand { name, arguments } => commands::run(driver, &name, &arguments).await,
        Request::CompleteCommand { name, prefix } => commands::complete(driver, &name, &prefix).await,
        Request::Steer { said } => done(driver.session.steer(said)),
        Request::FollowUp { said } => done(driver.session.follow_up(said)),
        Request::AbortAndPrompt { said } => conversation::abort_and_prompt(driver, said.into()).await,
        Request::NewSession => sessions::went(driver, driver.session.new_session().await),
        Request::SwitchSession { session } => sessions::went(driver, driver.session.switch(&session).await),
        Request::Fork => sessions::went(driver, driver.session.fork().await),
        Request::Branch { entry_id } => sessions::went(driver, driver.session.branch(&entry_id).await),
        Request::GoTo { entry_id, summarize } => {
            let target = (entry_id != BEFORE_EVERYTHING).then_some(entry_id.as_str());
            let abandoned = if summarize { AbandonedBranch::Summarise } else { AbandonedBranch::Drop };
            sessions::went(driver, driver.session.go_to(target, abandoned).await)
        }
        Request::GetState => conversation::state(driver),
        Request::GetMessages => conversation::messages(driver),
        Request::GetLastAssistantText => conversation::last_text(driver),
        Request::GetSessionStats => conversation::stats(driver),
        Request::GetBranchMessages => sessions::branch_messages(driver),
        Request::GetTree => sessions::tree(driver),
        Request::SetLabel { entry_id, label } => done(driver.session.set_label(&entry_id, label.as_deref())),
        Request::ListSessions { all } => sessions::list(driver, all),
        Request::SetSessionName { name } => done(driver.session.set_name(&name)),
        Request::Export { format, path, overwrite } => {
            sessions::export(driver, format, path.as_deref(), overwrite).await
        }
        Request::GetAvailableModels => models::available(driver).await,
        Request::SetModel { model } => models::set(driver, &model).await,
        Request::SetThinkingLevel { level } => models::set_thinking(driver, level),
        Request::GetTools => tools::list(driver),
        Request::SetActiveTools { names } => tools::set_active(driver, &names),
        Request::SetHostTools { tools } => tools::set_host_tools(driver, tools),
        Request::Compact { instructions } => conversation::compact(driver, instructions.as_deref()).await,
        Request::SetAutoCompaction { enabled } => {
            driver.session.set_auto_compaction(enabled);
            Ok(Value::Null)
        }
        Request::SetAutoRetry { enabled } => {
            driver.session.set_auto_retry(enabled);
            Ok(Value::Null)
        }
        Request::SetSteeringMode { mode } => {
            driver.session.agent().set_steering_mode(mode);
            Ok(Value::Null)
        }
        Request::SetFollowUpMode { mode } => {
            driver.session.agent().set_follow_up_mode(mode);
            Ok(Value::Null)
        }
        Request::PendingList => previews::list(driver),
        Request::PendingView { action_id } => previews::view(driver, action_id).await,
        Request::PendingApply { action_id, files, reason } => {
            previews::apply(driver, action_id, files, reason.as_deref()).await
        }
        Request::PendingDiscard { action_id, reason } => {
            previews::discard(driver, action_id, reason.as_deref()).await
        }
        Request::UndoList => previews::changes(driver).await,
        Request::Undo { change_id } => previews::undo(driver, change_id.as_deref()).await,
        // Handled earlier.
        Request::Abort { .. }
        | Request::AbortTool { .. }
        | Request::AbortRetry
        | Request::CallTool { .. }
        | Request::Shutdown => Ok(Value::Null),
    }
}

/// Creates the `data` of a reply.
fn data(reply: impl Serialize) -> Outcome {
    serde_json::to_value(reply).map_err(|error| format!("could not serialise the reply: {error}"))
}

/// Creates a reply without data.
fn done<E: std::fmt::Display>(outcome: Result<(), E>) -> Outcome {
    outcome.map(|()| Value::Null).map_err(|error| error.to_string())
}
