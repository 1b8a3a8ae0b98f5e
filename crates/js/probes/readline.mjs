// Probe of node:readline, /promises.

import { probe } from "./probe.mjs";
import * as readline from "node:readline";
import { createInterface } from "node:readline/promises";
import { PassThrough, Readable, Writable } from "node:stream";

export default probe("node:readline, /promises", "createInterface over a stream, lines, question", async (pi, signal) => {
  const lines = [];
  for await (const line of readline.createInterface({ input: Readable.from(["a\nb", "c\r\nd"]), crlfDelay: Infinity })) lines.push(line);
  const heard = await new Promise((resolve) => { const all = []; readline.createInterface({ input: Readable.from(["x\ny\n"]) }).on("line", (line) => all.push(line)).on("close", () => resolve(all)); });
  const input = new PassThrough();
  let prompt = "";
  const asked = createInterface({ input, output: new Writable({ write(chunk, _, done) { prompt += chunk; done(); } }) });
  const answer = asked.question("name? ");
  input.write("Ada\n");
  const facts = [lines, heard, await answer, prompt.includes("name? ")];
  asked.close();
  return facts;
}, [["a", "bc", "d"], ["x", "y"], "Ada", true]);
