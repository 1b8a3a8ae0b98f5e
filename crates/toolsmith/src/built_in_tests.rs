//! The names and the tools say the same.

use super::*;

#[test]
fn the_list_of_names_is_that_of_the_tools() {
    let place = tempfile::tempdir().unwrap();
    let home = Home::at(place.path());
    let tools = built_in_tools(place.path(), &home, &change_store(&home).unwrap());
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    names.push(RESOLVE);
    assert_eq!(names, BUILT_IN_NAMES);
}
