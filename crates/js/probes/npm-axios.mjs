// Probe of npm: axios.

import { probe } from "./probe.mjs";
import axios from "axios";
import { createServer } from "node:http";

export default probe("npm: axios", "one job", async (pi, signal) => {
  const server = createServer((_, response) => response.end('{"a":1}'));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { data, status } = await axios.get(`http://127.0.0.1:${server.address().port}/`);
  server.close();
  return [data, status];
}, [{ a: 1 }, 200]);
