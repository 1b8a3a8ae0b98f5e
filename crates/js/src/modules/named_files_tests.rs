//! What the text of a module that does not load names.

use super::{imported_names, later_files, named_files};
use crate::definitions::Observed;

#[test]
fn names_of_imports_are_found_in_code_that_cannot_be_parsed() {
    let code = "import './a'; let = ; import {b} from \"./b\"\nexport * from'c'; import(/* x */ './d') require ( `./e` ); \
                import // why\n './f'; from \"torn\nrequire('";
    let names: Vec<&str> = imported_names(code).into_iter().collect();
    assert_eq!(names, ["./a", "./b", "./d", "./e", "./f", "c", "torn"]);
}

#[test]
fn files_are_found_through_the_files_that_a_module_names() {
    let folder = tempfile::tempdir().unwrap();
    let root = toolsmith_host::real_path(folder.path()).unwrap();
    let put = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    put("tool.ts", "import './broken.ts'; import type { T } from './types.ts'; export default () => 1;");
    put("broken.ts", "import './absent.ts'; import './present'; let = \u{fffd};");
    put("present.js", "import './tool.ts'");
    put("types.ts", "export type T = 1");
    let found = named_files(&root.join("tool.ts"));
    for name in ["broken.ts", "absent.ts", "present.ts", "present.js", "tool.ts"] {
        assert!(found.contains(&root.join(name)), "{name}: {found:?}");
    }
}

#[test]
fn c5_7_files_that_only_a_call_imports_are_found_with_what_they_import() {
    let folder = tempfile::tempdir().unwrap();
    let root = toolsmith_host::real_path(folder.path()).unwrap();
    let put = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    let tool =
        "import './loaded.ts'; export default () => ({ execute: () => import ( /* late */ './late.ts') });";
    put("tool.ts", tool);
    put("loaded.ts", "export default 1");
    put("late.ts", "import './deeper.ts'; require('./absent.cjs')");
    put("deeper.ts", "export default 1");
    let sources = [("tool.ts", tool), ("loaded.ts", "export default 1")];
    let sources = sources.map(|(name, text)| (root.join(name), text.into())).to_vec();
    let found = later_files(&Observed { sources, ..Observed::default() });
    for name in ["late.ts", "deeper.ts", "absent.cjs"] {
        assert!(found.contains(&root.join(name)), "{name}: {found:?}");
    }
    assert!(!found.contains(&root.join("tool.ts")) && !found.contains(&root.join("loaded.ts")), "{found:?}");
}
