// Probe of fetch (streams, abort).

import { probe } from "./probe.mjs";
import { createServer } from "node:http";

export default probe("fetch (streams, abort)", "body as a stream, AbortSignal, AbortSignal.timeout", async (pi, signal) => {
  const server = createServer((request, response) => {
    response.write("one");
    if (request.url === "/slow") return;
    setTimeout(() => response.end("two"), 10);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  let text = "";
  for await (const chunk of (await fetch(base)).body) text += new TextDecoder().decode(chunk);
  const controller = new AbortController();
  const slow = await fetch(`${base}/slow`, { signal: controller.signal });
  const reading = slow.text().catch((error) => error.name);
  controller.abort();
  const timed = await fetch(`${base}/slow`, { signal: AbortSignal.timeout(30) }).then((response) => response.text()).catch((error) => error.name);
  const facts = [text, await reading, timed, await fetch(base, { signal: AbortSignal.abort() }).catch((error) => error.name)];
  server.closeAllConnections();
  server.close();
  return facts;
}, ["onetwo", "AbortError", "TimeoutError", "AbortError"]);
