//! The login keychain. Its items are readable by this program; macOS asks the user when another one wants to read them. That is why the
//! framework is called and not `/usr/bin/security`: what that program stores, every program can read through it.

use std::io;

use security_framework::{
    base::Error,
    passwords::{delete_generic_password, get_generic_password, set_generic_password},
};

use super::SecretStore;

/// `errSecItemNotFound`.
const NOT_FOUND: i32 = -25300;

#[derive(Debug)]
pub(super) struct LoginKeychain;

impl SecretStore for LoginKeychain {
    fn get(&self, service: &str, account: &str) -> io::Result<Option<String>> {
        let secret = found(get_generic_password(service, account))?;
        secret.map(|bytes| String::from_utf8(bytes).map_err(io::Error::other)).transpose()
    }

    fn set(&self, service: &str, account: &str, secret: &str) -> io::Result<()> {
        set_generic_password(service, account, secret.as_bytes()).map_err(failed)
    }

    fn remove(&self, service: &str, account: &str) -> io::Result<bool> {
        Ok(found(delete_generic_password(service, account))?.is_some())
    }
}

fn found<T>(result: Result<T, Error>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.code() == NOT_FOUND => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: Error) -> io::Error {
    io::Error::other(format!("the keychain: {error}"))
}
