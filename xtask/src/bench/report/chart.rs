//! `docs/benchmarks.svg`: a bar for each ratio on a logarithmic scale; bars to the left of one are faster than the
//! peer.

use std::fmt::Write as _;

use anyhow::Result;

use super::Comparison;
use crate::cast::escape;

const WIDTH: f64 = 900.0;
const ROW: f64 = 22.0;
const TOP: f64 = 46.0;
/// Horizontal range of the bars; labels are to the left, figures to the right.
const LEFT: f64 = 400.0;
const RIGHT: f64 = 820.0;
const FASTER: &str = "#2e7d32";
const SLOWER: &str = "#c75b12";

pub(super) fn draw(comparisons: &[Comparison]) -> Result<String> {
    let ratios = comparisons.iter().flat_map(|comparison| {
        let (low, high) = comparison.spread();
        [low, high, comparison.ratio()]
    });
    let finite: Vec<f64> = ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0).collect();
    // Whole powers of ten around all values, and at least one on each side of one.
    let least = finite.iter().copied().fold(0.1, f64::min).log10().floor();
    let most = finite.iter().copied().fold(10.0, f64::max).log10().ceil();
    let place = |ratio: f64| {
        let ratio = if ratio.is_finite() && ratio > 0.0 { ratio.log10() } else { 0.0 };
        LEFT + (ratio.clamp(least, most) - least) / (most - least) * (RIGHT - LEFT)
    };
    let height = TOP + ROW * comparisons.len() as f64 + 16.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"bold\">Our time by theirs: left of 1 we are faster</text>\n"
    );
    let mut power = least;
    while power <= most {
        let x = place(10_f64.powf(power));
        let colour = if power == 0.0 { "#333333" } else { "#dddddd" };
        writeln!(
            svg,
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666666\">{}</text>",
            height - 12.0,
            TOP - 6.0,
            10_f64.powf(power),
        )?;
        power += 1.0;
    }
    for (row, comparison) in comparisons.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let ratio = comparison.ratio();
        let colour = if ratio <= 1.0 { FASTER } else { SLOWER };
        let (one, end) = (place(1.0), place(ratio));
        let (low, high) = comparison.spread();
        let label = format!("{} / {}", comparison.what, comparison.peer);
        writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"12\" fill=\"{colour}\"/>\
             <line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#000000\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{ratio:.2}</text>",
            LEFT - 10.0,
            y + 14.0,
            escape(&shorten(&label)),
            one.min(end),
            y + 4.0,
            (one - end).abs(),
            place(low),
            y + 10.0,
            place(high),
            y + 10.0,
            RIGHT + 12.0,
            y + 14.0,
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Labels have a fixed width.
fn shorten(label: &str) -> String {
    const MOST: usize = 62;
    if label.chars().count() <= MOST {
        return label.to_owned();
    }
    label.chars().take(MOST - 1).chain(['…']).collect()
}
