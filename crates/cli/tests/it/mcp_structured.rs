//! Output schemas of custom tools over MCP.

use serde_json::json;

use crate::{
    place::Place,
    raw_mcp_client::{Client, text},
};

const COUNTS: &str = r#"export default (pi) => [
  {
    name: "count", description: "Counts", approval: "read", annotations: { idempotentHint: true, openWorldHint: false },
    parameters: pi.zod.object({ words: pi.zod.any() }),
    outputSchema: pi.zod.object({ total: pi.zod.number() }),
    async execute(id, { words }) {
      return { content: [{ type: "text", text: "Counted." }], details: { total: words } };
    },
  },
  {
    name: "silent", description: "Says nothing", parameters: { type: "object" },
    outputSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    async execute() { return { content: [], details: { ok: true } }; },
  },
  {
    name: "rows", description: "Lists", parameters: { type: "object" }, outputSchema: pi.typebox.Type.Array(pi.typebox.Type.String()),
    async execute() { return { content: [{ type: "text", text: "Rows." }], details: ["a"] }; },
  },
];
"#;

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_details_are_structured_content_if_the_tool_declares_a_schema() {
    let place = Place::trusted(&[("project/.toolsmith/tools/count.ts", COUNTS)]);
    let mut client = Client::start(&place, &[]).await;
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!(tool("count")["outputSchema"]["properties"]["total"]["type"], "number", "{listed}");
    assert_eq!(tool("count")["annotations"]["idempotentHint"], true);
    assert_eq!(tool("count")["annotations"]["openWorldHint"], false);
    assert_eq!(tool("silent")["annotations"]["openWorldHint"], true);
    assert!(tool("silent")["annotations"].get("idempotentHint").is_none(), "{listed}");
    // Clients of this revision reject schemas that do not describe an object.
    assert!(tool("rows").get("outputSchema").is_none(), "{listed}");
    let counted = client.call("count", json!({ "words": 3 })).await;
    assert_eq!(counted["result"]["structuredContent"], json!({ "total": 3 }), "{counted}");
    assert!(counted["result"].get("_meta").is_none(), "{counted}");
    let silent = client.call("silent", json!({})).await;
    assert_eq!(text(&silent), r#"{"ok":true}"#);
    let rows = client.call("rows", json!({})).await;
    assert!(rows["result"].get("structuredContent").is_none(), "{rows}");
    assert_eq!(rows["result"]["_meta"]["toolsmith/details"], json!(["a"]), "{rows}");
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_2_details_that_do_not_match_are_an_error_that_keeps_the_text() {
    let place = Place::trusted(&[("project/.toolsmith/tools/count.ts", COUNTS)]);
    let mut client = Client::start(&place, &[]).await;
    for words in [json!("three"), json!(null), json!([1])] {
        let wrong = client.call("count", json!({ "words": words })).await;
        assert_eq!(wrong["result"]["isError"], true, "{wrong}");
        assert_eq!(text(&wrong), "Counted.");
        let note = wrong["result"]["content"][1]["text"].as_str().unwrap();
        assert!(note.contains("total") && note.contains("outputSchema"), "{note}");
        assert!(wrong["result"].get("structuredContent").is_none(), "{wrong}");
    }
    assert_eq!(client.leave().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_schema_that_is_none_is_reported_with_its_tool() {
    for (schema, problem) in [
        ("5", "outputSchema is not a valid schema"),
        ("[]", "outputSchema is not a valid schema"),
        (r#"{ type: "nothing" }"#, "invalid outputSchema"),
        (r#"{ $ref: "https://example.com/schema.json" }"#, "invalid outputSchema"),
    ] {
        let tool = format!(
            "export default () => ({{ name: \"bad\", description: \"Bad\", parameters: {{ type: \"object\" }}, \
             outputSchema: {schema}, async execute() {{ return {{ content: [] }}; }} }});\n"
        );
        let place = Place::trusted(&[("project/.toolsmith/tools/bad.ts", &tool)]);
        let said = place.run(&["list"]).await;
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(all.contains(problem), "{schema}: {said:#?}");
    }
}
