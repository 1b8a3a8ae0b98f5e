//! Words of commands and the files they stand for.

use std::fs;

use super::*;

#[test]
fn c_quoting_and_braces_are_replaced_by_what_they_stand_for() {
    assert_eq!(shell_text(r"sh $'hk/x.sh' $HOME"), "sh 'hk/x.sh' $HOME");
    assert_eq!(shell_text(r"sh $'h\x6b/\170.s\u0068'"), "sh 'hk/x.sh'");
    assert_eq!(shell_text("sh $\"hk/x.sh\""), "sh \"hk/x.sh\"");
    assert_eq!(shell_text("$'unclosed \\"), "'unclosed '");
    assert_eq!(expand_braces("hk/{x,}.sh"), ["hk/x.sh", "hk/.sh"]);
    let mut nested = expand_braces("{a,{b,c}d}/e");
    nested.sort();
    nested.dedup();
    assert_eq!(nested, ["a/e", "bd/e", "cd/e"]);
    assert_eq!(expand_braces("${x}{y}"), ["${x}{y}"]);
    assert!(expand_braces(&"{a,b}".repeat(40)).len() <= MAX_BRACES);
}

#[test]
fn files_that_a_runtime_starts_are_found_also_before_they_exist() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    let put = |name: &str, text: &str| {
        let path = base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("hk/package.json", r#"{"main":"lib/m","exports":{".":{"import":"./e.mjs"}}}"#);
    put("hk/lib/m.js", "");
    put("hk/e.mjs", "");
    put("pkg/sub/x.py", "");
    put("pkg/sub/x.abi3.so", "");
    put(
        "new-hk/package.json",
        r##"{"main":"./dist/i","bin":{"a":"bin/a"},"exports":{"./x/*":"./x/*.js","./y":"./y.js"},"imports":{"#z":"zlib-x"}}"##,
    );
    put("node_modules/foo/package.json", r#"{"main":"m.js"}"#);
    put("node_modules/foo/m.js", "");
    put("node_modules/.bin/foo", "");
    put("r.rb", "");
    let has = |command: &str, file: &str| named_files(command, &[base], None).contains(&base.join(file));
    for (command, files) in [
        ("node hk", &["hk/package.json", "hk/lib/m.js", "hk/index.js"][..]),
        ("cd hk && node .", &["hk/./package.json", "hk/./lib/m.js"]),
        ("node hk/", &["hk/package.json", "hk/lib/m.js"]),
        ("node -e 'import(\"./hk\")'", &["./hk/e.mjs"]),
        ("$RUN hk", &["hk/package.json", "hk/lib/m.js"]),
        ("node -r foo -e 1", &["node_modules/foo/package.json", "node_modules/foo/m.js"]),
        ("npx foo", &["node_modules/.bin/foo"]),
        (
            "python3 -m pkg.sub.x",
            &["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/x.py", "pkg/sub/x.abi3.so"],
        ),
        ("python3 -c \"import pkg.sub.x\"", &["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/x.py"]),
        ("python3 -m json.tool", &["json.py", "json/__init__.py"]),
        ("python3 pkg", &["pkg/__main__.py"]),
        ("PYTHONPATH=pkg python3 -c 1", &["pkg/sitecustomize.py"]),
        ("python3 new.py", &["new.py"]),
        ("sh new", &["new"]),
        ("node hk", &["hk.js", "hk.json"]),
        (
            "node new-hk",
            &[
                "new-hk/dist/i",
                "new-hk/dist/i.js",
                "new-hk/dist/i.node",
                "new-hk/dist/i/index.js",
                "new-hk/bin/a",
                "new-hk/y.js",
            ],
        ),
        ("cd new-hk && node .", &["new-hk/dist/i.js", "new-hk/index.js"]),
        ("node new", &["new.js", "new/index.js"]),
        ("python3 -m new.sub", &["new/__init__.py", "new/sub.py", "new/sub/__main__.py"]),
        ("PYTHONPATH=new python3 -m zz", &["new/zz.py", "new/sitecustomize.py"]),
        ("python3 -um new.sub", &["new/__init__.py", "new/sub.py", "new/sub/__main__.py"]),
        ("python3 -Bumnew.sub", &["new/__init__.py", "new/sub.py"]),
        ("perl -wMFoo::Bar -e 1", &["Foo/Bar.pm"]),
        ("A=/usr/lib PATH=new:/usr/bin:/bin sv", &["new/sv"]),
        (
            "A=/usr NODE_PATH=np:nq B=/etc:/var:/tmp:/opt PATH=new:new2:/usr/bin:/bin:/sbin sv",
            &["new/sv", "new2/sv"],
        ),
        (&format!("A=/etc PATH={}new sv", "/usr/bin:".repeat(30)), &["new/sv"]),
        ("NODE_OPTIONS=--require pre.js node x.js", &["pre.js", "x.js"]),
        ("uv run --module new.sub", &["new/__init__.py", "new/sub.py"]),
        ("ruby -r./new s.rb", &["./new.rb"]),
        ("RUBYOPT=-r./new ruby s.rb", &["./new.rb"]),
        ("lua -l new x.lua", &["new.lua"]),
        ("ruby -r./r", &["./r.rb"]),
        ("ruby -r ./r.rb", &["./r.rb"]),
    ] {
        for file in files {
            assert!(has(command, file), "{command}: {file}: {:?}", named_files(command, &[base], None));
        }
    }
    // A directory that is only worked in, or given to another program, has no start file.
    assert!(!has("cd hk && node x.js", "hk/package.json"));
    assert!(!has("node new-hk", "new-hk/x/*.js") && !has("node new-hk", "new-hk/zlib-x"));
    assert!(!has("ls hk", "hk/package.json") && !has("ls pkg", "pkg/__main__.py"));
}
