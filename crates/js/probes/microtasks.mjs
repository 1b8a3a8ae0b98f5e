// Probe of queueMicrotask, Promise.

import { probe } from "./probe.mjs";

export default probe("queueMicrotask, Promise", "order, errors", async (pi, signal) => {
  const order = [];
  queueMicrotask(() => order.push(2));
  Promise.resolve().then(() => order.push(3));
  order.push(1);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return [order, (await Promise.allSettled([Promise.reject(1), 2])).map((one) => one.status), await Promise.any([Promise.reject(1), 5])];
}, [[1, 2, 3], ["rejected", "fulfilled"], 5]);
