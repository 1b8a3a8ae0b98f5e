//! A project with the built-in tools at work in it.

use std::{fs, ops::Deref};

use serde_json::Value;
use toolsmith_agent::{CallOutcome, CallRequest, Dispatcher};
use toolsmith_builtins::register_built_in_tools;
use toolsmith_host::exec::{Request, run};
use toolsmith_testkit::{Project, agent::yolo};
use toolsmith_tool::{CancelToken, Registry};

pub(crate) struct Place {
    project: Project,
    pub(crate) dispatcher: Dispatcher,
}

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let project = Project::new(&[]);
        let mut registry = Registry::new();
        register_built_in_tools(&mut registry, &project.root, None).unwrap();
        registry.activate_initial(None).unwrap();
        Self { project, dispatcher: Dispatcher::builder(registry).approval(yolo()).build() }
    }

    pub(crate) async fn call(&self, name: &str, arguments: Value) -> CallOutcome {
        self.dispatcher.call(CallRequest::new("1", name, arguments)).await
    }

    /// The text of a call that works.
    pub(crate) async fn works(&self, name: &str, arguments: Value) -> String {
        let outcome = self.call(name, arguments).await;
        assert!(!outcome.is_error(), "{outcome:?}");
        outcome.result.joined_text()
    }

    /// The text of a call that fails.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        let outcome = self.call(name, arguments).await;
        assert!(outcome.is_error(), "{outcome:?}");
        outcome.result.joined_text()
    }

    pub(crate) async fn make_pipe(&self, name: &str) {
        let path = self.path(name).display().to_string();
        let outcome = run(&Request::new("mkfifo").args([path]), &CancelToken::new(), |_| {}).await.unwrap();
        assert_eq!(outcome.code, 0);
    }

    /// Takes all rights off a file; `false` where that means nothing, as for root.
    pub(crate) fn forbid(&self, name: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o000)).unwrap();
        fs::File::open(self.path(name)).is_err()
    }
}
