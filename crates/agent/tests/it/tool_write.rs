//! `write`.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;
use toolsmith_agent::{ApprovalMode, ApprovalSettings, CallEnd};

use crate::place::Place;

#[tokio::test]
async fn files_are_made_with_their_folders_and_replaced() {
    let place = Place::new();
    let text = place.works("write", json!({ "path": "a/b/c.txt", "content": "one\ntwo\n" })).await;
    assert_eq!(text, "Created a/b/c.txt: 2 lines, 8 bytes");
    let outcome = place.call("write", json!({ "path": "a/b/c.txt", "content": "one\n2\n" })).await;
    assert_eq!(outcome.result.joined_text(), "Replaced a/b/c.txt: 2 lines, 6 bytes");
    let diff = outcome.result.details.unwrap()["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("-two\n+2\n"), "{diff}");
    assert_eq!(place.read("a/b/c.txt"), "one\n2\n");
}

#[tokio::test]
async fn mode_links_line_ends_and_byte_order_mark_stay() {
    let place = Place::new();
    place.write("real.sh", "\u{feff}old\r\nlines\r\n");
    std::fs::set_permissions(place.path("real.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("real.sh", place.path("link.sh")).unwrap();
    let text = place.works("write", json!({ "path": "link.sh", "content": "new\nlines\n" })).await;
    assert!(text.ends_with("(line ends kept as they were)"), "{text}");
    assert_eq!(place.read("real.sh"), "\u{feff}new\r\nlines\r\n");
    assert!(std::fs::symlink_metadata(place.path("link.sh")).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(place.path("real.sh")).unwrap().permissions().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn what_is_no_file_stays_what_it_is() {
    let place = Place::new();
    place.write("folder/x", "");
    place.make_pipe("pipe").await;
    let to = |path: &str| json!({ "path": path, "content": "x" });
    assert_eq!(place.fails("write", to("folder")).await, "Could not write folder: it is a folder");
    assert!(place.fails("write", to("pipe")).await.contains("not a regular file"));
    assert!(place.fails("write", to("folder/x/below")).await.starts_with("Could not write folder/x/below"));
    assert!(place.fails("write", to("")).await.contains("path is empty"));
    assert!(place.fails("write", to("/proc/nope")).await.contains("/proc/nope"));
}

#[tokio::test]
async fn c5_4_writing_outside_the_folder_needs_to_be_asked_about() {
    let place = Place::new();
    place.dispatcher.set_approval_settings(ApprovalSettings::new(ApprovalMode::Write));
    let inside = place.call("write", json!({ "path": "in.txt", "content": "" })).await;
    assert_eq!(inside.end, CallEnd::Answered);
    for path in ["/etc/toolsmith-test", ".git/config", "../../../../../../etc/toolsmith-test"] {
        let outcome = place.call("write", json!({ "path": path, "content": "" })).await;
        assert_eq!(outcome.end, CallEnd::Denied, "{path}");
    }
}
