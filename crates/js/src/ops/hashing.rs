//! Hashes, keyed hashes and key derivation, for `node:crypto`, Web Crypto and Bun.

use std::rc::Rc;

use hmac::{KeyInit, Mac, SimpleHmac, digest::block_api::BlockSizeUser};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};
use serde::Deserialize;
use sha2::digest::Digest;
use toolsmith_tool::CancelToken;

use super::{bytes, failure, native, runtime::whole};
use crate::instance::{HostError, Settled, SharedState, ThreadState};

/// Rounds between two checks of the stop flag.
const ROUNDS_BETWEEN_LOOKS: u32 = 4096;

/// Maximum length of a derived key.
const MAX_KEY_BYTES: usize = 16 << 20;

/// Maximum memory of `scrypt`, whatever the caller allows.
const MAX_SCRYPT_BYTES: u64 = 1 << 30;

/// A hash in progress, with or without a key.
trait Hashing {
    fn update(&mut self, bytes: &[u8]);
    /// Returns the digest of the data so far.
    fn digest(&self) -> Vec<u8>;
    fn copy(&self) -> Box<dyn Hashing>;
}

#[derive(Clone)]
struct Plain<D>(D);

impl<D: Digest + Clone + 'static> Hashing for Plain<D> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn digest(&self) -> Vec<u8> {
        self.0.clone().finalize().to_vec()
    }
    fn copy(&self) -> Box<dyn Hashing> {
        Box::new(self.clone())
    }
}

#[derive(Clone)]
struct Keyed<D: Digest + BlockSizeUser>(SimpleHmac<D>);

impl<D: Digest + BlockSizeUser + Clone + 'static> Hashing for Keyed<D> {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(&mut self.0, bytes);
    }
    fn digest(&self) -> Vec<u8> {
        self.0.clone().finalize().into_bytes().to_vec()
    }
    fn copy(&self) -> Box<dyn Hashing> {
        Box::new(self.clone())
    }
}

fn make<D: Digest + BlockSizeUser + Clone + 'static>(key: Option<&[u8]>) -> Option<Box<dyn Hashing>> {
    Some(match key {
        None => Box::new(Plain(D::new())),
        // It accepts a key of any length.
        Some(key) => Box::new(Keyed(<SimpleHmac<D> as KeyInit>::new_from_slice(key).ok()?)),
    })
}

/// The listed names; aliases are accepted too.
const NAMES: &[&str] = &[
    "blake2b512",
    "blake2s256",
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "sha384",
    "sha512",
    "sha512-224",
    "sha512-256",
];

/// Calls a function with the digest of a name; `None` for an unknown name.
macro_rules! with_digest {
    ($name:expr, $function:ident($($argument:expr),*)) => {{
        let name = $name.to_ascii_lowercase();
        match name.strip_prefix("rsa-").unwrap_or(&name) {
            "md5" => $function::<md5::Md5>($($argument),*),
            "sha1" | "sha-1" => $function::<sha1::Sha1>($($argument),*),
            "sha224" | "sha-224" => $function::<sha2::Sha224>($($argument),*),
            "sha256" | "sha-256" => $function::<sha2::Sha256>($($argument),*),
            "sha384" | "sha-384" => $function::<sha2::Sha384>($($argument),*),
            "sha512" | "sha-512" => $function::<sha2::Sha512>($($argument),*),
            "sha512-224" | "sha512/224" => $function::<sha2::Sha512_224>($($argument),*),
            "sha512-256" | "sha512/256" => $function::<sha2::Sha512_256>($($argument),*),
            "sha3-224" => $function::<sha3::Sha3_224>($($argument),*),
            "sha3-256" => $function::<sha3::Sha3_256>($($argument),*),
            "sha3-384" => $function::<sha3::Sha3_384>($($argument),*),
            "sha3-512" => $function::<sha3::Sha3_512>($($argument),*),
            "blake2b512" | "blake2b" => $function::<blake2::Blake2b512>($($argument),*),
            "blake2s256" | "blake2s" => $function::<blake2::Blake2s256>($($argument),*),
            _ => None,
        }
    }};
}

fn hashing(name: &str, key: Option<&[u8]>) -> Option<Box<dyn Hashing>> {
    with_digest!(name, make(key))
}

/// The kernel's key derivation request.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Derivation {
    Scrypt { cost: u64, block: u32, parallel: u32, memory: u64, length: usize },
    Pbkdf2 { digest: String, rounds: u32, length: usize },
    Hkdf { digest: String, length: usize },
}

