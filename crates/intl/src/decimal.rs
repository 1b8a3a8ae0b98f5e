//! Decimal numbers as digits, and rounding as ECMA-402 defines it.

use std::cmp::Ordering;

/// A number as decimal digits: `0.d1d2d3… × 10^point`. Zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    /// Without leading and trailing zeros.
    digits: Vec<u8>,
    point: i32,
}

/// A number that may be infinite or no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Number {
    Finite(Decimal),
    Infinite { negative: bool },
    Nan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundingMode {
    Ceil,
    Floor,
    Expand,
    Trunc,
    HalfCeil,
    HalfFloor,
    HalfExpand,
    HalfTrunc,
    HalfEven,
}

impl Number {
    /// Reads what JavaScript's `String(number)` prints, or a decimal literal.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if rest == "Infinity" {
            return Self::Infinite { negative };
        }
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()),
            None => (rest, Some(0)),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || integer.bytes().chain(fraction.bytes());
        let Some(exponent) = exponent.filter(|exponent| exponent.abs() < 100_000) else {
            return Self::Nan;
        };
        if (integer.is_empty() && fraction.is_empty()) || !digits().all(|byte| byte.is_ascii_digit()) {
            return Self::Nan;
        }
        let point = i32::try_from(integer.len()).unwrap_or(i32::MAX / 2) + exponent;
        let mut number = Decimal { negative, digits: digits().map(|byte| byte - b'0').collect(), point };
        number.trim();
        Self::Finite(number)
    }
}

impl Decimal {
    fn trim(&mut self) {
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= i32::try_from(zeros).unwrap_or_default();
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The power of ten of the first digit; zero has 0.
    pub(crate) fn magnitude(&self) -> i32 {
        if self.is_zero() { 0 } else { self.point - 1 }
    }

    pub(crate) fn shift(&mut self, places: i32) {
        if !self.is_zero() {
            self.point += places;
        }
    }

    /// The digit of a power of ten.
    pub(crate) fn digit(&self, power: i32) -> u8 {
        let index = self.point - 1 - power;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index).copied()).unwrap_or(0)
    }

    /// The number of fraction digits.
    pub(crate) fn fraction_digits(&self) -> i32 {
        (i32::try_from(self.digits.len()).unwrap_or(i32::MAX) - self.point).max(0)
    }

    /// Rounds to a multiple of `increment × 10^power`.
    pub(crate) fn round(&mut self, power: i32, increment: u32, mode: RoundingMode) {
        if self.is_zero() {
            return;
        }
        if increment > 1 {
            return self.round_increment(power, increment, mode);
        }
        let kept = self.point - power;
        let length = i32::try_from(self.digits.len()).unwrap_or(i32::MAX);
        if kept >= length {
            return;
        }
        let (rest, first): (Vec<u8>, bool) = match usize::try_from(kept) {
            Ok(kept) => (self.digits.split_off(kept), true),
            Err(_) => (std::mem::take(&mut self.digits), false),
        };
        let half = match first {
            true => match rest.first().copied().unwrap_or(0).cmp(&5) {
                Ordering::Equal if rest.len() > 1 => Ordering::Greater,
                order => order,
            },
            false => Ordering::Less,
        };
        let odd = self.digits.last().is_some_and(|digit| digit % 2 == 1) && kept > 0;
        let up = Self::up(mode, self.negative, half, odd);
        if kept <= 0 {
            self.digits.clear();
            self.point = power;
        }
        if up {
            self.increment(power);
        }
        self.trim();
    }

    fn up(mode: RoundingMode, negative: bool, half: Ordering, odd: bool) -> bool {
        match mode {
            RoundingMode::Ceil => !negative,
            RoundingMode::Floor => negative,
            RoundingMode::Expand => true,
            RoundingMode::Trunc => false,
            RoundingMode::HalfCeil => half.is_gt() || (half.is_eq() && !negative),
            RoundingMode::HalfFloor => half.is_gt() || (half.is_eq() && negative),
            RoundingMode::HalfExpand => half.is_ge(),
            RoundingMode::HalfTrunc => half.is_gt(),
            RoundingMode::HalfEven => half.is_gt() || (half.is_eq() && odd),
        }
    }

    /// Adds one at a power of ten, below which there are no digits.
    fn increment(&mut self, power: i32) {
        let wanted = usize::try_from(self.point - power).unwrap_or(0);
        self.digits.resize(wanted.min(100_000), 0);
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.point += 1;
    }

    fn round_increment(&mut self, power: i32, increment: u32, mode: RoundingMode) {
        // Long division of the integer part at this power by the increment; the remainder and what follows decide.
        let step = u64::from(increment);
        let top = self.magnitude().max(power);
        let mut quotient = Vec::new();
        let mut remainder = 0_u64;
        for place in (power..=top).rev() {
            remainder = remainder * 10 + u64::from(self.digit(place));
            quotient.push(u8::try_from(remainder / step).unwrap_or(9));
            remainder %= step;
        }
        let below = self.point - i32::try_from(self.digits.len()).unwrap_or(0) < power;
        if remainder == 0 && !below {
            return;
        }
        let half = match (remainder * 2).cmp(&step) {
            Ordering::Equal if below => Ordering::Greater,
            order => order,
        };
        let odd = quotient.last().is_some_and(|digit| digit % 2 == 1);
        let mut multiple = Self {
            negative: self.negative,
            point: i32::try_from(quotient.len()).unwrap_or(0),
            digits: quotient,
        };
        if Self::up(mode, self.negative, half, odd) {
            multiple.increment(0);
        }
        // Multiplication by the increment.
        let mut digits: Vec<u8> = Vec::new();
        let mut carry = 0_u64;
        for digit in multiple.digits.iter().rev() {
            let value = u64::from(*digit) * step + carry;
            digits.push(u8::try_from(value % 10).unwrap_or(0));
            carry = value / 10;
        }
        while carry > 0 {
            digits.push(u8::try_from(carry % 10).unwrap_or(0));
            carry /= 10;
        }
        digits.reverse();
        let unscaled =
            i32::try_from(digits.len()).unwrap_or(0) - i32::try_from(multiple.digits.len()).unwrap_or(0);
        *self = Self { negative: self.negative, point: multiple.point + unscaled + power, digits };
        self.trim();
    }
}
