//! Files that an import of a tool finds, or would find if they existed, are code of the tool (CONTRACT 5.7).

use std::{fs, os::unix::fs::symlink};

use toolsmith::Tier;

use crate::place::{Place, tool};

const TOOL: &str = "project/.toolsmith/tools/t.ts";

/// A project whose tool has this text before its code, with these other files.
fn place(imports: &str, files: &[(&str, &str)]) -> Place {
    let place = Place::new(&[(TOOL, &format!("{imports}\n{}", tool("t")))]);
    for (path, text) in files {
        place.write(&format!("project/{path}"), text);
    }
    place
}

/// Links `node_modules/dep` to `packages/dep`.
fn link(place: &Place) {
    fs::create_dir_all(place.path("project/node_modules")).unwrap();
    symlink("../packages/dep", place.path("project/node_modules/dep")).unwrap();
}

/// Checks that these files need a question, in a session that loads the tool and in one that uses its cached definition,
/// and that an ordinary file needs none.
async fn assert_code(place: &Place, files: &[&str]) {
    for round in ["loaded", "again"] {
        let tiers = place.write_tiers(files).await;
        for (file, tier) in files.iter().zip(tiers) {
            assert_eq!(tier, Tier::Exec, "{file}, {round}");
        }
        let ordinary = ["notes.txt", "lib/other.ts", "packages/other/index.js", "src/main.ts"];
        assert_eq!(place.write_tiers(&ordinary).await, [Tier::Write; 4], "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_absent_files_that_a_manifest_names_are_code() {
    let imports = ("package.json", r##"{ "imports": { "#a": "./lib/a.js", "#d/*": "./deep/*.js" } }"##);
    assert_code(&place("import '#a';", &[imports]), &["lib/a.js", "lib/a.ts", "package.json"]).await;
    assert_code(&place("import '#d/x';", &[imports]), &["deep/x.js"]).await;
    let optional = "try { require('#a'); } catch {}";
    assert_code(&place(optional, &[imports]), &["lib/a.js"]).await;
    let list = ("package.json", r##"{ "imports": { "#a": ["./lib/a.js", "./lib/b.js"] } }"##);
    assert_code(&place("import '#a';", &[list, ("lib/b.js", "export {}")]), &["lib/a.js"]).await;
    let own = ("package.json", r#"{ "name": "me", "exports": { "./z": "./lib/z.js" } }"#);
    assert_code(&place("import 'me/z';", &[own]), &["lib/z.js"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_configurations_that_a_tsconfig_names_are_code() {
    let config =
        ("tsconfig.json", r#"{ "extends": "./cfg/base", "references": [{ "path": "./app" }] /* … */ }"#);
    let base = (
        "cfg/base.json",
        r#"{ "extends": "./two.json", "compilerOptions": { "paths": { "@/*": ["../src/*"] } } }"#,
    );
    let files = ["tsconfig.json", "cfg/base.json", "cfg/two.json", "app/tsconfig.json", "app.json"];
    assert_code(&place("try { require('@/u'); } catch {}", &[config, base]), &files).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_an_absent_file_that_a_url_names_is_code() {
    let optional = "try { await import(new URL('../../lib/x.ts', import.meta.url).href); } catch {}";
    assert_code(&place(optional, &[]), &["lib/x.ts"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_absent_files_of_a_linked_package_are_code_where_the_link_leads() {
    let target = "packages/dep/dist/index.js";
    for manifest in [r#"{ "main": "dist/index.js" }"#, r#"{ "exports": "./dist/index.js" }"#] {
        let place = place("import 'dep';", &[("packages/dep/package.json", manifest)]);
        link(&place);
        assert_code(&place, &[target, "packages/dep/package.json"]).await;
    }
    let main = ("packages/dep/package.json", r#"{ "main": "dist/index.js" }"#);
    let works = place("import 'dep';", &[main, ("packages/dep/index.js", "module.exports = {}")]);
    link(&works);
    assert_code(&works, &[target, "packages/dep/index.js"]).await;
    let dangling = place("import 'dep';", &[]);
    link(&dangling);
    assert_code(&dangling, &["packages/dep/index.js", "packages/dep/package.json"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_absent_files_of_path_aliases_and_workspaces_are_code() {
    let paths = ("tsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./gen/*"] } } }"#);
    assert_code(&place("import '@/api';", &[paths]), &["gen/api.ts", "tsconfig.json"]).await;
    assert_code(&place("import '@/api';", &[]), &["tsconfig.json"]).await;
    let workspace = ("package.json", r#"{ "workspaces": ["packages/*"] }"#);
    let dep = ("packages/dep/package.json", r#"{ "name": "dep", "main": "dist/index.js" }"#);
    assert_code(&place("import 'dep';", &[workspace, dep]), &["packages/dep/dist/index.js"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_that_a_broken_module_names_are_code() {
    let api = ("gen/api.ts", "import './deeper.ts'; export const x = 1;");
    let broken = place("import '../../gen/api.ts'; let =", &[api, ("gen/deeper.ts", "")]);
    assert_code(&broken, &["gen/api.ts", "gen/deeper.ts"]).await;
    let first_is_missing = place("import '../../gen/b.ts'; import '../../gen/api.ts';", &[api]);
    assert_code(&first_is_missing, &["gen/b.ts", "gen/api.ts", "gen/deeper.ts"]).await;
    let throws = place("import { x } from '../../gen/api.ts'; throw new Error(x);", &[api]);
    assert_code(&throws, &["gen/api.ts", "gen/deeper.ts"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_7_files_of_the_last_version_that_loaded_are_code() {
    let place = place(
        "import { x } from '../../gen/api.ts'; if (!x) throw 1;",
        &[("gen/api.ts", "export const x = 1;")],
    );
    assert_code(&place, &["gen/api.ts"]).await;
    place.write(TOOL, "let =");
    assert_code(&place, &["gen/api.ts"]).await;
    assert_code(&place, &["gen/api.ts"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_imports_a_directory_is_cached_and_leaves_the_rest_of_it_alone() {
    let place =
        place("import { x } from '../../lib'; if (!x) throw 1;", &[("lib/index.ts", "export const x = 1;")]);
    // `lib/other.ts` is among the ordinary files.
    assert_code(&place, &["lib/index.ts", "lib.ts"]).await;
    let cached = toolsmith_js::list_definitions(&toolsmith::definition_cache(&place.home())).unwrap();
    assert!(cached[0].modules[0].is_cached && cached[0].modules[0].is_current, "{cached:?}");
}
