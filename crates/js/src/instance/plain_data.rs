//! Plain data across the engine boundary, without JSON text in between: arguments become objects of the engine, and details
//! of results become values. Whatever is not plain (objects with a prototype of their own, `toJSON`, proxies) is left to
//! the engine's `JSON.stringify`, so that its rules hold.

#![expect(unsafe_code, reason = "the engine's safe interface creates a handle for every value")]

use std::{ffi::c_int, ptr, slice};

use rquickjs::{Ctx, Error, Result, Value, qjs};
use serde_json::{Map, Number, Value as Json};

use crate::{
    data_limit::{BLOCK, MEMBER, VALUE, size_of_value, structure_of},
    stop::StopFlags,
};

/// Deeper values go through JSON text, whose readers have limits of their own.
const MAX_DEPTH: usize = 100;
/// The stop flags are checked after this many values.
const VALUES_BETWEEN_LOOKS: usize = 4096;
/// Own enumerable properties with names.
const NAMES: c_int = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as c_int;
const PLAIN_PROPERTY: c_int = qjs::JS_PROP_C_W_E as c_int;
/// From here on, JavaScript writes numbers with an exponent.
const EXPONENT: f64 = 1e21;
/// The largest number below which all whole numbers exist.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Creates the engine's value; `None` for one that is too deep.
pub(crate) fn to_engine<'js>(ctx: &Ctx<'js>, value: &Json) -> Result<Option<Value<'js>>> {
    if is_deeper_than(value, MAX_DEPTH) {
        return Ok(None);
    }
    let mut writer = Writer { raw: ctx.as_raw().as_ptr(), atoms: Vec::new() };
    // SAFETY: the context is the current one. The value is ours and handed on.
    unsafe {
        let made = writer.value(value, 0);
        if is_exception(made) { Err(Error::Exception) } else { Ok(Some(Value::from_raw(ctx.clone(), made))) }
    }
}

/// The outcome of reading a value.
pub(crate) enum FromEngine {
    /// The value, `None` for one that JSON leaves out, and the bytes it takes.
    Value(Option<Json>, usize),
    /// It needs the engine's own conversion to text.
    Text,
    /// It takes more bytes than it may.
    TooLarge,
}

/// Reads a value of the engine as `JSON.stringify` would write it, if it takes at most `limit` bytes here. A list of many
/// holes, or of the same list many times, is small in the engine.
///
/// # Errors
/// Fails with what a getter or a `toJSON` threw.
pub(crate) fn from_engine(
    ctx: &Ctx<'_>,
    value: &Value<'_>,
    limit: usize,
    stop: &StopFlags,
) -> Result<FromEngine> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the context is the current one; the value lives for the call.
    unsafe {
        let mut reader = Reader::new(raw, limit, stop)?;
        match reader.value(value.as_raw(), 0) {
            Ok(value) => Ok(FromEngine::Value(value, limit - reader.left)),
            Err(NotRead::Thrown) => Err(Error::Exception),
            // The guard of host functions ends the code of a runtime that is to stop.
            Err(NotRead::NotPlain | NotRead::Stopped) => Ok(FromEngine::Text),
            Err(NotRead::TooLarge) => Ok(FromEngine::TooLarge),
        }
    }
}

/// Copies a text of the engine, after `count` has accepted the number of its bytes.
///
/// # Errors
/// Fails with what `count` or the engine threw.
pub(crate) fn text_from_engine(
    ctx: &Ctx<'_>,
    text: &Value<'_>,
    count: impl FnOnce(usize) -> Result<()>,
) -> Result<String> {
    let (raw, mut length) = (ctx.as_raw().as_ptr(), 0);
    // SAFETY: the context is the current one; the text has this length until it is freed.
    unsafe {
        let text = qjs::JS_ToCStringLen2(raw, &raw mut length, text.as_raw(), false);
        if text.is_null() {
            return Err(Error::Exception);
        }
        let bytes = slice::from_raw_parts(text.cast::<u8>(), length as usize);
        let copied = count(bytes.len()).map(|()| well_formed(bytes));
        qjs::JS_FreeCString(raw, text);
        // Without halves of surrogate pairs, texts of the engine are UTF-8.
        copied.map(Option::unwrap_or_default)
    }
}

