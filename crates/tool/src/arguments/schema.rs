//! The compiled schema, and access to its parts: each part can validate a value on its own.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

use jsonschema::{Validator, ValidatorMap};
use serde_json::Value;
use thiserror::Error;

use super::{dialect::draft_of, is_deeper_than, plain::is_plain};

/// Maximum number of parts of a schema once its references are followed: about a tenth of a second of validation.
const MAX_EXPANDED_PARTS: u64 = 1_000_000;
/// Maximum number of references and levels that are followed one after another.
const MAX_REFERENCE_DEPTH: usize = 2000;
/// Maximum schema depth; compiling deeper schemas would need unbounded stack.
const MAX_SCHEMA_DEPTH: usize = 128;
/// Schemas with more values are refused: no provider takes them, and compiling each part costs time in every session.
const MAX_SCHEMA_NODES: usize = 20_000;
/// The same for the text in a schema: names, words and descriptions together.
const MAX_SCHEMA_BYTES: usize = 1 << 20;

/// Schema errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Models pass arguments as an object, which this schema does not allow.
    #[error("the schema must describe an object, but says {found}")]
    NotAnObject {
        /// The type it declares.
        found: String,
    },
    /// Nested too deeply to compile.
    #[error("the schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")]
    TooDeep,
    /// Too large to be of use.
    #[error(
        "the schema has {nodes} values with {bytes} bytes of text; at most {MAX_SCHEMA_NODES} values and {MAX_SCHEMA_BYTES} bytes \
         are allowed. Take a string instead of a long enum, and check it in execute."
    )]
    TooLarge {
        /// Values in it, those of an enum included.
        nodes: usize,
        /// Bytes of its keys and strings.
        bytes: usize,
    },
    /// References that multiply: validating it would take for ever.
    #[error(
        "the schema has more than {MAX_EXPANDED_PARTS} parts once its references are followed. Define shared parts with fewer \
         references to each other."
    )]
    Expands,
    /// Not a JSON Schema, or one with a reference that leads nowhere or out of the document.
    #[error("not a valid JSON Schema at {at}: {message}")]
    Invalid {
        /// JSON pointer to the problem.
        at: String,
        /// Description of the problem.
        message: String,
    },
}

/// A schema with its validator (compiled on first use if the schema is plain) and, once a value needs repair, a
/// validator for each part.
pub(super) struct SchemaTree {
    schema: Arc<Value>,
    /// The schema with cheap properties first, made when a value is validated: most tools of a session are not called.
    root: OnceLock<Value>,
    has_defaults: bool,
    validator: OnceLock<Option<Validator>>,
    parts: OnceLock<Option<ValidatorMap>>,
}

/// Copies a schema. One that is too deep is refused first: copying it could exceed the stack.
pub(super) fn copied(schema: &Value) -> Result<Arc<Value>, SchemaError> {
    match is_deeper_than(schema, MAX_SCHEMA_DEPTH) {
        true => Err(SchemaError::TooDeep),
        false => Ok(Arc::new(schema.clone())),
    }
}

impl SchemaTree {
    /// Compiles a schema of arguments, which are always an object.
    pub(super) fn compile(schema: Arc<Value>) -> Result<Self, SchemaError> {
        let Value::Object(map) = schema.as_ref() else {
            return Err(SchemaError::NotAnObject { found: shorten(&schema.to_string()) });
        };
        match map.get("type") {
            None => {}
            Some(Value::String(name)) if name == "object" => {}
            Some(Value::Array(names)) if names.iter().any(|name| name == "object") => {}
            Some(other) => {
                return Err(SchemaError::NotAnObject { found: shorten(&format!("\"type\": {other}")) });
            }
        }
        Self::compile_any(schema)
    }

    /// Compiles a schema of any value.
    pub(super) fn compile_any(schema: Arc<Value>) -> Result<Self, SchemaError> {
        if is_deeper_than(&schema, MAX_SCHEMA_DEPTH) {
            return Err(SchemaError::TooDeep);
        }
        let (nodes, bytes) = size(&schema);
        if nodes > MAX_SCHEMA_NODES || bytes > MAX_SCHEMA_BYTES {
            return Err(SchemaError::TooLarge { nodes, bytes });
        }
        // Most schemas have no references, and a session compiles those of all its tools.
        if mentions(&schema, "$ref") && expanded(&schema) > MAX_EXPANDED_PARTS {
            return Err(SchemaError::Expands);
        }
        let has_defaults = mentions(&schema, "default");
        let is_plain = is_plain(&schema);
        let (root, validator, parts) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let tree = Self { schema, root, has_defaults, validator, parts };
        if !is_plain {
            let _ = tree.validator.set(Some(build(tree.ordered())?));
        }
        Ok(tree)
    }

    fn ordered(&self) -> &Value {
        self.root.get_or_init(|| {
            let mut root = Value::clone(&self.schema);
            put_cheap_properties_first(&mut root);
            root
        })
    }

