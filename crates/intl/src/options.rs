//! Reading an options object, which the engine has reduced to strings, numbers and booleans.

use serde_json::Value;

use crate::error::{IntlError, Result};

/// Options of a constructor, by their names in JavaScript, and the constructor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<'o>(pub(crate) &'o Value, pub(crate) &'o str);

impl<'o> Options<'o> {
    pub(crate) fn text(self, name: &str) -> Option<&'o str> {
        self.0.get(name)?.as_str()
    }

    /// One of the allowed values.
    pub(crate) fn one_of(self, name: &str, allowed: &[&'static str]) -> Result<Option<&'static str>> {
        let Some(value) = self.text(name) else { return Ok(None) };
        match allowed.iter().find(|known| **known == value) {
            Some(known) => Ok(Some(known)),
            None => Err(IntlError::value(value, self.1, name)),
        }
    }

    pub(crate) fn flag(self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// A whole number in a range; a fraction is cut.
    pub(crate) fn number(self, name: &str, least: i32, most: i32) -> Result<Option<i32>> {
        let Some(value) = self.0.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
        let value = value.as_f64().unwrap_or(f64::NAN);
        if value.is_nan() || value < f64::from(least) || value > f64::from(most) {
            return Err(IntlError::Range(format!("{name} value is out of range.")));
        }
        #[expect(clippy::cast_possible_truncation, reason = "the value is between two i32")]
        Ok(Some(value.floor() as i32))
    }

    /// A name such as a numbering system or a calendar: `[a-z0-9]{3,8}` joined by hyphens.
    pub(crate) fn name(self, name: &str) -> Result<Option<String>> {
        let Some(value) = self.text(name) else { return Ok(None) };
        let valid = value
            .split('-')
            .all(|part| matches!(part.len(), 3..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if valid {
            Ok(Some(value.to_ascii_lowercase()))
        } else {
            Err(IntlError::Range(format!("Invalid {name} : {value}")))
        }
    }
}
