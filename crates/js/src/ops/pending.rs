//! `pi.pushPendingAction`: the label goes to the store, the callbacks stay in the engine (CONTRACT 8.1).

use std::{rc::Rc, sync::Arc};

use rquickjs::{Ctx, Exception, Object, Result, function::Func};
use serde::Deserialize;
use serde_json::Value;
use toolsmith_host::changes::{Base, ChangeSet, Wanted};
use toolsmith_tool::{PendingAction, PendingUnavailable, Writes};

use super::bytes::lenient_base64;
use crate::instance::{PendingCallback, ThreadState};

/// The kernel's description of an action.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Staged {
    label: String,
    details: Option<Value>,
    source_tool_name: Option<String>,
    files: Option<Vec<StagedFile>>,
    has_apply: bool,
}

/// One of its files: text, or bytes in base64, or neither to delete it.
#[derive(Deserialize)]
struct StagedFile {
    path: String,
    base: String,
    text: Option<String>,
    bytes: Option<String>,
}

impl StagedFile {
    fn wanted(self) -> std::result::Result<Wanted, String> {
        let base = match self.base.as_str() {
            "now" => Base::Now,
            "absent" => Base::Absent,
            hash => Base::Content(hash.parse().map_err(|error| format!("{}: {error}", self.path))?),
        };
        let wanted = match (self.text, self.bytes) {
            (Some(text), _) => Wanted::write(self.path, text),
            (None, Some(bytes)) => Wanted::write(self.path, lenient_base64(&bytes)),
            (None, None) => Wanted::delete(self.path),
        };
        Ok(wanted.base(base))
    }
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let state = Rc::clone(state);
    let push = move |ctx: Ctx<'js>, number: u32, json: String| -> Result<()> {
        stage(&state, number, &json).map_err(|error| Exception::throw_message(&ctx, &error))
    };
    host.set("pushPending", Func::from(push))
}

/// Stages an action whose callbacks the engine knows by a number.
pub(super) fn stage(state: &ThreadState, number: u32, json: &str) -> std::result::Result<(), String> {
    let limit = state.data_limit();
    let staged: Staged = limit.read(json).map_err(|error| format!("The action was not staged: {error}"))?;
    limit
        .check(staged.details.as_ref())
        .map_err(|error| format!("Pending action \"{}\": {error}", staged.label))?;
    let pending = &state.current_context().pending;
    if !pending.is_available() {
        return Err(PendingUnavailable.to_string());
    }
    let callbacks = Arc::new(PendingCallback::new(state, number));
    let mut action = PendingAction::new(staged.label, callbacks);
    if let Some(source) = staged.source_tool_name {
        action = action.source(source);
    }
    action.details = staged.details;
    if let Some(files) = staged.files {
        let wanted = files.into_iter().map(StagedFile::wanted).collect::<std::result::Result<Vec<_>, _>>()?;
        let set = ChangeSet::bind(state.cwd(), wanted).map_err(|error| error.to_string())?;
        let writes = if staged.has_apply { Writes::Callback } else { Writes::Host };
        action = action.files(set.into_files(), writes);
    }
    pending.push(action).map_err(|error| error.to_string())
}