    pub(super) fn is_valid(&self, value: &Value) -> bool {
        // A plain schema always compiles; if it did not, no call may pass unvalidated.
        self.validator
            .get_or_init(|| build(self.ordered()).ok())
            .as_ref()
            .is_some_and(|validator| validator.is_valid(value))
    }

    /// Set if the schema contains any default; most schemas have none and need no second pass.
    pub(super) fn has_defaults(&self) -> bool {
        self.has_defaults
    }

    pub(super) fn root(&self) -> Part<'_> {
        Part { tree: self, pointer: "#".to_owned(), schema: self.ordered() }
    }

    fn parts(&self) -> Option<&ValidatorMap> {
        self.parts.get_or_init(|| options(self.ordered()).build_map(self.ordered()).ok()).as_ref()
    }
}

impl fmt::Debug for SchemaTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaTree").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// Compiles a schema.
pub(super) fn build(schema: &Value) -> Result<Validator, SchemaError> {
    options(schema).build(schema).map_err(|error| SchemaError::Invalid {
        at: match error.instance_path().as_str() {
            "" => "the root".to_owned(),
            path => path.to_owned(),
        },
        message: shorten(&error.to_string()),
    })
}

fn options(schema: &Value) -> jsonschema::ValidationOptions<'static> {
    let options = jsonschema::options().offline().should_validate_formats(true);
    match draft_of(schema) {
        Some(draft) => options.with_draft(draft),
        None => options,
    }
}

/// Reorders `properties` so that discriminators and other scalars are validated before nested parts. The validator
/// follows this order, and an alternative excluded by its discriminator must not cost a walk through everything below
/// it: in recursive schemas that cost multiplies at every level.
fn put_cheap_properties_first(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(put_cheap_properties_first);
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                let mut entries: Vec<(String, Value)> = std::mem::take(properties).into_iter().collect();
                entries.sort_by_key(|(_, property)| cost_rank(property));
                properties.extend(entries);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(put_cheap_properties_first),
        _ => {}
    }
}

fn cost_rank(property: &Value) -> u8 {
    let scalar =
        |name: &Value| matches!(name.as_str(), Some("string" | "number" | "integer" | "boolean" | "null"));
    if property.get("const").is_some() || property.get("enum").is_some() {
        0
    } else if property.get("type").is_some_and(scalar) {
        1
    } else {
        2
    }
}

/// Returns whether a schema has a key at any depth.
fn mentions(schema: &Value, key: &str) -> bool {
    match schema {
        Value::Object(map) => map.contains_key(key) || map.values().any(|below| mentions(below, key)),
        Value::Array(items) => items.iter().any(|below| mentions(below, key)),
        _ => false,
    }
}

fn shorten(text: &str) -> String {
    const MAX: usize = 300;
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Counts the values in a value, itself included.
pub(super) fn count_nodes(value: &Value) -> usize {
    size(value).0
}

/// How many values a value holds, itself included, and the bytes of their keys and strings.
fn size(value: &Value) -> (usize, usize) {
    let (mut nodes, mut bytes) = (0, 0);
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        nodes += 1;
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(map) => {
                bytes += map.keys().map(String::len).sum::<usize>();
                stack.extend(map.values());
            }
            Value::String(text) => bytes += text.len(),
            _ => {}
        }
    }
    (nodes, bytes)
}

/// Counts the parts of a schema with every reference within the document followed, except back to where it came from.
fn expanded(root: &Value) -> u64 {
    let mut counts = HashMap::new();
    expanded_part(root, root, 0, &mut counts)
}

/// `counts` has each part by its address; a part that is being counted has 1.
fn expanded_part(root: &Value, part: &Value, depth: usize, counts: &mut HashMap<*const Value, u64>) -> u64 {
    if let Some(known) = counts.get(&std::ptr::from_ref(part)) {
        return *known;
    }
    if depth > MAX_REFERENCE_DEPTH {
        return u64::MAX;
    }
    counts.insert(std::ptr::from_ref(part), 1);
    let mut count: u64 = 1;
    let mut add = |below: &Value| {
        count = count.saturating_add(expanded_part(root, below, depth + 1, counts));
    };
    match part {
        Value::Array(items) => items.iter().for_each(&mut add),
        Value::Object(map) => {
            map.values().for_each(&mut add);
            let target = map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
            if let Some(target) = target.and_then(|pointer| root.pointer(&percent_decoded(pointer))) {
                add(target);
            }
        }
        _ => {}
    }
    counts.insert(std::ptr::from_ref(part), count);
    count
}

/// One part of a schema.
#[derive(Clone)]
pub(super) struct Part<'s> {
    tree: &'s SchemaTree,
    pointer: String,
    schema: &'s Value,
}

impl<'s> Part<'s> {
    /// Returns whether `value` is valid for this part. A part without its own validator accepts anything, so that it
    /// causes no changes.
    pub(super) fn is_valid(&self, value: &Value) -> bool {
        match self.tree.parts().and_then(|parts| parts.get(&self.pointer)) {
            Some(validator) => validator.is_valid(value),
            None => true,
        }
    }

