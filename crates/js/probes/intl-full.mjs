// Probe of Intl (full).

import { probe } from "./probe.mjs";

export default probe("Intl (full)", "other locales, PluralRules, RelativeTimeFormat, ListFormat, Segmenter, Collator", async (pi, signal) => {
  return [(1234.5).toLocaleString("de-DE"), new Intl.PluralRules("en-US", { type: "ordinal" }).select(2), new Intl.RelativeTimeFormat("en").format(-1, "day"), new Intl.ListFormat("en").format(["a", "b", "c"]), [...new Intl.Segmenter("en", { granularity: "word" }).segment("a b")].length, ["z", "ä"].sort(new Intl.Collator("sv").compare).join("")];
}, ["1.234,5", "two", "1 day ago", "a, b, and c", 3, "zä"]);
