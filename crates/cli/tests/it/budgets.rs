//! Budgets: what stops, what warns, and what is said.

use serde_json::{Value, json};
use toolsmith_host::exec::Request;

use crate::place::{HELLO, Place, Said};

/// A trusted project whose script calls a tool over and over.
fn place(settings: &str) -> Place {
    let place = Place::trusted(&[]);
    place.write("project/.toolsmith/tools/hello.ts", &HELLO.replace("label:", "approval: 'read', label:"));
    place.write("home/.toolsmith/config.toml", settings);
    let turn = json!({ "reply": [{ "call": "hello", "arguments": { "name": "Ada" } }], "usage": { "input": 1000, "output": 10 } });
    place.write("script.json", &json!([turn, turn, turn, turn, "Done."]).to_string());
    place
}

fn request(place: &Place, more: &[&str]) -> Request {
    let model = format!("script:{}", place.path("script.json").display());
    place.request(&[&["-p", "go", "--mode", "json", "--model", &model], more].concat())
}

async fn run(place: &Place, more: &[&str]) -> (Said, Vec<Value>) {
    let said = place.run_request(&request(place, more)).await;
    let events = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (said, events)
}

fn end(events: &[Value]) -> &Value {
    &events.iter().find(|event| event["type"] == "agent_end").unwrap()["end"]
}

fn calls(events: &[Value]) -> usize {
    events.iter().filter(|event| event["type"] == "tool_execution_end").count()
}

