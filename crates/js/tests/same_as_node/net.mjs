// node:net and node:dns: connections, listeners, errors, addresses.

import net from "node:net";
import dns from "node:dns";
import { lookup } from "node:dns/promises";

const event = (emitter, name) => new Promise((resolve) => emitter.once(name, (...args) => resolve(args)));
const text = async (stream) => {
  let all = "";
  for await (const chunk of stream) all += chunk;
  return all;
};

export default async function (print, folder) {
  const seen = [];
  const server = net.createServer((socket) => {
    socket.on("data", (chunk) => socket.write(String(chunk).toUpperCase()));
    socket.on("end", () => seen.push("server end"));
    socket.on("close", (failed) => seen.push(`server close ${failed}`));
  });
  server.listen(0, "127.0.0.1");
  await event(server, "listening");
  const { port, address, family } = server.address();
  print(typeof port, address, family, server.listening);
  const client = net.connect(port, "127.0.0.1");
  print(client.connecting, client.readyState, client.pending);
  await event(client, "connect");
  print(client.connecting, client.readyState, client.remoteAddress, client.remotePort === port, client.remoteFamily);
  client.write("hello ");
  const [first] = await event(client, "data");
  print(String(first));
  client.end("bye");
  print(await text(client), client.destroyed, client.bytesRead, client.bytesWritten);
  await event(server.close(), "close");
  print(seen, server.address());
  const refused = net.connect({ port, host: "127.0.0.1" });
  const [error] = await event(refused, "error");
  print(error.message.replace(port, "PORT"), error.code, error.errno, error.syscall, error.address, error.port === port);
  const silent = net.createServer(() => {}).listen(0, "127.0.0.1");
  await event(silent, "listening");
  const waiting = net.connect(silent.address().port, "127.0.0.1").setTimeout(20);
  await event(waiting, "timeout");
  print("timeout", waiting.destroyed);
  waiting.destroy();
  print(await event(waiting, "close"));
  const busy = net.createServer();
  busy.listen(silent.address().port, "127.0.0.1");
  const [taken] = await event(busy, "error");
  print(taken.code, taken.syscall, taken.message.replace(/\d+$/, "PORT"));
  silent.close();
  const unix = net.createServer((socket) => socket.end("over a file")).listen(`${process.cwd()}/socket`);
  await event(unix, "listening");
  print(await text(net.connect(`${process.cwd()}/socket`)));
  unix.close();
  const gone = net.connect(`${process.cwd()}/nothing`);
  const [absent] = await event(gone, "error");
  print(absent.code, absent.syscall);
  for (const text of ["127.0.0.1", "256.1.1.1", "::1", "1::2::3", "fe80::1%eth0", "::ffff:1.2.3.4", "1.2.3", "a", ""]) print(text, net.isIP(text), net.isIPv4(text), net.isIPv6(text));
  print(await lookup("127.0.0.1"), await new Promise((resolve) => dns.lookup("::1", (...args) => resolve(args))));
  print(await lookup("no-such-machine.invalid").catch((error) => [error.code, error.syscall, error.hostname]));
  try { net.connect(70000); } catch (error) { print(error.code, error.message); }
}
