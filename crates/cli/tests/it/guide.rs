//! The guide, `docs/tools.md`: its files are written and its commands run, in order, in an empty home; what it shows is
//! what they print.
//!
//! A block whose first line names a file after the language is that file. In a `console` block a line that begins with
//! `$ ` is a command and what follows is its output, in which `…` stands for anything.

use std::path::Path;

use crate::workshop::Workshop;

struct Block {
    /// What follows the fence: a language, and a file's name for files.
    info: String,
    text: String,
}

fn blocks(guide: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { info: info.to_owned(), text: text.join("\n") + "\n" });
        }
    }
    blocks
}

/// Whether a text is as shown, where `…` stands for anything.
fn fits(shown: &str, came: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|first| came.strip_prefix(first)) else { return false };
    let mut ends = !shown.contains('…') && rest.is_empty();
    for part in parts {
        match rest.rfind(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
        ends = rest.is_empty();
    }
    ends
}

#[tokio::test]
async fn every_snippet_of_the_guide_is_true() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_toolsmith")).parent().unwrap();
    let shop = Workshop::new().with_programs(programs);
    let mut commands = 0;
    for block in blocks(&guide) {
        match block.info.split_once(' ') {
            Some((_, file)) => drop(shop.write(file, &block.text)),
            None if block.info == "console" => {
                for part in format!("\n{}", block.text).split("\n$ ").skip(1) {
                    let (command, shown) = part.split_once('\n').unwrap_or((part, ""));
                    let both = format!(
                        "exec 2>&1
{command}"
                    );
                    let came = shop.finish(&shop.request("sh").args(["-c", &both])).await.stdout;
                    // A first line of `…` may stand for nothing: a note depends on what is installed.
                    let without = shown.strip_prefix("…\n").unwrap_or(shown);
                    assert!(
                        fits(shown.trim_end(), came.trim_end()) || fits(without.trim_end(), came.trim_end()),
                        "$ {command}\nthe guide shows:\n{shown}\nwhat came:\n{came}"
                    );
                    commands += 1;
                }
            }
            None => panic!("a block that is neither a file nor commands: ```{}\n{}", block.info, block.text),
        }
    }
    assert!(commands > 5, "the guide has commands");
}

#[test]
fn an_ellipsis_stands_for_anything() {
    assert!(fits("a…c", "abbc") && fits("…", "x") && fits("a", "a") && fits("a…", "a\nb"));
    assert!(!fits("a…c", "abbd") && !fits("a", "ab") && !fits("b…", "ab"));
}

#[tokio::test]
async fn the_guide_lists_every_rule() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let listed = Workshop::new().run(&["check", "--rules", "--json"]).await.expect(0).json();
    for rule in listed["rules"].as_array().unwrap() {
        let code = rule["code"].as_str().unwrap();
        assert!(guide.contains(&format!("`{code}`")), "the guide does not name {code}");
    }
}
