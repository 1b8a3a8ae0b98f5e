//! Meters as the program shows them: events, sessions and `toolsmith stats`.

use serde_json::{Value, json};

use crate::place::{HELLO, Place};

/// A trusted project with a tool, and a session in which it and `bash` were called.
async fn used() -> Place {
    let place = Place::trusted(&[]);
    place.write("project/.toolsmith/tools/hello.ts", &HELLO.replace("label:", "approval: 'read', label:"));
    let script = json!([
        { "reply": [{ "call": "hello", "arguments": { "name": "Ada" } }, { "call": "ls", "arguments": {} }] },
        { "reply": [{ "call": "hello", "arguments": { "name": 5, "times": {} } }] },
        "Done."
    ]);
    place.write("script.json", &script.to_string());
    place
}

async fn run(place: &Place, more: &[&str]) -> Vec<Value> {
    let model = format!("script:{}", place.path("script.json").display());
    let arguments = [&["-p", "go", "--mode", "json", "--model", &model], more].concat();
    let said = place.run(&arguments).await;
    assert_eq!(said.code, 0, "{said:#?}");
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn c13_events_and_the_session_have_the_figures_of_each_call() {
    let place = used().await;
    let events = run(&place, &[]).await;
    let ended: Vec<&Value> = events.iter().filter(|event| event["type"] == "tool_execution_end").collect();
    let hello = ended.iter().find(|event| event["toolName"] == "hello" && event["isError"] == false).unwrap();
    let metrics = &hello["metrics"];
    assert!(metrics["wallUs"].as_u64().unwrap() > 0 && metrics["cpuUs"].is_u64(), "{metrics}");
    assert_eq!((&metrics["requests"], &metrics["processes"]), (&json!(0), &json!(0)));
    let refused = ended.iter().find(|event| event["isError"] == true).unwrap();
    assert_eq!(refused.get("metrics"), None, "it was not called: {refused}");
    let stored = events.iter().filter(|event| event["type"] == "message_end");
    let stored = stored.filter(|event| event["message"]["metrics"]["wallUs"].is_u64()).count();
    assert_eq!(stored, 2);
    let said = place.run(&["call", "hello", "name=Ada", "--json"]).await;
    assert!(said.json()["metrics"]["peakMemoryBytes"].as_u64().unwrap() > 0, "{said:#?}");
}

#[tokio::test]
async fn c13_stats_of_an_empty_store_say_so() {
    let place = Place::new(&[]);
    let said = place.run(&["stats"]).await;
    assert_eq!(said.stdout, "No sessions in this directory; --all includes other directories.\n");
    assert_eq!(place.run(&["stats", "--all"]).await.stdout, "No sessions.\n");
    let json = place.run(&["stats", "--json", "--by", "day"]).await.json();
    assert_eq!((&json["rows"], &json["sessions"], &json["by"]), (&json!([]), &json!(0), &json!("day")));
    assert_eq!(place.run(&["stats", "--by", "moon"]).await.code, 2);
    assert_eq!(place.run(&["stats", "--since", "yesterday"]).await.code, 2);
}

#[tokio::test]
async fn c13_stats_sum_by_tool_session_and_day() {
    let place = used().await;
    run(&place, &[]).await;
    run(&place, &[]).await;
    let by_tool = place.run(&["stats", "--json"]).await.json();
    let row = |name: &str| {
        let rows = by_tool["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{by_tool:#}"))
    };
    let hello = row("hello");
    assert_eq!(
        (&hello["calls"], &hello["failed"], &hello["known"]["cpuUs"]),
        (&json!(4), &json!(2), &json!(2))
    );
    assert_eq!(row("ls").get("peakMemoryBytes"), None, "not known is not zero");
    assert_eq!((&by_tool["total"]["calls"], &by_tool["total"]["responses"]), (&json!(6), &json!(6)));

    let by_session = place.run(&["stats", "--by", "session", "--json"]).await.json();
    assert_eq!(by_session["rows"].as_array().unwrap().len(), 2);
    assert_eq!(by_session["rows"][0]["calls"], 3);
    let session = by_session["rows"][0]["name"].as_str().unwrap().to_owned();
    let one = place.run(&["stats", "--session", &session, "--json"]).await.json();
    assert_eq!(one["total"]["calls"], 3);

    let by_day = place.run(&["stats", "--by", "day", "--json"]).await.json();
    assert!(by_day["rows"][0]["name"].as_str().unwrap().starts_with("20"), "{by_day:#}");
    let later = place.run(&["stats", "--since", "2999-01-01"]).await;
    assert_eq!(later.stdout, "Nothing recorded in 2 sessions.\n");
    let only = place.run(&["stats", "--name", "ls", "--json"]).await.json();
    assert_eq!((&only["total"]["calls"], &only["total"]["responses"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn c13_the_table_has_a_bar_and_marks_what_is_not_known_and_no_colour_is_asked_for() {
    let place = used().await;
    run(&place, &[]).await;
    let said = place.run_request(&place.request(&["stats"]).env("NO_COLOR", "1")).await;
    assert!(said.stdout.starts_with("TOOL"), "{said:#?}");
    let hello = said.stdout.lines().find(|line| line.starts_with("hello")).unwrap();
    assert!(hello.contains('█') || hello.contains('▏'), "{hello}");
    assert!(said.stdout.contains("1 session · 3 calls"), "{said:#?}");
    assert!(said.stdout.contains("+ not known for all calls; – not known"), "{said:#?}");
    assert!(!said.stdout.contains('\x1b'), "{said:#?}");
}

#[tokio::test]
async fn c13_stats_read_torn_and_foreign_lines_as_far_as_they_can() {
    let place = used().await;
    run(&place, &[]).await;
    let listed = place.run(&["sessions", "--json"]).await.json();
    let file = listed["sessions"][0]["path"].as_str().unwrap().to_owned();
    let mut text = std::fs::read(&file).unwrap();
    let foreign = json!({
        "type": "message", "id": "x1", "parentId": null, "timestamp": "not a time",
        "message": { "role": "toolResult", "toolName": "old \u{202e}\u{1b}[31m", "toolCallId": "1", "content": [], "metrics": 5 },
    });
    text.extend(format!("{foreign}\n").into_bytes());
    text.extend(b"{\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\xff\xfe\n");
    text.extend(b"{\"type\":\"message\",\"message\":{\"role\":\"assistant\"");
    std::fs::write(&file, text).unwrap();
    let json = place.run(&["stats", "--json", "--by", "day"]).await.json();
    assert_eq!(json["total"]["calls"], 4, "{json:#}");
    let said = place.run(&["stats"]).await;
    assert!(!said.stdout.contains("\u{1b}[31m") && !said.stdout.contains('\u{202e}'), "{said:#?}");
}
