//! Conversion of command-line arguments to JSON: `key=value` by the tool's schema, or JSON.

use std::io::Read as _;

use anyhow::Result;
use serde_json::{Map, Value};
use toolsmith_js::code_frame;
use toolsmith_tool::{ToolSpec, closest_names};

use super::usage;
use crate::failure::Problem;

/// Maximum depth of recursive references.
const MAX_DEPTH: usize = 16;

/// A tool's schema with its references.
#[derive(Clone, Copy)]
pub(super) struct Schema<'a> {
    root: &'a Value,
}

impl<'a> Schema<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// Follows references within the schema.
    pub(super) fn resolve<'b>(self, mut part: &'b Value) -> &'b Value
    where
        'a: 'b,
    {
        for _ in 0..MAX_DEPTH {
            let target = part.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            match target.and_then(|pointer| self.root.pointer(pointer)) {
                Some(found) => part = found,
                None => break,
            }
        }
        part
    }

    /// Returns the arguments in order.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let properties = self.resolve(self.root).get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, property)| (name.as_str(), property))
    }

    pub(super) fn requires(self, name: &str) -> bool {
        let required = self.resolve(self.root).get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|entry| entry == name))
    }

    /// Returns the types a value may have, including those of alternatives.
    pub(super) fn types(self, part: &'a Value) -> Vec<&'a str> {
        let mut types = Vec::new();
        self.collect_types(part, &mut types, 0);
        types
    }

    fn collect_types(self, part: &'a Value, types: &mut Vec<&'a str>, depth: usize) {
        let part = self.resolve(part);
        if depth > MAX_DEPTH {
            return;
        }
        let mut add = |name: &'a str| {
            if !types.contains(&name) {
                types.push(name);
            }
        };
        match part.get("type") {
            Some(Value::String(name)) => add(name),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).for_each(add),
            _ => {
                let fixed = part.get("enum").and_then(Value::as_array).into_iter().flatten();
                for value in fixed.chain(part.get("const")) {
                    add(type_of(value));
                }
                if part.get("properties").is_some() {
                    add("object");
                }
            }
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            for inner in part.get(word).and_then(Value::as_array).into_iter().flatten() {
                self.collect_types(inner, types, depth + 1);
            }
        }
    }

    /// Returns the schema of a member: its own, that of an alternative, or the one for additional properties.
    fn member(self, part: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
        let part = self.resolve(part);
        if let Some(own) = part.get("properties").and_then(|properties| properties.get(name)) {
            return Some(own);
        }
        if depth < MAX_DEPTH {
            for word in ["anyOf", "oneOf", "allOf"] {
                let inner = part.get(word).and_then(Value::as_array).into_iter().flatten();
                if let Some(found) = inner.into_iter().find_map(|inner| self.member(inner, name, depth + 1)) {
                    return Some(found);
                }
            }
        }
        part.get("additionalProperties").filter(|other| other.is_object())
    }

    /// Returns whether an object explicitly allows additional members.
    fn is_open(self, part: &'a Value) -> bool {
        let part = self.resolve(part);
        let named = part.get("properties").and_then(Value::as_object).is_some_and(|named| !named.is_empty());
        let has_alternatives =
            ["anyOf", "oneOf", "allOf", "patternProperties"].iter().any(|word| part.get(word).is_some());
        has_alternatives
            || !named
            || part.get("additionalProperties").is_some_and(|other| *other != Value::Bool(false))
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Parses the given arguments.
pub(in crate::commands) fn read(spec: &ToolSpec, pairs: &[String], args: Option<&str>) -> Result<Value> {
    let mut arguments = match args {
        Some(given) => read_json("--args", given)?,
        None => Value::Object(Map::new()),
    };
    let schema = Schema::new(&spec.parameters);
    for pair in pairs {
        put(&mut arguments, schema, spec, pair)?;
    }
    let missing: Vec<&str> = schema
        .properties()
        .filter(|(name, property)| {
            schema.requires(name) && property.get("default").is_none() && arguments.get(name).is_none()
        })
        .map(|(name, _)| name)
        .collect();
    if !missing.is_empty() {
        let what = format!("\"{}\" needs {}", spec.name, missing.join(" and "));
        return Err(Problem::wrong_use(what).more(usage::draw(spec)).into());
    }
    Ok(arguments)
}

/// Reads the JSON object of an option: given as it is, as `@FILE`, or from standard input.
pub(in crate::commands) fn read_json(option: &str, given: &str) -> Result<Value> {
    let (text, from) = match given.strip_prefix('@') {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Problem::wrong_use(format!("{option}: {file} cannot be read: {error}")))?;
            (text, file.to_owned())
        }
        None if given == "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).map_err(|error| {
                Problem::wrong_use(format!("{option}: standard input cannot be read: {error}"))
            })?;
            (text, "standard input".to_owned())
        }
        None => (given.to_owned(), option.to_owned()),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        let (line, column) =
            (u32::try_from(error.line()).unwrap_or(1), u32::try_from(error.column()).unwrap_or(1));
        let problem = Problem::wrong_use(format!("{from} is not JSON: {error}"))
            .hint("Names and texts need double quotes; or give the arguments as key=value.");
        match code_frame(&text, line, column.max(1)) {
            Some(frame) => problem.more(frame),
            None => problem,
        }
    })?;
    if !value.is_object() {
        let what = format!("{from} is a JSON {}, but arguments must be an object", type_of(&value));
        return Err(Problem::wrong_use(what).hint("Write {\"name\": value}.").into());
    }
    Ok(value)
}

