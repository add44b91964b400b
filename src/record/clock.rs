//! UTC time stamps. Every id and file name uses them, whatever the machine's zone.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, as `2026-11-30T09:15:02.417Z`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let text = format_utc(since.as_secs());
    format!("{}.{:03}Z", text.trim_end_matches('Z'), since.subsec_millis())
}

/// Seconds since 1970 as `2026-11-30T09:15:02Z` (civil-from-days; Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub fn format_utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(0, "1970-01-01T00:00:00Z")]
    #[case(951_782_400, "2000-02-29T00:00:00Z")]
    #[case(1_796_083_199, "2026-11-30T23:59:59Z")]
    #[case(4_107_542_400, "2100-03-01T00:00:00Z")]
    fn formats(#[case] seconds: u64, #[case] expected: &str) {
        assert_eq!(format_utc(seconds), expected);
    }
}
