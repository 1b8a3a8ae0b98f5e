// Probe of node:https.

import { probe } from "./probe.mjs";
import https, { request } from "node:https";
import { createServer } from "node:net";

export default probe("node:https", "request, Agent, errors", async (pi, signal) => {
  const server = createServer((socket) => socket.on("error", () => {}).end("this is no TLS"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const code = await new Promise((resolve) => request({ host: "127.0.0.1", port: server.address().port }).on("error", (error) => resolve(error instanceof Error)).end());
  server.close();
  return [code, typeof https.get, typeof https.Agent];
}, [true, "function", "function"]);
