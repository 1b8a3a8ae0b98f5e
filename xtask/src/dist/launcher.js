// Runs the program of the package for this system.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@toolsmith/cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/toolsmith${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(
    `error: ${name} is not installed\n` +
      "There is no package for this system, or npm was told to leave out optional dependencies (--omit=optional).",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both; the program decides what to do, and this waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT") child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: ${program} could not be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : code);
});