impl Derivation {
    /// Memory that it needs; too much by its own limit is an error of its own.
    fn bytes(&self) -> usize {
        match self {
            Self::Scrypt { cost, block, parallel, memory, .. } => {
                let blocks = cost.saturating_add(u64::from(*parallel)).saturating_add(2);
                let needed = blocks.saturating_mul(u64::from(*block)).saturating_mul(128);
                if needed > (*memory).min(MAX_SCRYPT_BYTES) {
                    0
                } else {
                    usize::try_from(needed).unwrap_or(usize::MAX)
                }
            }
            Self::Pbkdf2 { .. } | Self::Hkdf { .. } => 0,
        }
    }
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    host.set("hashNames", Func::from(|| NAMES.to_vec()))?;
    let new = |ctx: Ctx<'js>, name: String, key: Option<TypedArray<'js, u8>>| {
        let key = key.map(|key| bytes::copy(&key));
        hashing(&name, key.as_deref()).map(|hashing| native::give(&ctx, hashing)).transpose()
    };
    host.set("hashNew", Func::from(new))?;
    let update = |ctx: Ctx<'js>, handle: native::Handle<'js>, input: TypedArray<'js, u8>| -> Result<()> {
        bytes::lend(&input, |input| {
            native::with(&ctx, &handle, |hashing: &mut Box<dyn Hashing>| hashing.update(input))
        })
    };
    host.set("hashUpdate", Func::from(update))?;
    let digest = |ctx: Ctx<'js>, handle: native::Handle<'js>| -> Result<TypedArray<'js, u8>> {
        let digest = native::with(&ctx, &handle, |hashing: &mut Box<dyn Hashing>| hashing.digest())?;
        bytes::array(&ctx, &digest)
    };
    host.set("hashDigest", Func::from(digest))?;
    let copy = |ctx: Ctx<'js>, handle: native::Handle<'js>| {
        let copy = native::with(&ctx, &handle, |hashing: &mut Box<dyn Hashing>| hashing.copy())?;
        native::give(&ctx, copy)
    };
    host.set("hashCopy", Func::from(copy))?;
    host.set(
        "sameBytes",
        Func::from(|one: TypedArray<'js, u8>, other: TypedArray<'js, u8>| {
            // Every byte is compared, so that the time reveals nothing.
            let (one, other) = (bytes::copy(&one), bytes::copy(&other));
            let differing = one.iter().zip(&other).fold(0, |sum, (a, b)| std::hint::black_box(sum | (a ^ b)));
            one.len() == other.len() && differing == 0
        }),
    )?;
    let own = Rc::clone(state);
    type Bytes<'js> = TypedArray<'js, u8>;
    host.set(
        "deriveKey",
        Func::from(
            move |number: f64, json: String, secret: Bytes<'js>, salt: Bytes<'js>, info: Bytes<'js>| {
                let work = derivation(&own.shared, &json, &secret, &salt, &info);
                let runtime = own.shared.engine.runtime.clone();
                own.shared.spawn_operation(whole(number), |token| async move {
                    match runtime.spawn_blocking(move || work(&token)).await {
                        Ok(Ok(key)) => Settled::Bytes(key),
                        Ok(Err(error)) => Settled::Failed(error),
                        Err(error) => Settled::Failed(HostError::new(error.to_string())),
                    }
                });
            },
        ),
    )?;
    let own = Rc::clone(state);
    host.set(
        "deriveKeyNow",
        Func::from(
            move |ctx: Ctx<'js>,
                  json: String,
                  secret: Bytes<'js>,
                  salt: Bytes<'js>,
                  info: Bytes<'js>|
                  -> Result<Bytes<'js>> {
                let work = derivation(&own.shared, &json, &secret, &salt, &info);
                let runtime = own.shared.engine.runtime.clone();
                let derived = own.shared.wait_for(|token| async move {
                    let done = runtime.spawn_blocking(move || work(&token)).await;
                    done.unwrap_or_else(|error| Err(HostError::new(error.to_string())))
                });
                match derived {
                    Some(Ok(key)) => bytes::array(&ctx, &key),
                    Some(Err(error)) => Err(failure::throw(&ctx, &error)),
                    None => Err(failure::throw(&ctx, &stopped())),
                }
            },
        ),
    )
}

fn stopped() -> HostError {
    HostError::new("The tool was stopped")
}

fn derivation(
    shared: &SharedState,
    json: &str,
    secret: &TypedArray<'_, u8>,
    salt: &TypedArray<'_, u8>,
    info: &TypedArray<'_, u8>,
) -> impl FnOnce(&CancelToken) -> std::result::Result<Vec<u8>, HostError> + Send + 'static {
    let asked: std::result::Result<Derivation, _> = serde_json::from_str(json);
    let (secret, salt, info) = (bytes::copy(secret), bytes::copy(salt), bytes::copy(info));
    let inputs = secret.len() + salt.len() + info.len();
    let working = asked.as_ref().map_or(0, Derivation::bytes);
    let held = shared.charge(inputs.saturating_add(working));
    move |token| match asked {
        Ok(asked) => {
            let _held = held?;
            derive(&asked, &secret, &salt, &info, token)
        }
        Err(error) => Err(HostError::of_class("TypeError", error.to_string())),
    }
}

