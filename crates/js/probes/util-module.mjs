// Probe of node:util.

import { probe } from "./probe.mjs";
import * as util from "node:util";

export default probe("node:util", "promisify, inspect, format, isDeepStrictEqual, types, callbackify, deprecate, stripVTControlCharacters, styleText, TextEncoder, debuglog, inherits", async (pi, signal) => {
  const callback = await new Promise((resolve) => util.callbackify(async (x) => x + 1)(1, (error, value) => resolve(value)));
  return [await util.promisify((x, done) => done(null, x * 2))(4), util.inspect({ a: [1, { b: new Map([["k", 1]]) }], s: "x" }, { depth: 5 }), util.format("%s %d %j %o%%", "s", 4, { a: 1 }, [1]), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), util.types.isPromise(Promise.resolve()), util.types.isRegExp(/a/), callback, util.deprecate(() => 7, "old")(), util.stripVTControlCharacters("\x1b[31mr\x1b[0m"), util.TextEncoder === TextEncoder, typeof util.debuglog("x"), util.inspect(new Error("e")).startsWith("Error: e"), util.inspect("a'b"), util.isArray([])];
}, [8, "{\n  a: [ 1, { b: Map(1) { 'k' => 1 } } ],\n  s: 'x'\n}", "s 4 {\"a\":1} [ 1, [length]: 1 ]%", true, true, true, 2, 7, "r", true, "function", true, "\"a'b\"", true]);
