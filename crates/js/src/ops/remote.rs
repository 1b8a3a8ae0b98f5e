//! The host functions for a kernel in another process: arguments and results as JSON.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{context, exec, pending, runtime, session, system, text, ui};
use crate::{
    errors::Thrown,
    instance::{HostError, ThreadState},
};

/// Arguments by position. Missing ones and those of another type count as empty.
struct Arguments(Vec<Value>);

impl Arguments {
    fn text(&self, index: usize) -> &str {
        self.0.get(index).and_then(Value::as_str).unwrap_or_default()
    }

    fn optional_text(&self, index: usize) -> Option<&str> {
        self.0.get(index).and_then(Value::as_str)
    }

    fn whole(&self, index: usize) -> u64 {
        self.0.get(index).and_then(Value::as_u64).unwrap_or_default()
    }

    fn call(&self, index: usize) -> u32 {
        u32::try_from(self.whole(index)).unwrap_or_default()
    }

    fn width(&self, index: usize) -> usize {
        usize::try_from(self.whole(index)).unwrap_or(usize::MAX)
    }

    fn flag(&self, index: usize) -> bool {
        self.0.get(index).and_then(Value::as_bool).unwrap_or_default()
    }
}

/// Calls a function by name.
pub(crate) fn answer_remote(state: &ThreadState, name: &str, args: Vec<Value>) -> Result<Value, HostError> {
    let args = Arguments(args);
    Ok(match name {
        "finishCall" => {
            state.finish(args.call(0), args.text(1), args.text(2).to_owned());
            Value::Null
        }
        "forgetCall" => {
            let gone = state.contexts.borrow_mut().remove(&args.call(0));
            drop(gone);
            Value::Null
        }
        "sendUpdate" => {
            runtime::send_update(state, args.call(0), args.text(1));
            Value::Null
        }
        "updatesHaveRoom" => Value::Bool(state.context(args.call(0)).updates.has_room()),
        "unhandled" => {
            state.report_unhandled(0, args.text(0), &Thrown::from_json(args.text(1)));
            Value::Null
        }
        "log" => {
            runtime::log(state, args.text(0), args.text(1), args.text(2));
            Value::Null
        }
        "emitEvent" => {
            state.shared.engine.emit(args.text(0), args.text(1));
            Value::Null
        }
        "hearEvents" => {
            state.hears.set(true);
            Value::Null
        }
        "cancelOperation" => {
            state.shared.operations.cancel(args.whole(0));
            Value::Null
        }
        "exec" => {
            exec::start(state, args.whole(0), args.text(1));
            Value::Null
        }
        "act" => json!(session::act(state, args.text(0)).map_err(to_error)?),
        "builtInSpecs" => json!(session::built_in_specs(state)),
        "perform" => {
            session::perform(state, args.whole(0), args.text(1), args.flag(2));
            Value::Null
        }
        "registered" => {
            session::registered(state, args.text(0));
            Value::Null
        }
        "addTool" => {
            session::add_tool(state, args.text(0)).map_err(to_error)?;
            Value::Null
        }
        "openDialog" => {
            ui::open(state, args.whole(0), args.call(1), args.text(2).to_owned(), args.text(3));
            Value::Null
        }
        "notify" => {
            ui::notify(state, args.call(0), args.text(1), args.text(2));
            Value::Null
        }
        "setStatus" => {
            state.ui(args.call(0)).set_status(args.text(1), args.optional_text(2));
            Value::Null
        }
        "setTitle" => {
            state.ui(args.call(0)).set_title(args.text(1));
            Value::Null
        }
        "hasUi" => json!(state.ui(args.call(0)).has_ui()),
        "themePalette" => json!(ui::theme_palette(state)),
        "askContext" => {
            let context = state.context(args.call(0));
            let limit = state.data_limit();
            let value = context::answer(&context, args.text(1), args.text(2), limit).map_err(to_error)?;
            if value.is_null() { json!("") } else { json!(value.to_string()) }
        }
        "putBlob" => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(args.text(1)).map_err(to_error)?;
            json!(state.context(args.call(0)).session.put_blob(&bytes).map_err(to_error)?)
        }
        "pushPending" => {
            pending::stage(state, args.call(0), args.text(1)).map_err(HostError::new)?;
            Value::Null
        }
        "visibleWidth" => json!(toolsmith_text::visible_width(args.text(0))),
        "cutToWidth" => json!(toolsmith_text::cut_to_width(args.text(0), args.width(1), args.text(2))),
        "wrapText" => json!(toolsmith_text::wrap(args.text(0), args.width(1))),
        "markdownRows" => json!(toolsmith_text::markdown_json(args.text(0), args.width(1))),
        "highlightRows" => json!(toolsmith_text::highlight_json(args.text(0), args.text(1))),
        "imageSize" => json!(text::image_size(args.text(0))),
        "uiCall" => json!(ui::ui_call(state, args.call(0), args.text(1), args.text(2))),
        "worktree" => json!(system::worktree(args.text(0).as_ref())),
        "systemInfo" => json!(system::system_info()),
        "resolveImport" => state.modules.resolve_remote(args.text(0), args.text(1))?,
        "transform" => state.modules.transform_remote(args.text(0), args.flag(1))?,
        _ => return Err(HostError::new(format!("unknown host function {name}"))),
    })
}

fn to_error(error: impl std::fmt::Display) -> HostError {
    HostError::new(error.to_string())
}
