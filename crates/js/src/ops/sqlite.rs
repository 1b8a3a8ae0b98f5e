//! SQLite databases, for `bun:sqlite` and `node:sqlite`. They are used on the tool's own thread; a statement that does not
//! end is stopped with the tool.

use std::{
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use rquickjs::{
    Array, BigInt, Ctx, FromJs, IntoJs, Object, Result, TypedArray, Value as JsValue, function::Func,
};
use rusqlite::{
    Connection, OpenFlags, Statement,
    hooks::{AuthAction, Authorization},
    limits::Limit,
    types::{Value, ValueRef},
};

use super::{bytes, failure, native, sqlite_memory};
use crate::instance::{HostError, ThreadState};

/// How many steps of SQLite's machine are made between two looks at whether to stop.
const STEPS_BETWEEN_LOOKS: i32 = 1000;

/// How long a locked database is left alone before it is tried again.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// The longest pattern of `LIKE` and `GLOB`. Matching takes the square of it and cannot be stopped.
const MAX_PATTERN: i32 = 1000;

/// The largest whole number JavaScript's usual numbers hold exactly.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A database; none once it is closed.
type Database = Option<Connection>;

type Outcome<T> = std::result::Result<T, HostError>;

fn sqlite_error(error: &rusqlite::Error) -> HostError {
    let found = HostError::new(match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    });
    let code = match error {
        rusqlite::Error::SqliteFailure(code, _) => code.extended_code,
        rusqlite::Error::SqlInputError { error, .. } => error.extended_code,
        _ => 1,
    };
    found.with("code", "ERR_SQLITE_ERROR").with("errcode", code).with("errno", code)
}

fn open(state: &Rc<ThreadState>, path: &str, readonly: bool, create: bool) -> Outcome<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    flags |= match (readonly, create) {
        (true, _) => OpenFlags::SQLITE_OPEN_READ_ONLY,
        (false, true) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        (false, false) => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let is_memory = path.is_empty() || path == ":memory:" || path.starts_with("file:");
    let place = if is_memory { path.into() } else { state.cwd().join(path) };
    sqlite_memory::count_here(&state.shared.memory, &state.shared.stop, state.memory_cap());
    let connection = Connection::open_with_flags(place, flags).map_err(|error| sqlite_error(&error))?;
    limit(state, connection).map_err(|error| sqlite_error(&error))
}

/// Makes whatever may take long stop with the tool.
fn limit(state: &ThreadState, mut connection: Connection) -> rusqlite::Result<Connection> {
    let stop = Arc::clone(&state.shared.stop);
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || stop.is_over()))?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN)?;
    // SQLite's own way to wait for a lock cannot be stopped, so the time is kept here.
    let (milliseconds, stop) = (Arc::new(AtomicU32::new(0)), Arc::clone(&state.shared.stop));
    let (wanted, mut since) = (Arc::clone(&milliseconds), Instant::now());
    connection.busy_handler(Some(move |attempts| {
        if attempts == 0 {
            since = Instant::now();
        }
        let timeout = Duration::from_millis(wanted.load(Ordering::Relaxed).into());
        if stop.is_over() || since.elapsed() >= timeout {
            return false;
        }
        std::thread::sleep(BUSY_PAUSE);
        true
    }))?;
    connection.authorizer(Some(move |asked: rusqlite::hooks::AuthContext<'_>| match asked.action {
        AuthAction::Pragma { pragma_name, pragma_value: Some(value) }
            if pragma_name.eq_ignore_ascii_case("busy_timeout") =>
        {
            milliseconds.store(value.trim().parse().unwrap_or(0), Ordering::Relaxed);
            Authorization::Ignore
        }
        _ => Authorization::Allow,
    }))?;
    Ok(connection)
}

