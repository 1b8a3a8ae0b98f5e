// Probe of node:http.

import { probe } from "./probe.mjs";
import http, { createServer, request } from "node:http";

export default probe("node:http", "createServer, request, get, headers, streaming, Agent", async (pi, signal) => {
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (chunk) => (body += chunk)).on("end", () => {
      outgoing.setHeader("X-Kind", "probe");
      outgoing.statusCode = 201;
      outgoing.write(`${incoming.method} `);
      outgoing.end(`${incoming.url} ${body} ${incoming.headers["x-in"]}`);
    });
  });
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  const ask = (options, body) => new Promise((resolve, reject) => {
    const outgoing = request({ port, host: "127.0.0.1", agent: false, ...options }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk)).on("end", () => resolve([response.statusCode, response.headers["x-kind"], text]));
    }).on("error", reject);
    outgoing.end(body);
  });
  const posted = await ask({ method: "POST", path: "/p?q", headers: { "x-in": "1" } }, "data");
  const got = await new Promise((resolve) => http.get(`http://127.0.0.1:${port}/g`, (response) => response.resume().on("end", () => resolve(response.statusCode))));
  await new Promise((resolve) => server.close(resolve));
  const refused = await ask({ path: "/" }).catch((error) => error.code);
  return [posted, got, refused, http.STATUS_CODES[404], typeof http.Agent];
}, [[201, "probe", "POST /p?q data 1"], 201, "ECONNREFUSED", "Not Found", "function"]);
