//! Elicitation: a server's question, asked through the dialogs of the user interface. Without a user interface, and whenever
//! the person closes a dialog, the answer is `cancel`; `decline` would state a refusal that nobody made.

use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};
use toolsmith_tool::{CancelToken, DialogOptions, Ui, visible_line};

/// Maximum number of fields of a form, and of attempts at one field.
const MAX_FIELDS: usize = 20;
const MAX_ATTEMPTS: usize = 3;
const SKIP: &str = "(leave empty)";

/// Asks the person.
pub(crate) async fn ask(
    server: &str,
    ui: &dyn Ui,
    request: ElicitRequestParams,
    cancel: &CancelToken,
) -> ElicitResult {
    let cancelled = || ElicitResult::new(ElicitationAction::Cancel);
    if !ui.has_ui() {
        return cancelled();
    }
    let answer = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            ask_form(server, ui, &message, &schema, cancel).await
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            ask_url(server, ui, &message, &url, cancel).await
        }
        _ => None,
    };
    answer.unwrap_or_else(cancelled)
}

/// Shows the whole URL and its host. This program does not open it: the person copies it, and sees where it leads.
async fn ask_url(
    server: &str,
    ui: &dyn Ui,
    message: &str,
    url: &str,
    cancel: &CancelToken,
) -> Option<ElicitResult> {
    let host = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = host.host_str()?.to_owned();
    let title = format!("{server} asks you to open a page on {}", visible_line(&host));
    let text = format!("{}\n{}\nContinue?", visible_line(message), visible_line(url));
    ui.confirm(&title, &text, DialogOptions::new(cancel.clone()))
        .await
        .then(|| ElicitResult::new(ElicitationAction::Accept))
}

async fn ask_form(
    server: &str,
    ui: &dyn Ui,
    message: &str,
    schema: &Value,
    cancel: &CancelToken,
) -> Option<ElicitResult> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if properties.len() > MAX_FIELDS {
        return None;
    }
    let title = format!("{server}: {}", visible_line(message));
    if properties.is_empty() {
        let agreed = ui.confirm(&title, "Continue?", DialogOptions::new(cancel.clone())).await;
        return agreed.then(|| ElicitResult::new(ElicitationAction::Accept).with_content(json!({})));
    }
    let mut content = Map::new();
    for (name, property) in properties {
        let field =
            Field { title: &title, name, schema: property, is_required: required.contains(&name.as_str()) };
        match field.ask(ui, cancel).await? {
            Answer::Given(value) => {
                content.insert(name.clone(), value);
            }
            Answer::Skipped => {}
        }
    }
    Some(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content)))
}

enum Answer {
    Given(Value),
    Skipped,
}

struct Field<'a> {
    title: &'a str,
    name: &'a str,
    schema: &'a Value,
    is_required: bool,
}

