//! Conversion of schemas with a union at the top level, for providers that require a single object there and otherwise
//! reject the whole request. The model receives an object that admits every alternative, with a description of which
//! properties belong together; its arguments are still validated against the tool's own schema.

use serde_json::{Map, Value, json};

/// Keywords that providers reject at the top level of a tool's schema.
const REFUSED: &[&str] = &["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else"];

/// Maximum number of visited subschemas. A schema may refer to itself repeatedly.
const MAX_PARTS: usize = 200;

/// Converts the top level of a schema to a single object.
pub(super) fn make_object(schema: &mut Map<String, Value>) {
    if !REFUSED.iter().any(|word| schema.contains_key(*word)) {
        return;
    }
    let whole = schema.clone();
    let mut parts = Parts { root: &whole, left: MAX_PARTS };
    let shape = parts.shape(&whole);
    for word in REFUSED {
        schema.shift_remove(*word);
    }
    // It would apply to the sibling properties, of which there are more now.
    schema.shift_remove("additionalProperties");
    schema.insert("type".to_owned(), json!("object"));
    let choices = shape.choices();
    let properties = shape.properties.into_iter().map(|(name, schemas)| (name, either(schemas))).collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    if shape.required.is_empty() {
        schema.shift_remove("required");
    } else {
        schema.insert("required".to_owned(), json!(shape.required));
    }
    if let Some(choices) = choices {
        let said = schema.get("description").and_then(Value::as_str).map(|text| format!("{text} "));
        schema.insert(
            "description".to_owned(),
            json!(format!("{}Give one of: {choices}.", said.unwrap_or_default())),
        );
    }
}

/// The combined object shapes of a schema.
#[derive(Default)]
struct Shape {
    /// Property names, each with its different schemas.
    properties: Vec<(String, Vec<Value>)>,
    required: Vec<String>,
    /// Required properties of each alternative.
    alternatives: Vec<Vec<String>>,
}

impl Shape {
    fn add(&mut self, name: &str, schema: Value) {
        match self.properties.iter_mut().find(|(known, _)| known == name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => self.properties.push((name.to_owned(), vec![schema])),
        }
    }

    /// Merges a shape that applies in addition to this one.
    fn join(&mut self, other: Self) {
        for (name, schemas) in other.properties {
            schemas.into_iter().for_each(|schema| self.add(&name, schema));
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.alternatives.extend(other.alternatives);
    }

    /// Describes which properties belong together.
    fn choices(&self) -> Option<String> {
        let mut sets: Vec<String> = Vec::new();
        for set in self.alternatives.iter().filter(|set| !set.is_empty()) {
            let set = format!("{{{}}}", set.join(", "));
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        (sets.len() > 1).then(|| sets.join(" or "))
    }
}

struct Parts<'a> {
    root: &'a Map<String, Value>,
    left: usize,
}

impl Parts<'_> {
    fn shape(&mut self, schema: &Map<String, Value>) -> Shape {
        let mut shape = Shape::default();
        if self.left == 0 {
            return shape;
        }
        self.left -= 1;
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            shape.add(name, property.clone());
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        shape.required.extend(required.filter_map(Value::as_str).map(str::to_owned));
        if let Some(target) =
            schema.get("$ref").and_then(Value::as_str).and_then(|pointer| self.target(pointer))
        {
            let target = self.shape(&target);
            shape.join(target);
        }
        for part in objects(schema, "allOf") {
            let part = self.shape(part);
            shape.join(part);
        }
        for word in ["anyOf", "oneOf"] {
            let alternatives: Vec<Shape> = objects(schema, word).map(|part| self.shape(part)).collect();
            if let Some(either) = either_shape(alternatives) {
                shape.join(either);
            }
        }
        shape
    }

    /// Resolves a reference within the document.
    fn target(&self, pointer: &str) -> Option<Map<String, Value>> {
        let mut keys = pointer.strip_prefix("#/")?.split('/');
        let first = self.root.get(keys.next()?)?;
        let target =
            keys.try_fold(first, |value, key| value.get(key.replace("~1", "/").replace("~0", "~").as_str()))?;
        target.as_object().cloned()
    }
}

fn objects<'s>(schema: &'s Map<String, Value>, word: &str) -> impl Iterator<Item = &'s Map<String, Value>> {
    schema.get(word).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

/// Merges alternatives into a shape that admits each of them. A property is required if all alternatives require it.
fn either_shape(alternatives: Vec<Shape>) -> Option<Shape> {
    let mut either = Shape::default();
    let first = alternatives.first()?.required.clone();
    let required: Vec<String> = first
        .into_iter()
        .filter(|name| alternatives.iter().all(|alternative| alternative.required.contains(name)))
        .collect();
    for mut alternative in alternatives {
        let names = std::mem::take(&mut alternative.required);
        let set =
            names.iter().map(|name| match alternative.properties.iter().find(|(known, _)| known == name) {
                Some((_, schemas)) => match schemas.first().and_then(|schema| schema.get("const")) {
                    Some(only) => format!("{name}: {only}"),
                    None => name.clone(),
                },
                None => name.clone(),
            });
        let set = set.collect();
        let nested = std::mem::take(&mut alternative.alternatives);
        either.join(alternative);
        if nested.is_empty() {
            either.alternatives.push(set);
        } else {
            either.alternatives.extend(nested);
        }
    }
    either.required = required;
    Some(either)
}

/// Merges the schemas of one property; the values of a discriminator become one enum.
fn either(mut schemas: Vec<Value>) -> Value {
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    let tags: Option<Vec<&Value>> =
        schemas.iter().map(|schema| schema.get("const").filter(|only| only.is_string())).collect();
    match tags {
        Some(tags) => json!({ "type": "string", "enum": tags }),
        None => json!({ "anyOf": schemas }),
    }
}

#[cfg(test)]
#[path = "object_root_tests.rs"]
mod tests;
