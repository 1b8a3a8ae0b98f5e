// Connections as the Rust side gives them.

import { host, operation } from "toolsmith:kernel";

const native = host.group("net");

/** Connects; gives the numbers of both directions and where the ends are. */
export async function connect(address, secure, signal) {
  const start = secure ? native.connectSecurely : native.connect;
  const json = await operation((number) => start(number, JSON.stringify(address)), signal);
  return json === undefined ? undefined : JSON.parse(json);
}

export const listen = (address) => JSON.parse(native.listen(JSON.stringify(address)));
export const unlisten = (id) => native.unlisten(id);

/** The next connection of a listener; undefined when it was closed. */
export async function accept(id) {
  const json = await operation((number) => native.accept(number, id));
  return json === undefined ? undefined : JSON.parse(json);
}

/** What a machine's name stands for: `[{address, family}]`. */
export async function lookupAll(name) {
  const json = await operation((number) => native.lookup(number, name));
  return json === undefined ? [] : JSON.parse(json);
}
