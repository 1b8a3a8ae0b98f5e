// Probe of fetch.

import { probe } from "./probe.mjs";
import { createServer } from "node:http";

export default probe("fetch", "GET and POST, json, text, headers, status, FormData", async (pi, signal) => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk)).on("end", () => {
      response.writeHead(request.url === "/no" ? 404 : 200, { "content-type": "application/json", "x-a": "b" });
      response.end(JSON.stringify({ method: request.method, url: request.url, body, type: request.headers["content-type"] ?? null }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const got = await fetch(`${base}/a?b=c`);
  const posted = await fetch(base, { method: "POST", body: JSON.stringify({ n: 1 }), headers: { "Content-Type": "application/json" } });
  const facts = [got.ok, got.headers.get("x-a"), await got.json(), await posted.json(), (await fetch(`${base}/no`)).status, new Headers({ A: "1" }).get("a"), await new Response("t").text(), new Request(base).method];
  server.close();
  return facts;
}, [true, "b", { method: "GET", url: "/a?b=c", body: "", type: null }, { method: "POST", url: "/", body: "{\"n\":1}", type: "application/json" }, 404, "1", "t", "GET"]);
