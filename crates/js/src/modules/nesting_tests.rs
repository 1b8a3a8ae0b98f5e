//! The bound of the stack that sources need, compared with what compiling them uses.

use std::path::Path;

use super::{super::transform::prepare, HEAVY, stack_bound};

/// Sources that nest one construct: what is before, what is repeated before and behind the middle, and what is behind.
const CONSTRUCTS: &[(&str, [&str; 5])] = &[
    ("parentheses", ["x=", "(", "1", ")", ""]),
    ("arrays", ["x=", "[", "1", "]", ""]),
    ("objects", ["x=", "{a:", "1", "}", ""]),
    ("spread", ["x=", "[...", "a", "]", ""]),
    ("blocks", ["", "{", "", "}", ""]),
    ("not", ["", "!", "x", "", ""]),
    ("minus", ["", "- ", "x", "", ""]),
    ("typeof", ["", "typeof ", "x", "", ""]),
    ("void", ["", "void ", "x", "", ""]),
    ("strange spaces", ["", "typeof\u{a0}", "x", "", ""]),
    ("new", ["", "new ", "x", "", ""]),
    ("await", ["", "await ", "x", "", ""]),
    ("arrows", ["x=", "a=>", "a", "", ""]),
    ("arrows with parentheses", ["x=", "(a)=>", "a", "", ""]),
    ("arrows with defaults", ["x=", "(a=", "1", ")=>1", ""]),
    ("arrows with bodies", ["x=", "()=>{", "a", "}", ""]),
    ("async arrows", ["x=", "async a=>", "a", "", ""]),
    ("conditions", ["", "a?b:", "c", "", ""]),
    ("conditions inside", ["", "a?", "c", ":b", ""]),
    ("if", ["", "if(1)", "x", "", ""]),
    ("else", ["", "if(1)x;else ", "x", "", ""]),
    ("else with blocks", ["", "if(1){}else ", "x", "", ""]),
    ("for", ["", "for(;;)", "x", "", ""]),
    ("for of", ["", "for(a of b)", "x", "", ""]),
    ("while", ["", "while(1)", "x", "", ""]),
    ("do", ["", "do ", "x", ";while(1)", ""]),
    ("try", ["", "try{", "x", "}catch{}", ""]),
    ("switch", ["", "switch(1){case 1:", "x", "}", ""]),
    ("labels", ["", "a:", "x", "", ""]),
    ("sum", ["x=1", "", "", "+1", ""]),
    ("concatenation", ["x='a'", "", "", "+'b'", ""]),
    ("powers", ["x=1", "", "", "**1", ""]),
    ("and", ["x=1", "", "", "&&1", ""]),
    ("or else", ["x=1", "", "", "??1", ""]),
    ("assignments", ["", "a=", "1", "", ""]),
    ("members", ["x=y", "", "", ".y", ""]),
    ("optional members", ["x=y", "", "", "?.y", ""]),
    ("elements", ["x=y", "", "", "[1]", ""]),
    ("calls", ["x=y", "", "", "()", ""]),
    ("optional calls", ["x=y", "", "", "?.()", ""]),
    ("tagged templates", ["x=y", "", "", "``", ""]),
    ("calls in calls", ["", "f(", "", ")", ""]),
    ("commas", ["x", "", "", ",x", ""]),
    ("templates", ["x=", "`${", "1", "}`", ""]),
    ("functions", ["", "function f(){", "", "}", ""]),
    ("function expressions", ["x=", "function(){return ", "1", "}", ""]),
    ("generators", ["", "function*f(){yield ", "1", "}", ""]),
    ("parameters", ["", "function f(a=", "1", "){}", ""]),
    ("classes", ["x=", "class{a=", "1", "}", ""]),
    ("methods", ["x=", "class{a(){x=", "1", "}}", ""]),
    ("static blocks", ["", "class A{static{", "", "}}", ""]),
    ("class heritage", ["x=", "class extends ", "a", "{}", ""]),
    ("computed keys", ["x=", "{[", "1", "]:1}", ""]),
    ("array patterns", ["let ", "[", "a", "]", "=1"]),
    ("object patterns", ["let ", "{a:", "a", "}", "=1"]),
    ("patterns with defaults", ["let ", "[a=", "1", "]=1", ""]),
    ("assigned patterns", ["", "[", "a", "]", "=1"]),
    ("imports", ["", "import(", "'a'", ")", ""]),
    ("array types", ["type A=B", "", "", "[]", ""]),
    ("tuples", ["type A=", "[", "B", "]", ""]),
    ("generics", ["type A=", "B<", "C", ">", ""]),
    ("generics behind commas", ["type A=", "B<c,", "C", ">", ""]),
    ("generic calls", ["x=", "f<T>(", "1", ")", ""]),
    ("conditional types", ["type A=", "B extends C?D:", "E", "", ""]),
    ("conditional types inside", ["type A=", "B extends C?", "E", ":D", ""]),
    ("conditional types of objects", ["type A=", "{} extends {}?{}:", "E", "", ""]),
    ("unions", ["type A=B", "", "", "|C", ""]),
    ("unions in parentheses", ["type A=", "(B|", "C", ")", ""]),
    ("function types", ["type A=", "(a:B)=>", "C", "", ""]),
    ("keyof", ["type A=", "keyof ", "C", "", ""]),
    ("readonly", ["type A=", "readonly ", "C[]", "", ""]),
    ("object types", ["type A=", "{a:", "C", "}", ""]),
    ("mapped types", ["type A=", "{[K in ", "C", "]:1}", ""]),
    ("template types", ["type A=", "`${", "C", "}`", ""]),
    ("indexed types", ["type A=", "B[", "C", "]", ""]),
    ("type parameters", ["", "type A<B extends ", "C", ">=1", ""]),
    ("infer", ["type A=", "B extends infer C extends ", "D", "?1:1", ""]),
    ("type assertions", ["x=", "<T>", "1", "", ""]),
    ("as", ["x=1", "", "", " as T", ""]),
    ("satisfies", ["x=1", "", "", " satisfies T", ""]),
    ("not null", ["x=a", "", "", "!", ""]),
    ("namespaces", ["", "namespace A{", "", "}", ""]),
    ("long namespaces", ["namespace A", "", "", ".A", "{}"]),
    ("qualified types", ["type A=B", "", "", ".C", ""]),
    ("enums", ["enum A{a=", "(", "1", ")", "}"]),
    ("decorators", ["", "@(", "a", ")", " class A{}"]),
    ("many decorators", ["", "@a ", "class A{}", "", ""]),
    ("decorated classes", ["", "@a class A{@b c=", "1", "}", ""]),
];

