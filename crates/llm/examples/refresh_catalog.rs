//! Writes `catalog/models.jsonl` anew from lists in the form of models.dev's `api.json`:
//!
//! ```sh
//! cargo run -p toolsmith-llm --example refresh_catalog -- LIST.json… > crates/llm/catalog/models.jsonl
//! ```
//!
//! Where several lists have a model, the first wins. What models.dev does not know (which models refuse a demanded call
//! or a temperature, which think adaptively) is read from the `rig` object that rig-core adds to its copy.

use std::{collections::BTreeMap, io::Write};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Providers of the list, and what they are called here.
const PROVIDERS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("google", "google"),
    ("gcp.gemini", "google"),
    ("openrouter", "openrouter"),
    ("groq", "groq"),
    ("xai", "xai"),
    ("mistral", "mistral"),
    ("cerebras", "cerebras"),
    ("together", "together"),
    ("togetherai", "together"),
    ("deepseek", "deepseek"),
    ("zai", "zai"),
    ("azure", "azure"),
    ("amazon-bedrock", "amazon-bedrock"),
    ("google-vertex", "google-vertex"),
    ("google-vertex-anthropic", "google-vertex-anthropic"),
];
/// Providers that serve the models of others.
const CLOUDS: [&str; 4] = ["azure", "amazon-bedrock", "google-vertex", "google-vertex-anthropic"];
/// Beginnings of the models that a provider serves in the wire format used here; all of them for others.
const SERVED: &[(&str, &[&str])] =
    &[("azure", &["gpt-", "o1", "o3", "o4", "codex"]), ("google-vertex", &["gemini-"])];
/// Models for other purposes.
const OTHER_PURPOSES: &[&str] = &[
    "-image",
    "-tts",
    "-live",
    "realtime",
    "embedding",
    "deep-research",
    "computer-use",
    "-audio",
    "moderation",
    "-guard",
    "safeguard",
    "-ocr",
];

