//! Formatting a number.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    compact,
    digits::Rounded,
    pattern::{Affixes, Pattern, Token},
    settings::{Grouping, Settings},
    symbols::{Chosen, Forms},
};
use crate::{
    data,
    decimal::{Decimal, Number},
    error::Result,
    locale::Locale,
    options::Options,
    parts::{Part, affix, fill, tidy},
    plural::{Operands, Rules},
};

/// `Intl.NumberFormat`.
#[derive(Debug)]
pub struct NumberFormat {
    locale: Locale,
    pub(super) settings: Settings,
    pub(super) chosen: Chosen,
    rules: Rules,
    /// Symbols and names of the currency.
    currency: BTreeMap<String, String>,
    units: Units,
}

/// Patterns of the unit, and of the one it is divided by.
#[derive(Debug, Default)]
struct Units {
    forms: Forms,
    per: Option<Forms>,
    compound: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    None,
    Minus,
    Plus,
}

/// The digits of a number before affixes are added.
struct Body {
    parts: Vec<Part>,
    form: &'static str,
    compact: Option<Pattern>,
}

impl NumberFormat {
    pub(crate) fn new(locale: Locale, options: Options<'_>) -> Result<Self> {
        let system = options.name("numberingSystem")?;
        let settings = Settings::read(options)?;
        let chosen = Chosen::new(&locale, system.as_deref())?;
        let mut currency = BTreeMap::new();
        if let Some(code) = &settings.currency {
            let all = data::section(&locale.data, "currencies")?;
            for (key, text) in all.get(code).and_then(Value::as_object).into_iter().flatten() {
                currency.insert(key.clone(), text.as_str().unwrap_or_default().to_owned());
            }
        }
        let units = match &settings.unit {
            Some(unit) => Units::load(&locale, unit, settings.unit_display)?,
            None => Units::default(),
        };
        Ok(Self { rules: Rules::new(&locale, false), locale, settings, chosen, currency, units })
    }

    /// Formats a number, given as JavaScript prints it.
    pub fn format(&self, value: &str) -> Vec<Part> {
        self.format_number(Number::parse(value)).0
    }

    /// Formats a number and returns its plural form.
    pub(crate) fn format_number(&self, number: Number) -> (Vec<Part>, &'static str) {
        let (body, sign) = match number {
            Number::Nan => (self.word("nan", &self.chosen.system.symbols.nan), self.sign(false, true)),
            Number::Infinite { negative } => {
                (self.word("infinity", &self.chosen.system.symbols.infinity), self.sign(negative, false))
            }
            Number::Finite(mut value) => {
                if self.settings.style == "percent" {
                    value.shift(2);
                }
                let negative = value.negative;
                let (body, zero) = self.body(value);
                (body, self.sign(negative, zero))
            }
        };
        let form = body.form;
        (tidy(self.around(body, sign)), form)
    }

    fn word(&self, kind: &'static str, text: &str) -> Body {
        Body { parts: vec![Part::new(kind, text)], form: "other", compact: None }
    }

    fn sign(&self, negative: bool, zero: bool) -> Sign {
        match (self.settings.sign, negative, zero) {
            ("never", ..) | ("exceptZero", _, true) | ("negative", _, true) => Sign::None,
            (_, true, _) => Sign::Minus,
            ("always" | "exceptZero", false, _) => Sign::Plus,
            _ => Sign::None,
        }
    }

    fn powers(&self) -> &compact::Powers {
        let system = &self.chosen.system;
        match (self.settings.compact_display, self.settings.style) {
            ("long", _) => &system.long,
            (_, "currency") if self.settings.currency_display != "name" => {
                if self.is_alphabetic(false) && !system.currency_short_alpha.is_empty() {
                    &system.currency_short_alpha
                } else {
                    &system.currency_short
                }
            }
            _ => &system.short,
        }
    }

