//! Enums whose values grow.

use std::{fmt::Write as _, path::Path};

use super::super::transform::prepare;

fn refuses(source: &str) -> bool {
    match prepare(Path::new("tool.ts"), source) {
        Ok(_) => false,
        Err(problem) => {
            assert!(problem.message.contains("values of this enum are too long"), "{}", problem.message);
            true
        }
    }
}

/// An enum in which every member has the value of the one before twice, written as `value` with `#` for that one.
fn doubling(members: usize, value: &str) -> String {
    let mut text = "enum E { A0 = 'x'".to_owned();
    for at in 1..members {
        let _ = write!(text, ", A{at} = {}", value.replace('#', &format!("A{}", at - 1)));
    }
    text + " }"
}

#[test]
fn c1_5_values_that_double_with_every_member_are_refused_in_every_form() {
    for value in ["# + #", "`${#}${#}`", "E.# + E.#", "E['#'] + (#)", "# + '' + #", "`${# + #}`"] {
        assert!(refuses(&doubling(200, value)), "{value}");
        assert!(!refuses(&doubling(12, value)), "{value}");
    }
    let merged = "enum E { A0 = 'x' }".to_owned()
        + &(1..100).fold(String::new(), |mut text, at| {
            let _ = write!(text, "enum E {{ A{at} = E.A{} + E.A{} }}", at - 1, at - 1);
            text
        });
    assert!(refuses(&merged));
    assert!(refuses(&format!("namespace N {{ export {} }}", doubling(100, "# + #"))));
}

#[test]
fn ordinary_enums_compile() {
    assert!(!refuses(
        "export enum A { X, Y = 'y', Z = 1 << 3, W = X | Z, 'a b' = `t` } const enum B { Q = A.X + 1 }"
    ));
    let terms = vec!["1"; 20_000].join(" + ");
    assert!(!refuses(&format!("enum A {{ X = {terms} }}")));
}
