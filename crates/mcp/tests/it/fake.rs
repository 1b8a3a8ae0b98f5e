//! A scripted server process, and a client for it.

use std::{path::PathBuf, sync::Arc, time::Duration};

use toolsmith_mcp::{
    ClientOptions, Servers,
    auth::TokenFile,
    config::{ConfigOrigin, ConfigScope, ServerConfig, Transport},
};
use toolsmith_testkit::{Project, has_program};
use toolsmith_tool::{Tool, ToolCall, ToolContext, ToolError, ToolResult, UiHandle};

/// The server's source.
pub(crate) fn script() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fake_server.py").to_owned()
}

/// Returns whether the server can run here.
pub(crate) fn has_python() -> bool {
    has_program("python3")
}

/// A project, and the servers in it.
pub(crate) struct Fake {
    pub(crate) project: Project,
    pub(crate) servers: Servers,
}

/// An entry for the fake server.
pub(crate) fn entry(name: &str, args: &[&str]) -> ServerConfig {
    let origin = ConfigOrigin::file("toolsmith", ConfigScope::User, &PathBuf::from("mcp.json"));
    let args = std::iter::once(script()).chain(args.iter().map(|arg| (*arg).to_owned())).collect();
    let transport =
        Transport::Stdio { command: "python3".to_owned(), args, env: Default::default(), cwd: None };
    let mut config = ServerConfig::new(name, origin, transport);
    config.startup_timeout = Duration::from_secs(20);
    config
}

impl Fake {
    pub(crate) fn new(config: ServerConfig) -> Self {
        Self::with_ui(config, UiHandle::headless())
    }

    pub(crate) fn with_ui(config: ServerConfig, ui: UiHandle) -> Self {
        let project = Project::new(&[]);
        let servers = Self::client(config, &project, ui);
        Self { project, servers }
    }

    pub(crate) fn client(config: ServerConfig, project: &Project, ui: UiHandle) -> Servers {
        let tokens = TokenFile::at(project.path("auth.json"));
        let options = ClientOptions::new(&project.root, tokens).cache(project.path("cache")).ui(ui);
        Servers::new(vec![config], &options)
    }

    pub(crate) fn mode(mode: &str) -> Self {
        Self::new(entry("fake", &[mode]))
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = self.servers.tools_of("fake");
        let wanted = format!("mcp__fake__{name}");
        tools.into_iter().find(|tool| tool.spec().name == wanted).expect("the tool is known")
    }

    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: serde_json::Value,
    ) -> Result<ToolResult, ToolError> {
        self.servers.start("fake").await.expect("the server starts");
        self.tool(name).execute(ToolCall::new("1", arguments), ToolContext::detached()).await
    }
}

/// Waits until a condition holds; fails after a long time.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting)
        .await
        .unwrap_or_else(|_| panic!("never happened: {what}"));
}

/// Returns whether a process exists and is not a zombie.
pub(crate) fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}
