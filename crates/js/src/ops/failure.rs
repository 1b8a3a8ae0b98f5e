//! Throwing what the Rust side knows of an error, with its class and properties.

use rquickjs::{Ctx, Error, Exception, Object, Result, Value};

use crate::instance::HostError;

/// Throws an error into the engine at once; operations hand theirs over when they end.
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

/// The name and number the system knows an input or output error by, and what it says of it.
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
    let (name, text) = match number {
        c::E2BIG => ("E2BIG", "argument list too long"),
        c::EACCES => ("EACCES", "permission denied"),
        c::EADDRINUSE => ("EADDRINUSE", "address already in use"),
        c::EADDRNOTAVAIL => ("EADDRNOTAVAIL", "address not available"),
        c::EAGAIN => ("EAGAIN", "resource temporarily unavailable"),
        c::ECONNABORTED => ("ECONNABORTED", "software caused connection abort"),
        c::ECONNREFUSED => ("ECONNREFUSED", "connection refused"),
        c::ECONNRESET => ("ECONNRESET", "connection reset by peer"),
        c::EHOSTUNREACH => ("EHOSTUNREACH", "host is unreachable"),
        c::EINVAL => ("EINVAL", "invalid argument"),
        c::EISDIR => ("EISDIR", "illegal operation on a directory"),
        c::EMFILE => ("EMFILE", "too many open files"),
        c::ENETUNREACH => ("ENETUNREACH", "network is unreachable"),
        c::ENOENT => ("ENOENT", "no such file or directory"),
        c::ENOEXEC => ("ENOEXEC", "exec format error"),
        c::ENOMEM => ("ENOMEM", "not enough memory"),
        c::ENOTCONN => ("ENOTCONN", "socket is not connected"),
        c::ENOTDIR => ("ENOTDIR", "not a directory"),
        c::EPERM => ("EPERM", "operation not permitted"),
        c::EPIPE => ("EPIPE", "broken pipe"),
        c::ESRCH => ("ESRCH", "no such process"),
        c::ETIMEDOUT => ("ETIMEDOUT", "connection timed out"),
        _ => ("EIO", "i/o error"),
    };
    (name, number, text)
}
