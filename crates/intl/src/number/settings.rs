//! Options of `Intl.NumberFormat`, read and checked.

use crate::{
    data,
    error::{IntlError, Result},
    number::digits::Digits,
    options::Options,
};

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) style: &'static str,
    pub(super) currency: Option<String>,
    pub(super) currency_display: &'static str,
    pub(super) accounting: bool,
    pub(super) unit: Option<String>,
    pub(super) unit_display: &'static str,
    pub(super) notation: &'static str,
    pub(super) compact_display: &'static str,
    pub(super) grouping: Grouping,
    pub(super) sign: &'static str,
    pub(super) digits: Digits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grouping {
    Never,
    Min2,
    Auto,
    Always,
}

/// The units that ECMA-402 sanctions.
pub(crate) const UNITS: &[&str] = &[
    "acre",
    "bit",
    "byte",
    "celsius",
    "centimeter",
    "day",
    "degree",
    "fahrenheit",
    "fluid-ounce",
    "foot",
    "gallon",
    "gigabit",
    "gigabyte",
    "gram",
    "hectare",
    "hour",
    "inch",
    "kilobit",
    "kilobyte",
    "kilogram",
    "kilometer",
    "liter",
    "megabit",
    "megabyte",
    "meter",
    "microsecond",
    "mile",
    "mile-scandinavian",
    "milliliter",
    "millimeter",
    "millisecond",
    "minute",
    "month",
    "nanosecond",
    "ounce",
    "percent",
    "petabyte",
    "pound",
    "second",
    "stone",
    "terabit",
    "terabyte",
    "week",
    "yard",
    "year",
];

fn is_unit(name: &str) -> bool {
    UNITS.contains(&name)
        || name.split_once("-per-").is_some_and(|(one, other)| UNITS.contains(&one) && UNITS.contains(&other))
}

impl Settings {
    pub(super) fn read(options: Options<'_>) -> Result<Self> {
        let style =
            options.one_of("style", &["decimal", "percent", "currency", "unit"])?.unwrap_or("decimal");
        let currency = options.text("currency").map(str::to_ascii_uppercase);
        if let Some(code) = &currency
            && (code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_alphabetic()))
        {
            return Err(IntlError::Range(format!(
                "Invalid currency code : {}",
                options.text("currency").unwrap_or_default()
            )));
        }
        if style == "currency" && currency.is_none() {
            return Err(IntlError::Type("Currency code is required with currency style.".to_owned()));
        }
        let currency_display = options
            .one_of("currencyDisplay", &["code", "symbol", "narrowSymbol", "name"])?
            .unwrap_or("symbol");
        let accounting = options.one_of("currencySign", &["standard", "accounting"])? == Some("accounting");
        let unit = options.text("unit").map(str::to_owned);
        if let Some(unit) = unit.as_deref().filter(|unit| !is_unit(unit)) {
            return Err(IntlError::Range(format!("Invalid unit argument for Intl.NumberFormat() '{unit}'")));
        }
        if style == "unit" && unit.is_none() {
            return Err(IntlError::Type(
                "Invalid unit argument for Intl.NumberFormat() 'undefined'".to_owned(),
            ));
        }
        let unit_display = options.one_of("unitDisplay", &["short", "narrow", "long"])?.unwrap_or("short");
        let notation = options
            .one_of("notation", &["standard", "scientific", "engineering", "compact"])?
            .unwrap_or("standard");
        let (least, most) = match (style, &currency) {
            ("currency", Some(code)) if notation == "standard" => {
                let places =
                    data::supplemental("fractions", code).and_then(|places| places.as_i64()).unwrap_or(2);
                let places = i32::try_from(places).unwrap_or(2);
                (places, places)
            }
            ("percent", _) => (0, 0),
            _ => (0, 3),
        };
        let digits = Digits::read(options, least, most, notation == "compact")?;
        let compact_display = options.one_of("compactDisplay", &["short", "long"])?.unwrap_or("short");
        let default = if notation == "compact" { Grouping::Min2 } else { Grouping::Auto };
        let grouping = match (options.flag("useGrouping"), options.text("useGrouping")) {
            (Some(true), _) | (_, Some("always")) => Grouping::Always,
            (Some(false), _) => Grouping::Never,
            (_, Some("auto")) => Grouping::Auto,
            (_, Some("min2")) => Grouping::Min2,
            (_, None | Some("true" | "false")) => default,
            (_, Some(other)) => return Err(IntlError::value(other, options.1, "useGrouping")),
        };
        let sign = options
            .one_of("signDisplay", &["auto", "never", "always", "exceptZero", "negative"])?
            .unwrap_or("auto");
        let (currency, unit) = (currency.filter(|_| style == "currency"), unit.filter(|_| style == "unit"));
        Ok(Self {
            style,
            currency,
            currency_display,
            accounting,
            unit,
            unit_display,
            notation,
            compact_display,
            grouping,
            sign,
            digits,
        })
    }
}
