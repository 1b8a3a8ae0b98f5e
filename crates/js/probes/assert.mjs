// Probe of node:assert.

import { probe } from "./probe.mjs";
import assert, { AssertionError, strict } from "node:assert";

export default probe("node:assert", "ok, equal, deepStrictEqual, throws, rejects, match, strict", async (pi, signal) => {
  const fails = async (run) => { try { await run(); return "passed"; } catch (error) { return error instanceof AssertionError ? error.code : error.message; } };
  assert(true);
  assert.deepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] });
  assert.throws(() => { throw new TypeError("x"); }, TypeError);
  await assert.rejects(Promise.reject(new Error("r")), /r/);
  return [await fails(() => assert.equal(1, 2)), await fails(() => assert.deepStrictEqual({ a: 1 }, { a: "1" })), await fails(() => assert.match("a", /b/)), await fails(() => assert.throws(() => {})), await fails(() => strict.equal(1, "1")), await fails(() => assert.notStrictEqual(1, 2)), await fails(() => assert.fail("why"))];
}, ["ERR_ASSERTION", "ERR_ASSERTION", "ERR_ASSERTION", "ERR_ASSERTION", "ERR_ASSERTION", "passed", "ERR_ASSERTION"]);