fn to_sql<'js>(ctx: &Ctx<'js>, value: &JsValue<'js>) -> Result<Option<Value>> {
    Ok(Some(if value.is_null() || value.is_undefined() {
        Value::Null
    } else if let Some(flag) = value.as_bool() {
        Value::Integer(flag.into())
    } else if let Some(number) = value.as_int() {
        Value::Integer(number.into())
    } else if let Some(number) = value.as_float() {
        #[expect(clippy::cast_possible_truncation, reason = "it was found to be whole and small enough")]
        let whole = number as i64;
        #[expect(clippy::cast_precision_loss, reason = "only whole numbers that fit are the same again")]
        let same = whole as f64 == number && whole.abs() <= MAX_SAFE;
        if same { Value::Integer(whole) } else { Value::Real(number) }
    } else if let Some(text) = value.as_string() {
        Value::Text(text.to_string()?)
    } else if let Some(number) = value.as_big_int() {
        Value::Integer(number.clone().to_i64()?)
    } else if let Ok(array) = TypedArray::<u8>::from_js(ctx, value.clone()) {
        Value::Blob(bytes::copy(&array))
    } else {
        return Ok(None);
    }))
}

fn to_js<'js>(ctx: &Ctx<'js>, value: ValueRef<'_>, exact: bool) -> Result<JsValue<'js>> {
    match value {
        ValueRef::Null => Ok(JsValue::new_null(ctx.clone())),
        ValueRef::Integer(number) if exact => BigInt::from_i64(ctx.clone(), number)?.into_js(ctx),
        #[expect(clippy::cast_precision_loss, reason = "that is what a number of JavaScript is")]
        ValueRef::Integer(number) => (number as f64).into_js(ctx),
        ValueRef::Real(number) => number.into_js(ctx),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into_js(ctx),
        ValueRef::Blob(blob) => bytes::array(ctx, blob)?.into_js(ctx),
    }
}

/// Binds an array by position, or an object by name, with or without the sign before it.
fn bind<'js>(ctx: &Ctx<'js>, statement: &mut Statement<'_>, params: &JsValue<'js>) -> Result<Outcome<()>> {
    let unusable = |what: String| {
        Ok(Err(HostError::of_class(
            "TypeError",
            format!("Provided value cannot be bound to SQLite parameter {what}."),
        )
        .with("code", "ERR_INVALID_ARG_TYPE")))
    };
    let too_many = || {
        Ok(Err(HostError::new("column index out of range")
            .with("code", "ERR_SQLITE_ERROR")
            .with("errcode", 25)))
    };
    let count = statement.parameter_count();
    if let Some(list) = params.as_array() {
        if list.len() > count {
            return too_many();
        }
        for (index, value) in list.iter::<JsValue<'js>>().enumerate() {
            let Some(value) = to_sql(ctx, &value?)? else { return unusable((index + 1).to_string()) };
            if let Err(error) = statement.raw_bind_parameter(index + 1, value) {
                return Ok(Err(sqlite_error(&error)));
            }
        }
    } else if let Some(object) = params.as_object() {
        for index in 1..=count {
            let Some(name) = statement.parameter_name(index).map(str::to_owned) else { continue };
            let value: JsValue<'js> = object.get(name.as_str())?;
            let value = if value.is_undefined() { object.get(&name[1..])? } else { value };
            let Some(value) = to_sql(ctx, &value)? else { return unusable(name) };
            if let Err(error) = statement.raw_bind_parameter(index, value) {
                return Ok(Err(sqlite_error(&error)));
            }
        }
    }
    Ok(Ok(()))
}

/// Uses the database behind a handle.
fn with_database<'js, T>(
    ctx: &Ctx<'js>,
    handle: &native::Handle<'js>,
    work: impl FnOnce(&Connection) -> Result<Outcome<T>>,
) -> Result<T> {
    let outcome = native::with(ctx, handle, |database: &mut Database| match database {
        Some(connection) => work(connection),
        None => Ok(Err(HostError::new("database is not open").with("code", "ERR_INVALID_STATE"))),
    })?;
    outcome?.map_err(|error| failure::throw(ctx, &error))
}

