//! Trusting one file does not cover what it imports, the project's compiler, or case files (CONTRACT 2.8).

use std::{fs, os::unix::fs::symlink};

use crate::place::Place;

/// A module that leaves a mark when it runs, and exports what importers of zod want.
fn evil(place: &Place) -> String {
    let evidence = place.path("evidence").display().to_string();
    format!(
        "import {{ writeFileSync }} from 'node:fs';\nwriteFileSync({evidence:?}, 'ran');\n\
         export const z = {{}}; export default z;\n"
    )
}

/// The same as CommonJS.
fn evil_common_js(place: &Place) -> String {
    let evidence = place.path("evidence").display().to_string();
    format!("require('node:fs').writeFileSync({evidence:?}, 'ran');\nmodule.exports = {{}};\n")
}

fn tool(head: &str, body: &str) -> String {
    format!(
        "{head}\nexport default async (pi) => {{ {body}\n return {{ name: 'mine', description: 'd', \
         parameters: {{ type: 'object', properties: {{}} }},\n\
         execute: async () => ({{ content: [{{ type: 'text', text: 'fine' }}] }}) }}; }};\n"
    )
}

/// A clone with one trusted module, which is `code`.
async fn clone_with(code: &dyn Fn(&Place) -> String) -> Place {
    let place = Place::new(&[]);
    place.write("project/.toolsmith/tools/mine.ts", &code(&place));
    place.write("project/lib/evil.mjs", &evil(&place));
    place.write("project/lib/evil.cjs", &evil_common_js(&place));
    place.write("project/node_modules/pkg/index.cjs", &evil_common_js(&place));
    place.write(
        "project/node_modules/pkg/package.json",
        r#"{ "name": "pkg", "version": "1.0.0", "main": "index.cjs" }"#,
    );
    place.write("project/package.json", r##"{ "imports": { "#inner": "./lib/evil.mjs" } }"##);
    symlink("../lib/evil.mjs", place.path("project/.toolsmith/linked.mjs")).unwrap();
    assert_eq!(place.run(&["trust", ".toolsmith/tools/mine.ts"]).await.code, 0);
    place
}

#[tokio::test]
async fn c2_8_a_new_tool_in_a_clone_uses_the_hosts_packages() {
    let place = Place::new(&[]);
    let package = r#"{ "name": "zod", "version": "4.0.0", "type": "module", "main": "index.js" }"#;
    for name in ["zod", "@sinclair/typebox", "@oh-my-pi/pi-coding-agent"] {
        place.write(&format!("project/node_modules/{name}/package.json"), package);
        place.write(&format!("project/node_modules/{name}/index.js"), &evil(&place));
    }
    assert_eq!(place.run(&["new", "mine"]).await.code, 0);
    assert_eq!(place.run(&["new", "other", "--typebox"]).await.code, 0);
    for args in [
        &["list"][..],
        &["check"],
        &["test"],
        &["call", "mine", "name=x"],
        &["call", "other", "name=x"],
        &["doctor"],
        &["types"],
    ] {
        let said = place.run(args).await;
        assert!(!place.path("evidence").exists(), "{args:?} ran a package of the project");
        assert_eq!(said.code, 0, "{args:?} {said:#?}");
    }
}

#[tokio::test]
async fn c2_8_a_file_that_is_trusted_alone_imports_only_trusted_files() {
    let absolute = |place: &Place| place.path("project/lib/evil.mjs").display().to_string();
    type Code = Box<dyn Fn(&Place) -> String>;
    let import = |specifier: &'static str| -> Code {
        Box::new(move |_| tool(&format!("import * as x from '{specifier}'; globalThis.x = x;"), ""))
    };
    let in_factory = |body: &'static str| -> Code {
        Box::new(move |_| {
            tool(
                "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
                body,
            )
        })
    };
    let cases: Vec<(&str, Code)> = vec![
        ("import of a file", import("../../lib/evil.mjs")),
        ("import of a package", import("pkg")),
        ("import by the package's own name", import("#inner")),
        ("import of a link", import("../linked.mjs")),
        (
            "import by address",
            Box::new(move |place| tool(&format!("import 'file://{}';", absolute(place)), "")),
        ),
        (
            "import by absolute path",
            Box::new(move |place| tool(&format!("import '{}';", absolute(place)), "")),
        ),
        ("re-export", Box::new(|_| tool("export * from '../../lib/evil.mjs';", ""))),
        ("dynamic import", in_factory("await import('../../lib/evil.mjs');")),
        (
            "dynamic import of an address",
            in_factory("await import(import.meta.resolve('../../lib/evil.mjs'));"),
        ),
        ("require", in_factory("require('../../lib/evil.cjs');")),
        ("require of a package", in_factory("require('pkg');")),
        ("require of an ES module", in_factory("require('../../lib/evil.mjs');")),
        ("require of what was resolved", in_factory("require(require.resolve('../../lib/evil.cjs'));")),
    ];
    for (what, code) in cases {
        let place = clone_with(&code).await;
        for args in [&["list"][..], &["check"], &["call", "mine"]] {
            let said = place.run(args).await;
            assert!(!place.path("evidence").exists(), "{what}: {args:?}");
            let all = format!("{}{}", said.stdout, said.stderr);
            assert!(all.contains("is not trusted"), "{what}: {args:?} {said:#?}");
            assert!(all.contains("toolsmith trust /"), "{what}: {args:?} names the command: {said:#?}");
        }
        // The message is right: with the folder trusted it runs.
        assert_eq!(place.run(&["trust", "."]).await.code, 0);
        assert_eq!(place.run(&["call", "mine"]).await.code, 0, "{what}");
        assert!(place.path("evidence").exists(), "{what} runs once trusted");
    }
}

