//! Digit options of numbers and plurals: how many digits are shown, and how they are rounded.

use serde_json::Value;

use crate::{
    decimal::{Decimal, RoundingMode},
    error::{IntlError, Result},
    options::Options,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fraction,
    Significant,
    MorePrecision,
    LessPrecision,
}

/// Digit options after `SetNumberFormatDigitOptions` of ECMA-402.
#[derive(Debug, Clone)]
pub(crate) struct Digits {
    pub(crate) minimum_integer: i32,
    fraction: Option<(i32, i32)>,
    significant: Option<(i32, i32)>,
    kind: Kind,
    priority: &'static str,
    increment: u32,
    mode: RoundingMode,
    mode_name: &'static str,
    strip: bool,
}

/// A rounded number, and how many fraction digits are shown.
#[derive(Debug, Clone)]
pub(crate) struct Rounded {
    pub(crate) value: Decimal,
    pub(crate) fraction: i32,
}

const MODES: [(&str, RoundingMode); 9] = [
    ("ceil", RoundingMode::Ceil),
    ("floor", RoundingMode::Floor),
    ("expand", RoundingMode::Expand),
    ("trunc", RoundingMode::Trunc),
    ("halfCeil", RoundingMode::HalfCeil),
    ("halfFloor", RoundingMode::HalfFloor),
    ("halfExpand", RoundingMode::HalfExpand),
    ("halfTrunc", RoundingMode::HalfTrunc),
    ("halfEven", RoundingMode::HalfEven),
];
const INCREMENTS: [i32; 15] = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

impl Digits {
    pub(crate) fn read(
        options: Options<'_>,
        default_minimum: i32,
        default_maximum: i32,
        compact: bool,
    ) -> Result<Self> {
        let minimum_integer = options.number("minimumIntegerDigits", 1, 21)?.unwrap_or(1);
        let given = |name: &str| options.0.get(name).is_some_and(|value| !value.is_null());
        let has_significant = given("minimumSignificantDigits") || given("maximumSignificantDigits");
        let has_fraction = given("minimumFractionDigits") || given("maximumFractionDigits");
        let increment = options.number("roundingIncrement", 1, 5000)?.unwrap_or(1);
        if !INCREMENTS.contains(&increment) {
            return Err(IntlError::Range("roundingIncrement value is out of range.".to_owned()));
        }
        let names: Vec<&'static str> = MODES.iter().map(|(name, _)| *name).collect();
        let mode_name = options.one_of("roundingMode", &names)?.unwrap_or("halfExpand");
        let mode = MODES
            .iter()
            .find(|(name, _)| *name == mode_name)
            .map_or(RoundingMode::HalfExpand, |(_, mode)| *mode);
        let priority = options
            .one_of("roundingPriority", &["auto", "morePrecision", "lessPrecision"])?
            .unwrap_or("auto");
        let strip =
            options.one_of("trailingZeroDisplay", &["auto", "stripIfInteger"])? == Some("stripIfInteger");
        let default_maximum = if increment == 1 { default_maximum } else { default_minimum };
        let need_significant = priority != "auto" || has_significant;
        let need_fraction = priority != "auto" || !(has_significant || (!has_fraction && compact));
        let significant = match need_significant {
            true => {
                let least = options.number("minimumSignificantDigits", 1, 21)?.unwrap_or(1);
                Some((least, options.number("maximumSignificantDigits", least, 21)?.unwrap_or(21)))
            }
            false => None,
        };
        let fraction = match need_fraction {
            true => Some(Self::fraction(options, default_minimum, default_maximum)?),
            false => None,
        };
        let (kind, significant, fraction) = match (priority, significant, fraction) {
            ("morePrecision", ..) => (Kind::MorePrecision, significant, fraction),
            ("lessPrecision", ..) => (Kind::LessPrecision, significant, fraction),
            (_, None, None) => (Kind::MorePrecision, Some((1, 2)), Some((0, 0))),
            (_, Some(_), _) => (Kind::Significant, significant, None),
            _ => (Kind::Fraction, None, fraction),
        };
        if increment != 1 {
            if kind != Kind::Fraction {
                return Err(IntlError::Type("Invalid option : roundingIncrement".to_owned()));
            }
            if fraction.is_some_and(|(least, most)| least != most) {
                return Err(IntlError::Range("roundingIncrement value is out of range.".to_owned()));
            }
        }
        let increment = u32::try_from(increment).unwrap_or(1);
        Ok(Self { minimum_integer, fraction, significant, kind, priority, increment, mode, mode_name, strip })
    }

    fn fraction(options: Options<'_>, default_minimum: i32, default_maximum: i32) -> Result<(i32, i32)> {
        let least = options.number("minimumFractionDigits", 0, 100)?;
        let most = options.number("maximumFractionDigits", 0, 100)?;
        match (least, most) {
            (None, None) => Ok((default_minimum, default_maximum)),
            (None, Some(most)) => Ok((default_minimum.min(most), most)),
            (Some(least), None) => Ok((least, default_maximum.max(least))),
            (Some(least), Some(most)) if least <= most => Ok((least, most)),
            _ => Err(IntlError::Range("maximumFractionDigits value is out of range.".to_owned())),
        }
    }

    pub(crate) fn round(&self, mut value: Decimal) -> Rounded {
        let (least_fraction, most_fraction) = self.fraction.unwrap_or((0, 0));
        let (least_significant, most_significant) = self.significant.unwrap_or((1, 21));
        let significant_power = value.magnitude() - most_significant + 1;
        let by_significant = match self.kind {
            Kind::Significant => true,
            Kind::Fraction => false,
            Kind::MorePrecision => significant_power < -most_fraction,
            Kind::LessPrecision => significant_power > -most_fraction,
        };
        let least = if by_significant {
            value.round(significant_power, 1, self.mode);
            least_significant - 1 - value.magnitude()
        } else {
            value.round(-most_fraction, self.increment, self.mode);
            least_fraction
        };
        let own = value.fraction_digits();
        let fraction = if self.strip && own == 0 { 0 } else { own.max(least).max(0) };
        Rounded { value, fraction }
    }

    pub(crate) fn resolve_into(&self, value: &mut Value) {
        value["minimumIntegerDigits"] = self.minimum_integer.into();
        let mut set = |name: &str, digits: i32| value[name] = digits.into();
        let fraction = |set: &mut dyn FnMut(&str, i32)| {
            if let Some((least, most)) = self.fraction {
                set("minimumFractionDigits", least);
                set("maximumFractionDigits", most);
            }
        };
        if let Some((least, most)) = self.significant {
            set("minimumSignificantDigits", least);
            set("maximumSignificantDigits", most);
        }
        fraction(&mut set);
    }

    pub(crate) fn resolve_rounding_into(&self, value: &mut Value) {
        value["roundingMode"] = self.mode_name.into();
        value["roundingIncrement"] = self.increment.into();
        value["trailingZeroDisplay"] = if self.strip { "stripIfInteger" } else { "auto" }.into();
        value["roundingPriority"] = match self.kind {
            Kind::MorePrecision => "morePrecision",
            Kind::LessPrecision => "lessPrecision",
            _ => self.priority,
        }
        .into();
    }
}