    pub(super) fn keyword(&self, name: &str) -> Option<&'s Value> {
        self.schema.get(name)
    }

    /// Returns the part below, by keyword and then key or index.
    pub(super) fn below<'k>(&self, path: impl IntoIterator<Item = &'k str>) -> Option<Part<'s>> {
        let mut part = self.clone();
        for key in path {
            part.schema = match part.schema {
                Value::Object(map) => map.get(key)?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
            part.pointer.push('/');
            part.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        }
        Some(part)
    }

    /// Returns the branches of `allOf`, `anyOf` or `oneOf`.
    pub(super) fn branches(&self, keyword: &str) -> Vec<Part<'s>> {
        let count = self.keyword(keyword).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).filter_map(|index| self.below([keyword, &index.to_string()])).collect()
    }

    /// Resolves `$ref` if it is a pointer within the document.
    pub(super) fn reference(&self) -> Option<Part<'s>> {
        let pointer = self.keyword("$ref")?.as_str()?.strip_prefix('#')?;
        let path: Vec<String> = pointer
            .split('/')
            .skip(1)
            .map(|key| percent_decoded(key).replace("~1", "/").replace("~0", "~"))
            .collect();
        self.tree.root().below(path.iter().map(String::as_str))
    }

    /// Returns the part that describes one property of an object.
    pub(super) fn property(&self, key: &str) -> Option<Part<'s>> {
        self.below(["properties", key])
    }

    /// Compiles a validator for this part's own rules, without those of its inner parts.
    pub(super) fn without_inner_parts(&self) -> Option<Validator> {
        const OWN: &[&str] = &[
            "type",
            "enum",
            "const",
            "format",
            "pattern",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
            "uniqueItems",
            "required",
            "minProperties",
            "maxProperties",
            "dependentRequired",
        ];
        let Value::Object(map) = self.schema else {
            return options(self.schema).build(self.schema).ok();
        };
        let mut own: serde_json::Map<String, Value> = map
            .iter()
            .filter(|(key, _)| OWN.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        if self.is_closed() {
            let names = self.property_names().map(|name| (name.to_owned(), Value::Bool(true))).collect();
            own.insert("properties".to_owned(), Value::Object(names));
            own.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        let own = Value::Object(own);
        options(&own).build(&own).ok()
    }

    /// Returns the present rules that this walk does not descend into.
    pub(super) fn rare_keywords(&self) -> Vec<&'static str> {
        [
            "not",
            "if",
            "contains",
            "propertyNames",
            "patternProperties",
            "dependentSchemas",
            "dependencies",
            "unevaluatedProperties",
            "unevaluatedItems",
            "$dynamicRef",
        ]
        .into_iter()
        .filter(|name| self.keyword(name).is_some())
        .collect()
    }

    /// Returns the names of declared properties.
    pub(super) fn property_names(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.keyword("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys())
            .map(String::as_str)
    }

    /// Returns the part that describes one element of an array.
    pub(super) fn element(&self, index: usize) -> Option<Part<'s>> {
        let prefix = self.keyword("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        if index < prefix {
            return self.below(["prefixItems", &index.to_string()]);
        }
        match self.keyword("items")? {
            // Older drafts put the tuple here.
            Value::Array(_) => self.below(["items", &index.to_string()]),
            _ => self.below(["items"]),
        }
    }

    pub(super) fn requires(&self, key: &str) -> bool {
        self.keyword("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|name| name == key))
    }

    /// Returns whether this part itself forbids unknown properties.
    pub(super) fn is_closed(&self) -> bool {
        self.keyword("additionalProperties") == Some(&Value::Bool(false))
            && self.keyword("patternProperties").is_none()
    }

    /// Returns the JSON types this part declares; empty if it declares none.
    pub(super) fn expected_types(&self) -> Vec<&'s str> {
        match self.keyword("type") {
            Some(Value::String(name)) => return vec![name],
            Some(Value::Array(names)) => return names.iter().filter_map(Value::as_str).collect(),
            _ => {}
        }
        let options: Vec<&Value> = match (self.keyword("enum"), self.keyword("const")) {
            (Some(Value::Array(options)), _) => options.iter().collect(),
            (_, Some(only)) => vec![only],
            _ => Vec::new(),
        };
        let mut types = Vec::new();
        for name in options.into_iter().map(type_name) {
            if !types.contains(&name) {
                types.push(name);
            }
        }
        if types.is_empty() && self.keyword("properties").is_some() {
            types.push("object");
        }
        types
    }
}

/// Returns the JSON Schema name of a value's type.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns whether `value` has one of the types. An integral number is an integer.
pub(super) fn fits_types(value: &Value, types: &[&str]) -> bool {
    types.iter().any(|expected| match *expected {
        "integer" => value
            .as_number()
            .is_some_and(|n| n.is_i64() || n.is_u64() || n.as_f64().is_some_and(|f| f.fract() == 0.0)),
        other => other == type_name(value),
    })
}

/// Decodes percent encoding, which `$ref` fragments use. Other text is unchanged.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match (bytes[at], hex.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
