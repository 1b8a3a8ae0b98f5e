//! The lines of the log, through a real subscriber.

use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

fn logged(level: Level, work: impl FnOnce()) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let lines = LogLines::new(RotatingFile::new(&path), level);
    tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn c3_4_a_line_is_json_with_level_tool_and_context() {
    let lines = logged(Level::INFO, || {
        tracing::info!(target: "tool", tool = "stats", context = r#"{"count":2}"#, "counted\nfiles");
        tracing::debug!(target: "tool", "too much detail");
    });
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    assert_eq!(
        (&line["level"], &line["message"], &line["tool"], &line["context"]["count"]),
        (&"info".into(), &"counted\nfiles".into(), &"stats".into(), &2.into())
    );
    assert!(line["time"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn of_other_libraries_only_grave_lines_are_kept() {
    let lines = logged(Level::DEBUG, || {
        tracing::info!(target: "hyper", "a connection");
        tracing::warn!(target: "hyper", "a broken connection");
    });
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["message"], "a broken connection");
}

#[test]
fn long_texts_are_cut_at_a_character() {
    let lines = logged(Level::INFO, || {
        tracing::info!(target: "tool", context = "é".repeat(MAX_TEXT), "{}", "é".repeat(MAX_TEXT));
    });
    assert!(lines[0]["message"].as_str().unwrap().len() <= MAX_TEXT + 3);
    assert!(lines[0]["context"].as_str().unwrap().ends_with('…'));
}
