// node:sqlite.

import { host } from "toolsmith:kernel";
import { coded } from "toolsmith:node_parts/arguments";
import { fileURLToPath } from "toolsmith:node_parts/file_url";
import { parametersOf } from "toolsmith:node_parts/sqlite_rows";
import process from "toolsmith:node/process";

const native = host.group("sqlite");
const ALL = 2 ** 32 - 1;

export class StatementSync {
  #database;
  #exact = false;

  constructor(database, sql) {
    this.#database = database;
    this.sourceSQL = sql;
    native.describe(database, sql);
  }
  get expandedSQL() {
    return native.describe(this.#database, this.sourceSQL).expanded ?? this.sourceSQL;
  }
  #query(params, limit = ALL) {
    return native.query(this.#database, this.sourceSQL, parametersOf(params), limit, true);
  }
  #value(value) {
    if (typeof value !== "bigint" || this.#exact) return value;
    const number = Number(value);
    if (!Number.isSafeInteger(number))
      throw coded(
        RangeError,
        "ERR_OUT_OF_RANGE",
        `Value is too large to be represented as a JavaScript number: ${value}`,
      );
    return number;
  }
  #object(columns, row) {
    const object = Object.create(null);
    columns.forEach((name, index) => (object[name] = this.#value(row[index])));
    return object;
  }
  all(...params) {
    const { columns, rows } = this.#query(params);
    return rows.map((row) => this.#object(columns, row));
  }
  get(...params) {
    const { columns, rows } = this.#query(params, 1);
    return rows.length === 0 ? undefined : this.#object(columns, rows[0]);
  }
  *iterate(...params) {
    yield* this.all(...params);
  }
  run(...params) {
    const { changes, lastInsertRowid } = this.#query(params);
    return this.#exact
      ? { lastInsertRowid, changes: BigInt(changes) }
      : { lastInsertRowid: this.#value(lastInsertRowid), changes };
  }
  setReadBigInts(on) {
    this.#exact = Boolean(on);
  }
  setAllowBareNamedParameters() {}
  setAllowUnknownNamedParameters() {}
}

export class DatabaseSync {
  #handle;
  #path;
  #options;

  constructor(path, options = {}) {
    const place =
      typeof path === "object" && path?.href !== undefined
        ? fileURLToPath(path)
        : ArrayBuffer.isView(path)
          ? new TextDecoder().decode(path)
          : String(path);
    this.#path =
      place === "" || place === ":memory:" || place.startsWith("/") || place.startsWith("file:")
        ? place
        : `${process.cwd()}/${place}`;
    this.#options = options;
    if (options.open !== false) this.open();
  }
  open() {
    if (this.#handle !== undefined) throw coded(Error, "ERR_INVALID_STATE", "database is already open");
    const { readOnly = false, enableForeignKeyConstraints = true, timeout = 0 } = this.#options;
    this.#handle = native.open(this.#path, readOnly, true);
    native.exec(
      this.#handle,
      `PRAGMA foreign_keys = ${enableForeignKeyConstraints ? "ON" : "OFF"}; PRAGMA busy_timeout = ${Math.trunc(timeout)}`,
    );
  }
  #opened() {
    if (this.#handle === undefined) throw coded(Error, "ERR_INVALID_STATE", "database is not open");
    return this.#handle;
  }
  get isOpen() {
    return this.#handle !== undefined;
  }
  get isTransaction() {
    return native.inTransaction(this.#opened());
  }
  exec(sql) {
    native.exec(this.#opened(), String(sql));
  }
  prepare(sql) {
    return new StatementSync(this.#opened(), String(sql));
  }
  close() {
    native.close(this.#opened());
    this.#handle = undefined;
  }
  location() {
    return this.#path === ":memory:" || this.#path === "" ? null : this.#path;
  }
  function(name) {
    throw coded(
      Error,
      "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      `DatabaseSync.function(${JSON.stringify(name)}) is not available in Toolsmith's embedded engine`,
    );
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    if (this.#handle !== undefined) this.close();
  }
}

export const constants = {};
export default { DatabaseSync, StatementSync, constants };
