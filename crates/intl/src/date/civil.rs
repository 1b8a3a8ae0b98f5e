//! An instant as fields of the Gregorian calendar, also outside the years that time libraries support.

/// The fields of a local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: usize,
    pub(crate) day: u32,
    /// 0 is Sunday.
    pub(crate) weekday: usize,
    pub(crate) hour: u32,
    pub(crate) minute: u32,
    pub(crate) second: u32,
    pub(crate) millisecond: u32,
}

impl Civil {
    /// Milliseconds since 1970, already shifted by the offset of the zone.
    pub(crate) fn from_milliseconds(local: i64) -> Self {
        let days = local.div_euclid(86_400_000);
        let rest = local.rem_euclid(86_400_000);
        // Days since the first of March of the year 0, in eras of 400 years.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u32::try_from(value).unwrap_or(0);
        Self {
            year,
            month: usize::try_from(month).unwrap_or(1),
            day: small(day),
            weekday: usize::try_from((days + 4).rem_euclid(7)).unwrap_or(0),
            hour: small(rest / 3_600_000),
            minute: small(rest / 60_000 % 60),
            second: small(rest / 1000 % 60),
            millisecond: small(rest % 1000),
        }
    }
}
