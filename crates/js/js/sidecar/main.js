// The program that runs a tool in Bun or Node: the kernel, with the channel in place of the engine's host functions.

import "./place.js";
import "./host.js";
import { listen, send, tell } from "./channel.js";
import { importName, installLoader } from "./loader.js";
import * as kernel from "../kernel/boot.js";

installLoader();
kernel.host.importName = importName;

// A tool cannot end the program it runs in, and what nobody handles is reported.
const refuse = (what) => (code) => {
  throw new Error(`${what}(${code ?? ""}) was called by a tool; a tool cannot exit the host program`);
};
process.exit = refuse("process.exit");
process.reallyExit = refuse("process.reallyExit");
process.abort = refuse("process.abort");
const report = (what) => (error) => tell("unhandled", what, kernel.describeJson(error));
process.on("uncaughtException", report("A callback failed"));
process.on("unhandledRejection", report("Unhandled promise rejection"));
// Ending is asked for by the program at the other end alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const STARTS = new Set([
  "startLoad",
  "startCall",
  "resolvePending",
  "tellSession",
  "askApproval",
  "startExtension",
  "readState",
]);
// The other side keeps what it knows of a call until nothing here can refer to it.
const frames = new FinalizationRegistry((call) => tell("forgetCall", call));

listen(({ do: name, args, reply }) => {
  try {
    // What starts a call is given its number first.
    const frame = kernel.newFrame(STARTS.has(name) ? args[0] : undefined);
    if (STARTS.has(name)) frames.register(frame, args[0]);
    const outcome = kernel.within(frame, kernel[name], undefined, args);
    if (reply !== undefined) send({ drawn: reply, kind: outcome[0], payload: outcome[1] });
  } catch (error) {
    if (reply !== undefined) send({ drawn: reply, kind: "thrown", payload: kernel.describeJson(error) });
    else report("A callback failed")(error);
  }
});
