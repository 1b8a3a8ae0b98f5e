//! Access to the providers of clouds: their credentials, the places of their endpoints, and the authorization of requests.

mod access;
mod aws_credentials;
mod aws_signature;
mod google_credentials;
mod google_token;

pub(crate) use access::CloudAccess;