impl Field<'_> {
    fn question(&self) -> String {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str);
        let label = text("title").unwrap_or(self.name);
        let more = text("description").map(|text| format!(" ({})", visible_line(text))).unwrap_or_default();
        format!("{}\n{}{more}", self.title, visible_line(label))
    }

    /// The choices of an enumeration, as shown and as sent.
    fn choices(schema: &Value) -> Option<Vec<(String, Value)>> {
        let listed = schema.get("enum").and_then(Value::as_array);
        if let Some(values) = listed {
            let names = schema.get("enumNames").and_then(Value::as_array);
            let label = |at: usize, value: &Value| {
                let named = names.and_then(|names| names.get(at)).and_then(Value::as_str);
                named.or(value.as_str()).map_or_else(|| value.to_string(), str::to_owned)
            };
            return Some(
                values.iter().enumerate().map(|(at, value)| (label(at, value), value.clone())).collect(),
            );
        }
        let titled = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)?;
        let choice = |option: &Value| {
            let value = option.get("const")?;
            let title = option.get("title").and_then(Value::as_str).or(value.as_str())?;
            Some((title.to_owned(), value.clone()))
        };
        Some(titled.iter().filter_map(choice).collect())
    }

    async fn ask(&self, ui: &dyn Ui, cancel: &CancelToken) -> Option<Answer> {
        let question = self.question();
        let dialog = || DialogOptions::new(cancel.clone());
        if let Some(choices) = Self::choices(self.schema) {
            return self.choose(ui, &question, &choices, cancel).await;
        }
        match self.schema.get("type").and_then(Value::as_str) {
            Some("array") => self.choose_several(ui, &question, cancel).await,
            Some("boolean") => {
                let mut options = ["yes".to_owned(), "no".to_owned()];
                if self.schema.get("default") == Some(&json!(false)) {
                    options.reverse();
                }
                let chosen = ui.select(&question, &options, dialog()).await?;
                Some(Answer::Given(Value::Bool(chosen == "yes")))
            }
            kind => {
                let default = self.schema.get("default").filter(|value| !value.is_null());
                let placeholder =
                    default.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                let mut question = question;
                for _ in 0..MAX_ATTEMPTS {
                    let text = ui.input(&question, placeholder.as_deref(), dialog()).await?;
                    let value = match (text.trim(), default) {
                        ("", Some(default)) => Ok(default.clone()),
                        ("", None) if !self.is_required => return Some(Answer::Skipped),
                        (text, _) => parse(kind, text, self.schema),
                    };
                    match value {
                        Ok(value) => return Some(Answer::Given(value)),
                        Err(problem) => question = format!("{}\n{problem}", self.question()),
                    }
                }
                None
            }
        }
    }

    async fn choose(
        &self,
        ui: &dyn Ui,
        question: &str,
        choices: &[(String, Value)],
        cancel: &CancelToken,
    ) -> Option<Answer> {
        let mut options: Vec<String> = choices.iter().map(|(label, _)| label.clone()).collect();
        // The default comes first.
        let default = self.schema.get("default");
        if let Some(at) = choices.iter().position(|(_, value)| Some(value) == default) {
            let first = options.remove(at);
            options.insert(0, first);
        }
        if !self.is_required {
            options.push(SKIP.to_owned());
        }
        let chosen = ui.select(question, &options, DialogOptions::new(cancel.clone())).await?;
        if chosen == SKIP && !self.is_required {
            return Some(Answer::Skipped);
        }
        let value = choices.iter().find(|(label, _)| *label == chosen).map(|(_, value)| value.clone())?;
        Some(Answer::Given(value))
    }

    /// One choice after the other, until "done".
    async fn choose_several(&self, ui: &dyn Ui, question: &str, cancel: &CancelToken) -> Option<Answer> {
        const DONE: &str = "(done)";
        let mut left = self.schema.get("items").and_then(Self::choices)?;
        let mut chosen = Vec::new();
        while !left.is_empty() {
            let mut options = vec![DONE.to_owned()];
            options.extend(left.iter().map(|(label, _)| label.clone()));
            let answer = ui.select(question, &options, DialogOptions::new(cancel.clone())).await?;
            let Some(at) = left.iter().position(|(label, _)| *label == answer) else { break };
            chosen.push(left.remove(at).1);
        }
        Some(Answer::Given(Value::Array(chosen)))
    }
}

fn parse(kind: Option<&str>, text: &str, schema: &Value) -> Result<Value, String> {
    match kind {
        Some("integer") => {
            text.parse::<i64>().map(Value::from).map_err(|_| "Enter a whole number.".to_owned())
        }
        Some("number") => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(json!(number)),
            _ => Err("Enter a number.".to_owned()),
        },
        _ => {
            let length = text.chars().count() as u64;
            let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
            match (limit("minLength"), limit("maxLength")) {
                (Some(least), _) if length < least => Err(format!("Enter at least {least} characters.")),
                (_, Some(most)) if length > most => Err(format!("Enter at most {most} characters.")),
                _ => Ok(Value::from(text)),
            }
        }
    }
}
