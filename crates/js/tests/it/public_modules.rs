//! What public modules use and other runtimes accept: `require` in ES modules, private names with modifiers, decorators,
//! JSX, `paths` of a configuration, packages of the same workspace.

use crate::project::Project;

/// Loads a module that throws unless what it uses works.
async fn loads(files: &[(&str, &str)]) {
    let project = Project::new(files);
    let module = project.load(files[0].0).await;
    assert!(module.errors.is_empty(), "{:?}", module.errors);
    assert_eq!(module.tools.len(), 1);
}

fn tool(body: &str) -> String {
    format!(
        "{body}\nexport default () => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\", properties: {{}} }}, execute: async () => ({{ content: [] }}) }});\n"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_es_module_may_use_require() {
    let source = tool(
        "import { join } from \"node:path\";\nconst { basename } = require(\"path\"); const other = require(\"./other.cjs\");\n\
         if (basename(join(\"a\", \"b\")) !== \"b\" || other.x !== 1) throw new Error(\"require\");",
    );
    let other = "module.exports = { x: 1 };";
    loads(&[("t.ts", &source), ("other.cjs", other)]).await;
    loads(&[("t.mjs", &source), ("other.cjs", other)]).await;
    let own = tool(
        "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url); require(\"node:fs\");",
    );
    loads(&[("t.ts", &own)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_2_modifiers_of_private_names_and_decorators_compile() {
    loads(&[("t.ts", &tool("class A { private #x = 1; get x() { return this.#x; } } if (new A().x !== 1) throw new Error(\"x\");"))]).await;
    let decorated = "const seen: string[] = []; function mark(target: any, key?: any) { seen.push(String(key ?? target.name)); }\n\
        @mark class B { @mark m() { return 1; } } if (new B().m() !== 1 || seen.join() !== \"m,B\") throw new Error(seen.join());";
    loads(&[("t.ts", &tool(decorated))]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_imports_jsx() {
    let part = "const React = { createElement: (type: string, props: unknown, ...children: unknown[]) => ({ type, props, children }) };\nexport const view = () => <div className=\"a\">hi</div>;";
    loads(&[
        (
            "t.ts",
            &tool("import { view } from \"./part\"; if (view().type !== \"div\") throw new Error(\"jsx\");"),
        ),
        ("part.tsx", part),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_paths_of_a_configuration_are_followed() {
    let config = "{ \"compilerOptions\": { /* comment */ \"baseUrl\": \".\", \"paths\": { \"@lib/*\": [\"src/lib/*\"] } } }";
    let source = tool("import { one } from \"@lib/one\"; if (one !== 1) throw new Error(\"paths\");");
    loads(&[("t.ts", &source), ("tsconfig.json", config), ("src/lib/one.ts", "export const one = 1;")]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_package_of_the_same_workspace_is_found_by_its_name() {
    let source = tool(
        "import { b } from \"@me/b\"; import { s } from \"@me/b/sub\"; if (b + s !== 3) throw new Error(\"workspace\");",
    );
    loads(&[
        ("packages/a/index.ts", &source),
        ("package.json", "{ \"private\": true, \"workspaces\": [\"packages/*\"] }"),
        ("packages/a/package.json", "{ \"name\": \"@me/a\", \"type\": \"module\" }"),
        ("packages/b/package.json", "{ \"name\": \"@me/b\", \"type\": \"module\", \"exports\": { \".\": \"./src.ts\", \"./sub\": \"./sub.ts\" } }"),
        ("packages/b/src.ts", "export const b = 1;"),
        ("packages/b/sub.ts", "export const s = 2;"),
    ])
    .await;
}
