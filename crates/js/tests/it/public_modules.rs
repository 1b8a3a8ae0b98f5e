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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_2_decorators_are_standard_ones_unless_the_configuration_asks_for_the_older_kind() {
    let standard = "const seen: string[] = [];\n\
        function mark(value: any, context: any) { seen.push(`${context.kind} ${context.name} ${context.static ?? \"\"}`); }\n\
        const twice = (method: any, context: any) => function (this: any, x: number) { return 2 * method.call(this, x); };\n\
        @mark class B { #n = 1; @mark @twice m(x: number) { return x + this.#n; } @mark get g() { return 3; } @mark static s() { return 4; } @mark f = 5; }\n\
        const b = new B();\n\
        if (b.m(1) !== 4 || b.g !== 3 || B.s() !== 4 || b.f !== 5) throw new Error(String(b.m(1)));\n\
        if ([...seen].sort().join() !== \"class B ,field f false,getter g false,method m false,method s true\") throw new Error(seen.join());";
    loads(&[("t.ts", &tool(standard))]).await;
    let older = "const seen: string[] = []; function mark(target: any, key?: any, descriptor?: any) { seen.push(`${String(key ?? target.name)} ${typeof descriptor?.value}`); }\n\
        @mark class B { @mark m() { return 1; } } if (seen.join() !== \"m function,B undefined\") throw new Error(seen.join());";
    let config = "{ \"compilerOptions\": { \"experimentalDecorators\": true } }";
    loads(&[("t.ts", &tool(older)), ("tsconfig.json", config)]).await;
    // Only the older kind has decorators of parameters.
    let parameter = "const seen: number[] = []; const at = (t: any, k: any, index: number) => void seen.push(index);\n\
        class B { m(a: number, @at b: number) {} } if (seen.join() !== \"1\") throw new Error(seen.join());";
    loads(&[("t.ts", &tool(parameter))]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c2_7_a_decorator_that_needs_another_class_is_refused_in_a_sentence() {
    let project = Project::new(&[(
        "t.ts",
        &tool("const init = () => (value: number) => value * 2;\nclass B { @init f = 1; }"),
    )]);
    let module = project.load("t.ts").await;
    let error = module.errors.iter().map(ToString::to_string).collect::<String>();
    assert!(
        error.contains("a decorator that changes the value of the field \"f\" is not supported"),
        "{error}"
    );
    assert!(!error.contains("oxc"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn using_declarations_dispose_at_the_end_of_their_block() {
    let source = tool(
        "const log: string[] = [];\n{ using a = { [Symbol.dispose]() { log.push(\"a\"); } }; await using b = { async [Symbol.asyncDispose]() { log.push(\"b\"); } }; log.push(\"in\"); }\n\
         if (log.join() !== \"in,b,a\") throw new Error(log.join());",
    );
    loads(&[("t.ts", &source)]).await;
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
