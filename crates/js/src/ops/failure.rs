//! Throwing Rust errors with their class and properties.

use rquickjs::{Ctx, Error, Exception, Object, Result, Value};

use super::errno::ERRORS;
use crate::instance::HostError;

/// Throws an error into the engine immediately; operations return theirs when they end.
pub(super) fn throw(ctx: &Ctx<'_>, error: &HostError) -> Error {
    let make = |ctx: &Ctx<'_>| -> Result<Error> {
        let object: Object<'_> =
            match ctx.globals().get::<_, rquickjs::function::Constructor<'_>>(error.class) {
                Ok(class) => class.construct((error.message.as_str(),))?,
                Err(_) => Exception::from_message(ctx.clone(), &error.message)?.into_object(),
            };
        for (key, value) in &error.properties {
            let value: Value<'_> = ctx.json_parse(value.to_string())?;
            object.set(key.as_str(), value)?;
        }
        Ok(ctx.throw(object.into_value()))
    };
    make(ctx).unwrap_or_else(|error| error)
}

/// Returns the name, number and message of an I/O error.
pub(super) fn system_error(error: &std::io::Error) -> (&'static str, i32, &'static str) {
    use libc as c;
    let number = error.raw_os_error().unwrap_or(match error.kind() {
        std::io::ErrorKind::NotFound => c::ENOENT,
        std::io::ErrorKind::PermissionDenied => c::EACCES,
        std::io::ErrorKind::BrokenPipe => c::EPIPE,
        std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::UnexpectedEof => c::ECONNRESET,
        std::io::ErrorKind::ConnectionRefused => c::ECONNREFUSED,
        std::io::ErrorKind::TimedOut => c::ETIMEDOUT,
        std::io::ErrorKind::AddrInUse => c::EADDRINUSE,
        std::io::ErrorKind::InvalidInput => c::EINVAL,
        _ => c::EIO,
    });
    match ERRORS.iter().find(|(known, ..)| *known == number) {
        Some((_, name, words)) => (name, number, words),
        None => ("EIO", libc::EIO, "i/o error"),
    }
}
