// Probe of node:os.

import { probe } from "./probe.mjs";
import * as os from "node:os";

export default probe("node:os", "homedir, tmpdir, platform, arch, EOL, cpus, hostname, type, totalmem, userInfo", async (pi, signal) => {
  return [os.homedir() === (process.env.HOME ?? os.homedir()), os.tmpdir().startsWith("/"), os.platform() === process.platform, os.arch() === process.arch, os.EOL, os.cpus().length > 0, os.hostname().length > 0, os.type(), os.totalmem() > 1e6, os.freemem() > 0, typeof os.userInfo().username, os.release().length > 0, os.availableParallelism() > 0, typeof os.constants.signals.SIGTERM];
}, [true, true, true, true, "\n", true, true, "Linux", true, true, "string", true, true, "number"]);