fn is_deeper_than(value: &Json, depth: usize) -> bool {
    match value {
        Json::Array(list) => depth == 0 || list.iter().any(|value| is_deeper_than(value, depth - 1)),
        Json::Object(map) => depth == 0 || map.values().any(|value| is_deeper_than(value, depth - 1)),
        _ => false,
    }
}

fn is_exception(value: qjs::JSValue) -> bool {
    tag(value) == qjs::JS_TAG_EXCEPTION
}

fn tag(value: qjs::JSValue) -> i32 {
    // SAFETY: only the tag is read.
    unsafe { qjs::JS_VALUE_GET_NORM_TAG(value) }
}

/// Creates values of the engine.
struct Writer<'v> {
    raw: *mut qjs::JSContext,
    /// The names last used at each depth, by their place in an object: objects of a list mostly have the same ones.
    atoms: Vec<Vec<(&'v str, qjs::JSAtom)>>,
}

impl<'v> Writer<'v> {
    /// # Safety
    /// The context is the current one. The result is owned by the caller.
    unsafe fn value(&mut self, value: &'v Json, depth: usize) -> qjs::JSValue {
        // SAFETY: the caller's promise.
        unsafe {
            match value {
                Json::Null => qjs::JS_NULL,
                Json::Bool(flag) => qjs::JS_MKVAL(qjs::JS_TAG_BOOL, i32::from(*flag)),
                Json::Number(number) => match number.as_i64().and_then(|number| i32::try_from(number).ok()) {
                    Some(number) => qjs::JS_MKVAL(qjs::JS_TAG_INT, number),
                    None => qjs::JS_NewFloat64(number.as_f64().unwrap_or(f64::NAN)),
                },
                Json::String(text) => qjs::JS_NewStringLen(self.raw, text.as_ptr().cast(), text.len() as _),
                Json::Array(list) => self.array(list, depth),
                Json::Object(map) => self.object(map, depth),
            }
        }
    }

    /// # Safety
    /// As for [`Writer::value`].
    unsafe fn array(&mut self, list: &'v [Json], depth: usize) -> qjs::JSValue {
        let mut values = Vec::with_capacity(list.len());
        // SAFETY: the caller's promise; the array takes the values, and frees them if it cannot be made.
        unsafe {
            for value in list {
                let made = self.value(value, depth + 1);
                if is_exception(made) {
                    values.into_iter().for_each(|value| qjs::JS_FreeValue(self.raw, value));
                    return made;
                }
                values.push(made);
            }
            let Ok(count) = c_int::try_from(values.len()) else { return qjs::JS_EXCEPTION };
            qjs::JS_NewArrayFrom(self.raw, count, values.as_ptr())
        }
    }

    /// # Safety
    /// As for [`Writer::value`].
    unsafe fn object(&mut self, map: &'v Map<String, Json>, depth: usize) -> qjs::JSValue {
        // SAFETY: the caller's promise; the object takes the values.
        unsafe {
            let object = qjs::JS_NewObject(self.raw);
            if is_exception(object) {
                return object;
            }
            for (place, (name, value)) in map.iter().enumerate() {
                let is_defined = self.atom(name, depth, place).is_some_and(|atom| {
                    let made = self.value(value, depth + 1);
                    !is_exception(made)
                        && qjs::JS_DefinePropertyValue(self.raw, object, atom, made, PLAIN_PROPERTY) >= 0
                });
                if !is_defined {
                    qjs::JS_FreeValue(self.raw, object);
                    return qjs::JS_EXCEPTION;
                }
            }
            object
        }
    }

    /// Returns a borrowed atom for a name.
    ///
    /// # Safety
    /// As for [`Writer::value`].
    unsafe fn atom(&mut self, name: &'v str, depth: usize, place: usize) -> Option<qjs::JSAtom> {
        if self.atoms.len() <= depth {
            self.atoms.resize_with(depth + 1, Vec::new);
        }
        let known = &mut self.atoms[depth];
        if let Some((_, atom)) = known.get(place).filter(|(known, _)| *known == name) {
            return Some(*atom);
        }
        // SAFETY: the caller's promise; the engine copies the name.
        unsafe {
            let atom = qjs::JS_NewAtomLen(self.raw, name.as_ptr().cast(), name.len() as _);
            if atom == qjs::JS_ATOM_NULL {
                return None;
            }
            match known.get_mut(place) {
                Some(other) => qjs::JS_FreeAtom(self.raw, std::mem::replace(other, (name, atom)).1),
                // Places are filled in order.
                None => known.push((name, atom)),
            }
            Some(atom)
        }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        for (_, atom) in self.atoms.iter().flatten() {
            // SAFETY: the atoms are ours.
            unsafe { qjs::JS_FreeAtom(self.raw, *atom) };
        }
    }
}