fn derive(
    asked: &Derivation,
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    token: &CancelToken,
) -> std::result::Result<Vec<u8>, HostError> {
    let (Derivation::Scrypt { length, .. }
    | Derivation::Pbkdf2 { length, .. }
    | Derivation::Hkdf { length, .. }) = asked;
    if *length > MAX_KEY_BYTES {
        return Err(HostError::of_class(
            "RangeError",
            format!("A derived key of {length} bytes is too long"),
        ));
    }
    match asked {
        Derivation::Scrypt { cost, block, parallel, memory, length } => {
            scrypt_key(secret, salt, *cost, *block, *parallel, *memory, *length)
        }
        Derivation::Pbkdf2 { digest, rounds, length } => {
            let keyed = hashing(digest, Some(secret)).ok_or_else(|| unknown_digest(digest))?;
            pbkdf2_key(keyed.as_ref(), salt, *rounds, *length, token)
        }
        Derivation::Hkdf { digest, length } => with_digest!(digest, hkdf_key(secret, salt, info, *length))
            .ok_or_else(|| unknown_digest(digest))?,
    }
}

fn unknown_digest(name: &str) -> HostError {
    HostError::of_class("TypeError", format!("Invalid digest: {name}"))
        .with("code", "ERR_CRYPTO_INVALID_DIGEST")
}

/// The outer `Option` is that of [`with_digest`].
#[expect(clippy::unnecessary_wraps, reason = "the shape that the macro needs")]
fn hkdf_key<D: Digest + BlockSizeUser + Clone + 'static>(
    secret: &[u8],
    salt: &[u8],
    info: &[u8],
    length: usize,
) -> Option<std::result::Result<Vec<u8>, HostError>> {
    let mut key = vec![0; length];
    let expanded = hkdf::SimpleHkdf::<D>::new(Some(salt), secret).expand(info, &mut key);
    Some(expanded.map(|()| key).map_err(|_| {
        HostError::of_class("RangeError", "Invalid key length").with("code", "ERR_CRYPTO_INVALID_KEYLEN")
    }))
}

fn scrypt_key(
    secret: &[u8],
    salt: &[u8],
    cost: u64,
    block: u32,
    parallel: u32,
    memory: u64,
    length: usize,
) -> std::result::Result<Vec<u8>, HostError> {
    let invalid = |why: &str| {
        HostError::of_class("RangeError", format!("Invalid scrypt params{why}"))
            .with("code", "ERR_CRYPTO_INVALID_SCRYPT_PARAMS")
    };
    if !cost.is_power_of_two() || cost < 2 || length == 0 {
        return Err(invalid(""));
    }
    let needed = cost.saturating_mul(128).saturating_mul(u64::from(block));
    // It cannot be interrupted, so its size is bounded too.
    if needed > memory.min(MAX_SCRYPT_BYTES)
        || needed.saturating_mul(u64::from(parallel)) > MAX_SCRYPT_BYTES * 16
    {
        return Err(invalid(": memory limit exceeded"));
    }
    let exponent = u8::try_from(cost.trailing_zeros()).map_err(|_| invalid(""))?;
    let params = scrypt::Params::new(exponent, block, parallel).map_err(|_| invalid(""))?;
    let mut key = vec![0; length];
    scrypt::scrypt(secret, salt, &params, &mut key).map_err(|_| invalid(""))?;
    Ok(key)
}

/// PBKDF2 over RustCrypto's HMAC. The crate `pbkdf2` cannot be stopped, and the tool chooses the number of rounds.
fn pbkdf2_key(
    keyed: &dyn Hashing,
    salt: &[u8],
    rounds: u32,
    length: usize,
    token: &CancelToken,
) -> std::result::Result<Vec<u8>, HostError> {
    let mut key = Vec::with_capacity(length);
    for number in 1_u32.. {
        if key.len() >= length {
            break;
        }
        let mut first = keyed.copy();
        first.update(salt);
        first.update(&number.to_be_bytes());
        let mut last = first.digest();
        let mut sum = last.clone();
        for round in 1..rounds.max(1) {
            if round.is_multiple_of(ROUNDS_BETWEEN_LOOKS) && token.is_cancelled() {
                return Err(stopped());
            }
            let mut next = keyed.copy();
            next.update(&last);
            last = next.digest();
            sum.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
        }
        key.extend_from_slice(&sum);
    }
    key.truncate(length);
    Ok(key)
}
