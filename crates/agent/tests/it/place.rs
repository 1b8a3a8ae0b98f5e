//! A folder with the built-in tools at work in it.

use std::{fs, path::PathBuf};

use serde_json::Value;
use toolsmith_agent::{CallOutcome, CallRequest, Dispatcher};
use toolsmith_builtins::register_built_in_tools;
use toolsmith_host::exec::{Request, run};
use toolsmith_tool::{CancelToken, Registry};

use crate::probe::yolo;

pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) dispatcher: Dispatcher,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = Registry::new();
        register_built_in_tools(&mut registry, folder.path(), None).unwrap();
        registry.activate_initial(None).unwrap();
        Self { folder, dispatcher: Dispatcher::builder(registry).approval(yolo()).build() }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn get(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
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
        let path = self.at(name).display().to_string();
        let outcome = run(&Request::new("mkfifo").args([path]), &CancelToken::new(), |_| {}).await.unwrap();
        assert_eq!(outcome.code, 0);
    }

    /// Takes all rights off a file; `false` where that means nothing, as for root.
    pub(crate) fn forbid(&self, name: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o000)).unwrap();
        fs::File::open(self.at(name)).is_err()
    }
}