/// The reason a value was not read.
enum NotRead {
    /// An exception is pending.
    Thrown,
    NotPlain,
    TooLarge,
    Stopped,
}

/// Reads values of the engine.
struct Reader<'s> {
    raw: *mut qjs::JSContext,
    object_class: qjs::JSClassID,
    array_class: qjs::JSClassID,
    object_prototype: qjs::JSValue,
    array_prototype: qjs::JSValue,
    to_json: qjs::JSAtom,
    stop: &'s StopFlags,
    /// Bytes that may still be taken.
    left: usize,
    /// Values until the stop flags are checked again.
    until_look: usize,
    /// The names last read at each depth, by their place in an object.
    names: Vec<Vec<(qjs::JSAtom, String)>>,
}

impl<'s> Reader<'s> {
    /// # Safety
    /// The context is the current one.
    unsafe fn new(raw: *mut qjs::JSContext, limit: usize, stop: &'s StopFlags) -> Result<Self> {
        // SAFETY: the caller's promise; everything made here is freed here or kept.
        unsafe {
            let (object, array) = (qjs::JS_NewObject(raw), qjs::JS_NewArray(raw));
            let reader = Self {
                raw,
                object_class: qjs::JS_GetClassID(object),
                array_class: qjs::JS_GetClassID(array),
                object_prototype: qjs::JS_GetPrototype(raw, object),
                array_prototype: qjs::JS_GetPrototype(raw, array),
                to_json: qjs::JS_NewAtomLen(raw, c"toJSON".as_ptr(), 6),
                stop,
                left: limit,
                until_look: VALUES_BETWEEN_LOOKS,
                names: Vec::new(),
            };
            let is_made =
                !is_exception(object) && !is_exception(array) && reader.to_json != qjs::JS_ATOM_NULL;
            qjs::JS_FreeValue(raw, object);
            qjs::JS_FreeValue(raw, array);
            if is_made { Ok(reader) } else { Err(Error::Exception) }
        }
    }

    /// Reads a value; `None` for one that JSON leaves out. The list or object it is in has counted the value itself.
    ///
    /// # Safety
    /// The context is the current one; the value lives for the call.
    unsafe fn value(
        &mut self,
        value: qjs::JSValue,
        depth: usize,
    ) -> std::result::Result<Option<Json>, NotRead> {
        self.look()?;
        // SAFETY: the caller's promise; the tags say what the values are.
        unsafe {
            Ok(Some(match tag(value) {
                qjs::JS_TAG_NULL => Json::Null,
                qjs::JS_TAG_BOOL => Json::Bool(qjs::JS_VALUE_GET_INT(value) != 0),
                qjs::JS_TAG_INT => Json::from(qjs::JS_VALUE_GET_INT(value)),
                qjs::JS_TAG_FLOAT64 => number(qjs::JS_VALUE_GET_FLOAT64(value)),
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Json::String(self.text(value)?),
                qjs::JS_TAG_OBJECT => {
                    let class = qjs::JS_GetClassID(value);
                    if class == self.array_class && self.inherits(value, self.array_prototype)? {
                        return self.array(value, depth).map(Some);
                    }
                    if class == self.object_class && self.inherits(value, self.object_prototype)? {
                        return self.object(value, depth).map(Some);
                    }
                    return self.by_engine(value);
                }
                // Undefined and symbols are left out; the engine has its own opinion of anything else.
                qjs::JS_TAG_UNDEFINED | qjs::JS_TAG_SYMBOL => return Ok(None),
                _ => return self.by_engine(value),
            }))
        }
    }

    /// Counts memory before it is used.
    fn take(&mut self, bytes: usize) -> std::result::Result<(), NotRead> {
        self.left = self.left.checked_sub(bytes).ok_or(NotRead::TooLarge)?;
        Ok(())
    }

    /// Counts values that each take so many bytes.
    fn take_values(&mut self, count: usize, bytes: usize) -> std::result::Result<(), NotRead> {
        self.take(count.checked_mul(bytes).and_then(|all| all.checked_add(BLOCK)).ok_or(NotRead::TooLarge)?)
    }

