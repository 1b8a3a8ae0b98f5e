//! Tests of what is taken out of a command's output.

use super::*;

#[test]
fn what_only_a_terminal_understands_is_taken_out() {
    assert_eq!(clean("\x1b[1;31mred\x1b[0m\r\nplain\n"), "red\nplain\n");
    assert_eq!(clean("10 %\r50 %\r100 %\ndone"), "100 %\ndone");
    assert_eq!(clean("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b"), "ab");
    assert_eq!(clean("\x1b[never ends"), "ever ends");
    assert_eq!(clean("ä\x1b"), "ä");
}

#[test]
fn progress_keeps_only_the_end() {
    let mut progress = Progress::new();
    for _ in 0..1000 {
        progress.push(&"ä".repeat(100));
    }
    assert!(progress.tail.len() <= 2 * UPDATE_BYTES + 200);
}

#[test]
fn what_cannot_be_taken_back_is_noticed_and_the_harmless_is_not() {
    for command in [
        "rm -rf /",
        "cd x && sudo rm -r -f '/'",
        "rm -rf ~/*",
        "rm  -fr  \"$HOME\"",
        "chmod -R 777 /",
        "mkfs.ext4 /dev/sda1",
        "dd if=x of=/dev/sda",
        "git push origin main --force-with-lease",
        "git push -f",
        "cat x > /dev/sda",
    ] {
        assert!(critical(command).is_some(), "{command}");
    }
    for command in
        ["rm -rf /srv/x", "rm -rf target", "git push", "ls /", "dd if=a of=b", "cargo build --force"]
    {
        assert!(critical(command).is_none(), "{command}");
    }
}