/// Stores one `key=value`.
fn put(arguments: &mut Value, schema: Schema<'_>, spec: &ToolSpec, pair: &str) -> Result<()> {
    let Some((key, text)) = pair.split_once('=') else {
        let what = format!("\"{pair}\" is not KEY=VALUE");
        return Err(Problem::wrong_use(what).more(usage::draw(spec)).into());
    };
    // A property whose name contains a dot takes precedence.
    let whole = schema.member(schema.root, key, 0).is_some();
    let path: Vec<&str> = if whole { vec![key] } else { key.split('.').collect() };
    let Some((last, parents)) = path.split_last() else {
        return Ok(());
    };
    let mut at = arguments;
    let mut part = Some(schema.root);
    let mut walked = Vec::new();
    for name in parents {
        part = enter(schema, part, name, &walked, spec)?;
        walked.push(*name);
        let slot =
            object(at, &walked)?.entry((*name).to_owned()).or_insert_with(|| Value::Object(Map::new()));
        at = slot;
    }
    let part = enter(schema, part, last, &walked, spec)?;
    walked.push(last);
    let is_list = part.is_some_and(|part| schema.types(part).contains(&"array"));
    let members = object(at, &walked)?;
    match members.get_mut(*last) {
        None => {
            members.insert((*last).to_owned(), convert(schema, part, text));
        }
        Some(Value::Array(items)) if is_list => match convert(schema, part, text) {
            Value::Array(more) => items.extend(more),
            other => items.push(other),
        },
        Some(_) => {
            let what = format!("\"{key}\" given twice, but it does not take a list");
            return Err(Problem::wrong_use(what).more(usage::draw(spec)).into());
        }
    }
    Ok(())
}

fn object<'v>(at: &'v mut Value, walked: &[&str]) -> Result<&'v mut Map<String, Value>> {
    let parent = walked.split_last().map(|(_, parents)| parents.join(".")).unwrap_or_default();
    at.as_object_mut().ok_or_else(|| {
        Problem::wrong_use(format!("\"{parent}\" already has a value that is not an object")).into()
    })
}

/// Returns the schema of a member, or an error if there can be none.
fn enter<'a>(
    schema: Schema<'a>,
    part: Option<&'a Value>,
    name: &str,
    walked: &[&str],
    spec: &ToolSpec,
) -> Result<Option<&'a Value>> {
    let Some(part) = part else {
        return Ok(None);
    };
    if let Some(member) = schema.member(part, name, 0) {
        return Ok(Some(member));
    }
    if schema.is_open(part) {
        return Ok(None);
    }
    let named = schema.resolve(part).get("properties").and_then(Value::as_object);
    let names: Vec<&str> = named.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let full = walked.iter().copied().chain([name]).collect::<Vec<_>>().join(".");
    let mut problem =
        Problem::wrong_use(format!("\"{}\" has no argument \"{full}\"", spec.name)).more(usage::draw(spec));
    if let Some(closest) = closest_names(name, names).first() {
        problem = problem.hint(format!("Did you mean \"{closest}\"?"));
    }
    Err(problem.into())
}

/// Converts a value by its schema. A value that does not fit stays text, and validation reports what was expected.
fn convert(schema: Schema<'_>, part: Option<&Value>, text: &str) -> Value {
    let as_text = || Value::String(text.to_owned());
    let Some(part) = part else {
        return serde_json::from_str(text).unwrap_or_else(|_| as_text());
    };
    let part = schema.resolve(part);
    let types = schema.types(part);
    let may_be = |name: &str| types.contains(&name);
    if types.is_empty() {
        return serde_json::from_str(text).unwrap_or_else(|_| as_text());
    }
    if may_be("array") {
        if let Ok(Value::Array(items)) = serde_json::from_str(text) {
            return Value::Array(items);
        }
        let item = convert(schema, part.get("items"), text);
        // A list of texts is given item by item.
        let item = if part.get("items").is_some() { item } else { as_text() };
        return Value::Array(vec![item]);
    }
    // Text stays text, whatever it looks like.
    if may_be("string") {
        return as_text();
    }
    let json: Option<Value> = serde_json::from_str(text.trim()).ok();
    match json {
        Some(value) if may_be(type_of(&value)) => return value,
        Some(value @ Value::Number(_)) if may_be("integer") => return value,
        _ => {}
    }
    if may_be("boolean") {
        match text.trim().to_ascii_lowercase().as_str() {
            "yes" | "on" | "true" => return Value::Bool(true),
            "no" | "off" | "false" => return Value::Bool(false),
            _ => {}
        }
    }
    as_text()
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
