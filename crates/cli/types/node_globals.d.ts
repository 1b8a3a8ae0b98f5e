// Stands in for `@types/node` where it is not installed, so that `toolsmith check` finds mistakes and not missing types.

declare var process: any;
declare var Buffer: any;
declare var global: any;
declare var require: any;
declare var module: any;
declare var exports: any;
declare var __dirname: string;
declare var __filename: string;
declare var setImmediate: (callback: (...args: any[]) => void, ...args: any[]) => any;
declare var Bun: any;
type Buffer = any;
declare namespace NodeJS {
  type Timeout = any;
  type ErrnoException = Error & { code?: string; errno?: number; path?: string; syscall?: string };
  type ProcessEnv = Record<string, string | undefined>;
}

declare module "assert";
declare module "async_hooks";
declare module "buffer";
declare module "child_process";
declare module "console";
declare module "constants";
declare module "crypto";
declare module "diagnostics_channel";
declare module "dns";
declare module "events";
declare module "fs";
declare module "fs/promises";
declare module "http";
declare module "http2";
declare module "https";
declare module "module";
declare module "net";
declare module "os";
declare module "path";
declare module "path/posix";
declare module "perf_hooks";
declare module "process";
declare module "querystring";
declare module "readline";
declare module "readline/promises";
declare module "stream";
declare module "stream/promises";
declare module "string_decoder";
declare module "timers";
declare module "timers/promises";
declare module "tls";
declare module "tty";
declare module "url";
declare module "util";
declare module "util/types";
declare module "v8";
declare module "vm";
declare module "worker_threads";
declare module "zlib";
