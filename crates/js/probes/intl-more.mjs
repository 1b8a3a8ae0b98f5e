// Probe of Intl (more).

import { probe } from "./probe.mjs";

export default probe("Intl (more)", "formatToParts, formatRange, DisplayNames, Locale, units, currencies, compact numbers, time zones, resolvedOptions, supportedLocalesOf", async (pi, signal) => {
  return [
    new Intl.NumberFormat("de", { style: "currency", currency: "EUR" }).formatToParts(-1.5).map((part) => part.type).join(),
    new Intl.DateTimeFormat("en", { timeZone: "UTC", month: "short", day: "numeric" }).formatRange(0, 864e5).replace(/\s/gu, " "),
    new Intl.DisplayNames("fr", { type: "region" }).of("DE"),
    new Intl.Locale("zh-TW").maximize().toString(),
    new Intl.NumberFormat("en", { style: "unit", unit: "kilometer-per-hour" }).format(50),
    new Intl.NumberFormat("ja", { notation: "compact" }).format(12345678),
    new Intl.DateTimeFormat("en", { timeZone: "America/New_York", hour: "numeric", timeZoneName: "long" }).format(0).replace(/\s/gu, " "),
    new Intl.PluralRules("pl").resolvedOptions().locale,
    Intl.Collator.supportedLocalesOf(["de", "xx"]).join(),
  ];
}, ["minusSign,integer,decimal,fraction,literal,currency", "Jan 1 – 2", "Allemagne", "zh-Hant-TW", "50 km/h", "1235万", "7 PM Eastern Standard Time", "pl", "de"]);
