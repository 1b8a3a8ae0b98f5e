//! Arguments and details cross the engine boundary as data. They arrive as JSON would bring them.

use std::sync::Arc;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use toolsmith_js::Limits;
use toolsmith_tool::{Tool, ToolResult};

use crate::project::{Project, call};

/// Loads a tool whose `execute` has this body.
async fn tool(body: &str) -> (Project, Arc<dyn Tool>) {
    let source = format!(
        "export default () => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute(id, params) {{ {body} }} }});\n"
    );
    let project = Project::new(&[("t.mjs", &source)]);
    let tool = project.tool("t.mjs").await;
    (project, tool)
}

/// Has the engine write a value as text, beside the value itself.
async fn written(expression: &str) -> ToolResult {
    let body = format!(
        "const make = () => ({expression}); return {{ content: [{{ type: \"text\", text: JSON.stringify(make()) ?? \"null\" }}], details: make() }};"
    );
    let (_project, tool) = tool(&body).await;
    call(&tool, json!({})).await.unwrap_or_else(|error| panic!("{expression}: {error}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn details_are_what_the_engine_writes_as_json() {
    for expression in [
        "{}",
        "[]",
        "'text'",
        "0",
        "{ a: undefined, b: () => 1, c: Symbol('s'), d: [undefined, () => 1, Symbol('s')] }",
        "[NaN, Infinity, -Infinity, -0, 0.1, 1.5e300, 1e20, 1e21, 123456789012, 2 ** 53, -(2 ** 53) - 2, 2 ** 63, 2 ** 64, 5.0]",
        "{ at: new Date(0), by: new Map([[1, 2]]), url: new URL('https://a.b/c'), bytes: new Uint8Array([1, 2]) }",
        "new (class Point { x = 1; #y = 2; get z() { return 3; } })()",
        "{ own: { toJSON: (key) => 'mine' }, inherited: Object.create({ toJSON: () => [1] }), notCalled: { toJSON: 1 } }",
        "Object.assign(Object.create(null), { a: 1, b: { c: [] } })",
        "Object.create({ inherited: 1 }, { seen: { value: 1, enumerable: true }, hidden: { value: 2 } })",
        "{ get computed() { return [1, { a: 2 }]; } }",
        "new Proxy({ a: 1 }, { ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ value: 3, enumerable: true, configurable: true }), get: (_, key) => key + '!' })",
        "new Proxy([1, 2], {})",
        "[Object(1), Object('s'), Object(true)]",
        "(() => { const list = [1]; list[4] = 2; return list; })()",
        "(() => { const list = [1, 2]; list.extra = 3; return list; })()",
        "class extends Array {}.from([1, 2])",
        "({ ['__proto__']: 1, constructor: 2, b: 1, 10: 'x', 2: 'y', '': 'empty', 'a b': 'ö', '😀': '\\u{1F600}' })",
        "{ text: 'a'.repeat(40) + 'ö€😀\\0\\u001f\\u2028\"\\\\' }",
        "(() => { let text = ''; for (let i = 0; i < 5000; i++) text += i; return { text }; })()",
        "[[{ a: 1, b: 2 }, { b: 1, a: 2 }, { a: 1 }, { c: undefined, a: 3, b: 4 }, { a: { a: { a: 1 } } }]]",
        "(() => { let deep = 1; for (let i = 0; i < 110; i++) deep = i % 2 ? [deep] : { deep }; return deep; })()",
        "{ arguments: (function () { return arguments; })(1, 2), error: new Error('e'), regexp: /x/g }",
    ] {
        let result = written(expression).await;
        let expected: Value = serde_json::from_str(&result.joined_text()).unwrap();
        assert_eq!(result.details.unwrap_or_default(), expected, "{expression}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn details_that_are_no_json_are_an_error_and_the_tool_goes_on() {
    let (_project, tool) = tool(
        "const circle = {}; circle.self = [circle]; const bad = { circle, big: { n: 1n }, thrown: { get x() { throw new Error('from the getter'); } }, \
         json: { toJSON() { throw new Error('from toJSON'); } }, fine: 1 }; return { content: [], details: { is: bad[params.which] } };",
    )
    .await;
    for (which, said) in
        [("circle", "circular"), ("big", "BigInt"), ("thrown", "from the getter"), ("json", "from toJSON")]
    {
        let error = call(&tool, json!({ "which": which })).await.unwrap_err().to_string();
        assert!(error.contains("details are not a JSON value") && error.contains(said), "{which}: {error}");
    }
    assert_eq!(call(&tool, json!({ "which": "fine" })).await.unwrap().details.unwrap(), json!({ "is": 1 }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn halves_of_surrogate_pairs_become_replacement_characters() {
    let (_project, tool) =
        tool("return { content: [], details: { ['k\\ud800']: ['a\\ud800b', '\\u{1F600}'] } };").await;
    let details = call(&tool, json!({})).await.unwrap().details.unwrap();
    assert_eq!(details, json!({ "k\u{fffd}": ["a\u{fffd}b", "😀"] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c4_7_details_that_are_larger_than_they_look_cost_the_tool_and_not_the_program() {
    let body = "const laughs = [1]; let all = laughs; for (let i = 0; i < 40; i++) all = [all, all]; \
         const bombs = { holes: new Array(2 ** 32 - 1), laughs: all, endless: new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 40 : 'x'.repeat(1000)) }) }; \
         return { content: [], details: bombs[params.which] ?? 'fine' };";
    let source = format!(
        "export default () => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute(id, params) {{ {body} }} }});\n"
    );
    let project = Project::with_limits(Limits::default().memory(32 << 20), &[("t.mjs", &source)]);
    let tool = project.tool("t.mjs").await;
    for which in ["holes", "laughs", "endless"] {
        let error = call(&tool, json!({ "which": which })).await.unwrap_err().to_string();
        assert!(error.contains("memory"), "{which}: {error}");
        assert_eq!(
            call(&tool, json!({ "which": "" })).await.unwrap().details.unwrap(),
            json!("fine"),
            "{which}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_getter_runs_once() {
    let (_project, tool) = tool(
        "let count = 0; const details = { get n() { return ++count; }, at: new Date(0) }; globalThis.read ??= () => count; \
         if (params.ask) return { content: [], details: { count: globalThis.read() } }; globalThis.read = () => count; return { content: [], details };",
    )
    .await;
    assert_eq!(call(&tool, json!({})).await.unwrap().details.unwrap()["n"], 1);
    assert_eq!(call(&tool, json!({ "ask": true })).await.unwrap().details.unwrap()["count"], 1);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-(1_i64 << 53)..(1_i64 << 53)).prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has only finite numbers", |number| number.is_finite())
            .prop_map(whole_or_not),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec(("[a-z0-9_\"ö]{0,6}", inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// JavaScript has one zero and no difference between `1` and `1.0`.
fn whole_or_not(number: f64) -> Value {
    if number.fract() == 0.0 { json!(0.5) } else { json!(number) }
}

/// The order of members as JavaScript has it: numbers first.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(members.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[test]
fn any_arguments_come_back_as_they_were() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (_project, echo) = runtime.block_on(tool(
        "return { content: [{ type: 'text', text: JSON.stringify(params) }], details: params };",
    ));
    let mut runner = TestRunner::new(Config { cases: 256, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&any_json(), |value| {
        let arguments = json!({ "value": value });
        let result = runtime.block_on(call(&echo, arguments.clone())).unwrap();
        let text: Value = serde_json::from_str(&result.joined_text()).unwrap();
        prop_assert_eq!(sorted(result.details.as_ref().unwrap()), sorted(&arguments));
        prop_assert_eq!(sorted(&text), sorted(&arguments));
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_that_are_too_deep_for_data_arrive_as_text_does() {
    let (_project, echo) = tool("let depth = 0; for (let at = params.deep; at; at = at[0]) depth++; return { content: [], details: { depth } };").await;
    let mut deep = json!([]);
    for _ in 1..150 {
        deep = json!([deep]);
    }
    assert_eq!(call(&echo, json!({ "deep": deep })).await.unwrap().details.unwrap(), json!({ "depth": 150 }));
}
