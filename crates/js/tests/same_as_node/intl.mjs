// Intl as code uses it: constructors, coercion, errors and the methods of built-in objects. Locales and options by the thousand are
// compared in `crates/intl/tests`.

export default async function main(print) {
  const attempt = (action) => {
    try {
      const value = action();
      print(typeof value === "object" ? JSON.stringify(value) : String(value));
    } catch (error) {
      print(`${error.name}: ${error.message}`);
    }
  };
  const refused = (action) => attempt(() => { try { return action(); } catch (error) { return error.name; } });
  const time = Date.UTC(2024, 2, 5, 15, 4, 9);
  attempt(() => (1234567.891).toLocaleString());
  attempt(() => (1234567.891).toLocaleString("de-DE"));
  attempt(() => (0.256).toLocaleString(undefined, { style: "percent" }));
  attempt(() => 12345678901234567890n.toLocaleString("en-IN"));
  attempt(() => new Date(time).toLocaleString("en-US", { timeZone: "America/New_York" }));
  attempt(() => new Date(time).toLocaleDateString("de-DE", { timeZone: "UTC", weekday: "long", month: "long", day: "numeric" }));
  attempt(() => new Date(time).toLocaleTimeString("fr", { timeZone: "Asia/Tokyo" }));
  attempt(() => new Date(time).toLocaleTimeString("en-US", { timeZone: "UTC", timeStyle: "short" }));
  attempt(() => new Date(NaN).toLocaleString());
  attempt(() => new Date(time).toLocaleDateString("en", { timeStyle: "short" }));
  attempt(() => new Date(time).toLocaleDateString("en", { dateStyle: "short", day: "numeric" }));
  attempt(() => [1234.5, null, new Date(time)].toLocaleString("de-DE", { timeZone: "UTC" }));
  attempt(() => new Float64Array([1234.5, 2]).toLocaleString("de-DE"));
  attempt(() => "a".localeCompare("B"));
  attempt(() => "a".localeCompare("A", undefined, { sensitivity: "base" }));
  attempt(() => ["item10", "item9", "Item1"].sort((one, other) => one.localeCompare(other, "en", { numeric: true })));
  attempt(() => ["z", "ä", "a"].sort(new Intl.Collator("sv").compare));
  attempt(() => ["z", "ä", "a"].sort(Intl.Collator("de").compare));
  attempt(() => "Iıİi".toLocaleLowerCase("tr"));
  attempt(() => "Iıi".toLocaleUpperCase(["tr", "en"]));
  attempt(() => "ABC".toLocaleLowerCase());
  attempt(() => [1000, 2000].map(new Intl.NumberFormat("en").format));
  attempt(() => Intl.NumberFormat("en", { style: "currency", currency: "usd" }).format("12.5"));
  attempt(() => new Intl.NumberFormat("en", { minimumFractionDigits: "2" }).format(true));
  attempt(() => new Intl.NumberFormat("en").format());
  attempt(() => new Intl.NumberFormat("en", { useGrouping: false }).format(12345));
  attempt(() => new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(-0.001));
  attempt(() => new Intl.NumberFormat("en", { style: "currency" }));
  attempt(() => new Intl.NumberFormat("en", { style: "currency", currency: "dollars" }));
  attempt(() => new Intl.NumberFormat("en", { style: "money" }));
  attempt(() => new Intl.NumberFormat("en", { style: "unit", unit: "parsec" }));
  attempt(() => new Intl.NumberFormat("en", { maximumFractionDigits: 101 }));
  attempt(() => new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long" }).format(1e6));
  attempt(() => new Intl.NumberFormat("en-u-nu-thai").format(123));
  attempt(() => new Intl.NumberFormat(["xx", "de"]).resolvedOptions().locale);
  refused(() => new Intl.NumberFormat("not a tag"));
  attempt(() => Intl.PluralRules("en"));
  attempt(() => new Intl.PluralRules("en", { type: "ordinal" }).select(22));
  attempt(() => new Intl.PluralRules("en").selectRange(1, 2));
  attempt(() => new Intl.DateTimeFormat("en", { timeZone: "Mars/Olympus" }));
  attempt(() => new Intl.DateTimeFormat("en").format(NaN));
  attempt(() => new Intl.DateTimeFormat("en", { timeZone: "Asia/Kolkata", dateStyle: "short", timeStyle: "short" }).format(new Date(time)));
  attempt(() => new Intl.DateTimeFormat("en-GB-u-hc-h12", { timeZone: "UTC", hour: "numeric" }).format(time));
  attempt(() => new Intl.DateTimeFormat("en", { timeZone: "UTC", hour: "numeric", minute: "2-digit" }).formatToParts(time));
  attempt(() => new Intl.DateTimeFormat("en", { timeZone: "UTC", month: "short", day: "numeric" }).formatRange(time, time + 864e5));
  attempt(() => typeof new Intl.DateTimeFormat().resolvedOptions().timeZone);
  attempt(() => Object.keys(new Intl.DateTimeFormat("en", { timeZone: "utc", dateStyle: "long" }).resolvedOptions()));
  attempt(() => new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-1, "day"));
  attempt(() => new Intl.RelativeTimeFormat("en").format(2, "days"));
  attempt(() => new Intl.RelativeTimeFormat("en").formatToParts(-2, "hour"));
  attempt(() => new Intl.RelativeTimeFormat("en").format(2, "fortnight"));
  attempt(() => new Intl.RelativeTimeFormat("en").format(Infinity, "day"));
  attempt(() => new Intl.ListFormat("en", { type: "disjunction" }).format(["a", "b", "c"]));
  attempt(() => new Intl.ListFormat("en").format(new Set(["a", "b"])));
  attempt(() => new Intl.ListFormat("en").format([1]));
  attempt(() => new Intl.DisplayNames("en", { type: "region" }).of("DE"));
  attempt(() => new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of("qzz"));
  refused(() => new Intl.DisplayNames("en"));
  attempt(() => [...new Intl.Segmenter("en", { granularity: "word" }).segment("It's 5 o'clock.")].filter((part) => part.isWordLike).map((part) => part.segment));
  attempt(() => new Intl.Segmenter().segment("a👩‍👩‍👧b").containing(3));
  attempt(() => Intl.getCanonicalLocales(["EN-us", "zh-hant-tw", "iw", "en-us"]));
  attempt(() => Intl.getCanonicalLocales(null));
  attempt(() => Intl.NumberFormat.supportedLocalesOf(["de-AT", "xx-YY", "en-u-nu-thai"]));
  attempt(() => new Intl.Locale("zh-TW").maximize().toString());
  attempt(() => new Intl.Locale("en-Latn-US", { hourCycle: "h23" }).minimize().toString());
  attempt(() => new Intl.Locale("de-u-ca-buddhist").calendar);
  attempt(() => Intl.supportedValuesOf("unit"));
  attempt(() => Intl.supportedValuesOf("colour"));
  attempt(() => String(Intl) + new Intl.Collator());
  refused(() => Object.getOwnPropertyDescriptor(Intl.NumberFormat.prototype, "format").get.call({}));
  refused(() => Number.prototype.toLocaleString.call("1"));
  refused(() => Date.prototype.toLocaleString.call({}));
  attempt(() => typeof Intl.NumberFormat("en") + (Intl.NumberFormat("en") instanceof Intl.NumberFormat));
  attempt(() => Object.keys(Intl).length + Intl.NumberFormat.name + Intl.NumberFormat.length);
  attempt(() => (5e-7).toLocaleString("en", { maximumSignificantDigits: 2 }));
  attempt(() => (1e21).toLocaleString("en"));
  attempt(() => new (class extends Intl.NumberFormat {})("de").format(1.5));
}
