//! `formatRange` of numbers.

use super::format::NumberFormat;
use crate::{
    decimal::Number,
    error::{IntlError, Result},
    parts::{Part, tidy},
};

impl NumberFormat {
    /// Formats the range between two numbers. What both sides have before or after their digits is written once.
    pub fn format_range(&self, start: &str, end: &str) -> Result<Vec<Part>> {
        let (start, end) = (Number::parse(start), Number::parse(end));
        if start == Number::Nan || end == Number::Nan {
            return Err(IntlError::Range("Invalid argument: a range needs two numbers".to_owned()));
        }
        let (low, _) = self.format_number(start);
        let (high, _) = self.format_number(end);
        if low == high {
            return Ok(self.approximately(low));
        }
        let mut suffix = 0;
        let mut prefix = 0;
        let is_number = |part: &Part| {
            matches!(
                part.kind,
                "integer" | "group" | "decimal" | "fraction" | "infinity" | "minusSign" | "plusSign"
            )
        };
        // Only a unit, a currency or a percent sign is shared, and never a sign.
        while suffix < low.len().min(high.len()) {
            let (one, other) = (&low[low.len() - 1 - suffix], &high[high.len() - 1 - suffix]);
            if one != other || is_number(one) {
                break;
            }
            suffix += 1;
        }
        while prefix < low.len().min(high.len()) - suffix {
            if low[prefix] != high[prefix] || is_number(&low[prefix]) {
                break;
            }
            prefix += 1;
        }
        // ICU repeats a single character.
        let shared = low[..prefix]
            .iter()
            .chain(&low[low.len() - suffix..])
            .map(|part| part.text.chars().count())
            .sum::<usize>();
        if shared == 1 {
            (prefix, suffix) = (0, 0);
        }
        let pattern = self.chosen.system.range.clone().unwrap_or_else(|| "{0}–{1}".to_owned());
        let between = pattern.replace("{0}", "").replace("{1}", "");
        let repeated = prefix == 0 && suffix == 0 && shared > 0;
        let between = if repeated && between.trim() == between { format!(" {between} ") } else { between };
        let tag = |part: &Part, source: &'static str| Part { source: Some(source), ..part.clone() };
        let mut parts: Vec<Part> = low[..prefix].iter().map(|part| tag(part, "shared")).collect();
        parts.extend(low[prefix..low.len() - suffix].iter().map(|part| tag(part, "startRange")));
        parts.push(tag(&Part::literal(between), "shared"));
        parts.extend(high[prefix..high.len() - suffix].iter().map(|part| tag(part, "endRange")));
        parts.extend(high[high.len() - suffix..].iter().map(|part| tag(part, "shared")));
        Ok(tidy(parts))
    }

    fn approximately(&self, number: Vec<Part>) -> Vec<Part> {
        let sign = self.chosen.system.symbols.approximately.clone().unwrap_or_else(|| "~".to_owned());
        let mut parts = vec![Part::new("approximatelySign", sign)];
        parts.extend(number);
        for part in &mut parts {
            part.source = Some("shared");
        }
        parts
    }
}
