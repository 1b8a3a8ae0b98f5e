// Probe of node:worker_threads.

import { probe } from "./probe.mjs";
import { Worker } from "node:worker_threads";

export default probe("node:worker_threads", "Worker", async (pi, signal) => {
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
  return await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
}, 42);
