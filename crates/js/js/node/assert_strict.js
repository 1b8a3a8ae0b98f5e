// Node's `assert/strict`.

import { strict } from "toolsmith:node/assert";

export const {
  AssertionError,
  ok,
  equal,
  notEqual,
  deepEqual,
  notDeepEqual,
  deepStrictEqual,
  notDeepStrictEqual,
  strictEqual,
  notStrictEqual,
  fail,
  match,
  doesNotMatch,
  throws,
  doesNotThrow,
  rejects,
  doesNotReject,
  ifError,
} = strict;
export { strict };
export default strict;
