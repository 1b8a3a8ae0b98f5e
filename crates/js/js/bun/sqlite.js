// bun:sqlite.

import { host } from "toolsmith:kernel";
import { parametersOf } from "toolsmith:node_parts/sqlite_rows";
import process from "toolsmith:node/process";

const native = host.group("sqlite");
const ALL = 2 ** 32 - 1;
const resolve = (path) =>
  path === "" || path === ":memory:" || path.startsWith("/") || path.startsWith("file:")
    ? path
    : `${process.cwd()}/${path}`;

export class SQLiteError extends Error {}

/** The errors of the Rust side under Bun's name. */
function attempt(run) {
  try {
    return run();
  } catch (error) {
    if (error?.errcode === undefined) throw error;
    const found = new SQLiteError(error.message);
    throw Object.assign(found, {
      name: "SQLiteError",
      errno: error.errcode,
      code:
        {
          1: "SQLITE_ERROR",
          5: "SQLITE_BUSY",
          8: "SQLITE_READONLY",
          9: "SQLITE_INTERRUPT",
          14: "SQLITE_CANTOPEN",
          19: "SQLITE_CONSTRAINT",
          1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
          2067: "SQLITE_CONSTRAINT_UNIQUE",
          1299: "SQLITE_CONSTRAINT_NOTNULL",
          787: "SQLITE_CONSTRAINT_FOREIGNKEY",
        }[error.errcode] ?? "SQLITE_ERROR",
    });
  }
}

export class Statement {
  #database;
  #sql;
  #described;
  #bound;
  #class;
  #exact;

  constructor(database, sql, exact, params) {
    this.#database = database;
    this.#sql = sql;
    this.#exact = exact;
    this.#bound = params ?? [];
    this.#described = attempt(() => native.describe(database, sql));
  }
  #query(params, limit = ALL) {
    return attempt(() =>
      native.query(
        this.#database,
        this.#sql,
        parametersOf(params.length > 0 ? params : this.#bound),
        limit,
        this.#exact,
      ),
    );
  }
  #object(columns, row) {
    const object = this.#class === undefined ? {} : Object.create(this.#class.prototype);
    columns.forEach((name, index) => (object[name] = row[index]));
    return object;
  }
  all(...params) {
    const { columns, rows } = this.#query(params);
    return rows.map((row) => this.#object(columns, row));
  }
  get(...params) {
    const { columns, rows } = this.#query(params, 1);
    return rows.length === 0 ? null : this.#object(columns, rows[0]);
  }
  values(...params) {
    return this.#query(params).rows;
  }
  raw(...params) {
    return this.values(...params);
  }
  run(...params) {
    const { changes, lastInsertRowid } = this.#query(params);
    return { changes, lastInsertRowid };
  }
  *iterate(...params) {
    yield* this.all(...params);
  }
  [Symbol.iterator]() {
    return this.iterate();
  }
  as(Class) {
    this.#class = Class;
    return this;
  }
  safeIntegers(on = true) {
    this.#exact = on;
    return this;
  }
  get columnNames() {
    return this.#described.columns;
  }
  get paramsCount() {
    return this.#described.params;
  }
  finalize() {}
  toString() {
    return this.#sql;
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {}
}

export class Database {
  #handle;
  #exact;
  #known = new Map();

  constructor(filename = ":memory:", options = {}) {
    const {
      readonly = false,
      create,
      readwrite,
      safeIntegers = false,
    } = typeof options === "number" ? { readonly: (options & 1) !== 0, create: (options & 4) !== 0 } : options;
    this.filename = String(filename);
    this.#exact = safeIntegers;
    this.#handle = attempt(() => native.open(resolve(this.filename), readonly, create ?? (!readonly && !readwrite)));
    native.exec(this.#handle, "PRAGMA foreign_keys = OFF");
  }
  static open(filename, options) {
    return new Database(filename, options);
  }
  query(sql) {
    let statement = this.#known.get(sql);
    if (statement === undefined) {
      statement = this.prepare(sql);
      this.#known.set(sql, statement);
    }
    return statement;
  }
  prepare(sql, params) {
    return new Statement(
      this.#handle,
      String(sql),
      this.#exact,
      params === undefined ? undefined : Array.isArray(params) ? params : [params],
    );
  }
  run(sql, ...params) {
    if (params.length > 0) return this.prepare(sql).run(...params);
    return attempt(() => {
      const changes = native.exec(this.#handle, String(sql));
      return {
        changes,
        lastInsertRowid: native.query(this.#handle, "SELECT last_insert_rowid()", [], 1, this.#exact).rows[0][0],
      };
    });
  }
  exec(sql, ...params) {
    return this.run(sql, ...params);
  }
  get inTransaction() {
    return native.inTransaction(this.#handle);
  }
  /** A function whose work is done as a whole or not at all; one within another is a part of it. */
  transaction(work) {
    const database = this;
    const make = (begin) =>
      function (...args) {
        const nested = database.inTransaction;
        const [start, commit, rollback] = nested
          ? ["SAVEPOINT toolsmith", "RELEASE toolsmith", "ROLLBACK TO toolsmith; RELEASE toolsmith"]
          : [begin, "COMMIT", "ROLLBACK"];
        database.run(start);
        try {
          const result = work.apply(this, args);
          database.run(commit);
          return result;
        } catch (error) {
          if (database.inTransaction) database.run(rollback);
          throw error;
        }
      };
    const run = make("BEGIN");
    return Object.assign(run, {
      default: run,
      deferred: make("BEGIN DEFERRED"),
      immediate: make("BEGIN IMMEDIATE"),
      exclusive: make("BEGIN EXCLUSIVE"),
      database,
    });
  }
  close() {
    native.close(this.#handle);
  }
  loadExtension() {
    throw new Error("Database.loadExtension is not available in Toolsmith's embedded engine");
  }
  serialize() {
    throw new Error("Database.serialize is not available in Toolsmith's embedded engine");
  }
  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.close();
  }
}

export const constants = { SQLITE_OPEN_READONLY: 1, SQLITE_OPEN_READWRITE: 2, SQLITE_OPEN_CREATE: 4 };
export default Database;
