//! The reference for people, generated from the schema.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::schema::{tag, variants};

/// Returns the reference as Markdown.
pub(super) fn markdown(schema: &Value) -> String {
    let writer =
        Writer { definitions: schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default() };
    let mut text = String::new();
    writer.section(&mut text, "Requests", "Request");
    writer.section(&mut text, "Answers", "Answer");
    writer.section(&mut text, "Frames", "Frame");
    writer.section(&mut text, "Events", "Event");
    writer.shapes(&mut text);
    text
}

struct Writer {
    definitions: Map<String, Value>,
}

impl Writer {
    fn definition(&self, name: &str) -> &Value {
        self.definitions.get(name).unwrap_or(&Value::Null)
    }

    fn section(&self, text: &mut String, heading: &str, definition: &str) {
        let _ = writeln!(text, "### {heading}\n");
        for variant in variants(self.definition(definition)) {
            let Some(name) = tag(variant) else { continue };
            let _ = writeln!(text, "#### `{name}`\n\n{}\n", description(variant));
            let rows = self.rows(variant, &["type"]);
            let is_request = definition == "Request";
            let rows: Vec<_> = rows.into_iter().filter(|row| !is_request || row.name != "id").collect();
            table(text, &rows);
            if is_request && let Some(data) = self.reply(name) {
                let _ = writeln!(text, "Reply: {data}\n");
            }
        }
    }

    /// Describes the `data` of a reply in one line.
    fn reply(&self, command: &str) -> Option<String> {
        let done = variants(self.definition("Reply")).iter().find(|reply| {
            reply.pointer("/properties/command/const").and_then(Value::as_str) == Some(command)
        })?;
        let data = done.pointer("/properties/data")?;
        let rows = self.rows(data, &[]);
        let fields = rows.iter().map(|row| format!("`{}{}` ({})", row.name, row.mark(), row.kind));
        Some(fields.collect::<Vec<_>>().join(", "))
    }

    /// Lists the types that others refer to.
    fn shapes(&self, text: &mut String) {
        let _ = writeln!(text, "### Types\n");
        let shown_before = ["Request", "Answer", "Frame", "Event", "Reply", "ClientLine", "ServerLine"];
        for (name, schema) in &self.definitions {
            let is_reply = description(schema).starts_with("Reply to ");
            if shown_before.contains(&name.as_str()) || is_reply {
                continue;
            }
            let _ = writeln!(text, "#### {name}\n\n{}\n", description(schema));
            let all = variants(schema);
            if all.is_empty() {
                match self.rows(schema, &[]) {
                    rows if rows.is_empty() => {
                        let _ = writeln!(text, "{}\n", self.kind(schema));
                    }
                    rows => table(text, &rows),
                }
            }
            for variant in all {
                let _ = writeln!(text, "- {}", self.variant(variant));
            }
            if !all.is_empty() {
                text.push('\n');
            }
        }
    }

    /// Describes one of several variants in one line.
    fn variant(&self, variant: &Value) -> String {
        let fields: Vec<String> = self
            .rows(variant, &[])
            .iter()
            .map(|row| match &row.fixed {
                Some(fixed) => format!("`{}: \"{fixed}\"`", row.name),
                None => format!("`{}{}` ({})", row.name, row.mark(), row.kind),
            })
            .collect();
        match (variant.get("const").and_then(Value::as_str), fields.is_empty()) {
            (Some(word), _) => format!("`{word}`: {}", description(variant)),
            (None, true) => self.kind(variant),
            (None, false) => format!("{}: {}", fields.join(", "), description(variant)),
        }
    }

    fn rows(&self, schema: &Value, without: &[&str]) -> Vec<Row> {
        // A variant may have fields of its own beside those of a type, and fields that depend on one of them.
        let mut rows = Vec::new();
        if schema.get("properties").is_some() {
            rows.extend(self.own_rows(schema, without));
        }
        if let Some(name) = reference(schema) {
            rows.extend(self.own_rows(self.definition(name), without));
        }
        for choice in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
            for mut row in self.own_rows(choice, without) {
                match rows.iter_mut().find(|known| known.name == row.name) {
                    Some(known) => {
                        let other = row.fixed.map(|fixed| format!(" or `\"{fixed}\"`"));
                        known.kind.push_str(&other.unwrap_or_default());
                    }
                    None => {
                        row.is_optional |= row.fixed.is_none();
                        rows.push(row);
                    }
                }
            }
        }
        rows
    }

    fn own_rows(&self, schema: &Value, without: &[&str]) -> Vec<Row> {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
        properties
            .iter()
            .filter(|(name, _)| !without.contains(&name.as_str()))
            .map(|(name, field)| Row {
                name: name.clone(),
                is_optional: !required.contains(&name.as_str()),
                kind: self.kind(field),
                fixed: field.get("const").and_then(Value::as_str).map(str::to_owned),
                meaning: description(field),
            })
            .collect()
    }

    /// Returns the name of a type.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = reference(schema) {
            return name.to_owned();
        }
        if let Some(fixed) = schema.get("const") {
            return format!("`{fixed}`");
        }
        if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
            let kinds = either.iter().filter(|one| !is_null(one)).map(|one| self.kind(one));
            return kinds.collect::<Vec<_>>().join(" or ");
        }
        let word = match schema.get("type") {
            Some(Value::String(word)) => word.as_str(),
            Some(Value::Array(words)) => {
                words.iter().filter_map(Value::as_str).find(|word| *word != "null").unwrap_or("any")
            }
            _ => "any",
        };
        match word {
            "array" => match schema.get("items") {
                Some(items) => format!("list of {}", self.kind(items)),
                None => "list".to_owned(),
            },
            "string" => "text".to_owned(),
            "integer" => "whole number".to_owned(),
            word => word.to_owned(),
        }
    }
}

struct Row {
    name: String,
    is_optional: bool,
    kind: String,
    fixed: Option<String>,
    meaning: String,
}

impl Row {
    fn mark(&self) -> &'static str {
        if self.is_optional { "?" } else { "" }
    }
}

fn table(text: &mut String, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    text.push_str("| field | type | |\n|---|---|---|\n");
    for row in rows {
        let _ = writeln!(text, "| `{}{}` | {} | {} |", row.name, row.mark(), row.kind, row.meaning);
    }
    text.push('\n');
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next())
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
