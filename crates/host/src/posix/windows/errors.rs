//! Node's error numbers on Windows, without their sign, and the system's errors by these numbers.

use std::io::{Error, ErrorKind};

macro_rules! numbers {
    ($($name:ident $number:literal,)*) => {
        $(
            #[allow(missing_docs, reason = "the name says it")]
            pub const $name: i32 = $number;
        )*
    };
}

// The first ones are libuv's; the others are those of the C library, because libuv has none.
numbers! {
    E2BIG 4093, EACCES 4092, EADDRINUSE 4091, EADDRNOTAVAIL 4090, EAFNOSUPPORT 4089, EAGAIN 4088, EALREADY 4084,
    EBADF 4083, EBUSY 4082, ECANCELED 4081, ECONNABORTED 4079, ECONNREFUSED 4078, ECONNRESET 4077, EDESTADDRREQ 4076,
    EEXIST 4075, EFAULT 4074, EHOSTUNREACH 4073, EINTR 4072, EINVAL 4071, EIO 4070, EISCONN 4069, EISDIR 4068,
    ELOOP 4067, EMFILE 4066, EMSGSIZE 4065, ENAMETOOLONG 4064, ENETDOWN 4063, ENETUNREACH 4062, ENFILE 4061,
    ENOBUFS 4060, ENODEV 4059, ENOENT 4058, ENOMEM 4057, ENOSPC 4055, ENOSYS 4054, ENOTCONN 4053, ENOTDIR 4052,
    ENOTEMPTY 4051, ENOTSOCK 4050, ENOTSUP 4049, EPERM 4048, EPIPE 4047, EPROTO 4046, EPROTONOSUPPORT 4045,
    EPROTOTYPE 4044, EROFS 4043, ESPIPE 4041, ESRCH 4040, ETIMEDOUT 4039, ETXTBSY 4038, EXDEV 4037, EFBIG 4036,
    ENOPROTOOPT 4035, ERANGE 4034, ENXIO 4033, EMLINK 4032, ENOTTY 4029, EILSEQ 4027, EOVERFLOW 4026,
    ENOEXEC 8, ECHILD 10, EDOM 33, EDEADLK 36, ENOLCK 39, EIDRM 111, EINPROGRESS 112, ENETRESET 117,
    EDQUOT 10069, ESTALE 10070,
}

/// The system's codes by number, as libuv translates them.
const CODES: &[(u32, i32)] = &[
    (1, EISDIR),
    (2, ENOENT),
    (3, ENOENT),
    (4, EMFILE),
    (5, EPERM),
    (6, EBADF),
    (8, ENOMEM),
    (14, ENOMEM),
    (15, ENOENT),
    (17, EXDEV),
    (19, EROFS),
    (29, EIO),
    (32, EBUSY),
    (33, EBUSY),
    (39, ENOSPC),
    (50, ENOTSUP),
    (53, ENOENT),
    (67, ENOENT),
    (80, EEXIST),
    (87, EINVAL),
    (109, EPIPE),
    (112, ENOSPC),
    (120, ENOSYS),
    (122, EINVAL),
    (123, ENOENT),
    (131, EINVAL),
    (145, ENOTEMPTY),
    (161, ENOENT),
    (183, EEXIST),
    (206, ENAMETOOLONG),
    (230, EPIPE),
    (231, EBUSY),
    (232, EPIPE),
    (233, EPIPE),
    (267, ENOTDIR),
    (995, ECANCELED),
    (1314, EPERM),
    (1920, EACCES),
    (1921, ELOOP),
    (4390, EINVAL),
    (4392, EINVAL),
    (10004, ECANCELED),
    (10009, EBADF),
    (10013, EACCES),
    (10014, EFAULT),
    (10022, EINVAL),
    (10024, EMFILE),
    (10035, EAGAIN),
    (10037, EALREADY),
    (10040, EMSGSIZE),
    (10043, EPROTONOSUPPORT),
    (10047, EAFNOSUPPORT),
    (10048, EADDRINUSE),
    (10049, EADDRNOTAVAIL),
    (10050, ENETDOWN),
    (10051, ENETUNREACH),
    (10053, ECONNABORTED),
    (10054, ECONNRESET),
    (10055, ENOBUFS),
    (10056, EISCONN),
    (10057, ENOTCONN),
    (10060, ETIMEDOUT),
    (10061, ECONNREFUSED),
    (10065, EHOSTUNREACH),
];

/// Marks numbers that [`error`] put into an error, which the system's codes are distinct from.
const OWN: i32 = 1 << 29;

/// Returns the number of an error; `None` if the system did not report it.
pub fn number(error: &Error) -> Option<i32> {
    let code = error.raw_os_error()?;
    if code & OWN != 0 {
        return Some(code & !OWN);
    }
    let known = CODES.iter().find(|(known, _)| *known == code.cast_unsigned());
    Some(known.map_or_else(|| of_kind(error.kind()), |(_, number)| *number))
}

/// Returns the number of an error, or that of its kind.
pub fn number_or_kind(error: &Error) -> i32 {
    number(error).unwrap_or_else(|| of_kind(error.kind()))
}

/// Returns the error of a number.
pub fn error(number: i32) -> Error {
    Error::from_raw_os_error(number | OWN)
}

fn of_kind(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::NotFound => ENOENT,
        ErrorKind::PermissionDenied => EACCES,
        ErrorKind::AlreadyExists => EEXIST,
        ErrorKind::BrokenPipe => EPIPE,
        ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof => ECONNRESET,
        ErrorKind::ConnectionRefused => ECONNREFUSED,
        ErrorKind::ConnectionAborted => ECONNABORTED,
        ErrorKind::NotConnected => ENOTCONN,
        ErrorKind::TimedOut => ETIMEDOUT,
        ErrorKind::AddrInUse => EADDRINUSE,
        ErrorKind::AddrNotAvailable => EADDRNOTAVAIL,
        ErrorKind::IsADirectory => EISDIR,
        ErrorKind::NotADirectory => ENOTDIR,
        ErrorKind::DirectoryNotEmpty => ENOTEMPTY,
        ErrorKind::StorageFull => ENOSPC,
        ErrorKind::InvalidInput | ErrorKind::InvalidFilename => EINVAL,
        ErrorKind::Unsupported => ENOTSUP,
        _ => EIO,
    }
}
