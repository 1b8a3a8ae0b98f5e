//! Command-line usage of a tool, derived from its schema.

use serde_json::Value;
use toolsmith_tool::ToolSpec;

use super::arguments::Schema;

/// Maximum width of a column; an enum may have thousands of values.
const MAX_COLUMN: usize = 40;

/// Returns the usage line and one line for each argument.
pub(super) fn draw(spec: &ToolSpec) -> String {
    let schema = Schema::new(&spec.parameters);
    let mut line = format!("Usage: toolsmith call {}", spec.name);
    let mut rows = Vec::new();
    for (name, property) in schema.properties() {
        let is_required = schema.requires(name) && property.get("default").is_none();
        let kind = kind_of(schema, property);
        let word = kind.trim_end_matches(" list").split([' ', '|']).next().unwrap_or("value").to_uppercase();
        let is_list = kind.ends_with("list");
        let pair = format!("{name}={word}{}", if is_list { "…" } else { "" });
        line.push_str(&if is_required { format!(" {pair}") } else { format!(" [{pair}]") });
        let mut notes = vec![kind];
        if is_required {
            notes.push("required".to_owned());
        }
        if let Some(default) = property.get("default") {
            notes.push(format!("default {default}"));
        }
        let about = property.get("description").and_then(Value::as_str).unwrap_or_default();
        rows.push((name.to_owned(), notes.join(", "), about.lines().next().unwrap_or_default().to_owned()));
    }
    let names = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or_default().min(MAX_COLUMN);
    let notes =
        rows.iter().map(|(_, notes, _)| notes.chars().count()).max().unwrap_or_default().min(MAX_COLUMN);
    let rows = rows
        .iter()
        .map(|(name, note, about)| format!("  {name:names$}  {note:notes$}  {about}").trim_end().to_owned());
    std::iter::once(line).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Describes an argument in a few words.
fn kind_of(schema: Schema<'_>, property: &Value) -> String {
    let property = schema.resolve(property);
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        return words
            .iter()
            .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join("|");
    }
    if let Some(word) = property.get("const") {
        return word.as_str().map_or_else(|| word.to_string(), str::to_owned);
    }
    let types = schema.types(property);
    let words: Vec<&str> = types
        .iter()
        .filter(|name| **name != "null")
        .map(|name| match *name {
            "string" => "text",
            "object" => "json object",
            other => other,
        })
        .collect();
    match words.as_slice() {
        [] => "value".to_owned(),
        ["array"] => {
            let items = property.get("items").map(|items| kind_of(schema, items));
            format!("{} list", items.unwrap_or_else(|| "value".to_owned()))
        }
        words => words.join("|"),
    }
}
