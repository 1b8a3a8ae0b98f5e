// Probe of node:dns, node:dns/promises.

import { probe } from "./probe.mjs";
import { lookup } from "node:dns/promises";
import dns from "node:dns";

export default probe("node:dns, node:dns/promises", "lookup", async (pi, signal) => {
  const found = await lookup("localhost", { family: 4 });
  const called = await new Promise((resolve) => dns.lookup("127.0.0.1", (error, address, family) => resolve([error, address, family])));
  const missing = await lookup("does-not-exist.invalid").catch((error) => typeof error.code);
  return [found, called, missing];
}, [{ address: "127.0.0.1", family: 4 }, [null, "127.0.0.1", 4], "string"]);