    /// The digits of a finite number, and whether they are zero.
    fn body(&self, value: Decimal) -> (Body, bool) {
        match self.settings.notation {
            "compact" => {
                let powers = self.powers();
                let (rounded, divided) = compact::scale(powers, value, &self.settings.digits);
                let zero = rounded.value.is_zero();
                let form = self.rules.select(&Operands::new(&rounded.value, rounded.fraction, divided));
                let pattern = compact::pattern(powers, &rounded.value, divided, form).map(Pattern::parse);
                let parts = match &pattern {
                    Some(pattern) if !pattern.has_digits => Vec::new(),
                    _ => self.digits(&rounded),
                };
                (Body { parts, form, compact: pattern }, zero)
            }
            "scientific" | "engineering" => self.scientific(value),
            _ => {
                let rounded = self.settings.digits.round(value);
                let zero = rounded.value.is_zero();
                let form = self.rules.select(&Operands::new(&rounded.value, rounded.fraction, 0));
                (Body { parts: self.digits(&rounded), form, compact: None }, zero)
            }
        }
    }

    fn scientific(&self, value: Decimal) -> (Body, bool) {
        let step = if self.settings.notation == "engineering" { 3 } else { 1 };
        let exponent_of = |magnitude: i32| magnitude.div_euclid(step) * step;
        let mut exponent = exponent_of(value.magnitude());
        let round = |exponent: i32| {
            let mut value = value.clone();
            value.shift(-exponent);
            self.settings.digits.round(value)
        };
        let mut rounded = round(exponent);
        let grown = exponent_of(rounded.value.magnitude() + exponent);
        if grown != exponent && !rounded.value.is_zero() {
            exponent = grown;
            rounded = round(exponent);
        }
        let mut parts = self.digits(&rounded);
        let symbols = &self.chosen.system.symbols;
        parts.push(Part::new("exponentSeparator", &symbols.exponential));
        if exponent < 0 {
            affix(&symbols.minus, "exponentMinusSign", &mut parts);
        }
        let digits: String = exponent
            .unsigned_abs()
            .to_string()
            .bytes()
            .map(|byte| self.chosen.digits[usize::from(byte - b'0')])
            .collect();
        parts.push(Part::new("exponentInteger", digits));
        (Body { parts, form: "other", compact: None }, rounded.value.is_zero())
    }

    fn digits(&self, rounded: &Rounded) -> Vec<Part> {
        let symbols = &self.chosen.system.symbols;
        let is_currency = self.settings.style == "currency";
        let pick = |own: &Option<String>, general: &String| {
            own.clone().filter(|_| is_currency).unwrap_or_else(|| general.clone())
        };
        let decimal = pick(&symbols.currency_decimal, &symbols.decimal);
        let group = pick(&symbols.currency_group, &symbols.group);
        let value = &rounded.value;
        let character = |power: i32| self.chosen.digits[usize::from(value.digit(power))];
        let length = (value.magnitude() + 1).max(self.settings.digits.minimum_integer).max(1);
        let (last, before) = Pattern::parse(&self.chosen.system.decimal).grouping;
        let least = match self.settings.grouping {
            Grouping::Never => usize::MAX,
            Grouping::Always => 1,
            Grouping::Auto => self.chosen.minimum_grouping,
            Grouping::Min2 => self.chosen.minimum_grouping.max(2),
        };
        let total = usize::try_from(length).unwrap_or(1);
        let grouped = last > 0 && total >= last.saturating_add(least);
        let mut parts = Vec::new();
        let mut integer = String::new();
        for power in (0..length).rev() {
            integer.push(character(power));
            let left = usize::try_from(power).unwrap_or(0);
            if grouped && left >= last && (left - last).is_multiple_of(before.max(1)) {
                parts.push(Part::new("integer", std::mem::take(&mut integer)));
                parts.push(Part::new("group", group.clone()));
            }
        }
        parts.push(Part::new("integer", integer));
        if rounded.fraction > 0 {
            parts.push(Part::new("decimal", decimal));
            parts.push(Part::new(
                "fraction",
                (1..=rounded.fraction).map(|place| character(-place)).collect::<String>(),
            ));
        }
        parts
    }

