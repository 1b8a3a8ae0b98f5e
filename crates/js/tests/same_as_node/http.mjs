// node:http: requests and answers of every shape, over loopback.

import http, { createServer, get, request } from "node:http";
import net from "node:net";

const event = (emitter, name) => new Promise((resolve) => emitter.once(name, (...args) => resolve(args)));
const text = async (stream) => {
  let all = "";
  for await (const chunk of stream) all += chunk;
  return all;
};

export default async function (print) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === "/chunks") {
      response.writeHead(201, "Made", { "X-Two": ["a", "b"], "Set-Cookie": ["c=1", "d=2"] });
      response.write("one ");
      setTimeout(() => response.end("two"), 5);
    } else if (request.url === "/never") {
      print("never asked");
    } else if (request.url === "/break") {
      response.write("half");
      setTimeout(() => response.destroy(), 5);
    } else if (request.url === "/none") {
      response.statusCode = 204;
      response.end();
    } else if (request.url === "/large") {
      response.end(Buffer.alloc(3_000_000, "x"));
    } else {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ method: request.method, url: request.url, body, length: request.headers["content-length"] ?? null, coding: request.headers["transfer-encoding"] ?? null, custom: request.headers["x-custom"] ?? null, auth: request.headers.authorization ?? null, version: request.httpVersion }));
    }
  });
  server.listen(0, "127.0.0.1");
  await event(server, "listening");
  const { port } = server.address();
  const base = `http://127.0.0.1:${port}`;
  const ask = async (path, options = {}, ...pieces) => {
    const asked = request(`${base}${path}`, options);
    for (const piece of pieces.slice(0, -1)) asked.write(piece);
    asked.end(pieces.at(-1));
    const [answer] = await event(asked, "response");
    return [answer.statusCode, answer.statusMessage, answer.headers["content-type"], await text(answer), answer.complete];
  };
  print(await ask("/a?b=c", { headers: { "X-Custom": "yes" } }));
  print(await ask("/post", { method: "POST" }, "body"), await ask("/post", { method: "POST" }, "in ", "chunks"), await ask("/post", { method: "PUT" }));
  print(await ask("/length", { method: "POST", headers: { "Content-Length": 3 } }, "abc"), await ask("/delete", { method: "DELETE" }), await ask("/auth", { auth: "a:b" }));
  const [made] = await event(get(`${base}/chunks`), "response");
  print(made.statusCode, made.statusMessage, made.headers["x-two"], made.headers["set-cookie"], await text(made), made.headers["transfer-encoding"]);
  print(await ask("/none"), await ask("/head", { method: "HEAD" }));
  const [large] = await event(get({ port, host: "127.0.0.1", path: "/large" }), "response");
  let bytes = 0;
  for await (const chunk of large) bytes += chunk.length;
  print("large", bytes, large.headers["content-length"]);
  const [spread] = await event(get({ href: "http://other/", protocol: "http:", hostname: "127.0.0.1", port, path: "/spread", headers: { "x-custom": "kept" } }), "response");
  print(JSON.parse(await text(spread)).custom, JSON.parse((await ask("/url")).at(3)).url);
  const slow = get(`${base}/never`, { timeout: 30 });
  slow.on("timeout", () => slow.destroy(new Error("too slow")));
  print((await event(slow, "error"))[0].message);
  const controller = new AbortController();
  const aborted = get(`${base}/never`, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  const [stopped] = await event(aborted, "error");
  print(stopped.name, stopped.code);
  const [half] = await event(get(`${base}/break`), "response");
  print(await text(half).catch((error) => [error.code, error.message]), half.complete, half.aborted);
  const [refused] = await event(get("http://127.0.0.1:1/"), "error");
  print(refused.code, refused.syscall, refused.port);
  try { get("ftp://x/"); } catch (error) { print(error.code, error.message); }
  try { request(`${base}/`, { headers: { "bad name": "x" } }); } catch (error) { print(error.code); }
  const raw = net.connect(port, "127.0.0.1");
  raw.write("GET /one HTTP/1.1\r\nHost: x\r\n\r\nPOST /two HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  const answers = await text(raw);
  print(answers.split("HTTP/1.1 200 OK").length - 1, answers.includes('"url":"/one"'), answers.includes('"body":"abcde"'), /Connection: keep-alive\r\nKeep-Alive: timeout=5/.test(answers), /Content-Length: \d+/.test(answers), /\r\nDate: /.test(answers));
  const bad = net.connect(port, "127.0.0.1");
  bad.write("this is no request\r\n\r\n");
  print((await text(bad)).split("\r\n")[0]);
  const hangs = net.createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await event(hangs, "listening");
  const [hung] = await event(get(`http://127.0.0.1:${hangs.address().port}/`), "error");
  print(hung.code, hung.message);
  hangs.close();
  const closed = event(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
  print("closed", http.STATUS_CODES[404], typeof http.globalAgent, http.METHODS.length > 30);
}
