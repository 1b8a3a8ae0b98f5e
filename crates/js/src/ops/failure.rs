//! Throwing Rust errors with their class and properties, system errors with Node's names and messages.

use rquickjs::{Ctx, Error, Exception, Object, Result, Value};
use serde_json::{Map, json};

use toolsmith_host::posix::errno;

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
    let number = errno::number_or_kind(error);
    match ERRORS.iter().find(|(known, ..)| *known == number) {
        Some((_, name, words)) => (name, number, words),
        None => ("EIO", errno::EIO, "i/o error"),
    }
}

macro_rules! errors {
    ($($name:ident $words:literal,)*) => {
        /// Number, name, message.
        pub(crate) const ERRORS: &[(i32, &str, &str)] = &[$((errno::$name, stringify!($name), $words),)*];
    };
}

errors! {
    E2BIG "argument list too long",
    EACCES "permission denied",
    EADDRINUSE "address already in use",
    EADDRNOTAVAIL "address not available",
    EAFNOSUPPORT "address family not supported",
    EAGAIN "resource temporarily unavailable",
    EALREADY "connection already in progress",
    EBADF "bad file descriptor",
    EBUSY "resource busy or locked",
    ECANCELED "operation canceled",
    ECHILD "no child processes",
    ECONNABORTED "software caused connection abort",
    ECONNREFUSED "connection refused",
    ECONNRESET "connection reset by peer",
    EDEADLK "resource deadlock would occur",
    EDESTADDRREQ "destination address required",
    EDOM "argument out of domain",
    EDQUOT "disk quota exceeded",
    EEXIST "file already exists",
    EFAULT "bad address in system call argument",
    EFBIG "file too large",
    EHOSTUNREACH "host is unreachable",
    EIDRM "identifier removed",
    EILSEQ "illegal byte sequence",
    EINPROGRESS "operation in progress",
    EINTR "interrupted system call",
    EINVAL "invalid argument",
    EIO "i/o error",
    EISCONN "socket is already connected",
    EISDIR "illegal operation on a directory",
    ELOOP "too many symbolic links encountered",
    EMFILE "too many open files",
    EMLINK "too many links",
    EMSGSIZE "message too long",
    ENAMETOOLONG "name too long",
    ENETDOWN "network is down",
    ENETRESET "connection aborted by network",
    ENETUNREACH "network is unreachable",
    ENFILE "file table overflow",
    ENOBUFS "no buffer space available",
    ENODEV "no such device",
    ENOENT "no such file or directory",
    ENOEXEC "exec format error",
    ENOLCK "no locks available",
    ENOMEM "not enough memory",
    ENOPROTOOPT "protocol not available",
    ENOSPC "no space left on device",
    ENOSYS "function not implemented",
    ENOTCONN "socket is not connected",
    ENOTDIR "not a directory",
    ENOTEMPTY "directory not empty",
    ENOTSOCK "socket operation on non-socket",
    ENOTSUP "operation not supported on socket",
    ENOTTY "inappropriate ioctl for device",
    ENXIO "no such device or address",
    EOVERFLOW "value too large for defined data type",
    EPERM "operation not permitted",
    EPIPE "broken pipe",
    EPROTO "protocol error",
    EPROTONOSUPPORT "protocol not supported",
    EPROTOTYPE "protocol wrong type for socket",
    ERANGE "result too large",
    EROFS "read-only file system",
    ESPIPE "invalid seek",
    ESRCH "no such process",
    ESTALE "stale file handle",
    ETIMEDOUT "connection timed out",
    ETXTBSY "text file is busy",
    EXDEV "cross-device link not permitted",
}

/// Returns the name and message of a number.
pub(crate) fn describe(number: i32) -> (&'static str, &'static str) {
    ERRORS
        .iter()
        .find(|(known, ..)| *known == number)
        .map_or(("UNKNOWN", "unknown error"), |(_, name, words)| (name, words))
}

/// Returns all of them, for `os.constants` and `util`.
pub(super) fn table() -> String {
    let table: Map<String, serde_json::Value> =
        ERRORS.iter().map(|(number, name, words)| ((*name).to_owned(), json!([number, words]))).collect();
    serde_json::Value::Object(table).to_string()
}
