//! Compact notation: which power of ten a number is divided by, and the pattern for it.

use std::collections::BTreeMap;

use super::{
    digits::{Digits, Rounded},
    pattern::Pattern,
    symbols::Forms,
};
use crate::decimal::Decimal;

/// Patterns of one kind of compact notation, by power of ten.
pub(super) type Powers = BTreeMap<String, Forms>;

fn forms(powers: &Powers, magnitude: i32) -> Option<&Forms> {
    let most = powers.keys().filter_map(|key| key.parse::<i32>().ok()).max()?;
    powers.get(&magnitude.min(most).to_string())
}

/// The power by which a number of this magnitude is multiplied.
fn multiplier(powers: &Powers, magnitude: i32) -> i32 {
    let most = powers.keys().filter_map(|key| key.parse::<i32>().ok()).max().unwrap_or(0);
    let Some(pattern) = forms(powers, magnitude).and_then(|forms| forms.get("other")) else { return 0 };
    let parsed = Pattern::parse(pattern);
    if pattern == "0" || parsed.integer_zeros == 0 {
        return 0;
    }
    i32::try_from(parsed.integer_zeros).unwrap_or(1) - magnitude.min(most) - 1
}

/// Divides and rounds a number; returns it with the power it was divided by.
pub(super) fn scale(powers: &Powers, value: Decimal, digits: &Digits) -> (Rounded, i32) {
    if value.is_zero() {
        return (digits.round(value), 0);
    }
    let magnitude = value.magnitude();
    let first = multiplier(powers, magnitude);
    let rounded = |places: i32| {
        let mut value = value.clone();
        value.shift(places);
        digits.round(value)
    };
    let result = rounded(first);
    if result.value.is_zero() || result.value.magnitude() == magnitude + first {
        return (result, -first);
    }
    let second = multiplier(powers, magnitude + 1);
    if second == first { (result, -first) } else { (rounded(second), -second) }
}

/// The pattern for a scaled number.
pub(super) fn pattern<'p>(powers: &'p Powers, scaled: &Decimal, divided: i32, form: &str) -> Option<&'p str> {
    if divided == 0 {
        return None;
    }
    let forms = forms(powers, scaled.magnitude() + divided)?;
    let is_one = scaled.magnitude() == 0 && scaled.digit(0) == 1 && scaled.fraction_digits() == 0;
    forms
        .get("1")
        .filter(|_| is_one)
        .or_else(|| forms.get(form))
        .or_else(|| forms.get("other"))
        .map(String::as_str)
        .filter(|pattern| *pattern != "0")
}
