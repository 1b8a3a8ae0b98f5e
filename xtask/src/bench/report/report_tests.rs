//! What the files say, from figures made up for the purpose.

use std::time::Duration;

use super::{Machine, Report, chart, page};
use crate::bench::sample::Sample;

fn sample(milliseconds: &[u64]) -> Sample {
    let mut sample = Sample::default();
    milliseconds.iter().for_each(|time| sample.push(Duration::from_millis(*time)));
    sample
}

fn machine(processor: &str, cores: usize, system: &str) -> Machine {
    let [processor, system, commit, load] = [processor, system, "0123abcd", "0.50"].map(str::to_owned);
    Machine { processor, cores, system, commit, load }
}

fn report() -> Report {
    let mut report = Report::default();
    report.compare(
        "list",
        "`toolsmith <list>`",
        &sample(&[9, 10, 11, 12]),
        ("bun", &sample(&[90, 100, 110, 120])),
        Some(0.5),
    );
    report.compare(
        "ast",
        "a preview",
        &sample(&[30, 30, 30]),
        ("ast-grep", &sample(&[20, 20, 20])),
        Some(1.1),
    );
    report.compare("ast", "the same | again", &sample(&[101, 101]), ("ast-grep", &sample(&[100, 100])), None);
    report.figure("list", "the program", "30.1 MB", Some(page::kept(true, "≤ 40 MB")));
    report.absent("omp: it was not installed");
    report
}

#[test]
fn the_page_has_ratios_with_their_spread_and_says_where_others_are_faster() {
    let machine = machine("Abacus", 2, "Linux");
    let page = page::write(&report(), &machine).unwrap();
    assert!(page.contains("on Abacus (2 cores), Linux") && page.contains("commit 0123abcd"), "{page}");
    let faster = page.split("## Where others are faster").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(faster.contains("- a preview: we take 1.50 times as long as ast-grep."), "{faster}");
    assert!(!faster.contains("list") && !faster.contains("again"), "faster, and alike: {faster}");
    assert!(page.contains("Not measured: omp: it was not installed."), "{page}");
    assert!(page.contains("| **0.10** (0.08–0.12) | ≤ 0.5, kept |"), "{page}");
    assert!(page.contains("| **1.50** (1.50–1.50) | ≤ 1.1, **missed** |"), "{page}");
    assert!(
        page.contains("| the same \\| again |") && page.contains("| the program | 30.1 MB | ≤ 40 MB, kept |"),
        "{page}"
    );
    assert!(page.find("\n## list").unwrap() < page.find("\n## ast").unwrap());
}

#[test]
fn nothing_slower_is_said_so() {
    let mut report = report();
    report.comparisons.truncate(1);
    let machine = machine("", 1, "");
    assert!(page::write(&report, &machine).unwrap().contains("Nowhere in this run."));
}

#[test]
fn the_chart_is_markup_with_a_bar_for_each_ratio() {
    let svg = chart::draw(&report().comparisons).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("toolsmith &lt;list&gt;") && !svg.contains("<list>"));
    assert_eq!(svg.matches("height=\"12\"").count(), 3);
    assert_eq!(svg.matches("#c75b12").count(), 4, "two slower ones, bar and figure");
    // A peer that gave no figures must not break it.
    let mut broken = Report::default();
    broken.compare("x", "y", &Sample::default(), ("z", &Sample::default()), None);
    assert!(!chart::draw(&broken.comparisons).unwrap().contains("=\"NaN"));
}
