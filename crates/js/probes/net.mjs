// Probe of node:net.

import { probe } from "./probe.mjs";
import net, { createConnection, createServer, isIP } from "node:net";

export default probe("node:net", "createServer, createConnection, Socket, isIP", async (pi, signal) => {
  const server = createServer((socket) => socket.on("data", (data) => socket.end(`echo ${data}`)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const text = await new Promise((resolve, reject) => {
    let text = "";
    const socket = createConnection({ port, host: "127.0.0.1" }, () => socket.write("hi"));
    socket.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("close", () => resolve(text)).on("error", reject);
  });
  await new Promise((resolve) => server.close(resolve));
  const refused = await new Promise((resolve) => net.connect(port, "127.0.0.1").on("error", (error) => resolve(error.code)));
  return [text, refused, isIP("::1"), isIP("1.2.3.4"), isIP("x"), typeof net.Socket];
}, ["echo hi", "ECONNREFUSED", 6, 4, 0, "function"]);
