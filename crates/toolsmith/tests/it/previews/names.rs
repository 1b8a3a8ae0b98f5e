//! CONTRACT 5.5 on every wire: a tool whose name no provider accepts is offered under a mapped name and called by it.

use std::fs;

use toolsmith_agent::{AgentEvent, ApprovalMode};
use toolsmith_llm::ForcedTool;
use toolsmith_testkit::{Reply, Wire};

use super::Bench;

const SEARCH: &str = r#"
export default () => ({
  name: "odoo.search", description: "Searches", approval: "read",
  parameters: { type: "object", properties: {} },
  async execute() { return { content: [{ type: "text", text: "found it" }] }; },
});
"#;
const MAPPED: &str = "odoo_search_f8eb12b6";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c5_5_a_tool_with_a_dot_in_its_name_is_called_on_every_wire_and_keeps_its_name() {
    for wire in [Wire::Anthropic, Wire::Responses, Wire::Chat, Wire::Gemini] {
        let bench = Bench::new(wire, ForcedTool::Named).await;
        fs::write(bench.place.path("search.ts"), SEARCH).unwrap();
        let builder = bench.builder().tool_path(bench.place.path("search.ts"));
        let session = builder.approval_mode(ApprovalMode::AlwaysAsk).build().await.unwrap();
        let mut events = session.subscribe();
        bench.answer(Reply::new().call("c1", MAPPED, &serde_json::json!({})));
        bench.answer(Reply::new().text("Fine."));
        session.run("Go").await.unwrap();
        let requests = bench.requests();
        for request in &requests {
            let body = request.body().to_string();
            assert!(body.contains(MAPPED) && !body.contains("odoo.search"), "{wire:?}: {body}");
        }
        assert!(requests[1].says("found it"), "{wire:?}: {}", requests[1].body());
        let mut started = Vec::new();
        while let Some(event) = events.try_next() {
            if let AgentEvent::ToolExecutionStart { tool_name, .. } = &*event {
                started.push(tool_name.clone());
            }
        }
        assert_eq!(started, ["odoo.search"], "{wire:?}");
    }
}
