// Probe of ES2024 and later.

import { probe } from "./probe.mjs";

export default probe("ES2024 and later", "Object.groupBy, Promise.withResolvers, Array.fromAsync, Set methods, isWellFormed", async (pi, signal) => {
  const { promise, resolve } = Promise.withResolvers();
  resolve(1);
  return [Object.keys(Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))), await promise, [...new Set([1, 2]).union(new Set([3]))], await Array.fromAsync([Promise.resolve(1)]), "a".isWellFormed()];
}, [["odd", "even"], 1, [1, 2, 3], [1], true]);
