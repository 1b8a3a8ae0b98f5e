//! What counts as the same text.

use super::{grouping::group, packages::Notice};

fn notice(name: &str, licence: &str, text: Option<&str>) -> Notice {
    Notice {
        name: name.to_owned(),
        licence: licence.to_owned(),
        authors: vec!["Ada".to_owned()],
        texts: text.into_iter().map(str::to_owned).collect(),
    }
}

#[test]
fn texts_that_differ_in_who_wrote_it_are_one() {
    let groups = group(&[
        notice(
            "crate a 1",
            "MIT",
            Some("The MIT License (MIT)\n\nCopyright (c) 2015 Ada\n\nPermission is hereby\ngranted.\n"),
        ),
        notice("crate b 1", "MIT", Some("Copyright 2020 Bob\r\n\r\nPermission  is hereby granted.\r\n")),
        notice("crate c 1", "ISC", Some("Permission to use.")),
        notice("crate d 1", "MIT", None),
    ]);
    assert_eq!(groups.len(), 2);
    assert_eq!(groups[0].body, "Permission is hereby\ngranted.");
    assert_eq!(
        groups[0].members,
        [
            ("crate a 1".to_owned(), vec!["Copyright (c) 2015 Ada".to_owned()]),
            ("crate b 1".to_owned(), vec!["Copyright 2020 Bob".to_owned()]),
            ("crate d 1".to_owned(), vec!["By Ada. Its package has no licence file.".to_owned()]),
        ]
    );
    assert_eq!(groups[1].members[0].0, "crate c 1");
}

#[test]
fn words_about_copyright_holders_stay_in_the_text() {
    let text = "Redistributions must keep this.\nCopyright holders and contributors are not liable.\n(c) You must retain it\n   Copyright [yyyy] [name]";
    let groups = group(&[notice("crate a 1", "BSD", Some(text))]);
    assert_eq!(groups[0].body, text);
    assert_eq!(groups[0].members[0].1, Vec::<String>::new());
}