    /// Adds signs, currency, percent sign and unit.
    fn around(&self, body: Body, sign: Sign) -> Vec<Part> {
        let system = &self.chosen.system;
        let by_name = self.settings.currency_display == "name";
        match self.settings.style {
            "currency" if !by_name => {
                let alphabetic = self.is_alphabetic(false);
                let pattern = match (self.settings.accounting, alphabetic) {
                    (false, false) => &system.currency,
                    (true, false) => &system.accounting,
                    (false, true) => system.currency_alpha.as_ref().unwrap_or(&system.currency),
                    (true, true) => system.accounting_alpha.as_ref().unwrap_or(&system.accounting),
                };
                let pattern = Pattern::parse(pattern);
                match body.compact {
                    Some(compact) if self.settings.compact_display == "short" => {
                        self.affixed(&compact, body.parts, sign, "compact")
                    }
                    Some(compact) => {
                        let inner = self.affixed(&compact, body.parts, Sign::None, "compact");
                        self.affixed(&pattern, inner, sign, "literal")
                    }
                    None => self.affixed(&pattern, body.parts, sign, "literal"),
                }
            }
            style => {
                let is_percent =
                    self.settings.unit.as_deref() == Some("percent") && self.settings.unit_display != "long";
                let style = if is_percent { "percent" } else { style };
                let (pattern, kind) = match (&body.compact, style) {
                    (Some(compact), "decimal" | "unit" | "currency") => (compact.clone(), "compact"),
                    (_, "percent") => (Pattern::parse(&system.percent), "literal"),
                    _ => (Pattern::parse(&system.decimal), "literal"),
                };
                let number = match (&body.compact, style) {
                    (Some(compact), "percent") => self.affixed(compact, body.parts, Sign::None, "compact"),
                    _ => body.parts,
                };
                let number = tidy(self.affixed(&pattern, number, sign, kind));
                match style {
                    "currency" => {
                        let pattern = system
                            .currency_units
                            .get(body.form)
                            .or_else(|| system.currency_units.get("other"));
                        let code = self.settings.currency.clone().unwrap_or_default();
                        let name = self
                            .currency
                            .get(body.form)
                            .or_else(|| self.currency.get("other"))
                            .or_else(|| self.currency.get("d"));
                        let name = Part::new("currency", name.cloned().unwrap_or(code));
                        fill(pattern.map_or("{0} {1}", String::as_str), "literal", &[number, vec![name]])
                    }
                    "unit" => self.units.around(body.form, number),
                    _ => number,
                }
            }
        }
    }

    /// Places number parts between the affixes of a pattern.
    pub(super) fn affixed(
        &self,
        pattern: &Pattern,
        number: Vec<Part>,
        sign: Sign,
        kind: &'static str,
    ) -> Vec<Part> {
        let has_minus = |affixes: &Affixes| {
            affixes.prefix.contains(&Token::Minus) || affixes.suffix.contains(&Token::Minus)
        };
        let (mut affixes, explicit) = match (&pattern.negative, sign) {
            (Some(negative), Sign::Minus) => (negative.clone(), true),
            (Some(negative), Sign::Plus) if has_minus(negative) => (negative.clone(), true),
            _ => (pattern.positive.clone(), has_minus(&pattern.positive)),
        };
        if !explicit && sign != Sign::None {
            affixes.prefix.insert(0, Token::Minus);
        }
        let mut parts = Vec::new();
        let count = affixes.prefix.len();
        for (index, token) in affixes.prefix.iter().enumerate() {
            self.token(token, sign, kind, &mut parts);
            if *token == Token::Currency && index + 1 == count && self.needs_space(true) {
                parts.push(Part::literal("\u{a0}"));
            }
        }
        parts.extend(number);
        for (index, token) in affixes.suffix.iter().enumerate() {
            if *token == Token::Currency && index == 0 && self.needs_space(false) {
                parts.push(Part::literal("\u{a0}"));
            }
            self.token(token, sign, kind, &mut parts);
        }
        parts
    }

    fn token(&self, token: &Token, sign: Sign, kind: &'static str, parts: &mut Vec<Part>) {
        let symbols = &self.chosen.system.symbols;
        match token {
            Token::Text(text) => affix(text, kind, parts),
            Token::Minus if sign == Sign::Plus => affix(&symbols.plus, "plusSign", parts),
            Token::Minus => affix(&symbols.minus, "minusSign", parts),
            Token::Plus => affix(&symbols.plus, "plusSign", parts),
            Token::Percent => affix(&symbols.percent, "percentSign", parts),
            Token::Currency => parts.push(Part::new("currency", self.symbol())),
        }
    }

