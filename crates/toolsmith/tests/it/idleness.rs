//! Queues and idleness as a module sees them from inside a call (CONTRACT 4.4).

use serde_json::json;
use toolsmith::Session;
use toolsmith_agent::{AgentEvent, Queued, RunEnd};
use toolsmith_testkit::{ModelServer, Reply};

use crate::{
    place::Place,
    session_place::{body, results},
};

const TOOLS: &str = r#"
const parameters = { type: "object", properties: {} };
const say = (text) => ({ content: [{ type: "text", text: String(text) }], details: { text } });
export default () => [
  {
    name: "look", description: "d", parameters, approval: "read",
    async execute(id, params, onUpdate, ctx) {
      const before = [ctx.isIdle(), ctx.hasQueuedMessages()];
      onUpdate(say("ready"));
      while (!ctx.hasQueuedMessages()) await new Promise((done) => setTimeout(done, 1));
      return say(JSON.stringify([...before, ctx.isIdle(), ctx.hasQueuedMessages()]));
    },
  },
  {
    name: "stop", description: "d", parameters, approval: "read",
    async execute(id, params, onUpdate, ctx, signal) {
      ctx.abort();
      while (!signal.aborted) await new Promise((done) => setTimeout(done, 1));
      return say(`kept ${signal.aborted} ${ctx.isIdle()}`);
    },
  },
  {
    name: "wait", description: "d", parameters, approval: "read",
    execute: (id, params, onUpdate, ctx, signal) =>
      new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true })),
  },
];
"#;

async fn session(server: &ModelServer) -> (Place, Session) {
    let place = Place::new(&[("project/.toolsmith/tools/queues.ts", TOOLS)]);
    let session = place.session(server).build().await.unwrap();
    (place, session)
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_4_a_tool_is_never_called_idle_and_sees_what_is_queued() {
    for follow_up in [false, true] {
        let server = ModelServer::start().await.unwrap();
        server.push(Reply::new().call("1", "look", &json!({})));
        server.push(Reply::new().text("I see."));
        server.push(Reply::new().text("And that."));
        let (_place, session) = session(&server).await;
        let mut events = session.subscribe();
        session.prompt("Look").unwrap();
        while let Some(event) = events.next().await {
            match &*event {
                AgentEvent::ToolExecutionUpdate { .. } if follow_up => {
                    session.follow_up("Also this").unwrap()
                }
                AgentEvent::ToolExecutionUpdate { .. } => session.steer("Also this").unwrap(),
                AgentEvent::AgentEnd { end, .. } => {
                    assert!(end.is_completed(), "{end:?}");
                    break;
                }
                _ => {}
            }
        }
        assert_eq!(results(&session), [(false, "[false,false,false,true]".to_owned())]);
        assert_eq!(server.requests().len(), if follow_up { 3 } else { 2 });
        assert!(body(&server.last_request()).contains("Also this"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c4_4_abort_inside_a_call_ends_the_run_and_keeps_what_the_tool_gave() {
    let server = ModelServer::start().await.unwrap();
    server.push(Reply::new().call("1", "wait", &json!({})).call("2", "stop", &json!({})));
    let (_place, session) = session(&server).await;
    session.follow_up("Later").unwrap();
    let summary = session.run("Stop").await.unwrap();
    assert_eq!(
        summary.end,
        RunEnd::Aborted { message: "Request was aborted: requested by a tool".to_owned() }
    );
    let results = results(&session);
    assert_eq!(results.len(), 2, "{results:?}");
    // Both began at once; the one that waits may not have got as far.
    let other =
        ["stopped", "cancelled before it started"].iter().any(|words| results[0].1.starts_with(words));
    assert!(results[0].0 && other, "{results:?}");
    assert_eq!(results[1], (false, "kept true false".to_owned()));
    assert_eq!(server.requests().len(), 1);
    assert_eq!(session.agent().queued(), Queued { steering: 0, follow_up: 1 });
    // And the conversation goes on from there, with both results and what was queued.
    server.push(Reply::new().text("Good."));
    server.push(Reply::new().text("Good too."));
    assert!(session.run("On").await.unwrap().end.is_completed());
    assert!(body(&server.requests()[1]).contains("kept true false"));
    assert!(body(&server.last_request()).contains("Later"));
}