fn main() -> Result<()> {
    let mut rows: BTreeMap<(usize, String), Value> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))?;
        let list: Map<String, Value> =
            serde_json::from_str(&text).with_context(|| format!("{path} is no list of providers"))?;
        let mut own: BTreeMap<(usize, String), Value> = BTreeMap::new();
        for (at, (theirs, ours)) in PROVIDERS.iter().enumerate() {
            let Some(models) = list.get(*theirs).and_then(|section| section["models"].as_object()) else {
                continue;
            };
            for (id, model) in models {
                let served = SERVED.iter().find(|(provider, _)| provider == ours);
                let is_served = served.is_none_or(|(_, names)| names.iter().any(|name| id.starts_with(name)));
                if is_served && is_wanted(id, model, models) {
                    own.insert((at, id.clone()), row(ours, id, model));
                }
            }
        }
        // A provider is taken from one list as a whole: mixing ages would bring models back that are gone.
        let known: Vec<String> =
            rows.values().map(|row| row["provider"].as_str().unwrap_or_default().to_owned()).collect();
        rows.extend(own.into_iter().filter(|(_, row)| {
            !known.iter().any(|provider| Some(provider.as_str()) == row["provider"].as_str())
        }));
    }
    complete_clouds(&mut rows);
    let mut out = std::io::stdout().lock();
    for row in rows.values() {
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// Lists say less about models at clouds than about the same models at their vendors, where how they think is known. A
/// cloud's id contains the vendor's.
fn complete_clouds(rows: &mut BTreeMap<(usize, String), Value>) {
    let is_cloud = |row: &Value| CLOUDS.iter().any(|cloud| row["provider"] == *cloud);
    let vendors: Vec<Value> = rows
        .values()
        .filter(|row| ["anthropic", "openai", "google"].iter().any(|vendor| row["provider"] == *vendor))
        .cloned()
        .collect();
    for row in rows.values_mut().filter(|row| is_cloud(row) && row["thinking"].is_null()) {
        let id = row["id"].as_str().unwrap_or_default().to_owned();
        let same = vendors.iter().filter(|vendor| id.contains(vendor["id"].as_str().unwrap_or("?")));
        let Some(vendor) = same.max_by_key(|vendor| vendor["id"].as_str().map_or(0, str::len)) else {
            continue;
        };
        for key in ["thinking", "temperature"] {
            if !vendor[key].is_null() {
                row[key] = vendor[key].clone();
            }
        }
    }
}

fn is_wanted(id: &str, model: &Value, siblings: &Map<String, Value>) -> bool {
    let undated = |id: &str| {
        let parts: Vec<&str> = id.split('-').collect();
        let is_number = |part: &&str, digits: usize| part.len() == digits && part.parse::<u32>().is_ok();
        match parts.as_slice() {
            [head @ .., date] if is_number(date, 8) => Some(head.join("-")),
            [head @ .., year, month, day]
                if is_number(year, 4) && is_number(month, 2) && is_number(day, 2) =>
            {
                Some(head.join("-"))
            }
            _ => None,
        }
    };
    let is_duplicate = undated(id).is_some_and(|plain| siblings.contains_key(&plain));
    model["tool_call"] == true
        && model["status"] != "deprecated"
        && model["limit"]["context"].as_u64().unwrap_or_default() > 0
        && !is_duplicate
        && !OTHER_PURPOSES.iter().any(|purpose| id.contains(purpose))
}

fn row(provider: &str, id: &str, model: &Value) -> Value {
    let extra = &model["rig"];
    let mut row = json!({
        "provider": provider,
        "id": id,
        "name": model["name"],
        "context": model["limit"]["context"],
        "output": model["limit"]["output"],
    });
    let inputs = model["modalities"]["input"].as_array();
    if inputs.is_some_and(|inputs| inputs.iter().any(|input| input == "image")) {
        row["images"] = json!(true);
    }
    if model["reasoning"] == true {
        let mut thinking = thinking(model, extra);
        if provider == "openrouter" && thinking["efforts"].is_null() {
            // It translates these for every model that thinks.
            thinking = json!({ "efforts": ["low", "medium", "high"] });
        }
        if thinking.as_object().is_some_and(|thinking| !thinking.is_empty()) {
            row["thinking"] = thinking;
        }
    }
    let sampling = extra["sampling"].as_str().unwrap_or_default();
    if model["temperature"] == false || matches!(sampling, "never" | "reasoning_off") {
        row["temperature"] = json!(false);
    }
    if extra["rejects_forced_tool_choice"] == true {
        row["forcedTool"] = json!("none");
    }
    if extra["mid_conversation_system"] == true {
        row["inlineSystem"] = json!(true);
    }
    let cost = &model["cost"];
    if cost.is_object() {
        let mut price = Map::new();
        for (theirs, ours) in [
            ("input", "input"),
            ("output", "output"),
            ("cache_read", "cacheRead"),
            ("cache_write", "cacheWrite"),
        ] {
            if cost[theirs].as_f64().is_some_and(|cost| cost > 0.0) {
                price.insert(ours.to_owned(), cost[theirs].clone());
            }
        }
        row["price"] = Value::Object(price);
    }
    row
}

fn thinking(model: &Value, extra: &Value) -> Value {
    let mut thinking = Map::new();
    let options = model["reasoning_options"].as_array();
    let option = |kind: &str| options?.iter().find(|option| option["type"] == kind);
    let adaptive = extra["adaptive_thinking"] == true;
    if let Some(effort) = option("effort") {
        thinking.insert("efforts".to_owned(), effort["values"].clone());
    }
    if let Some(budget) = option("budget_tokens").filter(|_| !adaptive) {
        let fewest = budget["min"].as_u64().unwrap_or_default();
        let most = budget["max"].as_u64().or_else(|| model["limit"]["output"].as_u64()).unwrap_or(fewest);
        thinking.insert("budget".to_owned(), json!([fewest, most]));
        // Where both are taken, the number is what thinking is switched on with.
        thinking.remove("efforts");
    }
    if adaptive {
        thinking.insert("adaptive".to_owned(), json!(true));
        if option("toggle").is_some() {
            let off = extra["thinking_off"].as_str().unwrap_or("disabled");
            thinking.insert("off".to_owned(), json!(off));
        }
    }
    Value::Object(thinking)
}
