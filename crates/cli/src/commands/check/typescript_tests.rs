//! What is made of the compiler's output.

use super::*;

#[test]
fn the_compilers_lines_become_findings() {
    let output = "a/b.ts(3,7): error TS2322: Type 'x' is not assignable.\n  Because of y.\nsomething else\n\
                  node_modules/p/i.d.ts(1,1): error TS1: theirs\n/abs (odd)/c.ts(1,2): error TS7: m: n";
    let found = read_output(output, Path::new("/work"));
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].path.as_path(), found[0].line, found[0].column),
        (Path::new("/work/a/b.ts"), Some(3), Some(7))
    );
    assert_eq!(found[0].message, "Type 'x' is not assignable. (TS2322)\n  Because of y.");
    assert_eq!(found[1].path, Path::new("/abs (odd)/c.ts"));
    assert_eq!(found[1].message, "m: n (TS7)");
}
