// Probe of import.meta.

import { probe } from "./probe.mjs";

export default probe("import.meta", "url, dirname, filename, dir, path, resolve", async (pi, signal) => {
  return [import.meta.url.startsWith("file:///"), import.meta.filename.endsWith("import-meta.mjs"), import.meta.dirname === import.meta.dir, import.meta.path === import.meta.filename, import.meta.resolve("./probe.mjs").endsWith("/probe.mjs")];
}, [true, true, true, true, true]);