/// Runs a statement: rows as arrays with the names of their columns, or what it changed.
fn query<'js>(
    ctx: &Ctx<'js>,
    connection: &Connection,
    sql: &str,
    params: &JsValue<'js>,
    limit: u32,
    exact: bool,
) -> Result<Outcome<Object<'js>>> {
    let mut statement = match connection.prepare(sql) {
        Ok(statement) => statement,
        Err(error) => return Ok(Err(sqlite_error(&error))),
    };
    if let Err(error) = bind(ctx, &mut statement, params)? {
        return Ok(Err(error));
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows_made = Array::new(ctx.clone())?;
    let mut rows = statement.raw_query();
    let mut count = 0;
    loop {
        match rows.next() {
            Ok(Some(row)) if count < limit => {
                let made = Array::new(ctx.clone())?;
                for index in 0..names.len() {
                    match row.get_ref(index) {
                        Ok(value) => made.set(index, to_js(ctx, value, exact)?)?,
                        Err(error) => return Ok(Err(sqlite_error(&error))),
                    }
                }
                rows_made.set(count as usize, made)?;
                count += 1;
            }
            Ok(_) => break,
            Err(error) => return Ok(Err(sqlite_error(&error))),
        }
    }
    drop(rows);
    drop(statement);
    let result = Object::new(ctx.clone())?;
    result.set("columns", names)?;
    result.set("rows", rows_made)?;
    result.set("changes", connection.changes())?;
    result.set("lastInsertRowid", to_js(ctx, ValueRef::Integer(connection.last_insert_rowid()), exact)?)?;
    Ok(Ok(result))
}

pub(super) fn install<'js>(host: &Object<'js>, state: &Rc<ThreadState>) -> Result<()> {
    let own = Rc::clone(state);
    let opened = move |ctx: Ctx<'js>, path: String, readonly: bool, create: bool| {
        let connection = open(&own, &path, readonly, create).map_err(|error| failure::throw(&ctx, &error))?;
        native::give(&ctx, Some(connection) as Database)
    };
    host.set("open", Func::from(opened))?;
    let close = |ctx: Ctx<'js>, handle: native::Handle<'js>| -> Result<bool> {
        native::with(&ctx, &handle, |database: &mut Database| database.take().is_some())
    };
    host.set("close", Func::from(close))?;
    let exec = |ctx: Ctx<'js>, handle: native::Handle<'js>, sql: String| -> Result<u64> {
        with_database(&ctx, &handle, |connection| {
            let before = connection.total_changes();
            Ok(match connection.execute_batch(&sql) {
                Ok(()) => Ok(connection.total_changes() - before),
                Err(error) => Err(sqlite_error(&error)),
            })
        })
    };
    host.set("exec", Func::from(exec))?;
    type Params<'js> = JsValue<'js>;
    let run = |ctx: Ctx<'js>,
               handle: native::Handle<'js>,
               sql: String,
               params: Params<'js>,
               limit: u32,
               exact: bool| {
        with_database(&ctx, &handle, |connection| query(&ctx, connection, &sql, &params, limit, exact))
    };
    host.set("query", Func::from(run))?;
    let describe = |ctx: Ctx<'js>, handle: native::Handle<'js>, sql: String| -> Result<Object<'js>> {
        with_database(&ctx, &handle, |connection| {
            let statement = match connection.prepare(&sql) {
                Ok(statement) => statement,
                Err(error) => return Ok(Err(sqlite_error(&error))),
            };
            let described = Object::new(ctx.clone())?;
            let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
            described.set("columns", names)?;
            described.set("params", statement.parameter_count())?;
            described.set("expanded", statement.expanded_sql())?;
            Ok(Ok(described))
        })
    };
    host.set("describe", Func::from(describe))?;
    let in_transaction = |ctx: Ctx<'js>, handle: native::Handle<'js>| -> Result<bool> {
        with_database(&ctx, &handle, |connection| Ok(Ok(!connection.is_autocommit())))
    };
    host.set("inTransaction", Func::from(in_transaction))
}
