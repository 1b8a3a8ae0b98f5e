// Processes a tool waits for. Only the tool's own thread waits, and it can be stopped.

import { logger } from "toolsmith:kernel";
import { checkMaxBuffer, checkKillSignal, normalize, toRequest } from "toolsmith:node_parts/process_options";
import { runProcess, signalName } from "toolsmith:node_parts/processes";
import { Buffer } from "toolsmith:node/buffer";

const MAX_BUFFER = 1024 * 1024;

function inputOf(input, encoding) {
  if (input === undefined || input === null) return undefined;
  if (typeof input === "string") return Buffer.from(input, encoding === "buffer" ? undefined : encoding);
  return new Uint8Array(input.buffer ?? input, input.byteOffset ?? 0, input.byteLength);
}

const FAILURES = { ETIMEDOUT: -110, ENOBUFS: -105 };

function failed(code, errno, request) {
  const call = `spawnSync ${request.file}`;
  return Object.assign(new Error(`${call} ${code}`), {
    errno,
    code,
    syscall: call,
    path: request.file,
    spawnargs: request.args,
  });
}

export function spawnSync(file, args, options) {
  const normal = normalize(file, args, options);
  const settings = { maxBuffer: MAX_BUFFER, ...normal.options };
  checkMaxBuffer(settings.maxBuffer);
  const { request, stdio } = toRequest(normal);
  Object.assign(request, {
    timeout: settings.timeout > 0 ? settings.timeout : null,
    maxBuffer: Number.isFinite(settings.maxBuffer) ? settings.maxBuffer : null,
    killSignal: checkKillSignal(settings.killSignal ?? "SIGTERM"),
    detached: false,
  });
  // Nobody could write to it while everybody waits, so a pipe without input ends at once.
  const input = stdio[0] === "pipe" ? inputOf(settings.input, settings.encoding) : undefined;
  let ran;
  try {
    ran = runProcess(request, input);
  } catch (error) {
    if (typeof error.errno !== "number") throw error;
    return {
      error: failed(error.code, error.errno, request),
      status: null,
      signal: null,
      output: null,
      pid: 0,
      stdout: null,
      stderr: null,
    };
  }
  const kept = (bytes, index) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (stdio[index] === "inherit" && buffer.length > 0)
      logger[index === 2 ? "error" : "info"](buffer.toString().trimEnd());
    if (stdio[index] !== "pipe") return null;
    return settings.encoding && settings.encoding !== "buffer" ? buffer.toString(settings.encoding) : buffer;
  };
  const output = [null, kept(ran.stdout, 1), kept(ran.stderr, 2)];
  const result = {
    status: ran.status ?? null,
    signal: signalName(ran.signal),
    output,
    pid: ran.pid,
    stdout: output[1],
    stderr: output[2],
  };
  if (ran.failure != null) result.error = failed(ran.failure, FAILURES[ran.failure], request);
  return result;
}

/** What a command printed; throws where it failed. */
function outputOf(result, command, shareErrors) {
  if (shareErrors && result.stderr?.length > 0) logger.error(result.stderr.toString().trimEnd());
  if (result.error !== undefined) throw Object.assign(result.error, result);
  if (result.status !== 0) {
    const more = result.stderr?.length > 0 ? `\n${result.stderr.toString()}` : "";
    throw Object.assign(new Error(`Command failed: ${command}${more}`), result);
  }
  return result.stdout;
}

export function execFileSync(file, args, options) {
  if (args !== undefined && args !== null && !Array.isArray(args)) [args, options] = [[], args];
  return outputOf(spawnSync(file, args, options), [file, ...(args ?? [])].join(" "), options?.stdio === undefined);
}

export function execSync(command, options) {
  const shell = typeof options?.shell === "string" ? options.shell : true;
  return outputOf(spawnSync(command, [], { ...options, shell }), command, options?.stdio === undefined);
}
