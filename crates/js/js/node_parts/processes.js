// Processes as the Rust side gives them: started at once, with numbers for their pipes, and a promise of their end.

import { host, operation } from "toolsmith:kernel";

const native = host.group("process");
const streams = host.group("streams");

export const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGIOT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPOLL: 29,
  SIGPWR: 30,
  SIGSYS: 31,
};

/** The name of a signal's number; null for none. */
export const signalName = (number) =>
  number == null ? null : (Object.keys(SIGNALS).find((name) => SIGNALS[name] === number) ?? null);

/** The number of a signal, given either way; undefined for one nobody knows. */
export function signalNumber(signal = "SIGTERM") {
  if (typeof signal === "number") return signal === 0 || signalName(signal) !== null ? signal : undefined;
  return SIGNALS[signal] ?? SIGNALS[String(signal).toUpperCase()];
}

/** Starts a process; throws where it cannot be started. `ended` is a promise of `{code, signal}`. */
export function startProcess(request) {
  let started;
  let failed;
  let number;
  const ended = operation((given) => {
    number = given;
    try {
      started = JSON.parse(native.processStart(given, JSON.stringify(request)));
    } catch (error) {
      failed = error;
      throw error;
    }
  });
  if (failed !== undefined) {
    ended.catch(() => {});
    throw failed;
  }
  return {
    ...started,
    ended: ended.then((json) => {
      const { code, signal } = JSON.parse(json);
      return { code: signal === null ? code : null, signal: signalName(signal) };
    }),
    kill: (signal) => native.processSignal(number, signal),
  };
}

/** Runs a process to its end; the engine waits. */
export const runProcess = (request, input) => native.processRun(JSON.stringify(request), input ?? null);

/** Does nothing for a time; the tool's thread with it. */
export const sleepNow = (time) => native.sleepNow(time);

export const readStream = (stream) => operation((number) => streams.streamRead(number, stream));
export const writeStream = (stream, bytes) => operation((number) => streams.streamWrite(number, stream, bytes));
export const finishStream = (stream) => operation((number) => streams.streamFinish(number, stream));
export const closeStream = (stream) => streams.streamClose(stream);
