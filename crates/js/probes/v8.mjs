// Probe of node:v8.

import { probe } from "./probe.mjs";
import v8 from "node:v8";

export default probe("node:v8", "serialize, deserialize, getHeapStatistics", async (pi, signal) => {
  return [v8.deserialize(v8.serialize({ a: [1, new Map([[1, 2]])] })).a[1].get(1), v8.getHeapStatistics().total_heap_size > 0];
}, [2, true]);