    /// The currency's symbol or code.
    fn symbol(&self) -> String {
        let code = self.settings.currency.clone().unwrap_or_default();
        let keys: &[&str] = match self.settings.currency_display {
            "code" => &[],
            "narrowSymbol" => &["n", "s"],
            _ => &["s"],
        };
        keys.iter().find_map(|key| self.currency.get(*key).cloned()).unwrap_or(code)
    }

    fn is_alphabetic(&self, first: bool) -> bool {
        let symbol = self.symbol();
        let next = if first { symbol.chars().next() } else { symbol.chars().next_back() };
        next.is_some_and(char::is_alphabetic)
    }

    /// Returns whether the CLDR's spacing rule separates the symbol from the digits beside it.
    fn needs_space(&self, before: bool) -> bool {
        let symbol = self.symbol();
        let next = if before { symbol.chars().next_back() } else { symbol.chars().next() };
        next.is_some_and(|character| !character.is_whitespace() && !is_symbol(character))
    }

    pub(crate) fn system_name(&self) -> &str {
        &self.chosen.name
    }

    pub(crate) fn resolved(&self) -> Value {
        let settings = &self.settings;
        let mut value = json!({
            "locale": self.locale.name_with(&[("nu", &self.chosen.name)]),
            "numberingSystem": self.chosen.name,
            "style": settings.style,
        });
        if let Some(code) = &settings.currency {
            value["currency"] = code.as_str().into();
            value["currencyDisplay"] = settings.currency_display.into();
            value["currencySign"] = if settings.accounting { "accounting" } else { "standard" }.into();
        }
        if let Some(unit) = &settings.unit {
            value["unit"] = unit.as_str().into();
            value["unitDisplay"] = settings.unit_display.into();
        }
        settings.digits.resolve_into(&mut value);
        value["useGrouping"] = match settings.grouping {
            Grouping::Never => false.into(),
            Grouping::Min2 => "min2".into(),
            Grouping::Auto => "auto".into(),
            Grouping::Always => "always".into(),
        };
        value["notation"] = settings.notation.into();
        if settings.notation == "compact" {
            value["compactDisplay"] = settings.compact_display.into();
        }
        value["signDisplay"] = settings.sign.into();
        settings.digits.resolve_rounding_into(&mut value);
        value
    }
}

/// Symbols of the Unicode categories `S`, as far as they occur in currency symbols.
fn is_symbol(character: char) -> bool {
    matches!(character, '$' | '+' | '<'..='>' | '^' | '`' | '|' | '~' | '¢'..='©' | '֏' | '؋' | '৲' | '৳' | '૱' | '௹' | '฿' | '៛'
        | '\u{20a0}'..='\u{20cf}' | '﷼' | '＄' | '￠' | '￡' | '￥' | '￦')
}

impl Units {
    fn load(locale: &Locale, unit: &str, width: &str) -> Result<Self> {
        let all = data::section(&locale.data, "units")?;
        let forms = |name: &str| -> Option<Forms> {
            let entry = all.get(width)?.get(name)?.as_object()?;
            Some(
                entry
                    .iter()
                    .map(|(key, text)| (key.clone(), text.as_str().unwrap_or_default().to_owned()))
                    .collect(),
            )
        };
        let compound = forms("per").and_then(|mut forms| forms.remove("other")).unwrap_or_default();
        if let Some(forms) = forms(unit) {
            return Ok(Self { forms, per: None, compound });
        }
        let (one, other) = unit.split_once("-per-").unwrap_or((unit, ""));
        Ok(Self { forms: forms(one).unwrap_or_default(), per: forms(other), compound })
    }

    fn around(&self, form: &str, number: Vec<Part>) -> Vec<Part> {
        let pick = |forms: &Forms, form: &str| forms.get(form).or_else(|| forms.get("other")).cloned();
        let pattern = pick(&self.forms, form).unwrap_or_else(|| "{0}".to_owned());
        let pattern = match &self.per {
            None => pattern,
            Some(per) => match per.get("per") {
                Some(per) => per.replace("{0}", &pattern),
                None => {
                    let name = pick(per, "one").unwrap_or_default().replace("{0}", "").trim().to_owned();
                    self.compound.replace("{0}", &pattern).replace("{1}", &name)
                }
            },
        };
        fill(&pattern, "unit", &[number])
    }
}
