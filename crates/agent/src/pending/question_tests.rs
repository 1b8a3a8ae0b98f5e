//! Lines of questions about staged changes.

use std::fs;

use toolsmith_host::changes::Wanted;

use super::*;

#[test]
fn c5_8_blanks_at_the_end_of_a_difference_are_part_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("run"), "#!/bin/sh\n").unwrap();
    for (new, expected) in
        [("#!/bin/sh\r\n", "+#!/bin/sh\r"), ("#!/bin/sh\u{2028} \n", "+#!/bin/sh\u{2028} "), ("x\t", "+x\t")]
    {
        let files = ChangeSet::bind(root, vec![Wanted::write(root.join("run"), new)]).unwrap().into_files();
        let lines = change_lines(&files, root);
        assert!(lines[1].split('\n').any(|line| line == expected), "{lines:?}");
    }
}
