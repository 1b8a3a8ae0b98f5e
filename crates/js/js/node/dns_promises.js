// Node's dns/promises, through the system's resolver.

import { checkString, coded } from "toolsmith:node_parts/arguments";
import { lookupAll } from "toolsmith:node_parts/connections";
import { isIP } from "toolsmith:node/net";

export async function lookup(name, options = {}) {
  const { family = 0, all = false } = typeof options === "number" ? { family: options } : (options ?? {});
  checkString(name, "hostname");
  const wanted = family === "IPv4" ? 4 : family === "IPv6" ? 6 : family;
  const found = isIP(name)
    ? [{ address: name, family: isIP(name) }]
    : (await lookupAll(name)).filter((entry) => wanted === 0 || entry.family === wanted);
  if (found.length === 0) throw missing("getaddrinfo", "ENOTFOUND", name);
  return all ? found : found[0];
}

const missing = (call, code, name) =>
  Object.assign(new Error(`${call} ${code} ${name}`), { errno: -3008, code, syscall: call, hostname: name });

async function addresses(name, family, call, options) {
  let found;
  try {
    found = (await lookupAll(name)).filter((entry) => entry.family === family);
  } catch {
    throw missing(call, "ENOTFOUND", name);
  }
  if (found.length === 0) throw missing(call, "ENODATA", name);
  return found.map(({ address }) => (options?.ttl ? { address, ttl: 0 } : address));
}

export const resolve4 = (name, options) => addresses(name, 4, "queryA", options);
export const resolve6 = (name, options) => addresses(name, 6, "queryAaaa", options);

function unavailable(name) {
  return async () => {
    throw coded(
      Error,
      "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      `dns.${name} is not available in Toolsmith's embedded engine: the system's resolver knows addresses only`,
    );
  };
}
export const resolveMx = unavailable("resolveMx");
export const resolveTxt = unavailable("resolveTxt");
export const resolveCname = unavailable("resolveCname");
export const resolveNs = unavailable("resolveNs");
export const resolveSrv = unavailable("resolveSrv");
export const resolvePtr = unavailable("resolvePtr");
export const resolveSoa = unavailable("resolveSoa");
export const resolveCaa = unavailable("resolveCaa");
export const resolveNaptr = unavailable("resolveNaptr");
export const resolveAny = unavailable("resolveAny");
export const reverse = unavailable("reverse");
export const lookupService = unavailable("lookupService");

const KINDS = {
  A: resolve4,
  AAAA: resolve6,
  MX: resolveMx,
  TXT: resolveTxt,
  CNAME: resolveCname,
  NS: resolveNs,
  SRV: resolveSrv,
  PTR: resolvePtr,
  SOA: resolveSoa,
};
export async function resolve(name, kind = "A") {
  if (KINDS[kind] === undefined)
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'rrtype' is invalid. Received '${kind}'`);
  return KINDS[kind](name);
}
export const getServers = () => [];
export const setServers = () => {};
export const getDefaultResultOrder = () => "verbatim";
export const setDefaultResultOrder = () => {};

export class Resolver {
  cancel() {}
}
Object.assign(Resolver.prototype, {
  resolve,
  resolve4,
  resolve6,
  resolveMx,
  resolveTxt,
  resolveCname,
  resolveNs,
  resolveSrv,
  resolvePtr,
  reverse,
  getServers,
  setServers,
});

export default {
  Resolver,
  getDefaultResultOrder,
  getServers,
  lookup,
  lookupService,
  resolve,
  resolve4,
  resolve6,
  resolveAny,
  resolveCaa,
  resolveCname,
  resolveMx,
  resolveNaptr,
  resolveNs,
  resolvePtr,
  resolveSoa,
  resolveSrv,
  resolveTxt,
  reverse,
  setDefaultResultOrder,
  setServers,
};
