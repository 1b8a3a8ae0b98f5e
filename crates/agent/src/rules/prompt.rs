//! Rules without a condition, for the system prompt.

use std::fmt::Write as _;

use super::rule::Rule;

/// Maximum size of all rules in the prompt; more would displace the actual work.
const MAX_BYTES: usize = 64 * 1024;

/// Formats the rules that are not stream rules: those that always apply in full, the others by name. Returns `None` if
/// there are none.
pub fn rules_prompt(rules: &[Rule]) -> Option<String> {
    let rules = || rules.iter().filter(|rule| !rule.is_stream_rule());
    let (mut full, mut listed) = (String::new(), String::new());
    for rule in rules() {
        let path = rule.path.display();
        let whole = format!("\n<rule name=\"{}\" path=\"{path}\">\n{}\n</rule>", rule.name, rule.text);
        if rule.always_apply && full.len() + whole.len() <= MAX_BYTES {
            full.push_str(&whole);
            continue;
        }
        let about = match (&rule.description, rule.always_apply) {
            (Some(description), _) => description.clone(),
            (None, true) => "always applies".to_owned(),
            (None, false) => String::new(),
        };
        let files =
            if rule.globs.is_empty() { String::new() } else { format!(" [{}]", rule.globs.join(", ")) };
        let line = format!("\n- {}{files}: {about} ({path})", rule.name).replace(":  (", ": (");
        if listed.len() + line.len() <= MAX_BYTES {
            listed.push_str(&line);
        }
    }
    let mut text = String::new();
    if !full.is_empty() {
        let _ = write!(text, "Rules of the user and the project; follow them:{full}");
    }
    if !listed.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n\n" };
        let _ = write!(text, "{gap}Rules to read before related work:{listed}");
    }
    (!text.is_empty()).then_some(text)
}
