// Probe of Bun.$.

import { probe } from "./probe.mjs";
import { $ } from "bun";

export default probe("Bun.$", "template, text, quiet, exit codes", async (pi, signal) => {
  const name = "a b";
  const failed = await $`exit 3`.nothrow().quiet();
  return [await $`echo ${name}`.text(), (await Bun.$`echo hi`.quiet()).stdout.toString(), failed.exitCode];
}, ["a b\n", "hi\n", 3]);