fn source(parts: [&str; 5], depth: usize) -> String {
    let [head, open, middle, close, tail] = parts;
    [head, &open.repeat(depth), middle, &close.repeat(depth), tail].concat()
}

#[test]
fn c1_5_source_that_is_nested_in_any_way_is_compiled_or_refused() {
    for (name, parts) in CONSTRUCTS {
        for depth in [500, 100_000] {
            let text = source(*parts, depth);
            for file in ["/a.ts", "/a.js"] {
                if let Err(problem) = prepare(Path::new(file), &text) {
                    assert!(!problem.message.is_empty(), "{name}");
                }
            }
        }
    }
    for [open, close] in [["<a>", "</a>"], ["<a b={", "}/>"], ["<>{", "}</>"]] {
        for depth in [500, 100_000] {
            let _ = prepare(Path::new("/a.tsx"), &source(["x=", open, "1", close, ""], depth));
        }
    }
}

#[test]
fn a_long_sum_and_a_long_list_are_compiled() {
    for text in
        ["x='a'".to_owned() + &"+'b'".repeat(100_000), "x=[".to_owned() + &"{a:1},".repeat(500_000) + "]"]
    {
        for file in ["/a.ts", "/a.js"] {
            assert!(prepare(Path::new(file), &text).is_ok(), "{file}");
        }
    }
}

#[test]
fn statements_one_after_another_are_not_nested() {
    for statement in [
        "f(a, b)[c] = {d: [e]};\n",
        "function f() { return 1 }\n",
        "if (a) { b } else { c }\n",
        "class A { b() {} }\n",
        "var a = b ? c : d, e = /[)]/.test(f) / 2;\n",
        "export const a = `${b}`;\n",
        "while (a) b;\nc;\n",
    ] {
        let text = statement.repeat(20_000);
        let few = stack_bound(&statement.repeat(3), true, false);
        assert!(stack_bound(&text, true, false) <= few * 2, "{statement}");
    }
}

/// Text in which brackets are none, or seem to be none.
#[test]
fn c1_5_brackets_in_texts_do_not_hide_the_nesting() {
    for unit in [
        "x=')))'+(",
        "x=\")\\\")\"+(",
        "x=`)${1})`+(",
        "/*)*/(",
        "//)\n(",
        "//)\u{2028}(",
        "<!-- )`\n(",
        "x=/[)]/+(",
        "x=/[/)]/+(",
        "x=/\\)/+(",
        "if(1)/)/.a(",
        "if\u{a0}(1)/)/.a(",
        "i\\u0066 (1)/)/.a(",
        "i\\u{66} (1)/)/.a(",
        "a.if(1)/')'.b/(",
        "{}/')/.a(",
        "x={}/')'/(",
        "x=a!/')'/(",
        "x=a++/')'/(",
        "x=1./')'/(",
        "x=<T>/'/.a(",
        "x=...yield /'/.a(",
        "x=typeof /'/.a(",
        "x=()=>/'/.a(",
    ] {
        let text = unit.repeat(2_000);
        assert!(stack_bound(&text, true, false) >= 2_000 * HEAVY, "{unit}");
    }
}