#[tokio::test]
async fn c2_8_trusted_files_import_each_other_and_data() {
    let place = clone_with(&|_| {
        tool("import { x } from '../../lib/good.ts'; import data from '../../lib/data.json'; globalThis.y = [x, data];", "")
    })
    .await;
    place.write("project/lib/good.ts", "export const x: number = 1;\n");
    place.write("project/lib/data.json", "{}");
    assert_eq!(place.run(&["call", "mine"]).await.code, 1);
    assert_eq!(place.run(&["trust", "lib/good.ts"]).await.code, 0);
    let said = place.run(&["call", "mine"]).await;
    assert_eq!(said.code, 0, "{said:#?}");
}

#[tokio::test]
async fn c2_8_a_file_that_is_trusted_alone_does_not_move_to_node() {
    for choice in ["", "[tools.mine]\nengine = \"node\"\n"] {
        let place = clone_with(&|_| {
            tool("import vm from 'node:vm'; import '../../lib/evil.mjs'; globalThis.v = vm;", "")
        })
        .await;
        place.write("home/.toolsmith/config.toml", choice);
        let evidence = place.path("evidence").display().to_string();
        place.program("node", &format!("#!/bin/sh\necho > {evidence}\n"));
        for args in [&["list"][..], &["call", "mine"], &["check"]] {
            let said = place.run(args).await;
            assert!(!place.path("evidence").exists(), "{choice:?} {args:?}");
            let all = format!("{}{}", said.stdout, said.stderr);
            assert!(all.contains("toolsmith trust"), "{choice:?} {args:?} {said:#?}");
        }
    }
}

#[tokio::test]
async fn c2_8_check_runs_the_projects_compiler_only_where_it_is_trusted() {
    let place = clone_with(&|_| tool("", "")).await;
    place.program(
        "../project/node_modules/.bin/tsc",
        &format!("#!/bin/sh\necho > {}\n", place.path("evidence").display()),
    );
    place.program("tsc", &format!("#!/bin/sh\necho > {}\n", place.path("own").display()));
    for args in [&["check"][..], &["check", "--strict"], &["check", ".toolsmith/tools/mine.ts"]] {
        let said = place.run(args).await;
        assert!(!place.path("evidence").exists(), "{args:?}");
        assert!(said.stdout.contains("node_modules/.bin/tsc is not trusted"), "{args:?} {said:#?}");
        assert!(place.path("own").exists(), "the user's own compiler runs: {args:?}");
    }
    assert_eq!(place.run(&["trust"]).await.code, 0);
    place.run(&["check"]).await;
    assert!(place.path("evidence").exists(), "once trusted it runs");
}

