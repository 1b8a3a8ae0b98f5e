// Probe of ES2023.

import { probe } from "./probe.mjs";

export default probe("ES2023", "findLast, toSorted, with, at, hasOwn, replaceAll, named groups, lookbehind, Unicode properties, numeric separators", async (pi, signal) => {
  return [[1, 2, 3].findLast((n) => n < 3), [3, 1].toSorted(), [1, 2].with(0, 5), "abc".at(-1), Object.hasOwn({ a: 1 }, "a"), "aXbX".replaceAll("X", "-"), /(?<y>\d{4})/.exec("in 2024").groups.y, /(?<=a)b/.test("ab"), /\p{L}/u.test("é"), 1_000, new Error("e", { cause: 1 }).cause];
}, [2, [1, 3], [5, 2], "c", true, "a-b-", "2024", true, true, 1000, 1]);
