// Probe of Bun.which, sleep, env, CryptoHasher, hash, Glob.

import { probe } from "./probe.mjs";

export default probe("Bun.which, sleep, env, CryptoHasher, hash, Glob", "which, sleep, env, CryptoHasher, hash, Glob, version", async (pi, signal) => {
  await Bun.sleep(1);
  return [Bun.which("sh") !== null, Bun.which("no-such-program-here"), Bun.env.PATH === process.env.PATH, new Bun.CryptoHasher("sha256").update("a").digest("hex").slice(0, 8), new Bun.Glob("*.ts").match("a.ts"), typeof Bun.version, typeof Bun.hash("x")];
}, [true, null, true, "ca978112", true, "string", "bigint"]);