fn notices(events: &[Value]) -> Vec<&str> {
    let notices = events.iter().filter(|event| event["type"] == "notice");
    notices.map(|event| event["message"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn c13_a_session_that_used_its_tokens_ends_and_says_which_limit_and_how_to_raise_it() {
    let place = place("budget.session.tokens = 2000\n");
    let (said, events) = run(&place, &[]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    assert_eq!(calls(&events), 2, "each request used 1010 tokens");
    let end = end(&events);
    assert_eq!(end["reason"], "limit");
    let message = end["message"].as_str().unwrap();
    for part in [
        "2020 tokens of 2000 tokens",
        "budget.session.tokens",
        "--set budget.session.tokens=VALUE",
        "next model request",
    ] {
        assert!(message.contains(part), "{part:?} in {message:?}");
    }
    assert!(!said.stderr.contains("--max-turns"), "{said:#?}");
    // The same session has nothing left, another one has.
    let (_, again) = run(&place, &["--continue"]).await;
    assert_eq!(
        (calls(&again), &again.iter().find(|event| event["type"] == "agent_end").unwrap()["end"]["reason"]),
        (0, &json!("limit"))
    );
    assert_eq!(calls(&run(&place, &[]).await.1), 2);
    let (said, _) = run(&place, &["--set", "budget.session.tokens=1000000"]).await;
    assert_eq!(said.code, 0, "the user can raise it: {said:#?}");
}

#[tokio::test]
async fn c13_a_day_is_shared_by_all_sessions_and_shown_by_stats() {
    let place = place("budget.day.tokens = 3000\nbudget.warn.day.tokens = 1000\n");
    let (_, first) = run(&place, &["--no-session"]).await;
    assert_eq!((calls(&first), &end(&first)["reason"]), (3, &json!("limit")));
    assert_eq!(notices(&first).iter().filter(|notice| notice.contains("budget.warn.day.tokens")).count(), 1);
    let (_, second) = run(&place, &["--no-session"]).await;
    assert_eq!((calls(&second), &end(&second)["reason"]), (0, &json!("limit")));
    let stats = place.run(&["stats", "--json"]).await.json();
    let day = &stats["budgets"]["day"];
    assert_eq!((&day["used"]["tokens"], &day["limits"]["hard"]["tokens"]), (&json!(3030), &json!(3000)));
    let shown = place.run(&["stats"]).await.stdout;
    assert!(shown.contains("Budget of the day: 3.0k of 3.0k tokens"), "{shown}");
}

#[tokio::test]
async fn c13_two_sessions_at_once_share_a_day() {
    let used = async |place: &Place| {
        let stats = place.run(&["stats", "--json"]).await.json();
        stats["budgets"]["day"]["used"]["tokens"].as_u64().unwrap()
    };
    let alone = place("budget.day.tokens = 1000000\n");
    run(&alone, &["--no-session"]).await;
    let place = place("budget.day.tokens = 1000000\n");
    let request = request(&place, &["--no-session"]);
    let (one, other, third) =
        tokio::join!(place.run_request(&request), place.run_request(&request), place.run_request(&request));
    assert_eq!((one.code, other.code, third.code), (0, 0, 0), "{one:#?}");
    assert_eq!(used(&place).await, 3 * used(&alone).await);
    assert!(used(&alone).await >= 4 * 1010);
}

#[tokio::test]
async fn c13_zero_allows_nothing_and_a_huge_limit_everything() {
    let none = place("budget.session.tokens = 0\n");
    let (said, events) = run(&none, &[]).await;
    assert_eq!((said.code, calls(&events), &end(&events)["reason"]), (1, 0, &json!("limit")));
    let huge = place(
        "budget.session.tokens = 9223372036854775807\nbudget.day.money = 1e300\nbudget.call.time = \"5000000h\"\n\
         budget.call.memory = \"4000000GB\"\nbudget.day.processes = 9223372036854775807\n",
    );
    let (said, events) = run(&huge, &[]).await;
    assert_eq!((said.code, calls(&events)), (0, 4), "{said:#?}");
}

#[tokio::test]
async fn c13_a_corrupt_record_of_the_day_is_passed_over_and_an_unreadable_one_stops() {
    let place = place("budget.day.tokens = 1000000\n");
    run(&place, &["--no-session"]).await;
    let folder = place.path("home/.toolsmith/agent/usage");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let mut text = std::fs::read(&file).unwrap();
    text.extend(b"\xff\xfe garbage\n{\"tokens\":");
    std::fs::write(&file, text).unwrap();
    let (said, events) = run(&place, &["--no-session"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(
        notices(&events).iter().filter(|notice| notice.contains("cannot be read")).count(),
        1,
        "{events:#?}"
    );
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let (_, events) = run(&place, &["--no-session"]).await;
    let end = end(&events);
    assert!(end["message"].as_str().unwrap().contains("cannot be checked"), "{end}");
}

#[tokio::test]
async fn c13_an_untrusted_project_can_tighten_a_budget_and_not_loosen_it() {
    let place = Place::new(&[]);
    let shown = async |key: &str| {
        let json = place.run(&["config", "budget", "--json"]).await.json();
        let list = json["settings"].as_array().unwrap().clone();
        list.into_iter().find(|entry| entry["key"] == key).map_or(Value::Null, |entry| entry["value"].clone())
    };
    place.write(
        "home/.toolsmith/config.toml",
        "budget.session.tokens = 1000\nbudget.call.time = \"10s\"\nbudget.day.money = 2\n",
    );
    let project = "budget.session.tokens = 999999\nbudget.call.time = \"1h\"\nbudget.day.money = 1\nbudget.tools.bash.time = \"1h\"\n\
                   budget.tools.read.time = \"1s\"\nbudget.day.tokens = 5\n";
    place.write("project/.toolsmith/config.toml", project);
    assert_eq!(shown("budget.session.tokens").await, json!(1000));
    assert_eq!(shown("budget.call.time").await, json!("10s"));
    assert_eq!(shown("budget.day.money").await, json!(1));
    assert_eq!(shown("budget.tools.bash.time").await, Value::Null, "it would replace the limit of all tools");
    assert_eq!(shown("budget.tools.read.time").await, json!("1s"));
    assert_eq!(shown("budget.day.tokens").await, json!(5));
}

#[tokio::test]
async fn c13_a_result_over_its_budget_is_withheld_and_a_call_over_its_time_stopped() {
    let slow = "export default () => ({ name: 'slow', description: 'd', approval: 'read', parameters: { type: 'object' },
        async execute(id, params, onUpdate) { for (;;) { onUpdate({ content: [{ type: 'text', text: 'x' }] });
            await new Promise((resolve) => setTimeout(resolve, 5)); } } });";
    let place = place("budget.call.output = 5\nbudget.tools.slow.time = \"200ms\"\n");
    place.write("project/.toolsmith/tools/slow.ts", slow);
    let said = place.run(&["call", "hello", "name=Ada", "--json"]).await;
    let text = said.json()["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("withheld") && text.contains("budget.call.output"), "{text}");
    assert_eq!(said.code, 1);
    let said = place.run(&["call", "slow", "--json"]).await;
    let text = said.json()["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("budget of 200ms (budget.tools.slow.time)"), "{text}");
}

#[tokio::test]
async fn c13_tokens_are_estimated_if_the_provider_reports_none() {
    let place = place("budget.session.tokens = 3000\n");
    let turn = json!({
        "reply": ["word ".repeat(1000), { "call": "hello", "arguments": { "name": "Ada" } }],
        "usage": { "input": 0, "output": 0 },
    });
    place.write("script.json", &json!([turn, turn, turn, turn, "Done."]).to_string());
    let (_, events) = run(&place, &[]).await;
    assert_eq!(end(&events)["reason"], "limit");
    // The second request has the first answer in it: 1,250 + 2,500 tokens.
    assert_eq!(calls(&events), 2);
}

#[tokio::test]
async fn c13_a_soft_limit_is_reported_once_also_without_json() {
    let place = place("budget.warn.session.processes = 1\nbudget.warn.tools.hello.processes = 0\n");
    place.write(
        "project/.toolsmith/tools/hello.ts",
        "export default (pi) => ({ name: 'hello', description: 'Runs a program', approval: 'read',\n\
         parameters: { type: 'object' },\n\
         async execute() { await pi.exec('true', []); return { content: [] }; } });",
    );
    let path = std::env::var("PATH").unwrap();
    let said = place.run_request(&request(&place, &[]).env("PATH", path.clone())).await;
    let events: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = ["(budget.warn.session.processes)", "(budget.warn.tools.hello.processes)"];
    for key in keys {
        let count = notices(&events).iter().filter(|notice| notice.contains(key)).count();
        assert_eq!(count, 1, "{key}: {:?}", notices(&events));
    }
    let model = format!("script:{}", place.path("script.json").display());
    let said = place.run_request(&place.request(&["-p", "go", "--model", &model]).env("PATH", path)).await;
    assert_eq!(said.code, 0, "{said:#?}");
    for key in keys {
        assert_eq!(said.stderr.matches(key).count(), 1, "{said:#?}");
    }
}

#[tokio::test]
async fn c13_an_estimate_includes_the_system_prompt_and_the_definitions_of_tools() {
    let place = place("budget.day.tokens = 1000\n");
    let turn = json!({ "reply": ["Done."], "usage": { "input": 0, "output": 0 } });
    place.write("script.json", &json!([turn]).to_string());
    assert_eq!(run(&place, &[]).await.0.code, 0);
    let (said, _) = run(&place, &[]).await;
    assert_eq!(said.code, 1, "a request has more than 1,000 tokens, although the prompt is short: {said:#?}");
}
