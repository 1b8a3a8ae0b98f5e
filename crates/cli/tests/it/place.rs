//! A home and a project in a temporary folder, and the program run in them.

use std::{ops::Deref, path::Path};

use serde_json::Value;
use toolsmith_host::exec::{self, PathRule, Request, Stdin};
use toolsmith_testkit::Project;
use toolsmith_tool::CancelToken;

/// A small tool, with a schema, updates, and a result.
pub(crate) const HELLO: &str = r#"import { Type } from "@sinclair/typebox";
export default (pi) => ({
  name: "hello",
  label: "Say hello",
  description: "Greets somebody",
  parameters: Type.Object({
    name: Type.String({ description: "Who is greeted" }),
    times: Type.Optional(Type.Integer({ description: "How often", default: 1 })),
    tags: Type.Optional(Type.Array(Type.String())),
  }),
  async execute(id, params, onUpdate) {
    onUpdate({ content: [{ type: "text", text: "Thinking" }] });
    onUpdate({ content: [{ type: "text", text: "Thinking\nof words" }] });
    return {
      content: [{ type: "text", text: Array(params.times ?? 1).fill(`Hello, ${params.name}!`).join("\n") }],
      details: { tags: params.tags ?? [] },
    };
  },
});
"#;

/// A tool that stages a change.
pub(crate) const STAGE: &str = r#"export default (pi) => ({
  name: "stage",
  description: "Stages a change",
  parameters: { type: "object", properties: {} },
  async execute() {
    pi.pushPendingAction({
      label: "Write the file",
      sourceToolName: "stage",
      apply: async (reason) => ({ content: [{ type: "text", text: `Written (${reason})` }] }),
    });
    return { content: [{ type: "text", text: "1 file would change" }] };
  },
});
"#;

/// A module that cannot be loaded.
pub(crate) const BROKEN: &str = "const one: number = 1;\n\nthrow new RangeError(`no ${one}`);\n";

/// What the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Said {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self:#?}"))
    }
}

/// A home and a project, and a folder for programs.
pub(crate) struct Place(Project);

impl Deref for Place {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.0
    }
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Project::with_home(files);
        project.create_folder("bin");
        Self(project)
    }

    /// A project with these tools, trusted by the user.
    pub(crate) fn trusted(files: &[(&str, &str)]) -> Self {
        let place = Self::new(files);
        let project = place.path("project").display().to_string();
        let list = format!("{{\"version\":1,\"entries\":[{{\"path\":{project:?},\"kind\":\"folder\"}}]}}");
        place.write("home/.toolsmith/trust.json", &list);
        place
    }

    /// A program in the only folder of `PATH`.
    pub(crate) fn program(&self, name: &str, script: &str) {
        self.write_program(&format!("bin/{name}"), script);
    }

    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let text = |path: &Path| path.display().to_string();
        vec![
            ("HOME".to_owned(), text(&self.path("home"))),
            ("PATH".to_owned(), text(&self.path("bin"))),
            ("TERM".to_owned(), "xterm-256color".to_owned()),
        ]
    }

    pub(crate) fn request(&self, args: &[&str]) -> Request {
        let mut request = Request::new(env!("CARGO_BIN_EXE_toolsmith"))
            .args(args.iter().copied())
            .cwd(self.path("project"))
            // The program gets entries that it must not use.
            .path_rule(PathRule::PassedOn);
        request.clear_env = true;
        for (name, value) in self.variables() {
            request = request.env(name, value);
        }
        request
    }

    pub(crate) async fn run(&self, args: &[&str]) -> Said {
        self.run_request(&self.request(args)).await
    }

    pub(crate) async fn run_with_input(&self, args: &[&str], input: &str) -> Said {
        self.run_request(&self.request(args).stdin(Stdin::Bytes(input.as_bytes().to_vec()))).await
    }

    pub(crate) async fn run_request(&self, request: &Request) -> Said {
        let outcome = exec::run(request, &CancelToken::new(), |_| {}).await.unwrap();
        Said { stdout: outcome.stdout.text(), stderr: outcome.stderr.text(), code: outcome.code }
    }
}
