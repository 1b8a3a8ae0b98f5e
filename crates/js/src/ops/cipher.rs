//! AES in the modes tools use, as it comes in pieces: GCM, CBC and CTR.

use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use ghash::{GHash, universal_hash::UniversalHash};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};

use super::{bytes, failure, native};
use crate::instance::HostError;

const BLOCK: usize = 16;

enum Key {
    Short(Box<aes::Aes128>),
    Middle(Box<aes::Aes192>),
    Long(Box<aes::Aes256>),
}

impl Key {
    fn new(bits: u32, key: &[u8]) -> Option<Self> {
        Some(match bits {
            128 => Self::Short(Box::new(aes::Aes128::new_from_slice(key).ok()?)),
            192 => Self::Middle(Box::new(aes::Aes192::new_from_slice(key).ok()?)),
            256 => Self::Long(Box::new(aes::Aes256::new_from_slice(key).ok()?)),
            _ => return None,
        })
    }
    fn encrypt(&self, block: [u8; BLOCK]) -> [u8; BLOCK] {
        let mut block = Array(block);
        match self {
            Self::Short(key) => key.encrypt_block(&mut block),
            Self::Middle(key) => key.encrypt_block(&mut block),
            Self::Long(key) => key.encrypt_block(&mut block),
        }
        block.0
    }
    fn decrypt(&self, block: [u8; BLOCK]) -> [u8; BLOCK] {
        let mut block = Array(block);
        match self {
            Self::Short(key) => key.decrypt_block(&mut block),
            Self::Middle(key) => key.decrypt_block(&mut block),
            Self::Long(key) => key.decrypt_block(&mut block),
        }
        block.0
    }
}

/// Bytes made by encrypting a counter, to be added to what is to be hidden.
struct KeyStream {
    counter: [u8; BLOCK],
    /// How many bytes of the counter's end count: GCM counts in four, CTR in all.
    counting: usize,
    block: [u8; BLOCK],
    used: usize,
}

impl KeyStream {
    fn new(counter: [u8; BLOCK], counting: usize) -> Self {
        Self { counter, counting, block: [0; BLOCK], used: BLOCK }
    }
    fn apply(&mut self, key: &Key, bytes: &mut [u8]) {
        for byte in bytes {
            if self.used == BLOCK {
                self.block = key.encrypt(self.counter);
                self.used = 0;
                for digit in self.counter[BLOCK - self.counting..].iter_mut().rev() {
                    *digit = digit.wrapping_add(1);
                    if *digit != 0 {
                        break;
                    }
                }
            }
            *byte ^= self.block[self.used];
            self.used += 1;
        }
    }
}

/// The sum that authenticates a message in GCM.
struct Authenticator {
    sum: GHash,
    /// Input that does not fill a block yet.
    rest: Vec<u8>,
    aad_bytes: u64,
    bytes: u64,
    /// The first counter, encrypted.
    mask: [u8; BLOCK],
    tag: Option<Vec<u8>>,
    tag_length: usize,
}

impl Authenticator {
    fn add(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() / BLOCK * BLOCK;
        self.sum.update_padded(&self.rest[..whole]);
        self.rest.drain(..whole);
    }
    fn pad(&mut self) {
        self.sum.update_padded(&std::mem::take(&mut self.rest));
    }
    fn finish(&mut self) -> [u8; BLOCK] {
        self.pad();
        let mut lengths = [0; BLOCK];
        lengths[..8].copy_from_slice(&(self.aad_bytes * 8).to_be_bytes());
        lengths[8..].copy_from_slice(&(self.bytes * 8).to_be_bytes());
        self.sum.update_padded(&lengths);
        let mut tag: [u8; BLOCK] = self.sum.clone().finalize().into();
        tag.iter_mut().zip(&self.mask).for_each(|(byte, mask)| *byte ^= mask);
        tag
    }
}

enum Mode {
    Cbc { last: [u8; BLOCK], rest: Vec<u8>, padding: bool },
    Ctr(KeyStream),
    Gcm(KeyStream, Box<Authenticator>),
}

struct Cipher {
    key: Key,
    mode: Mode,
    encrypting: bool,
}

fn openssl(code: &str, reason: &str, number: &str) -> HostError {
    HostError::new(format!("error:{number}:Provider routines::{reason}"))
        .with("code", code)
        .with("library", "Provider routines")
        .with("reason", reason)
}

