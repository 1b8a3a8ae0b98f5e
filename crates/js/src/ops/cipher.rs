//! AES in the modes tools use, as it comes in pieces: GCM, CBC and CTR. The modes are those of RustCrypto. GCM is put
//! together from its counter mode and its hash, because its own GCM takes a whole message at once.

use aes::{
    Aes128, Aes192, Aes256,
    cipher::{
        Array, Block, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit,
        StreamCipher,
    },
};
use cbc::{Decryptor, Encryptor};
use ctr::{Ctr32BE, Ctr128BE};
use ghash::{GHash, universal_hash::UniversalHash};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};

use super::{bytes, failure, native};
use crate::instance::HostError;

const BLOCK: usize = 16;

/// Encrypts or decrypts bytes in place; returns whether the counter was not used up.
type KeyStream = Box<dyn FnMut(&mut [u8]) -> bool>;
/// Encrypts or decrypts whole blocks in place.
type Blocks = Box<dyn FnMut(&mut [u8])>;

fn key_stream<S: StreamCipher + KeyIvInit + 'static>(key: &[u8], iv: &[u8]) -> Option<KeyStream> {
    let mut stream = S::new_from_slices(key, iv).ok()?;
    Some(Box::new(move |bytes| stream.try_apply_keystream(bytes).is_ok()))
}

fn encrypting<C: BlockModeEncrypt + KeyIvInit + 'static>(key: &[u8], iv: &[u8]) -> Option<Blocks> {
    let mut mode = C::new_from_slices(key, iv).ok()?;
    Some(Box::new(move |bytes| mode.encrypt_blocks(Block::<C>::slice_as_chunks_mut(bytes).0)))
}

fn decrypting<C: BlockModeDecrypt + KeyIvInit + 'static>(key: &[u8], iv: &[u8]) -> Option<Blocks> {
    let mut mode = C::new_from_slices(key, iv).ok()?;
    Some(Box::new(move |bytes| mode.decrypt_blocks(Block::<C>::slice_as_chunks_mut(bytes).0)))
}

/// Counter mode over all sixteen bytes.
fn ctr(key: &[u8], iv: &[u8]) -> Option<KeyStream> {
    match key.len() {
        16 => key_stream::<Ctr128BE<Aes128>>(key, iv),
        24 => key_stream::<Ctr128BE<Aes192>>(key, iv),
        32 => key_stream::<Ctr128BE<Aes256>>(key, iv),
        _ => None,
    }
}

/// Counter mode of GCM, which counts in the last four bytes.
fn gcm_stream(key: &[u8], first: &[u8; BLOCK]) -> Option<KeyStream> {
    match key.len() {
        16 => key_stream::<Ctr32BE<Aes128>>(key, first),
        24 => key_stream::<Ctr32BE<Aes192>>(key, first),
        32 => key_stream::<Ctr32BE<Aes256>>(key, first),
        _ => None,
    }
}

fn cbc(key: &[u8], iv: &[u8], is_encrypting: bool) -> Option<Blocks> {
    match (key.len(), is_encrypting) {
        (16, true) => encrypting::<Encryptor<Aes128>>(key, iv),
        (24, true) => encrypting::<Encryptor<Aes192>>(key, iv),
        (32, true) => encrypting::<Encryptor<Aes256>>(key, iv),
        (16, false) => decrypting::<Decryptor<Aes128>>(key, iv),
        (24, false) => decrypting::<Decryptor<Aes192>>(key, iv),
        (32, false) => decrypting::<Decryptor<Aes256>>(key, iv),
        _ => None,
    }
}

/// The key of GCM's hash: zeros, encrypted.
fn hash_key(key: &[u8]) -> Option<[u8; BLOCK]> {
    let mut block = Array([0; BLOCK]);
    match key.len() {
        16 => Aes128::new_from_slice(key).ok()?.encrypt_block(&mut block),
        24 => Aes192::new_from_slice(key).ok()?.encrypt_block(&mut block),
        32 => Aes256::new_from_slice(key).ok()?.encrypt_block(&mut block),
        _ => return None,
    }
    Some(block.0)
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
    Cbc { blocks: Blocks, rest: Vec<u8>, padding: bool },
    Ctr(KeyStream),
    Gcm(KeyStream, Box<Authenticator>),
}

struct Cipher {
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
        let (bits, mode): (usize, _) = match name.strip_prefix("aes").map(|rest| rest.trim_start_matches('-'))
        {
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
        if key.len() * 8 != bits {
            return Err(HostError::of_class("RangeError", "Invalid key length")
                .with("code", "ERR_CRYPTO_INVALID_KEYLEN"));
        }
        let mode = match mode.as_str() {
            "gcm" if iv.is_empty() => None,
            "gcm" => gcm(key, iv, tag_length),
            "ctr" => ctr(key, iv).map(Mode::Ctr),
            _ => cbc(key, iv, encrypting).map(|blocks| Mode::Cbc { blocks, rest: Vec::new(), padding: true }),
        };
        Ok(Self { mode: mode.ok_or_else(invalid_iv)?, encrypting })
    }

    fn update(&mut self, input: &[u8]) -> std::result::Result<Vec<u8>, HostError> {
        let mut output = input.to_vec();
        let has_counted = match &mut self.mode {
            Mode::Ctr(stream) => stream(&mut output),
            Mode::Gcm(stream, sum) => {
                if sum.bytes == 0 {
                    sum.pad();
                }
                sum.bytes += input.len() as u64;
                let has_counted = stream(&mut output);
                sum.add(if self.encrypting { &output } else { input });
                has_counted
            }
            Mode::Cbc { blocks, rest, padding } => {
                rest.extend_from_slice(input);
                let mut whole = rest.len() / BLOCK * BLOCK;
                // The last block may be padding, which is for the end to see.
                if !self.encrypting && *padding && whole == rest.len() && whole > 0 {
                    whole -= BLOCK;
                }
                output = rest.drain(..whole).collect();
                blocks(&mut output);
                true
            }
        };
        has_counted.then_some(output).ok_or_else(|| HostError::new("The message is too long for its counter"))
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
            Mode::Cbc { blocks, rest, padding } => {
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
                let mut output = std::mem::take(rest);
                blocks(&mut output);
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

fn gcm(key: &[u8], iv: &[u8], tag_length: usize) -> Option<Mode> {
    let sum = GHash::new(&Array(hash_key(key)?));
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
    let mut stream = gcm_stream(key, &first)?;
    let mut mask = [0; BLOCK];
    stream(&mut mask);
    let sum = Authenticator { sum, rest: Vec::new(), aad_bytes: 0, bytes: 0, mask, tag: None, tag_length };
    Some(Mode::Gcm(stream, Box::new(sum)))
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
        match native::with(&ctx, &handle, |cipher: &mut Cipher| cipher.update(&input))? {
            Ok(output) => bytes::array(&ctx, &output),
            Err(error) => Err(failure::throw(&ctx, &error)),
        }
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
