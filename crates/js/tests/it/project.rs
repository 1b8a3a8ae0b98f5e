//! A temporary folder with tools in it, and an engine for them.

use std::{
    fs,
    ops::Deref,
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use toolsmith_js::{Engine, EngineKind, EngineOptions, Limits, LoadedModule};
use toolsmith_testkit as testkit;
use toolsmith_tool::{Tool, ToolCall, ToolContext, ToolError, ToolResult, UpdateSink};

/// A project, and an engine that works there.
pub(crate) struct Project {
    files: testkit::Project,
    pub(crate) engine: Engine,
}

impl Deref for Project {
    type Target = testkit::Project;

    fn deref(&self) -> &testkit::Project {
        &self.files
    }
}

impl Project {
    /// A project under the default limits.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with_limits(Limits::default(), files)
    }

    pub(crate) fn with_limits(limits: Limits, files: &[(&str, &str)]) -> Self {
        Self::with_options(limits, files, |options| match std::env::var("TOOLSMITH_TEST_ENGINE").as_deref() {
            // To look how the other engines compare; some tests are about the embedded one.
            Ok("node") => options.engine(EngineKind::Node),
            Ok("bun") => options.engine(EngineKind::Bun),
            _ => options,
        })
    }

    pub(crate) fn with_options(
        limits: Limits,
        files: &[(&str, &str)],
        adjust: impl FnOnce(EngineOptions) -> EngineOptions,
    ) -> Self {
        let files = testkit::Project::new(files);
        let engine = Engine::new(adjust(EngineOptions::new(&files.root).limits(limits)));
        Self { files, engine }
    }

    /// Loads one module.
    pub(crate) async fn load(&self, name: &str) -> LoadedModule {
        self.engine.load(&[self.path(name)]).await.remove(0)
    }

    /// Loads the only tool of a module that must load.
    pub(crate) async fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let module = self.load(name).await;
        assert!(module.errors.is_empty(), "{:#?}", module.errors);
        Arc::clone(&module.tools.first().expect("the module has a tool").tool)
    }

    /// The only error of a module that must not load.
    pub(crate) async fn load_error(&self, name: &str) -> toolsmith_js::LoadError {
        let mut module = self.load(name).await;
        assert!(module.tools.is_empty(), "{:?}", module.tools);
        assert_eq!(module.errors.len(), 1, "{:#?}", module.errors);
        module.errors.remove(0)
    }
}

/// A project of one tool: `body` is the inside of `execute`.
pub(crate) fn tool_source(body: &str) -> String {
    format!(
        "export default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute(id, params, onUpdate, ctx, signal) {{ {body} }} }});\n"
    )
}

/// Calls a tool with nothing around it.
pub(crate) async fn call(tool: &Arc<dyn Tool>, arguments: Value) -> Result<ToolResult, ToolError> {
    tool.execute(ToolCall::new("call-1", arguments), ToolContext::detached()).await
}

/// Runs a body as a tool and gives its text.
pub(crate) async fn run(body: &str) -> String {
    let project = Project::new(&[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    match call(&tool, serde_json::json!({})).await {
        Ok(result) => result.joined_text(),
        Err(error) => panic!("{error}"),
    }
}

/// Runs a body behind imports as a tool, in an empty folder, and gives what it returns.
pub(crate) async fn in_tool(imports: &str, body: &str) -> Value {
    let source = format!(
        "{imports}\nexport default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute(id, params, onUpdate, ctx, signal) {{ const work = async () => {{ {body} }};\n\
         return {{ content: [{{ type: \"text\", text: JSON.stringify(await work()) ?? \"null\" }}] }}; }} }});\n"
    );
    let project = Project::new(&[("t.mjs", &source)]);
    let tool = project.tool("t.mjs").await;
    let result =
        call(&tool, serde_json::json!({})).await.unwrap_or_else(|error| panic!("{error}\nin\n{body}"));
    serde_json::from_str(&result.joined_text()).unwrap()
}

/// Collects updates.
pub(crate) fn collector() -> (UpdateSink, Arc<Mutex<Vec<ToolResult>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = UpdateSink::new({
        let seen = Arc::clone(&seen);
        move |partial| seen.lock().unwrap().push(partial)
    });
    (sink, seen)
}

/// Copies a folder, for fixtures that write beside themselves.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
