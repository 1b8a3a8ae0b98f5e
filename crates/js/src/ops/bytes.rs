//! Bytes: encodings that must be fast, and random bytes from the system.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use rquickjs::{Ctx, Exception, Object, Result, String as JsString, TypedArray, function::Func};

/// As lenient as Node: optional padding, and surplus bits are ignored.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

pub(super) fn install<'js>(host: &Object<'js>) -> Result<()> {
    let encode = |ctx: Ctx<'js>, text: JsString<'js>| -> Result<TypedArray<'js, u8>> {
        // A lone surrogate becomes the replacement character, as on the web.
        let bytes = text.to_string().map_or_else(|_| lossy(&ctx, &text), |text| Ok(text.into_bytes()))?;
        array(&ctx, &bytes)
    };
    host.set("utf8Encode", Func::from(encode))?;
    let decode = |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, fatal: bool| -> Result<String> {
        match String::from_utf8(copy(&bytes)) {
            Ok(text) => Ok(text),
            Err(_) if fatal => {
                Err(Exception::throw_type(&ctx, "The encoded data was not valid for encoding utf-8"))
            }
            Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        }
    };
    host.set("utf8Decode", Func::from(decode))?;
    host.set(
        "latin1Decode",
        Func::from(|bytes: TypedArray<'js, u8>| {
            copy(&bytes).iter().map(|byte| char::from(*byte)).collect::<String>()
        }),
    )?;
    host.set(
        "base64Encode",
        Func::from(|bytes: TypedArray<'js, u8>, url: bool| {
            let bytes = copy(&bytes);
            if url {
                general_purpose::URL_SAFE_NO_PAD.encode(bytes)
            } else {
                general_purpose::STANDARD.encode(bytes)
            }
        }),
    )?;
    let decode64 =
        |ctx: Ctx<'js>, text: String| -> Result<TypedArray<'js, u8>> { array(&ctx, &lenient_base64(&text)) };
    host.set("base64Decode", Func::from(decode64))?;
    host.set("hexEncode", Func::from(|bytes: TypedArray<'js, u8>| hex(&copy(&bytes))))?;
    let decode_hex = |ctx: Ctx<'js>, text: String| -> Result<TypedArray<'js, u8>> {
        let pairs = text.as_bytes().chunks_exact(2).map_while(|pair| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        });
        array(&ctx, &pairs.collect::<Vec<u8>>())
    };
    host.set("hexDecode", Func::from(decode_hex))
}

/// Creates an array in the engine's own memory, where it counts against the tool's limit. Memory that the engine is given
/// instead counts as nothing.
pub(crate) fn array<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<TypedArray<'js, u8>> {
    TypedArray::new_copy(ctx.clone(), bytes)
}

/// Copies an array's bytes; empty if it was detached.
#[expect(unsafe_code, reason = "the engine lends the memory of an array")]
pub(super) fn copy(array: &TypedArray<'_, u8>) -> Vec<u8> {
    // SAFETY: nothing runs in the engine between looking and copying.
    unsafe { array.as_bytes() }.map(<[u8]>::to_vec).unwrap_or_default()
}

/// Accesses an array's bytes in place. The callback must not run JavaScript.
#[expect(unsafe_code, reason = "the engine lends the memory of an array")]
pub(super) fn lend<R>(array: &TypedArray<'_, u8>, look: impl FnOnce(&[u8]) -> R) -> R {
    // SAFETY: nothing runs in the engine while it is looked at.
    look(unsafe { array.as_bytes() }.unwrap_or_default())
}

fn lossy<'js>(ctx: &Ctx<'js>, text: &JsString<'js>) -> Result<Vec<u8>> {
    let value = text.as_value().clone().into_object();
    let _ = (ctx, value);
    let function: rquickjs::Function<'js> = ctx.eval("(text) => text.toWellFormed()")?;
    let clean: String = function.call((text.clone(),))?;
    Ok(clean.into_bytes())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Accepts both alphabets, skips other characters, and stops at padding.
pub(super) fn lenient_base64(text: &str) -> Vec<u8> {
    let clean: Vec<u8> = text
        .bytes()
        .take_while(|byte| *byte != b'=')
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        .collect();
    // A single remaining character encodes nothing.
    let usable = if clean.len() % 4 == 1 { &clean[..clean.len() - 1] } else { &clean[..] };
    LENIENT.decode(usable).unwrap_or_default()
}

/// Maximum number of random bytes in one request.
const MAX_RANDOM_BYTES: usize = 64 << 20;

pub(super) fn install_random<'js>(host: &Object<'js>) -> Result<()> {
    let bytes = |ctx: Ctx<'js>, count: usize| -> Result<TypedArray<'js, u8>> {
        if count > MAX_RANDOM_BYTES {
            return Err(Exception::throw_range(&ctx, "too many random bytes"));
        }
        let mut bytes = vec![0; count];
        getrandom::fill(&mut bytes).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        array(&ctx, &bytes)
    };
    host.set("randomBytes", Func::from(bytes))
}
