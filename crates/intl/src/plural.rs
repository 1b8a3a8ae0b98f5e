//! Plural rules of the CLDR, and `Intl.PluralRules`.

use serde_json::{Value, json};

use crate::{
    data,
    decimal::{Decimal, Number},
    error::Result,
    locale::Locale,
    number::{Digits, Rounded},
    options::Options,
};

/// The order in which V8 lists categories.
const ORDER: [&str; 6] = ["few", "many", "one", "two", "zero", "other"];

/// The rules of one language.
#[derive(Debug, Clone)]
pub(crate) struct Rules(Vec<(&'static str, String)>);

/// Operands of rules: the number's digits as they are shown.
#[derive(Debug, Clone)]
pub(crate) struct Operands {
    /// The absolute value of the digits shown.
    value: Decimal,
    /// The number of fraction digits shown, with trailing zeros.
    shown: i32,
    /// The exponent of compact notation.
    exponent: i32,
}

impl Operands {
    pub(crate) fn new(value: &Decimal, shown: i32, exponent: i32) -> Self {
        let mut value = value.clone();
        value.negative = false;
        Self { value, shown, exponent }
    }

    /// The value of an operand, reduced by a modulus. Large numbers keep the digits that rules look at.
    fn of(&self, operand: &str, modulus: u64) -> Option<f64> {
        let reduce = |value: f64| if modulus == 0 { value } else { value % modulus as f64 };
        let digits = |from: i32, to: i32| {
            (to..=from).rev().fold(0_f64, |sum, power| sum * 10.0 + f64::from(self.value.digit(power)))
        };
        let top = self.value.magnitude().clamp(0, 17);
        let integer = || digits(top, 0);
        let fraction = |count: i32| if count == 0 { 0.0 } else { digits(-1, -count.min(15)) };
        let significant = self.value.fraction_digits().min(self.shown);
        Some(match operand {
            "n" if significant > 0 => {
                reduce(integer()) + fraction(significant) / 10_f64.powi(significant.min(15))
            }
            "n" | "i" => reduce(integer()),
            "v" => reduce(f64::from(self.shown)),
            "w" => reduce(f64::from(significant)),
            "f" => reduce(fraction(self.shown)),
            "t" => reduce(fraction(significant)),
            "c" | "e" => reduce(f64::from(self.exponent)),
            _ => return None,
        })
    }
}

impl Rules {
    pub(crate) fn new(locale: &Locale, ordinal: bool) -> Self {
        let name = if ordinal { "ordinal" } else { "cardinal" };
        let rules =
            data::supplemental(name, &locale.name).or_else(|| data::supplemental(name, &locale.language));
        let rules = rules.unwrap_or(Value::Null);
        let rule = |form: &&'static str| Some((*form, rules.get(*form)?.as_str()?.to_owned()));
        Self(ORDER.iter().filter(|form| **form != "other").filter_map(rule).collect())
    }

    pub(crate) fn select(&self, operands: &Operands) -> &'static str {
        self.0.iter().find(|(_, rule)| matches(rule, operands)).map_or("other", |(form, _)| form)
    }

    fn categories(&self) -> Vec<&'static str> {
        self.0.iter().map(|(form, _)| *form).chain(["other"]).collect()
    }
}

/// Evaluates a condition such as `n % 10 = 2..4 and n % 100 != 12..14 or v != 0`.
fn matches(rule: &str, operands: &Operands) -> bool {
    rule.split(" or ")
        .any(|all| all.split(" and ").all(|relation| holds(relation, operands).unwrap_or(false)))
}

fn holds(relation: &str, operands: &Operands) -> Option<bool> {
    let (left, right, negated) = match relation.split_once("!=") {
        Some((left, right)) => (left, right, true),
        None => {
            let (left, right) = relation.split_once('=')?;
            (left, right, false)
        }
    };
    let (operand, modulus) = match left.split_once('%') {
        Some((operand, modulus)) => (operand, modulus.trim().parse().ok()?),
        None => (left, 0),
    };
    let value = operands.of(operand.trim(), modulus)?;
    let contains = right.split(',').any(|range| {
        let (low, high) = range.split_once("..").unwrap_or((range, range));
        match (low.trim().parse::<f64>(), high.trim().parse::<f64>()) {
            (Ok(low), Ok(high)) => value >= low && value <= high && value.fract() == 0.0,
            _ => false,
        }
    });
    Some(contains != negated)
}

/// `Intl.PluralRules`.
#[derive(Debug)]
pub struct PluralRules {
    locale: Locale,
    ordinal: bool,
    rules: Rules,
    digits: Digits,
}

impl PluralRules {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let ordinal = options.one_of("type", &["cardinal", "ordinal"])? == Some("ordinal");
        let digits = Digits::read(options, 0, 3, false)?;
        Ok(Self { rules: Rules::new(&locale, ordinal), locale, ordinal, digits })
    }

    fn operands(&self, value: &str) -> Option<Operands> {
        match Number::parse(value) {
            Number::Finite(value) => {
                let Rounded { value, fraction, .. } = self.digits.round(value);
                Some(Operands::new(&value, fraction, 0))
            }
            _ => None,
        }
    }

    /// Returns the category of a number.
    pub fn select(&self, value: &str) -> &'static str {
        self.operands(value).map_or("other", |operands| self.rules.select(&operands))
    }

    /// Returns the category of a range.
    pub fn select_range(&self, start: &str, end: &str) -> String {
        let (start, end) = (self.select(start), self.select(end));
        let ranges = data::supplemental("plural_ranges", &self.locale.language).unwrap_or(Value::Null);
        ranges[format!("pluralRange-start-{start}-end-{end}")].as_str().unwrap_or(end).to_owned()
    }

    pub(crate) fn resolved(&self) -> Value {
        let own = data::supplemental("cardinal", &self.locale.name).is_some();
        let locale = if own { &self.locale.name } else { &self.locale.language };
        let mut value =
            json!({ "locale": locale, "type": if self.ordinal { "ordinal" } else { "cardinal" } });
        self.digits.resolve_into(&mut value);
        value["pluralCategories"] = self.rules.categories().into();
        value
    }
}
