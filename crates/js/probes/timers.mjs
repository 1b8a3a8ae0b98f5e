// Probe of setTimeout, setInterval, setImmediate.

import { probe } from "./probe.mjs";

export default probe("setTimeout, setInterval, setImmediate", "arguments, clearing, order, unref, refresh", async (pi, signal) => {
  const order = [];
  const cleared = setTimeout(() => order.push("never"), 1);
  clearTimeout(cleared);
  const interval = setInterval((x) => order.push(x), 1, "i");
  await new Promise((resolve) => setTimeout(resolve, 30));
  clearInterval(interval);
  const count = order.length;
  await new Promise((resolve) => setImmediate(resolve));
  const timer = setTimeout(() => {}, 1);
  return [count > 1, order.every((x) => x === "i"), typeof timer.unref, timer.hasRef() !== undefined, typeof timer.refresh()];
}, [true, true, "function", true, "object"]);
