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
