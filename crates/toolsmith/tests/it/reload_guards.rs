//! The limits of hot reload: code that is no longer trusted does not run (CONTRACT 2.8), and what was approved is what runs
//! (CONTRACT 5.8).

use std::{
    fs,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolsmith::{
    BuiltIns, LiveTools, LoadScope, ServingOptions, ServingTools, Session, SessionSource, TrustDecision,
    discover_custom_tool_paths, load_custom_tools, settings::Settings, trust_store,
};
use toolsmith_agent::{AgentEvent, ApprovalMode, ApprovalRequest, Approver, Decision};
use toolsmith_llm::{Message, Script, ScriptedProvider};
use toolsmith_tool::{CancelToken, async_trait};

use crate::place::Place;

const GREET: &str = "project/.toolsmith/tools/greet.ts";
const WORD: &str = "project/shared/word.ts";
const CHANGED: &str = "was not called: its code was changed while the call waited. Call it again.";

/// A module with one tool that answers with this expression.
fn tool(name: &str, approval: &str, answer: &str, before: &str) -> String {
    format!(
        "{before}\nexport default () => ({{ name: {name:?}, description: \"d\", approval: {approval:?},\n\
         parameters: {{ type: \"object\", properties: {{}} }},\n\
         execute: async () => ({{ content: [{{ type: \"text\", text: {answer} }}] }}) }});\n"
    )
}

/// Code that shows that it was run.
fn telling(place: &Place) -> String {
    let evidence = place.path("evidence").display().to_string();
    format!("import {{ writeFileSync }} from \"node:fs\"; writeFileSync({evidence:?}, \"\");")
}

/// A project that the user's list trusts, with a tool that imports a word.
fn trusted_place(approval: &str) -> Place {
    let import = "import { word } from \"../../shared/word.ts\";";
    let mut place = Place::new(&[
        (GREET, &tool("greet", approval, "word", import)),
        (WORD, "export const word = 'old';"),
    ]);
    trust_store(&place.home()).add(&place.cwd()).unwrap();
    place.trust = TrustDecision::from_store(trust_store(&place.home())).unwrap();
    place
}

fn remove_trust(place: &Place) {
    assert!(trust_store(&place.home()).remove(&place.cwd()).unwrap());
}

/// Allows every call for the session, after something happened.
#[derive(Default)]
struct Meanwhile(Mutex<Option<Box<dyn FnOnce() + Send>>>);

#[async_trait]
impl Approver for Meanwhile {
    async fn ask(&self, _request: &ApprovalRequest, _cancel: &CancelToken) -> Decision {
        if let Some(happen) = self.0.lock().unwrap().take() {
            happen();
        }
        Decision::AllowForSession
    }
}

struct On {
    session: Session,
    notices: Arc<Mutex<Vec<String>>>,
}

impl On {
    async fn start(place: &Place, approver: Meanwhile, change: impl FnOnce(&mut Settings)) -> Self {
        let call = json!({ "reply": [{ "call": "greet" }] });
        let turns: Vec<Value> = (0..4).flat_map(|_| [call.clone(), json!("Done.")]).collect();
        let provider = ScriptedProvider::new(Script::parse(&json!(turns).to_string()).unwrap());
        let model = provider.model().clone();
        let mut settings = place.settings().settings;
        change(&mut settings);
        let session = Session::builder(place.cwd())
            .home(place.home())
            .settings(settings)
            .trust(place.trust.clone())
            .provider(Arc::new(provider), model)
            .built_ins(BuiltIns::None)
            .approval_mode(ApprovalMode::Write)
            .approver(Arc::new(approver))
            .discovery(true)
            .session(SessionSource::Memory)
            .build()
            .await
            .unwrap();
        let notices: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut events = session.subscribe();
        let kept = Arc::clone(&notices);
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let AgentEvent::Notice { message } = event.as_ref() {
                    kept.lock().unwrap().push(message.clone());
                }
            }
        });
        Self { session, notices }
    }

    /// Runs a prompt with one call; returns the text of the result.
    async fn result(&self) -> String {
        let before = self.session.log().messages().len();
        self.session.run("go").await.unwrap();
        let messages = self.session.log().messages();
        let results = messages[before..].iter().filter_map(|message| match message {
            Message::ToolResult(result) => Some(result),
            _ => None,
        });
        results.flat_map(|result| result.content.iter().filter_map(|block| block.as_text())).collect()
    }

    /// Waits for a notice that contains a text.
    async fn noticed(&self, text: &str) -> String {
        loop {
            if let Some(found) = self.notices.lock().unwrap().iter().find(|notice| notice.contains(text)) {
                return found.clone();
            }
            tokio::task::yield_now().await;
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum During {
    ModuleChanges,
    ImportChanges,
    ImportChangesUntrusted,
    TrustIsRemoved,
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_8_a_call_whose_code_changed_while_it_waited_is_not_made() {
    use During::{ImportChanges, ImportChangesUntrusted, ModuleChanges, TrustIsRemoved};
    for is_cached in [true, false] {
        for during in [ModuleChanges, ImportChanges, ImportChangesUntrusted, TrustIsRemoved] {
            let place = Arc::new(trusted_place("exec"));
            if is_cached {
                On::start(&place, Meanwhile::default(), |_| {}).await.session.dispose().await;
            }
            let project = Arc::clone(&place);
            let happen = move || {
                let new = format!("{} export const word = 'new';", telling(&project));
                match during {
                    ModuleChanges => {
                        project.write(GREET, &tool("greet", "exec", "'new'", &telling(&project)));
                    }
                    ImportChanges => project.write(WORD, &new),
                    ImportChangesUntrusted => {
                        remove_trust(&project);
                        project.write(WORD, &new);
                    }
                    TrustIsRemoved => remove_trust(&project),
                }
            };
            let on = On::start(&place, Meanwhile(Mutex::new(Some(Box::new(happen)))), |_| {}).await;
            let label = format!("{during:?}, cached: {is_cached}");
            let result = on.result().await;
            assert!(result.contains(CHANGED), "{label}: {result}");
            let again = on.result().await;
            match during {
                ModuleChanges | ImportChanges => assert_eq!(again, "new", "{label}"),
                ImportChangesUntrusted | TrustIsRemoved => {
                    assert!(again.contains("not found"), "{label}: {again}");
                    assert!(!place.path("evidence").exists(), "{label}: untrusted code was run");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_8_what_was_approved_runs_although_its_definition_was_cached() {
    let place = Arc::new(trusted_place("exec"));
    On::start(&place, Meanwhile::default(), |_| {}).await.session.dispose().await;
    let project = Arc::clone(&place);
    // The files are as they were when the answer is given.
    let happen = move || {
        project.write(WORD, "export const word = 'new';");
        project.write(WORD, "export const word = 'old';");
    };
    let on = On::start(&place, Meanwhile(Mutex::new(Some(Box::new(happen)))), |_| {}).await;
    assert_eq!(on.result().await, "old");
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_modules_that_lost_their_trust_are_neither_called_nor_loaded_again() {
    for reloads in [true, false] {
        let place = trusted_place("read");
        let on = On::start(&place, Meanwhile::default(), |settings| settings.tools.reload = reloads).await;
        assert_eq!(on.result().await, "old");
        remove_trust(&place);
        place.write(WORD, &format!("{} export const word = 'new';", telling(&place)));
        place.write("project/.toolsmith/tools/added.ts", &tool("added", "read", "'x'", &telling(&place)));
        let result = on.result().await;
        assert!(result.contains("not found"), "{reloads}: {result}");
        assert!(!place.path("evidence").exists(), "{reloads}: untrusted code was run");
        let notice = on.noticed("greet.ts is not trusted any more").await;
        assert!(notice.contains("toolsmith trust"), "{notice}");
        if reloads {
            on.noticed("added.ts waits for trust").await;
            // Trust that is given again counts with the next turn.
            trust_store(&place.home()).add(&place.cwd()).unwrap();
            assert_eq!(on.result().await, "new");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_trust_in_one_file_does_not_keep_what_it_imports() {
    let place = trusted_place("read");
    trust_store(&place.home()).add(&place.path(GREET)).unwrap();
    let on = On::start(&place, Meanwhile::default(), |_| {}).await;
    assert_eq!(on.result().await, "old");
    remove_trust(&place);
    let result = on.result().await;
    assert!(result.contains("not found"), "{result}");
    assert!(on.noticed("word.ts is not trusted").await.contains("may not run"));
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_removed_trust_is_noticed_without_a_turn() {
    let place = trusted_place("read");
    let on = On::start(&place, Meanwhile::default(), |_| {}).await;
    on.session.watch_tools();
    remove_trust(&place);
    on.noticed("greet.ts is not trusted any more").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_damaged_list_trusts_nothing() {
    let place = trusted_place("read");
    let on = On::start(&place, Meanwhile::default(), |_| {}).await;
    fs::write(trust_store(&place.home()).file(), "{").unwrap();
    assert!(on.result().await.contains("not found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_8_a_server_drops_modules_that_lost_their_trust() {
    for only in [None, Some(vec!["greet".to_owned()])] {
        let place = trusted_place("read");
        let (settings, engine, options) = (place.settings().settings, place.engine(), place.options());
        let discovered = discover_custom_tool_paths(&options);
        let loaded = load_custom_tools(discovered, &["resolve"], &[], &engine, LoadScope::Call).await;
        let live = LiveTools::new(engine, Some(options), &loaded, &["resolve"], &[], LoadScope::Call);
        let mut serving = ServingOptions::default();
        serving.only.clone_from(&only);
        let tools = ServingTools::new(place.cwd(), place.home(), settings, serving, &loaded).unwrap();
        tools.follow(live);
        assert_eq!(tools.names(), ["greet"]);
        remove_trust(&place);
        place.write("project/.toolsmith/tools/added.ts", &tool("added", "read", "'x'", &telling(&place)));
        let reloaded = tools.reload().await;
        match only {
            None => {
                assert!(tools.names().is_empty());
                assert_eq!(reloaded.unwrap().loaded.waiting.len(), 2);
            }
            // A list without the only tool cannot be served; the tool is not called all the same.
            Some(_) => {
                reloaded.unwrap_err();
                let result = loaded.tools[0].tool.execute(
                    toolsmith_tool::ToolCall::new("1", json!({})),
                    toolsmith_tool::ToolContext::detached(),
                );
                assert!(result.await.unwrap_err().to_string().contains("was not called"));
            }
        }
        assert!(!place.path("evidence").exists(), "untrusted code was run");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_8_a_file_that_only_the_call_imports_does_not_change_while_the_question_is_open() {
    for answer in ["(await import(\"../../shared/word.ts\")).word", "require(\"../../shared/word.cjs\").word"]
    {
        let mut place = Place::new(&[
            (GREET, &tool("greet", "exec", answer, "")),
            (WORD, "export const word = 'old';"),
            ("project/shared/word.cjs", "exports.word = 'old';"),
        ]);
        trust_store(&place.home()).add(&place.cwd()).unwrap();
        place.trust = TrustDecision::from_store(trust_store(&place.home())).unwrap();
        let files = [place.path(WORD), place.path("project/shared/word.cjs")];
        let change = move || {
            for file in files {
                let text = fs::read_to_string(&file).unwrap();
                fs::write(&file, text.replace("old", "new")).unwrap();
            }
        };
        let on = On::start(&place, Meanwhile(Mutex::new(Some(Box::new(change)))), |_| {}).await;
        assert!(on.result().await.contains(CHANGED), "{answer}");
        assert_eq!(on.result().await, "new", "{answer}: the next call is asked about again");
    }
}
