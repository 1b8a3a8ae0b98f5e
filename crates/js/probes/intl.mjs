// Probe of Intl (basic).

import { probe } from "./probe.mjs";

export default probe("Intl (basic)", "toLocaleString of numbers and dates, localeCompare, Intl.NumberFormat, Intl.DateTimeFormat", async (pi, signal) => {
  return [(1234567.891).toLocaleString("en-US"), new Date(0).toLocaleDateString("en-US", { timeZone: "UTC" }), ["b", "a", "á"].sort((x, y) => x.localeCompare(y, "en")).join(""), new Intl.NumberFormat("en-US", { style: "percent" }).format(0.5), new Intl.DateTimeFormat("en-US", { timeZone: "UTC", dateStyle: "medium" }).format(new Date(0))];
}, ["1,234,567.891", "1/1/1970", "aáb", "50%", "Jan 1, 1970"]);
