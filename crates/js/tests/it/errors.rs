//! CONTRACT 2.7: errors in the author's own terms: the file, the line, a frame, a hint.

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::ToolError;

use crate::project::{Project, call};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_a_syntax_error_has_place_frame_and_hint() {
    let project = Project::new(&[(
        "t.ts",
        "interface A { a: string }\n\nexport default (pi) => ({\n  name: \"x\",\n  execute() { return 1 +; },\n});\n",
    )]);
    let error = project.load_error("t.ts").await;
    let place = error.location.clone().unwrap();
    assert_eq!((place.line, place.column, place.file), (5, 25, project.path("t.ts")));
    assert_eq!(
        error.frame.as_deref(),
        Some(
            "  3 | export default (pi) => ({\n  4 |   name: \"x\",\n> 5 |   execute() { return 1 +; },\n    |                         ^\n  6 | });"
        )
    );
    assert!(error.to_string().starts_with("Failed to load tool: SyntaxError: "), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_a_throw_is_mapped_through_typescript_and_imports() {
    let project = Project::new(&[
        (
            "t.ts",
            "import { deep } from \"./lib/deep\";\ntype T = {\n  a: string;\n};\nexport default (pi: unknown) => deep<T>(pi);\n",
        ),
        (
            "lib/deep.ts",
            "enum E { A }\n\nexport function deep<T>(pi: unknown): T {\n  const x: number = E.A;\n  throw new TypeError(`bad ${x}`);\n}\n",
        ),
    ]);
    let error = project.load_error("t.ts").await;
    let place = error.location.clone().unwrap();
    assert_eq!((place.file, place.line), (project.path("lib/deep.ts"), 5));
    assert!(error.frame.unwrap().contains("> 5 |   throw new TypeError(`bad ${x}`);"));
    let stack = error.stack.unwrap();
    assert!(
        stack.contains("lib/deep.ts:5:") && stack.contains("t.ts:5:") && !stack.contains("toolsmith:"),
        "{stack}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_common_mistakes_have_a_hint() {
    let files = [
        ("package.ts", "import x from \"@scope/pkg/sub\";\nexport default () => x;"),
        ("nothing.ts", "export const tool = () => ({});"),
        ("deep.ts", "const f = () => f();\nf();"),
        ("native.ts", "import x from \"./addon.node\";\nexport default () => x;"),
        ("addon.node", ""),
    ];
    // Without Bun and Node, which would say it in their words.
    let project = Project::with_options(Limits::default(), &files, |options| options.search_path(""));
    let hint = |error: toolsmith_js::LoadError| error.hint.unwrap_or_default();
    assert_eq!(
        hint(project.load_error("package.ts").await),
        "Install it beside the tool: npm install @scope/pkg"
    );
    assert!(hint(project.load_error("nothing.ts").await).contains("export default (pi) =>"));
    assert!(hint(project.load_error("deep.ts").await).contains("imports itself"));
    assert!(
        project
            .load_error("native.ts")
            .await
            .to_string()
            .contains("a native addon, which the embedded engine cannot run")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_of_a_call_keeps_class_code_and_the_authors_stack() {
    let project = Project::new(&[(
        "t.ts",
        "class Refused extends Error {\n  name = \"Refused\";\n  code = \"E_REFUSED\";\n}\ninterface X { y: string }\nconst inner = (x: X) => {\n  throw new Refused(\"no \" + x.y);\n};\nexport default () => ({ name: \"t\", description: \"d\", parameters: {},\n  async execute() {\n    inner({ y: \"way\" });\n  },\n});\n",
    )]);
    let tool = project.tool("t.ts").await;
    let Err(ToolError::Reply(failure)) = call(&tool, json!({})).await else {
        panic!("it should have failed")
    };
    assert_eq!((failure.message.as_str(), failure.class.as_deref()), ("no way", Some("Refused")));
    let stack = failure.stack.unwrap();
    assert!(stack.contains("inner") && stack.contains("t.ts:7:") && stack.contains("t.ts:11:"), "{stack}");
    assert_eq!(failure.details.unwrap()["error"]["code"], "E_REFUSED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modules_load_in_parallel_and_keep_their_order() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| {
            let source = match n % 4 {
                0 => "throw new Error(\"no\");".to_owned(),
                1 => "export default () => null;".to_owned(),
                _ => format!("await new Promise((r) => setTimeout(r, {})); export default () => ({{ name: \"t{n}\", description: \"d\", parameters: {{}}, execute: async () => ({{ content: [] }}) }});", (40 - n) % 7),
            };
            (format!("t{n}.ts"), source)
        })
        .collect();
    let listed: Vec<(&str, &str)> =
        files.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
    let project = Project::new(&listed);
    let paths: Vec<_> = files.iter().map(|(name, _)| project.path(name)).collect();
    let modules = project.engine.load(&paths).await;
    for (n, module) in modules.iter().enumerate() {
        assert_eq!(module.path, paths[n]);
        match n % 4 {
            0 => assert_eq!((module.tools.len(), module.errors.len()), (0, 1)),
            1 => assert_eq!((module.tools.len(), module.errors.len()), (0, 0)),
            _ => assert_eq!(module.tools[0].tool.spec().name, format!("t{n}")),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_survey_sees_what_loading_sees_and_its_tools_can_be_called() {
    let tool = |name: &str| {
        format!(
            "export default () => ({{ name: \"{name}\", description: \"d\", parameters: {{}}, execute: async () => ({{ content: [{{ type: \"text\", text: \"{name}\" }}] }}) }});"
        )
    };
    let (first, last) = (tool("first"), tool("last"));
    let limits = toolsmith_js::Limits::default().load(std::time::Duration::from_secs(5)).memory(64 << 20);
    let project = Project::with_limits(
        limits,
        &[
            ("a.ts", &first),
            ("b.ts", "while (true) {}"),
            ("c.ts", "const a = []; for (;;) a.push(new Array(1000).fill(1));"),
            ("d.ts", "throw new Error(\"no\");"),
            ("e.md", "# metadata"),
            ("f.ts", "export default () => null;"),
            ("g.ts", &last),
        ],
    );
    let paths: Vec<_> =
        ["a.ts", "b.ts", "c.ts", "d.ts", "e.md", "f.ts", "g.ts"].map(|name| project.path(name)).to_vec();
    let modules = project.engine.scan(&paths).await;
    let seen: Vec<(usize, usize)> =
        modules.iter().map(|module| (module.tools.len(), module.errors.len())).collect();
    assert_eq!(seen, [(1, 0), (0, 1), (0, 1), (0, 1), (0, 1), (0, 0), (1, 0)], "{modules:#?}");
    assert_eq!(modules.iter().map(|module| module.path.clone()).collect::<Vec<_>>(), paths);
    // Its runtimes end with it: nothing of a module goes on beside the one that is called.
    while project.engine.stats().threads > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(call(&modules[6].tools[0].tool, json!({})).await.unwrap().joined_text(), "last");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_a_misspelled_built_in_module_is_an_error() {
    for name in ["node:fss", "bun:sqlit", "node:fs/promise"] {
        let project =
            Project::new(&[("t.ts", &format!("import x from \"{name}\";\nexport default () => x;\n"))]);
        let error = project.load_error("t.ts").await;
        assert!(error.message.contains(&format!("No such built-in module: {name}")), "{error}");
        assert_eq!(error.hint, None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_a_path_alias_is_not_offered_for_installation() {
    let tsconfig = "{ \"compilerOptions\": { \"paths\": { \"@app/*\": [\"./src/*\"] } } }";
    for name in ["@app/nothing", "@/lib/nothing", "~/nothing"] {
        let source = format!("import x from \"{name}\";\nexport default () => x;\n");
        let project = Project::new(&[("tsconfig.json", tsconfig), ("t.ts", &source)]);
        let error = project.load_error("t.ts").await;
        assert!(error.message.contains(&format!("Cannot find module '{name}'")), "{error}");
        assert_eq!(error.hint, None, "{name}");
    }
}
