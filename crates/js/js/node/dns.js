// Node's dns with callbacks.

import { checkFunction } from "toolsmith:node_parts/arguments";
import promises from "toolsmith:node/dns_promises";

export { promises };

const called =
  (run) =>
  (...args) => {
    const callback = args.pop();
    checkFunction(callback, "callback");
    run(...args).then(
      (found) => callback(null, found),
      (error) => callback(error),
    );
  };

export function lookup(name, options, callback) {
  if (typeof options === "function") [options, callback] = [undefined, options];
  checkFunction(callback, "callback");
  promises.lookup(name, options).then(
    (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
    (error) => callback(error),
  );
}
export const resolve = called(promises.resolve);
export const resolve4 = called(promises.resolve4);
export const resolve6 = called(promises.resolve6);
export const resolveMx = called(promises.resolveMx);
export const resolveTxt = called(promises.resolveTxt);
export const resolveCname = called(promises.resolveCname);
export const resolveNs = called(promises.resolveNs);
export const resolveSrv = called(promises.resolveSrv);
export const resolvePtr = called(promises.resolvePtr);
export const reverse = called(promises.reverse);
export const lookupService = called(promises.lookupService);
export const { getServers, setServers, getDefaultResultOrder, setDefaultResultOrder } = promises;
export const ADDRCONFIG = 32;
export const V4MAPPED = 8;
export const ALL = 16;
export const NOTFOUND = "ENOTFOUND";
export const NODATA = "ENODATA";

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
  ADDRCONFIG,
  ALL,
  NODATA,
  NOTFOUND,
  Resolver,
  V4MAPPED,
  getDefaultResultOrder,
  getServers,
  lookup,
  lookupService,
  promises,
  resolve,
  resolve4,
  resolve6,
  resolveCname,
  resolveMx,
  resolveNs,
  resolvePtr,
  resolveSrv,
  resolveTxt,
  reverse,
  setDefaultResultOrder,
  setServers,
};