    /// Checks the stop flags every few thousand values.
    fn look(&mut self) -> std::result::Result<(), NotRead> {
        self.until_look -= 1;
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = VALUES_BETWEEN_LOOKS;
        if self.stop.is_over() { Err(NotRead::Stopped) } else { Ok(()) }
    }

    /// Returns whether an object has this prototype, which has no `toJSON`.
    ///
    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn inherits(
        &self,
        value: qjs::JSValue,
        prototype: qjs::JSValue,
    ) -> std::result::Result<bool, NotRead> {
        // SAFETY: the caller's promise; what is read is freed.
        unsafe {
            let found = qjs::JS_GetPrototype(self.raw, value);
            let is_same = tag(found) == qjs::JS_TAG_OBJECT
                && qjs::JS_VALUE_GET_PTR(found) == qjs::JS_VALUE_GET_PTR(prototype);
            qjs::JS_FreeValue(self.raw, found);
            if !is_same {
                return Ok(false);
            }
            let to_json = qjs::JS_GetProperty(self.raw, value, self.to_json);
            let is_plain = tag(to_json) == qjs::JS_TAG_UNDEFINED;
            qjs::JS_FreeValue(self.raw, to_json);
            if is_exception(to_json) { Err(NotRead::Thrown) } else { Ok(is_plain) }
        }
    }

    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn array(&mut self, array: qjs::JSValue, depth: usize) -> std::result::Result<Json, NotRead> {
        if depth == MAX_DEPTH {
            return Err(NotRead::NotPlain);
        }
        // SAFETY: the caller's promise; each element is owned until it was read.
        unsafe {
            let mut length = 0;
            if qjs::JS_GetLength(self.raw, array, &raw mut length) < 0 {
                return Err(NotRead::Thrown);
            }
            let count = usize::try_from(length).unwrap_or_default();
            self.take_values(count, VALUE)?;
            let mut list = Vec::with_capacity(count);
            for index in 0..length {
                let element = qjs::JS_GetPropertyInt64(self.raw, array, index);
                if is_exception(element) {
                    return Err(NotRead::Thrown);
                }
                let read = self.value(element, depth + 1);
                qjs::JS_FreeValue(self.raw, element);
                list.push(read?.unwrap_or(Json::Null));
            }
            Ok(Json::Array(list))
        }
    }

    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn object(&mut self, object: qjs::JSValue, depth: usize) -> std::result::Result<Json, NotRead> {
        if depth == MAX_DEPTH {
            return Err(NotRead::NotPlain);
        }
        let (mut table, mut length) = (ptr::null_mut(), 0);
        // SAFETY: the caller's promise; the table has this many entries and is freed after them.
        unsafe {
            if qjs::JS_GetOwnPropertyNames(self.raw, &raw mut table, &raw mut length, object, NAMES) < 0 {
                return Err(NotRead::Thrown);
            }
            let names = if table.is_null() { &[][..] } else { slice::from_raw_parts(table, length as usize) };
            let read = self.members(object, names, depth);
            qjs::JS_FreePropertyEnum(self.raw, table, length);
            read.map(Json::Object)
        }
    }

    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn members(
        &mut self,
        object: qjs::JSValue,
        names: &[qjs::JSPropertyEnum],
        depth: usize,
    ) -> std::result::Result<Map<String, Json>, NotRead> {
        self.take_values(names.len(), VALUE + MEMBER + BLOCK)?;
        let mut map = Map::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            // SAFETY: the caller's promise; the member is owned until it was read.
            unsafe {
                let member = qjs::JS_GetProperty(self.raw, object, name.atom);
                if is_exception(member) {
                    return Err(NotRead::Thrown);
                }
                let read = self.value(member, depth + 1);
                qjs::JS_FreeValue(self.raw, member);
                if let Some(value) = read? {
                    let name = self.name(name.atom, depth, place)?;
                    self.take(name.len())?;
                    map.insert(name, value);
                }
            }
        }
        Ok(map)
    }

    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn name(
        &mut self,
        atom: qjs::JSAtom,
        depth: usize,
        place: usize,
    ) -> std::result::Result<String, NotRead> {
        if self.names.len() <= depth {
            self.names.resize_with(depth + 1, Vec::new);
        }
        if let Some((_, name)) = self.names[depth].get(place).filter(|(known, _)| *known == atom) {
            return Ok(name.clone());
        }
        // SAFETY: the caller's promise; the count of the atom is raised for what is kept, so that its number stays its own.
        unsafe {
            let mut length = 0;
            let name =
                self.take_text(qjs::JS_AtomToCStringLen(self.raw, &raw mut length, atom), length as usize)?;
            let known = (qjs::JS_DupAtom(self.raw, atom), name.clone());
            let names = &mut self.names[depth];
            if names.len() == place {
                names.push(known);
            } else {
                // A member that JSON leaves out has no name here, so places may be skipped.
                let unused = names.get_mut(place).map(|other| std::mem::replace(other, known.clone()));
                qjs::JS_FreeAtom(self.raw, unused.unwrap_or(known).0);
            }
            Ok(name)
        }
    }

    /// # Safety
    /// As for [`Reader::value`]; the value is a string.
    unsafe fn text(&mut self, value: qjs::JSValue) -> std::result::Result<String, NotRead> {
        let mut length = 0;
        // SAFETY: the caller's promise.
        unsafe {
            let text = qjs::JS_ToCStringLen2(self.raw, &raw mut length, value, false);
            if !text.is_null()
                && let Err(error) = self.take(length as usize + BLOCK)
            {
                qjs::JS_FreeCString(self.raw, text);
                return Err(error);
            }
            self.take_text(text, length as usize)
        }
    }

    /// Copies and frees a text of the engine.
    ///
    /// # Safety
    /// `text` was given by the engine, with this length.
    unsafe fn take_text(
        &self,
        text: *const std::ffi::c_char,
        length: usize,
    ) -> std::result::Result<String, NotRead> {
        if text.is_null() {
            return Err(NotRead::Thrown);
        }
        // SAFETY: the caller's promise.
        unsafe {
            let copied = well_formed(slice::from_raw_parts(text.cast::<u8>(), length));
            qjs::JS_FreeCString(self.raw, text);
            copied.ok_or(NotRead::NotPlain)
        }
    }

    /// Has the engine convert a value that is not plain.
    ///
    /// # Safety
    /// As for [`Reader::value`].
    unsafe fn by_engine(&mut self, value: qjs::JSValue) -> std::result::Result<Option<Json>, NotRead> {
        // SAFETY: the caller's promise; the text is owned until it was read.
        unsafe {
            let json = qjs::JS_JSONStringify(self.raw, value, qjs::JS_UNDEFINED, qjs::JS_UNDEFINED);
            if is_exception(json) {
                return Err(NotRead::Thrown);
            }
            if tag(json) == qjs::JS_TAG_UNDEFINED {
                return Ok(None);
            }
            let before = self.left;
            let text = self.text(json);
            qjs::JS_FreeValue(self.raw, json);
            let text = text?;
            self.take(structure_of(&text))?;
            let value = serde_json::from_str(&text).map_err(|_| NotRead::NotPlain)?;
            // What the value takes, in place of what it could have taken.
            self.left = before.saturating_sub(size_of_value(&value));
            Ok(Some(value))
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        // SAFETY: the values and atoms are ours.
        unsafe {
            for (atom, _) in self.names.iter().flatten() {
                qjs::JS_FreeAtom(self.raw, *atom);
            }
            qjs::JS_FreeAtom(self.raw, self.to_json);
            qjs::JS_FreeValue(self.raw, self.object_prototype);
            qjs::JS_FreeValue(self.raw, self.array_prototype);
        }
    }
}

/// Copies a text. A lone surrogate becomes the replacement character, as in `toWellFormed`.
fn well_formed(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some(text.to_owned());
    }
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xed && bytes[at + 1] >= 0xa0 {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns a number as it is read from the text that JavaScript writes for it.
fn number(value: f64) -> Json {
    let is_whole = value.fract() == 0.0 && value.abs() < EXPONENT;
    if is_whole && value.abs() <= MAX_SAFE {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
        return Json::from(value as i64);
    }
    // Digits beyond the precision of a number are written as zeros.
    let written = is_whole.then(|| serde_json::from_str(&value.to_string()).ok()).flatten();
    written.or_else(|| Number::from_f64(value)).map_or(Json::Null, Json::Number)
}