impl Cipher {
    fn new(
        name: &str,
        encrypting: bool,
        key: &[u8],
        iv: &[u8],
        tag_length: usize,
    ) -> std::result::Result<Self, HostError> {
        let unknown = || HostError::new("Unknown cipher").with("code", "ERR_CRYPTO_UNKNOWN_CIPHER");
        let name = name.to_ascii_lowercase();
        let name = name.strip_prefix("id-").unwrap_or(&name);
        let (bits, mode) = match name.strip_prefix("aes").map(|rest| rest.trim_start_matches('-')) {
            Some(rest) if rest.len() > 3 && rest.is_char_boundary(3) => {
                (rest[..3].parse().unwrap_or(0), rest[3..].trim_start_matches('-').to_owned())
            }
            // `aes256` alone means CBC.
            Some(rest) => (rest.parse().unwrap_or(0), "cbc".to_owned()),
            None => return Err(unknown()),
        };
        if !matches!(bits, 128 | 192 | 256) || !matches!(mode.as_str(), "cbc" | "ctr" | "gcm") {
            return Err(unknown());
        }
        let invalid_iv = || {
            HostError::of_class("TypeError", "Invalid initialization vector")
                .with("code", "ERR_CRYPTO_INVALID_IV")
        };
        let key = Key::new(bits, key).ok_or_else(|| {
            HostError::of_class("RangeError", "Invalid key length").with("code", "ERR_CRYPTO_INVALID_KEYLEN")
        })?;
        let mode = match mode.as_str() {
            "gcm" if iv.is_empty() => return Err(invalid_iv()),
            "gcm" => gcm(&key, iv, tag_length),
            mode => {
                let iv: [u8; BLOCK] = iv.try_into().map_err(|_| invalid_iv())?;
                match mode {
                    "ctr" => Mode::Ctr(KeyStream::new(iv, BLOCK)),
                    _ => Mode::Cbc { last: iv, rest: Vec::new(), padding: true },
                }
            }
        };
        Ok(Self { key, mode, encrypting })
    }

    fn update(&mut self, input: &[u8]) -> Vec<u8> {
        match &mut self.mode {
            Mode::Ctr(stream) => {
                let mut output = input.to_vec();
                stream.apply(&self.key, &mut output);
                output
            }
            Mode::Gcm(stream, sum) => {
                if sum.bytes == 0 {
                    sum.pad();
                }
                sum.bytes += input.len() as u64;
                let mut output = input.to_vec();
                stream.apply(&self.key, &mut output);
                sum.add(if self.encrypting { &output } else { input });
                output
            }
            Mode::Cbc { last, rest, padding } => {
                rest.extend_from_slice(input);
                let mut whole = rest.len() / BLOCK * BLOCK;
                // The last block may be padding, which is for the end to see.
                if !self.encrypting && *padding && whole == rest.len() && whole > 0 {
                    whole -= BLOCK;
                }
                let taken: Vec<u8> = rest.drain(..whole).collect();
                cbc(&self.key, last, &taken, self.encrypting)
            }
        }
    }

    fn finish(&mut self) -> std::result::Result<Vec<u8>, HostError> {
        match &mut self.mode {
            Mode::Ctr(_) => Ok(Vec::new()),
            Mode::Gcm(_, sum) => {
                let tag = sum.finish();
                if self.encrypting {
                    sum.tag = Some(tag[..sum.tag_length].to_vec());
                    return Ok(Vec::new());
                }
                let given = sum.tag.clone().unwrap_or_default();
                let differing =
                    given.iter().zip(&tag).fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
                if given.len() < 4 || differing != 0 {
                    return Err(HostError::new("Unsupported state or unable to authenticate data"));
                }
                Ok(Vec::new())
            }
            Mode::Cbc { last, rest, padding } => {
                if self.encrypting && *padding {
                    let missing = BLOCK - rest.len();
                    rest.resize(BLOCK, u8::try_from(missing).unwrap_or(16));
                } else if !rest.len().is_multiple_of(BLOCK) || (*padding && rest.is_empty()) {
                    return Err(openssl(
                        "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH",
                        "wrong final block length",
                        "1C80006B",
                    ));
                }
                let mut output = cbc(&self.key, last, &std::mem::take(rest), self.encrypting);
                if !self.encrypting && *padding {
                    let count = output.last().map_or(0, |byte| usize::from(*byte));
                    let valid = (1..=BLOCK).contains(&count)
                        && output.iter().rev().take(count).all(|byte| usize::from(*byte) == count);
                    if !valid {
                        return Err(openssl("ERR_OSSL_BAD_DECRYPT", "bad decrypt", "1C800064"));
                    }
                    output.truncate(output.len() - count);
                }
                Ok(output)
            }
        }
    }
}