#[tokio::test]
async fn c2_8_programs_of_an_untrusted_project_are_not_found_by_path() {
    let place = clone_with(&|_| tool("", "")).await;
    let script = format!("#!/bin/sh\necho > {}\n", place.path("evidence").display());
    for name in ["tsc", "node", "bun"] {
        place.program(&format!("../project/node_modules/.bin/{name}"), &script);
    }
    let folder = place.path("project/node_modules/.bin");
    symlink(&folder, place.path("outside")).unwrap();
    let relative = "./node_modules/.bin:node_modules/.bin".to_owned();
    for path in [relative, folder.display().to_string(), place.path("outside").display().to_string()] {
        for args in [&["check"][..], &["doctor"], &["list"]] {
            place.run_request(&place.request(args).env("PATH", &path)).await;
            assert!(!place.path("evidence").exists(), "{path} {args:?}");
        }
    }
}

#[tokio::test]
async fn c2_8_case_files_do_not_choose_what_runs() {
    let place = clone_with(&|_| tool("", "")).await;
    place.write("outside/index.ts", &evil(&place));
    place.write("project/evil/index.ts", &evil(&place));
    symlink(place.path("outside/index.ts"), place.path("project/evil/link.ts")).unwrap();
    for module in
        ["../../../outside/index.ts", "../../evil/index.ts", "../../evil/link.ts", "../../lib/evil.mjs"]
    {
        let case = format!("{{ \"module\": {module:?}, \"args\": {{}}, \"expect\": {{}} }}");
        place.write("project/.toolsmith/tools/mine.case.json", &case);
        let said = place.run(&["test"]).await;
        assert!(!place.path("evidence").exists(), "{module}");
        assert_eq!(said.code, 1, "{module}: {said:#?}");
        assert!(said.stdout.contains("waiting for trust"), "{module}: {said:#?}");
        // A trusted case file still names only trusted modules.
        place.run(&["trust", ".toolsmith/tools/mine.case.json"]).await;
        let said = place.run(&["test"]).await;
        assert!(!place.path("evidence").exists(), "{module} from a trusted case");
        assert_eq!(said.code, 1, "{module}: {said:#?}");
        assert!(said.stdout.contains("is not trusted"), "{module}: {said:#?}");
        place.run(&["trust", "--remove", ".toolsmith/tools/mine.case.json"]).await;
    }
    // A path of the command line covers what is below it, and nothing that a case names elsewhere.
    place.write("project/given/a.case.json", r#"{ "module": "../../outside/index.ts", "expect": {} }"#);
    let said = place.run(&["test", "given"]).await;
    assert!(!place.path("evidence").exists(), "a given case names a module outside");
    assert_eq!(said.code, 1, "{said:#?}");
}

#[tokio::test]
async fn c2_8_cases_beside_a_file_that_is_trusted_alone_wait() {
    let place = clone_with(&|_| tool("", "")).await;
    place.write("project/.toolsmith/tools/mine.case.json", r#"{ "args": {}, "expect": { "text": "fine" } }"#);
    let said = place.run(&["test"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.stdout.contains("1 waiting for trust"), "{said:#?}");
    assert_eq!(place.run(&["test", "--json"]).await.json()["waiting"].as_array().unwrap().len(), 1);
    place.run(&["trust", ".toolsmith/tools/mine.case.json"]).await;
    assert_eq!(place.run(&["test"]).await.code, 0);
    fs::remove_file(place.path("project/.toolsmith/tools/mine.case.json")).unwrap();
    place.write("secret.json", r#"{ "args": {}, "expect": { "text": "fine" } }"#);
    symlink("../../../secret.json", place.path("project/.toolsmith/tools/mine.case.json")).unwrap();
    let said = place.run(&["test", ".toolsmith/tools"]).await;
    assert_eq!(said.code, 1, "a link out of the folder: {said:#?}");
}
