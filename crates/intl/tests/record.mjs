// Records what Node prints, for `tests/it`, into `node.jsonl.br`: `node crates/intl/tests/record.mjs`. The recording was made with
// Node 20.20 (CLDR 48), the version of the data in `crates/intl/data`.
// One line per kind of call: constructor, method, options, arguments, and the result by locale.

import { writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const LOCALES = [
  "en-US", "en-GB", "en-IN", "en-AU", "en-CA", "de-DE", "de-AT", "de-CH", "fr-FR", "fr-CA", "fr-CH", "es-ES", "es-MX", "es-AR", "it-IT",
  "pt-BR", "pt-PT", "nl-NL", "sv-SE", "da-DK", "nb-NO", "fi-FI", "is-IS", "pl-PL", "cs-CZ", "sk-SK", "sl-SI", "hr-HR", "sr-RS", "sr-Latn-RS", "hu-HU",
  "ro-RO", "bg-BG", "el-GR", "ru-RU", "uk-UA", "tr-TR", "he-IL", "ar-EG", "ar-AE", "ur-PK", "hi-IN", "bn-BD", "ta-IN", "te-IN", "id-ID",
  "ms-MY", "vi-VN", "fil-PH", "sw-KE", "lt-LT", "lv-LV", "et-EE", "ca-ES", "eu-ES", "gl-ES", "ja-JP", "ko-KR", "zh-CN", "zh-TW", "zh-HK", "en", "de", "fr", "es", "ja", "zh",
];
const kinds = [];
const add = (constructor, method, options, ...values) => {
  for (const value of values) kinds.push({ constructor, method, options, arguments: Array.isArray(value) ? value : [value] });
};

const number = (options, ...values) => add("NumberFormat", "format", options, ...values);
number({}, 0, 1, -1, 1234.5, 1234567.891, -9876543.21, 0.1234567, 1e21, "NaN", "Infinity", "-Infinity", "-0", 1.005, 999.9995);
number({ maximumFractionDigits: 0 }, 2.5, 3.5, 1999.5);
number({ minimumFractionDigits: 2, maximumFractionDigits: 2 }, 1234.5, 0.005);
number({ maximumSignificantDigits: 3 }, 123456, 0.0012345);
number({ minimumIntegerDigits: 3, useGrouping: false }, 7, 12345);
number({ useGrouping: "always" }, 1234);
number({ useGrouping: "min2" }, 1234, 12345);
number({ roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 }, 1.22, 1.23);
number({ roundingMode: "floor", maximumFractionDigits: 0 }, -1.5);
number({ trailingZeroDisplay: "stripIfInteger", minimumFractionDigits: 2 }, 5, 5.5);
number({ style: "percent" }, 0.256, -1.5);
number({ style: "percent", minimumFractionDigits: 1 }, 0.12345);
for (const currency of ["USD", "EUR", "JPY", "GBP", "CHF", "INR", "CNY"]) number({ style: "currency", currency }, 1234.5);
number({ style: "currency", currency: "USD" }, -1234.5, 0);
number({ style: "currency", currency: "USD", currencyDisplay: "code" }, 1234.5);
number({ style: "currency", currency: "USD", currencyDisplay: "name" }, 1, 1234.5);
number({ style: "currency", currency: "CAD", currencyDisplay: "narrowSymbol" }, 12);
number({ style: "currency", currency: "EUR", currencySign: "accounting" }, -1234.5);
number({ style: "currency", currency: "EUR", signDisplay: "always" }, 5);
number({ style: "currency", currency: "EUR", maximumFractionDigits: 0 }, 1234.5);
number({ style: "currency", currency: "USD", notation: "compact" }, 1234567, 950);
number({ notation: "compact" }, 0, 15, 999, 1234, 9999, 12345, 999999, 1500000, 1234567890, 1e15, -4321);
number({ notation: "compact", compactDisplay: "long" }, 1000, 1234, 12345, 2000000, 7654321000);
number({ notation: "compact", maximumFractionDigits: 1 }, 1250, 123456);
number({ notation: "scientific" }, 123456, 0.00012, 0);
number({ notation: "engineering" }, 123456);
number({ signDisplay: "exceptZero" }, 0, 5, -5);
number({ signDisplay: "never" }, -5);
for (const unit of ["kilometer", "celsius", "byte", "megabyte", "liter", "hour", "kilometer-per-hour", "percent", "day", "kilogram", "mile", "second"])
  for (const unitDisplay of ["short", "long", "narrow"]) number({ style: "unit", unit, unitDisplay }, 1, 16.5);
number({ style: "unit", unit: "megabyte-per-second" }, 3);
number({ style: "unit", unit: "gigabyte", notation: "compact" }, 12345);
add("NumberFormat", "formatToParts", {}, -1234567.891);
add("NumberFormat", "formatToParts", { style: "currency", currency: "USD" }, -1234.5);
add("NumberFormat", "formatToParts", { style: "percent" }, 0.25);
add("NumberFormat", "formatToParts", { style: "unit", unit: "kilometer", unitDisplay: "long" }, 1234);
add("NumberFormat", "formatToParts", { notation: "compact", compactDisplay: "long" }, 12345678);
add("NumberFormat", "formatRange", {}, [1, 5]);
add("NumberFormat", "formatRange", { style: "currency", currency: "EUR", maximumFractionDigits: 0 }, [3, 5]);
add("NumberFormat", "resolvedOptions", {}, []);
add("NumberFormat", "resolvedOptions", { style: "currency", currency: "JPY" }, []);
add("NumberFormat", "resolvedOptions", { notation: "compact" }, []);

const MOMENT = Date.UTC(2024, 2, 5, 15, 4, 9, 87);
const MORNING = Date.UTC(2023, 10, 30, 0, 30, 0, 5);
const date = (options, ...values) => {
  const all = values.length === 0 ? [MOMENT, MORNING] : values;
  add("DateTimeFormat", "format", { timeZone: "UTC", ...options }, ...all);
};
date({});
for (const dateStyle of ["full", "long", "medium", "short"]) date({ dateStyle });
for (const timeStyle of ["full", "long", "medium", "short"]) date({ timeStyle });
for (const style of ["full", "long", "medium", "short"]) date({ dateStyle: style, timeStyle: style });
date({ dateStyle: "long", timeStyle: "short" });
date({ dateStyle: "medium", timeStyle: "short", hour12: true });
date({ dateStyle: "medium", timeStyle: "short", hour12: false });
for (const month of ["numeric", "2-digit", "short", "long", "narrow"]) {
  date({ month });
  date({ year: "numeric", month });
  date({ month, day: "numeric" });
  date({ year: "numeric", month, day: "numeric" });
  date({ weekday: "short", year: "numeric", month, day: "numeric" });
  date({ weekday: "long", month, day: "numeric" });
  date({ year: "numeric", month, day: "2-digit", hour: "2-digit", minute: "2-digit" });
}
date({ year: "2-digit", month: "2-digit", day: "2-digit" });
date({ year: "2-digit", month: "numeric", day: "numeric" });
date({ year: "numeric" });
date({ day: "numeric" });
date({ day: "2-digit" });
for (const weekday of ["long", "short", "narrow"]) date({ weekday });
date({ weekday: "short", hour: "numeric" });
date({ weekday: "long", day: "numeric" });
date({ hour: "numeric" });
date({ hour: "2-digit" });
date({ hour: "numeric", minute: "2-digit" });
date({ hour: "2-digit", minute: "2-digit" });
date({ hour: "numeric", minute: "numeric", second: "numeric" });
date({ hour: "numeric", minute: "2-digit", hour12: true });
date({ hour: "numeric", minute: "2-digit", hour12: false });
date({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
date({ hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
date({ minute: "numeric", second: "numeric" });
date({ minute: "numeric" });
date({ second: "numeric" });
date({ hour: "numeric", minute: "numeric", second: "numeric", fractionalSecondDigits: 3 });
date({ era: "short" });
date({ era: "long", year: "numeric", month: "long", day: "numeric" });
date({ month: "long", day: "numeric", hour: "numeric", minute: "2-digit" });
date({ weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" });
date({ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
for (const timeZone of ["America/New_York", "Europe/Berlin", "Asia/Tokyo", "Asia/Kolkata", "Australia/Sydney", "Europe/London"]) {
  date({ timeZone, hour: "numeric", minute: "2-digit", timeZoneName: "short" }, MOMENT, Date.UTC(2024, 6, 1));
  date({ timeZone, hour: "numeric", timeZoneName: "long" }, MOMENT);
  date({ timeZone, hour: "numeric", timeZoneName: "shortOffset" }, MOMENT);
  date({ timeZone, hour: "numeric", timeZoneName: "longOffset" }, MOMENT);
  date({ timeZone, dateStyle: "full", timeStyle: "full" }, MOMENT);
}
add("DateTimeFormat", "formatToParts", { timeZone: "UTC" }, MOMENT);
add("DateTimeFormat", "formatToParts", { timeZone: "UTC", dateStyle: "full", timeStyle: "long" }, MOMENT);
add("DateTimeFormat", "resolvedOptions", { timeZone: "UTC" }, []);
add("DateTimeFormat", "resolvedOptions", { timeZone: "Asia/Kolkata", hour: "numeric", minute: "numeric" }, []);
add("DateTimeFormat", "formatRange", { timeZone: "UTC", year: "numeric", month: "short", day: "numeric" }, [MORNING, MOMENT], [MOMENT, MOMENT + 3 * 864e5], [MOMENT, MOMENT]);
add("DateTimeFormat", "formatRange", { timeZone: "UTC" }, [MOMENT, MOMENT + 3 * 864e5]);
add("DateTimeFormat", "formatRange", { timeZone: "UTC", hour: "numeric", minute: "2-digit" }, [MOMENT, MOMENT + 36e5]);

for (const unit of ["second", "minute", "hour", "day", "week", "month", "quarter", "year"]) {
  add("RelativeTimeFormat", "format", {}, [-1, unit], [3, unit], [12.5, unit]);
  add("RelativeTimeFormat", "format", { numeric: "auto" }, [-1, unit], [0, unit], [1, unit], [2, unit]);
  add("RelativeTimeFormat", "format", { style: "short" }, [-5, unit]);
  add("RelativeTimeFormat", "format", { style: "narrow" }, [21, unit]);
}
add("RelativeTimeFormat", "formatToParts", {}, [1234, "days"]);
add("RelativeTimeFormat", "resolvedOptions", {}, []);
for (const type of ["cardinal", "ordinal"]) add("PluralRules", "select", { type }, 0, 1, 2, 3, 4, 5, 11, 12, 21, 22, 101, 1.5, 1000000);
add("PluralRules", "select", { minimumFractionDigits: 1 }, 1);
add("PluralRules", "resolvedOptions", {}, []);
add("PluralRules", "resolvedOptions", { type: "ordinal" }, []);
const lists = [[[]], [["Ada"]], [["Ada", "Iris"]], [["Ada", "Bo", "Otto"]], [["1", "2", "3", "4"]]];
for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) add("ListFormat", "format", { type, style }, ...lists);
add("ListFormat", "formatToParts", {}, [["a", "b", "c"]]);
const words = [["a", "B"], ["a", "A"], ["a", "á"], ["ä", "z"], ["z", "ö"], ["resume", "résumé"], ["file10", "file9"], ["co-op", "coop"], ["ß", "ss"], ["ñ", "o"], ["ch", "d"], ["", "a"], ["中", "文"], ["い", "ア"]];
for (const options of [{}, { sensitivity: "base" }, { sensitivity: "accent" }, { sensitivity: "case" }, { numeric: true }, { caseFirst: "upper" }, { ignorePunctuation: true }]) add("Collator", "compare", options, ...words);
add("Collator", "resolvedOptions", {}, []);
for (const granularity of ["grapheme", "word", "sentence"]) add("Segmenter", "segment", { granularity }, "Hello, wörld! It's 3.14 – ok? 👩‍👩‍👧 e\u0301.");
for (const [type, code] of [["region", "US"], ["region", "DE"], ["language", "fr"], ["language", "en-GB"], ["language", "zh-Hant"], ["language", "de-AT"], ["script", "Cyrl"], ["currency", "USD"], ["currency", "JPY"], ["region", "ZZ"], ["language", "pt-BR"]])
  add("DisplayNames", "of", { type }, code);
add("DisplayNames", "of", { type: "currency", style: "short" }, "USD");

const run = ({ constructor, method, options, arguments: given }, locale) => {
  const formatter = new Intl[constructor](locale, options);
  if (method === "segment") return [...formatter.segment(given[0])].map(({ segment, isWordLike }) => (isWordLike === undefined ? segment : [segment, isWordLike]));
  const read = constructor === "NumberFormat" || constructor === "PluralRules" ? given.map(Number) : given;
  return formatter[method](...read);
};
const lines = kinds.map((kind) => `${JSON.stringify({ ...kind, results: Object.fromEntries(LOCALES.map((locale) => [locale, run(kind, locale)])) })}\n`);
writeFileSync(new URL("node.jsonl.br", import.meta.url), brotliCompressSync(lines.join("")));
