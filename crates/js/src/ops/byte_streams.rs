//! Operations on pipes and connections.

use std::{io, rc::Rc, sync::Arc};

use rquickjs::{Object, Result, TypedArray, function::Func};

use super::{bytes, failure::system_error, runtime::whole};
use crate::instance::{HostError, Settled, ThreadState};

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    host.set(
        "streamRead",
        Func::from(move |number: f64, stream: u32| {
            let (shared, meter) = (Arc::clone(&own.shared), own.meter());
            own.shared.spawn_operation(whole(number), |token| async move {
                match shared.streams.read(stream, &token).await {
                    Ok(bytes) if bytes.is_empty() => Settled::Nothing,
                    Ok(bytes) => {
                        meter.add_read(bytes.len());
                        Settled::Bytes(bytes)
                    }
                    Err(error) => Settled::Failed(of_system(&error, "read")),
                }
            });
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "streamWrite",
        Func::from(move |number: f64, stream: u32, input: TypedArray<'js, u8>| {
            let (shared, input, meter) = (Arc::clone(&own.shared), bytes::copy(&input), own.meter());
            let held = shared.charge(input.len());
            own.shared.spawn_operation(whole(number), |token| async move {
                let _held = match held {
                    Ok(held) => held,
                    Err(error) => return Settled::Failed(error),
                };
                let written = shared.streams.write(stream, &input, &token).await;
                if written.is_ok() {
                    meter.add_written(input.len());
                }
                settle(written, "write")
            });
        }),
    )?;
    let own = Rc::clone(state);
    host.set(
        "streamFinish",
        Func::from(move |number: f64, stream: u32| {
            let shared = Arc::clone(&own.shared);
            own.shared.spawn_operation(whole(number), |token| async move {
                settle(shared.streams.finish(stream, &token).await, "shutdown")
            });
        }),
    )?;
    let own = Rc::clone(state);
    host.set("streamClose", Func::from(move |stream: u32| own.shared.streams.close(stream)))
}

fn settle(outcome: io::Result<()>, call: &str) -> Settled {
    match outcome {
        Ok(()) => Settled::Nothing,
        Err(error) => Settled::Failed(of_system(&error, call)),
    }
}

/// Formats the error as Node does: `write EPIPE`.
pub(super) fn of_system(error: &io::Error, call: &str) -> HostError {
    let (name, number, _) = system_error(error);
    HostError::new(format!("{call} {name}")).with("errno", -number).with("code", name).with("syscall", call)
}
