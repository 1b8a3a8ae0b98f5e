//! The subject of rules: a loaded tool and the parts of its schema.

use serde_json::{Map, Value};
use toolsmith_js::LoadedTool;
use toolsmith_tool::ToolSpec;

/// Maximum depth examined.
const MAX_DEPTH: usize = 64;

/// A tool being checked.
pub(crate) struct Subject<'a> {
    pub(crate) tool: &'a LoadedTool,
    /// Origin of an earlier tool with the same name.
    pub(crate) winner: Option<String>,
}

impl<'a> Subject<'a> {
    pub(crate) fn spec(&self) -> &'a ToolSpec {
        self.tool.tool.spec()
    }

    /// Returns the schema and all its subschemas.
    pub(crate) fn schemas(&self) -> Vec<Place<'a>> {
        let mut found = Vec::new();
        collect(&self.spec().parameters, String::new(), 0, &mut found);
        found
    }

    /// Returns all parameters, including nested ones.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'a>> {
        let mut found = Vec::new();
        for place in self.schemas() {
            let Some(properties) = place.schema.get("properties").and_then(Value::as_object) else {
                continue;
            };
            let required = place.schema.get("required").and_then(Value::as_array);
            for (name, schema) in properties {
                found.push(Parameter {
                    name,
                    path: join(&place.path, name),
                    schema: schema.as_object(),
                    is_required: required.is_some_and(|list| list.iter().any(|item| item == name.as_str())),
                });
            }
        }
        found
    }
}

/// A subschema of the parameters.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    /// Names of the parameters that lead to it; empty for the root.
    pub(crate) path: String,
    pub(crate) schema: &'a Map<String, Value>,
}

/// One parameter.
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'a str,
    /// The names that lead to it, joined by dots.
    pub(crate) path: String,
    /// `None` for a schema that is `true` or `false`.
    pub(crate) schema: Option<&'a Map<String, Value>>,
    pub(crate) is_required: bool,
}

impl<'a> Parameter<'a> {
    /// Returns the text value of a keyword.
    pub(crate) fn text(&self, keyword: &str) -> Option<&'a str> {
        self.schema?.get(keyword)?.as_str()
    }

    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.schema.is_some_and(|schema| schema.contains_key(keyword))
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn collect<'a>(value: &'a Value, path: String, depth: usize, found: &mut Vec<Place<'a>>) {
    let Some(schema) = value.as_object().filter(|_| depth < MAX_DEPTH) else { return };
    found.push(Place { path: path.clone(), schema });
    for (keyword, inner) in schema {
        match (keyword.as_str(), inner) {
            ("properties" | "patternProperties", Value::Object(map)) => {
                for (name, inner) in map {
                    collect(inner, join(&path, name), depth + 1, found);
                }
            }
            ("$defs" | "definitions" | "dependentSchemas", Value::Object(map)) => {
                map.values().for_each(|inner| collect(inner, path.clone(), depth + 1, found));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(list)) => {
                list.iter().for_each(|inner| collect(inner, path.clone(), depth + 1, found));
            }
            ("items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains", inner) => {
                collect(inner, path.clone(), depth + 1, found);
            }
            _ => {}
        }
    }
}
