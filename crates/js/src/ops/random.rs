//! Random bytes and ids, from the system.

use rquickjs::{Ctx, Exception, Object, Result, TypedArray, function::Func};

/// Maximum size of one request.
const MAX_BYTES: usize = 64 << 20;

pub(super) fn install<'js>(host: &Object<'js>) -> Result<()> {
    let bytes = |ctx: Ctx<'js>, count: usize| -> Result<TypedArray<'js, u8>> {
        if count > MAX_BYTES {
            return Err(Exception::throw_range(&ctx, "too many random bytes"));
        }
        let mut bytes = vec![0; count];
        getrandom::fill(&mut bytes).map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        TypedArray::new(ctx, bytes)
    };
    host.set("randomBytes", Func::from(bytes))
}