fn gcm(key: &Key, iv: &[u8], tag_length: usize) -> Mode {
    let sum = GHash::new(&Array(key.encrypt([0; BLOCK])));
    let mut first = [0; BLOCK];
    if iv.len() == 12 {
        first[..12].copy_from_slice(iv);
        first[15] = 1;
    } else {
        let mut lengths = [0; BLOCK];
        lengths[8..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
        let mut from_iv = sum.clone();
        from_iv.update_padded(iv);
        from_iv.update_padded(&lengths);
        first = from_iv.finalize().into();
    }
    let mut stream = KeyStream::new(first, 4);
    let mut mask = [0; BLOCK];
    stream.apply(key, &mut mask);
    let sum = Authenticator { sum, rest: Vec::new(), aad_bytes: 0, bytes: 0, mask, tag: None, tag_length };
    Mode::Gcm(stream, Box::new(sum))
}

fn cbc(key: &Key, last: &mut [u8; BLOCK], input: &[u8], encrypting: bool) -> Vec<u8> {
    let mut output = Vec::with_capacity(input.len());
    for block in input.chunks_exact(BLOCK) {
        let mut now = [0; BLOCK];
        now.copy_from_slice(block);
        if encrypting {
            now.iter_mut().zip(&*last).for_each(|(byte, last)| *byte ^= last);
            *last = key.encrypt(now);
            output.extend_from_slice(last);
        } else {
            let mut clear = key.decrypt(now);
            clear.iter_mut().zip(&*last).for_each(|(byte, last)| *byte ^= last);
            *last = now;
            output.extend_from_slice(&clear);
        }
    }
    output
}

pub(super) fn install<'js>(host: &Object<'js>) -> Result<()> {
    type Bytes<'js> = TypedArray<'js, u8>;
    let new = |ctx: Ctx<'js>,
               name: String,
               encrypting: bool,
               key: Bytes<'js>,
               iv: Bytes<'js>,
               tag_length: usize| {
        let made =
            Cipher::new(&name, encrypting, &bytes::copy(&key), &bytes::copy(&iv), tag_length.clamp(4, BLOCK));
        made.map_err(|error| failure::throw(&ctx, &error)).and_then(|cipher| native::give(&ctx, cipher))
    };
    host.set("cipherNew", Func::from(new))?;
    let update = |ctx: Ctx<'js>, handle: native::Handle<'js>, input: Bytes<'js>| -> Result<Bytes<'js>> {
        let input = bytes::copy(&input);
        let output = native::with(&ctx, &handle, |cipher: &mut Cipher| cipher.update(&input))?;
        bytes::array(&ctx, &output)
    };
    host.set("cipherUpdate", Func::from(update))?;
    let finish = |ctx: Ctx<'js>, handle: native::Handle<'js>| -> Result<Bytes<'js>> {
        match native::with(&ctx, &handle, Cipher::finish)? {
            Ok(output) => bytes::array(&ctx, &output),
            Err(error) => Err(failure::throw(&ctx, &error)),
        }
    };
    host.set("cipherFinal", Func::from(finish))?;
    // Whether the mode knows what was set: only GCM authenticates, only CBC pads.
    let set = |ctx: Ctx<'js>, handle: native::Handle<'js>, what: String, value: Bytes<'js>| -> Result<bool> {
        let value = bytes::copy(&value);
        native::with(&ctx, &handle, |cipher: &mut Cipher| match (&mut cipher.mode, what.as_str()) {
            (Mode::Gcm(_, sum), "aad") => {
                sum.aad_bytes += value.len() as u64;
                sum.add(&value);
                true
            }
            (Mode::Gcm(_, sum), "tag") => {
                sum.tag = Some(value);
                true
            }
            (Mode::Cbc { padding, .. }, "padding") => {
                *padding = !value.is_empty();
                true
            }
            _ => false,
        })
    };
    host.set("cipherSet", Func::from(set))?;
    let tag = |ctx: Ctx<'js>, handle: native::Handle<'js>| -> Result<Option<Bytes<'js>>> {
        let tag = native::with(&ctx, &handle, |cipher: &mut Cipher| match &cipher.mode {
            Mode::Gcm(_, sum) if cipher.encrypting => sum.tag.clone(),
            _ => None,
        })?;
        tag.map(|tag| bytes::array(&ctx, &tag)).transpose()
    };
    host.set("cipherTag", Func::from(tag))
}
