//! Ids in the forms providers take.

use super::*;

#[test]
fn an_id_is_left_alone_where_every_provider_takes_it() {
    assert_eq!(plain_id("toolu_01-Ab"), "toolu_01-Ab");
    assert_eq!(plain_id("a|b/ü"), "a_b__");
    assert_eq!(plain_id(""), "call");
    assert_eq!(plain_id(&"x".repeat(100)).len(), MAX_ID_CHARS);
}

#[test]
fn a_short_id_is_nine_letters_and_digits_and_always_the_same() {
    assert_eq!(short_id("abcDEF123"), "abcDEF123");
    let short = short_id("toolu_01A");
    assert!(short.len() == 9 && short.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{short}");
    assert_eq!(short, short_id("toolu_01A"));
    assert_ne!(short, short_id("toolu_01B"));
}

#[test]
fn ids_that_become_the_same_are_told_apart() {
    let mut used = HashSet::new();
    let long = "x".repeat(MAX_ID_CHARS);
    let ids: Vec<String> = (0..3).map(|_| unused(plain_id(&long), &mut used).into_owned()).collect();
    assert_eq!(used.len(), 3);
    assert!(ids.iter().all(|id| id.len() <= MAX_ID_CHARS), "{ids:?}");
}
