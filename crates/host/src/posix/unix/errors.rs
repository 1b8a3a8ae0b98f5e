//! The system's error numbers.

use std::io::{Error, ErrorKind};

pub use libc::{
    E2BIG, EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EALREADY, EBADF, EBUSY, ECANCELED,
    ECHILD, ECONNABORTED, ECONNREFUSED, ECONNRESET, EDEADLK, EDESTADDRREQ, EDOM, EDQUOT, EEXIST, EFAULT,
    EFBIG, EHOSTUNREACH, EIDRM, EILSEQ, EINPROGRESS, EINTR, EINVAL, EIO, EISCONN, EISDIR, ELOOP, EMFILE,
    EMLINK, EMSGSIZE, ENAMETOOLONG, ENETDOWN, ENETRESET, ENETUNREACH, ENFILE, ENOBUFS, ENODEV, ENOENT,
    ENOEXEC, ENOLCK, ENOMEM, ENOPROTOOPT, ENOSPC, ENOSYS, ENOTCONN, ENOTDIR, ENOTEMPTY, ENOTSOCK, ENOTSUP,
    ENOTTY, ENXIO, EOVERFLOW, EPERM, EPIPE, EPROTO, EPROTONOSUPPORT, EPROTOTYPE, ERANGE, EROFS, ESPIPE,
    ESRCH, ESTALE, ETIMEDOUT, ETXTBSY, EXDEV,
};

/// Returns the number of an error; `None` if the system did not report it.
pub fn number(error: &Error) -> Option<i32> {
    error.raw_os_error()
}

/// Returns the number of an error, or that of its kind.
pub fn number_or_kind(error: &Error) -> i32 {
    number(error).unwrap_or(match error.kind() {
        ErrorKind::NotFound => ENOENT,
        ErrorKind::PermissionDenied => EACCES,
        ErrorKind::BrokenPipe => EPIPE,
        ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof => ECONNRESET,
        ErrorKind::ConnectionRefused => ECONNREFUSED,
        ErrorKind::TimedOut => ETIMEDOUT,
        ErrorKind::AddrInUse => EADDRINUSE,
        ErrorKind::InvalidInput => EINVAL,
        _ => EIO,
    })
}

/// Returns the error of a number.
pub fn error(number: i32) -> Error {
    Error::from_raw_os_error(number)
}
