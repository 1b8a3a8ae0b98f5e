//! Recording and replay at the boundary of the host functions. The kernel wraps every function that reads or changes
//! something outside the runtime (`js/kernel/recording.js`); here its questions and answers meet the tape of the call
//! that asks.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use rquickjs::{Ctx, Exception, Object, Result, function::Func};
use serde::Deserialize;
use serde_json::Value;
use toolsmith_tool::{Answer, CallTape, CancelToken, Exchange, TapeSlot};

use super::surroundings;
use crate::{data_limit::DataError, instance::ThreadState};

/// Questions whose answers are still to come, by number of the operation, with the token of the call that asks.
type Open = Rc<RefCell<HashMap<u64, (CallTape, TapeSlot, CancelToken)>>>;

#[derive(Deserialize)]
struct Question {
    ask: String,
    args: Vec<Value>,
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    if !state.shared.engine.is_recordable {
        return Ok(());
    }
    host.set("isRecordable", true)?;
    host.set("unrecorded", surroundings::IS_FREE_OF.to_vec())?;
    let open = Open::default();
    let own = Rc::clone(state);
    // "" without a tape, "record", "play", "refuse" for what belongs to no replayed call, or "after" for what belongs to
    // none but may be in the recording of the load.
    host.set(
        "tapeMode",
        Func::from(move || match own.tape() {
            None if own.shared.engine.is_replaying && own.is_loaded.get() => "refuse",
            None => "",
            Some((tape, is_load)) if tape.is_playing() && is_load && own.is_loaded.get() => "after",
            Some((tape, _)) if tape.is_playing() => "play",
            Some(_) => "record",
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "tapeRefuse",
        Func::from(move |asked: String| {
            if let Some(tape) = &*own.replayed.borrow() {
                tape.refuse(asked);
            }
        }),
    )?;
    let (own, table) = (Rc::clone(state), Rc::clone(&open));
    host.set(
        "tapeKeep",
        Func::from(move |question: String, answer: String, operation: f64| {
            let Some((tape, _)) = own.tape() else { return };
            let limit = own.data_limit();
            let (Question { ask, args }, answer) = match (limit.read(&question), limit.read(&answer)) {
                (Ok(question), Ok(answer)) => (question, answer),
                (Err(error @ DataError::TooLarge { .. }), _)
                | (_, Err(error @ DataError::TooLarge { .. })) => {
                    return tape.give_up(error.to_string());
                }
                _ => return tape.give_up("an answer cannot be written as JSON"),
            };
            let slot = tape.keep(Exchange { ask, args, answer });
            if operation > 0.0 {
                let cancel = own.current_context().cancel.clone();
                table.borrow_mut().insert(super::runtime::whole(operation), (tape, slot, cancel));
            }
        }),
    )?;
    let (own, table) = (Rc::clone(state), Rc::clone(&open));
    host.set(
        "tapeSettle",
        Func::from(move |operation: f64, answer: String| {
            let Some((tape, slot, cancel)) = table.borrow_mut().remove(&super::runtime::whole(operation))
            else {
                return;
            };
            // A call that is being stopped was still waiting: a replay waits too.
            if !cancel.is_cancelled() {
                match own.data_limit().read(&answer) {
                    Ok(answer) => tape.settle(slot, answer),
                    Err(error @ DataError::TooLarge { .. }) => tape.give_up(error.to_string()),
                    Err(DataError::Invalid(_)) => {}
                }
            }
        }),
    )?;
    host.set(
        "tapeWaits",
        Func::from(move |operation: f64| open.borrow().contains_key(&super::runtime::whole(operation))),
    )?;
    let own = Rc::clone(state);
    host.set(
        "tapeGiveUp",
        Func::from(move |reason: String| {
            if let Some((tape, _)) = own.tape() {
                tape.give_up(reason);
            }
        }),
    )?;
    let own = Rc::clone(state);
    let play = move |ctx: Ctx<'js>, question: String| -> Result<String> {
        let Some((tape, is_load)) = own.tape() else { return Ok(String::new()) };
        let Question { ask, args } = own
            .data_limit()
            .read(&question)
            .map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        let answer = if is_load && own.is_loaded.get() {
            // Nothing: the caller decides about what belongs to no call.
            let Ok(answer) = tape.find(&ask, args) else { return Ok(String::new()) };
            answer
        } else {
            tape.answer(&ask, args).map_err(|missing| Exception::throw_message(&ctx, &missing))?
        };
        serde_json::to_string::<Answer>(&answer)
            .map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    host.set("tapePlay", Func::from(play))?;
    let own = Rc::clone(state);
    host.set(
        "tapeClock",
        Func::from(move |real: f64| match own.tape() {
            None => real,
            Some((tape, true)) if own.is_loaded.get() && tape.is_playing() && !tape.has_clock() => real,
            Some((tape, _)) => tape.clock(real),
        }),
    )?;
    let own = Rc::clone(state);
    let random = move |ctx: Ctx<'js>, real: f64| -> Result<f64> {
        match own.tape() {
            None => Ok(real),
            Some((tape, true)) if own.is_loaded.get() && tape.is_playing() && !tape.has_random() => Ok(real),
            Some((tape, _)) => tape.random(real).map_err(|missing| Exception::throw_message(&ctx, &missing)),
        }
    };
    host.set("tapeRandom", Func::from(random))
}
