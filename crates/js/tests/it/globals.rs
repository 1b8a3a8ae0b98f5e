//! The globals every module may expect, each used for what it is for.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::project::{Project, call, run, tool_source};

/// Runs a body that gives a value, and compares it as JSON.
#[track_caller]
fn same(actual: &str, expected: &serde_json::Value) {
    let actual: serde_json::Value = serde_json::from_str(actual).unwrap_or_else(|_| panic!("{actual}"));
    assert_eq!(&actual, expected);
}

async fn value(expression: &str) -> String {
    run(&format!("const value = await (async () => {{ {expression} }})(); return {{ content: [{{ type: \"text\", text: JSON.stringify(value) }}] }};")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timers_run_in_order_and_can_be_cleared() {
    let body = "const log = []; const wait = (ms) => new Promise((r) => setTimeout(r, ms));\n\
        setTimeout((a, b) => log.push(a + b), 5, \"x\", \"y\"); const cleared = setTimeout(() => log.push(\"never\"), 1); clearTimeout(cleared);\n\
        setImmediate(() => log.push(\"immediate\")); queueMicrotask(() => log.push(\"micro\")); process.nextTick(() => log.push(\"tick\"));\n\
        let n = 0; const interval = setInterval(() => { if (++n === 3) { clearInterval(interval); log.push(\"interval\"); } }, 1); await wait(40);\n\
        const t = setTimeout(() => {}, 1000); clearTimeout(Number(t)); return [log.slice().sort(), log.indexOf(\"micro\") < log.indexOf(\"immediate\"), typeof t.unref, t.hasRef()];";
    same(
        &value(body).await,
        &serde_json::json!([["immediate", "interval", "micro", "tick", "xy"], true, "function", true]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn urls_are_parsed_and_changed() {
    let body = "const u = new URL(\"../b?x=1&y=a%20b#h\", \"https://user:pw@Example.com:8443/a/c/d\"); const out = [u.href, u.origin, u.host, u.port, u.pathname, u.search, u.hash, u.username, u.searchParams.get(\"y\")];\n\
        u.searchParams.append(\"z\", \"ü&\"); u.pathname = \"/p q\"; u.hash = \"\"; u.port = \"\"; out.push(u.href, String(u), JSON.stringify(u));\n\
        let error; try { new URL(\"nonsense\"); } catch (e) { error = [e.name, e.code]; }\n\
        const p = new URLSearchParams({ a: \"1\", b: \"2 3\" }); p.append(\"a\", \"4\"); p.sort();\n\
        return [out, error, p.toString(), p.getAll(\"a\"), [...p.keys()], p.size, URL.canParse(\"x:y\"), new URLSearchParams(\"?q=%F0%9F%98%80+x&bare\").get(\"q\")];";
    same(
        &value(body).await,
        &serde_json::json!([
            [
                "https://user:pw@example.com:8443/a/b?x=1&y=a%20b#h",
                "https://example.com:8443",
                "example.com:8443",
                "8443",
                "/a/b",
                "?x=1&y=a%20b",
                "#h",
                "user",
                "a b",
                "https://user:pw@example.com/p%20q?x=1&y=a+b&z=%C3%BC%26",
                "https://user:pw@example.com/p%20q?x=1&y=a+b&z=%C3%BC%26",
                "\"https://user:pw@example.com/p%20q?x=1&y=a+b&z=%C3%BC%26\""
            ],
            ["TypeError", "ERR_INVALID_URL"],
            "a=1&a=4&b=2+3",
            ["1", "4"],
            ["a", "a", "b"],
            3,
            true,
            "😀 x"
        ]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_and_bytes_are_converted() {
    let body = "const e = new TextEncoder(), d = new TextDecoder(); const bytes = e.encode(\"aé日😀\"); const stream = new TextDecoder(); let text = \"\"; for (const b of bytes) text += stream.decode(new Uint8Array([b]), { stream: true });\n\
        let fatal; try { new TextDecoder(\"utf-8\", { fatal: true }).decode(new Uint8Array([255])); } catch (err) { fatal = err.name; }\n\
        return [[...bytes], d.decode(bytes), text + stream.decode(), d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])), d.decode(new Uint8Array([255, 65])), fatal, new TextDecoder(\"utf-16le\").decode(new Uint8Array([65, 0, 0x3d, 0xd8, 0, 0xde])), new TextDecoder(\"latin1\").decode(new Uint8Array([0xe9, 0x80])), btoa(\"\\xff\\x00a\"), atob(\"/wBh\").length, e.encodeInto(\"日本\", new Uint8Array(4)), [...e.encode(\"\\ud800\")]];";
    same(
        &value(body).await,
        &serde_json::json!([[97, 195, 169, 230, 151, 165, 240, 159, 152, 128], "aé日😀", "aé日😀", "A", "\u{fffd}A", "TypeError", "A😀", "é€", "/wBh", 3, { "read": 1, "written": 3 }, [239, 191, 189]]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abort_signals_combine_and_time_out() {
    let body = "const c = new AbortController(); let fired = 0; c.signal.addEventListener(\"abort\", () => fired++); c.signal.onabort = () => fired++; const any = AbortSignal.any([c.signal, new AbortController().signal]);\n\
        c.abort(\"why\"); c.abort(\"again\"); const t = AbortSignal.timeout(1); await new Promise((r) => t.addEventListener(\"abort\", r)); let thrown; try { any.throwIfAborted(); } catch (e) { thrown = e; }\n\
        let illegal; try { new AbortSignal(); } catch (e) { illegal = e.message; }\n\
        return [fired, c.signal.aborted, any.aborted, any.reason, thrown, t.reason.name, AbortSignal.abort().reason.name, illegal, new DOMException(\"m\", \"AbortError\").code];";
    same(
        &value(body).await,
        &serde_json::json!([
            2,
            true,
            true,
            "why",
            "why",
            "TimeoutError",
            "AbortError",
            "Illegal constructor",
            20
        ]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn structured_clones_keep_types_and_cycles() {
    let body = "const o = { d: new Date(0), m: new Map([[1, new Set([2])]]), r: /x/gi, b: new Uint8Array([1, 2]), n: null, e: new RangeError(\"m\") }; o.self = o; const c = structuredClone(o); let refused; try { structuredClone({ f() {} }); } catch (e) { refused = e.name; }\n\
        return [c !== o, c.self === c, c.d.getTime(), c.m.get(1).has(2), String(c.r), [...c.b], c.b !== o.b, c.n, c.e instanceof RangeError, refused];";
    same(
        &value(body).await,
        &serde_json::json!([true, true, 0, true, "/x/gi", [1, 2], true, null, true, "DataCloneError"]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn buffers_know_encodings_and_numbers() {
    let body = "const b = Buffer.from(\"aé😀\"); const n = Buffer.alloc(12); n.writeUInt32BE(0xdeadbeef, 0); n.writeDoubleLE(1.5, 4); let range; try { n.readUInt32LE(10); } catch (e) { range = e.code; }\n\
        return [b.length, b.toString(), b.toString(\"hex\"), b.toString(\"base64\"), Buffer.from(\"_-8\", \"base64url\").toString(\"hex\"), Buffer.from(\"ff0g\", \"hex\").length, Buffer.byteLength(\"日\"), Buffer.concat([b, Buffer.from([1])]).length, b.slice(0, 1).toString(), b.indexOf(\"😀\"), b.includes(\"é\"), b.equals(Buffer.from(b)), Buffer.isBuffer(b), b instanceof Uint8Array, n.readUInt32BE(0).toString(16), n.readDoubleLE(4), range, JSON.stringify(Buffer.from(\"a\")), Buffer.from(\"héllo\", \"latin1\").length, Buffer.compare(Buffer.from(\"a\"), Buffer.from(\"b\")), String(Buffer.alloc(3, \"ab\"))];";
    same(
        &value(body).await,
        &serde_json::json!([
            7,
            "aé😀",
            "61c3a9f09f9880",
            "YcOp8J+YgA==",
            "ffef",
            1,
            3,
            8,
            "a",
            3,
            true,
            true,
            true,
            true,
            "deadbeef",
            1.5,
            "ERR_OUT_OF_RANGE",
            "{\"type\":\"Buffer\",\"data\":[97]}",
            5,
            -1,
            "aba"
        ]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_tells_where_a_tool_runs() {
    let body = "let exit; try { process.exit(2); } catch (e) { exit = e.message; } const t = process.hrtime(); const own = process.env.PATH.length > 0; process.env.MADE_UP = \"x\";\n\
        return [process.cwd() === pi.cwd, typeof process.pid, process.platform, ['x64', 'arm64'].includes(process.arch), own, process.env.MADE_UP, process.argv.length, typeof process.versions.node, t.length, typeof process.hrtime.bigint(), exit, process.stdout.isTTY, process.stdout.write(\"x\"), globalThis.global === globalThis, process.uptime() >= 0, process.memoryUsage().heapUsed > 0];";
    same(
        &value(body).await,
        &serde_json::json!([
            true,
            "number",
            "linux",
            true,
            true,
            "x",
            2,
            "string",
            2,
            "bigint",
            "process.exit(2) was called by a tool; a tool cannot exit the host program",
            false,
            true,
            true,
            true,
            true
        ]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_values_blobs_events_and_performance_are_there() {
    let body = "const id = crypto.randomUUID(); const a = crypto.getRandomValues(new Uint8Array(16)); const blob = new Blob([\"a\", new Uint8Array([98]), new Blob([\"c\"])], { type: \"Text/Plain\" }); const target = new EventTarget(); const seen = []; target.addEventListener(\"x\", (e) => seen.push(e.detail), { once: true }); target.dispatchEvent(new CustomEvent(\"x\", { detail: 1 })); target.dispatchEvent(new CustomEvent(\"x\", { detail: 2 }));\n\
        const form = new FormData(); form.append(\"a\", \"1\"); form.append(\"f\", new File([\"x\"], \"n.txt\")); const { port1, port2 } = new MessageChannel(); const message = new Promise((r) => { port2.onmessage = (e) => r(e.data); }); port1.postMessage({ m: 1 });\n\
        return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/.test(id), a.some((b) => b > 0), await blob.text(), blob.size, blob.type, await blob.slice(1).text(), seen, [...form.keys()], form.get(\"f\").name, await message, performance.now() > 0];";
    same(
        &value(body).await,
        &serde_json::json!([true, true, "abc", 3, "text/plain", "bc", [1], ["a", "f"], "n.txt", { "m": 1 }, true]),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_can_be_read_piped_and_teed() {
    let body = "const s = new ReadableStream({ start(c) { c.enqueue(\"a\"); c.enqueue(\"b\"); c.close(); } }); const up = new TransformStream({ transform: (x, c) => c.enqueue(x.toUpperCase()) }); const out = []; for await (const chunk of s.pipeThrough(up)) out.push(chunk);\n\
        const bytes = new Response(\"héllo\").body.pipeThrough(new TextDecoderStream()); let text = \"\"; for await (const chunk of bytes) text += chunk; return [out, text];";
    same(&value(body).await, &serde_json::json!([["A", "B"], "héllo"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eval_and_new_function_work_globally() {
    let body = "globalThis.g = 5; const F = Function; return [eval(\"1 + g\"), new Function(\"a\", \"b\", \"return a * b + g\")(2, 3), F(\"return this === globalThis\")(), (function () {}) instanceof Function, Object.getPrototypeOf(async () => {}).constructor(\"return 7\") instanceof Function, eval(7), (() => { try { eval(\"]\"); } catch (e) { return e.name; } })()];";
    same(&value(body).await, &serde_json::json!([6, 11, true, true, true, 7, "SyntaxError"]));
}

/// A web server that answers each connection with what `answer` makes of the request.
async fn serve(
    answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            loop {
                let count = socket.read(&mut buffer).await.unwrap_or(0);
                request.extend_from_slice(&buffer[..count]);
                let text = String::from_utf8_lossy(&request).into_owned();
                let length = text
                    .lines()
                    .find_map(|line| {
                        line.to_lowercase()
                            .strip_prefix("content-length: ")
                            .map(|n| n.parse::<usize>().unwrap())
                    })
                    .unwrap_or(0);
                let done = text
                    .split_once("\r\n\r\n")
                    .is_some_and(|(head, _)| request.len() >= head.len() + 4 + length);
                if count == 0 || done {
                    break;
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let reply = answer(&request);
            requests.lock().unwrap().push(request);
            let _ = socket.write_all(&reply).await;
        }
    });
    (address, seen)
}

fn ok(body: &str, headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fetch_talks_to_a_server() {
    let (address, seen) = serve(|request| match request {
        r if r.starts_with("GET /json") => {
            ok("{\"n\": 1}", "content-type: application/json\r\nx-a: 1\r\nx-a: 2\r\n")
        }
        r if r.starts_with("GET /moved") => {
            b"HTTP/1.1 302 Found\r\nlocation: /json\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                .to_vec()
        }
        r if r.starts_with("GET /missing") => {
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno".to_vec()
        }
        r if r.starts_with("GET /cut") => {
            b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\npart".to_vec()
        }
        _ => ok("posted", ""),
    })
    .await;
    let body = format!(
        "const base = \"{address}\"; const r = await fetch(base + \"/json\", {{ headers: {{ \"X-Own\": \"v\" }} }}); const moved = await fetch(base + \"/moved\"); const manual = await fetch(base + \"/moved\", {{ redirect: \"manual\" }}); const missing = await fetch(new URL(base + \"/missing\"));\n\
         const post = await fetch(base + \"/post\", {{ method: \"post\", body: JSON.stringify({{ a: 1 }}), headers: {{ \"content-type\": \"application/json\" }} }}); const form = new FormData(); form.append(\"k\", \"v\"); await fetch(base + \"/form\", {{ method: \"POST\", body: form }}); await fetch(new Request(base + \"/req\", {{ method: \"PUT\", body: new URLSearchParams({{ q: \"1 2\" }}) }}));\n\
         const cut = await fetch(base + \"/cut\"); let cutError; try {{ await cut.text(); }} catch (e) {{ cutError = e.name; }} let refused; try {{ await fetch(\"http://127.0.0.1:1/\"); }} catch (e) {{ refused = [e.name, e.message, e.cause?.code]; }} let twice; try {{ await r.json(); await r.text(); }} catch (e) {{ twice = e.name; }}\n\
         const copy = new Response(\"x\").clone(); return [r.status, r.ok, r.headers.get(\"X-A\"), r.headers.get(\"content-type\"), moved.url === base + \"/json\", moved.redirected, await moved.json(), manual.status, missing.ok, missing.status, await missing.text(), await post.text(), cutError, refused, twice, await copy.text(), await (await fetch(\"data:text/plain,hi%20there\")).text(), Response.json({{ a: 1 }}).headers.get(\"content-type\")];"
    );
    same(
        &value(&body).await,
        &serde_json::json!([200, true, "1, 2", "application/json", true, true, { "n": 1 }, 302, false, 404, "no", "posted", "TypeError", ["TypeError", "fetch failed", "ECONNREFUSED"], "TypeError", "x", "hi there", "application/json"]),
    );
    let seen = seen.lock().unwrap();
    assert!(seen[0].to_lowercase().contains("x-own: v"), "{}", seen[0]);
    assert!(seen.iter().any(|r| r.starts_with("POST /post") && r.ends_with("{\"a\":1}")), "{seen:#?}");
    assert!(
        seen.iter().any(|r| r.starts_with("POST /form") && r.contains("name=\"k\"\r\n\r\nv\r\n")),
        "{seen:#?}"
    );
    assert!(seen.iter().any(|r| r.starts_with("PUT /req") && r.ends_with("q=1+2")), "{seen:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fetch_streams_its_body_and_stops_when_aborted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        let _ = socket.read(&mut buffer).await.unwrap();
        socket
            .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            .await
            .unwrap();
        // Nothing more ever comes; the tool has the first piece and hangs up.
        while socket.read(&mut buffer).await.unwrap_or(0) > 0 {}
    });
    let body = format!(
        "const c = new AbortController(); const r = await fetch(\"http://{address}/\", {{ signal: c.signal }}); const reader = r.body.getReader(); const first = new TextDecoder().decode((await reader.read()).value); c.abort(); let error; try {{ await reader.read(); }} catch (e) {{ error = e.name; }} let early; try {{ await fetch(\"http://{address}/\", {{ signal: AbortSignal.abort() }}); }} catch (e) {{ early = e.name; }} return [first, error, early];"
    );
    same(&value(&body).await, &serde_json::json!(["first", "AbortError", "AbortError"]));
    server.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unhandled_rejection_after_the_call_ends_nothing() {
    let project = Project::new(&[(
        "t.ts",
        &tool_source(
            "setTimeout(() => { throw new Error(\"later\"); }, 1); Promise.reject(new Error(\"nobody\")); await new Promise((r) => setTimeout(r, 10)); return { content: [{ type: \"text\", text: \"fine\" }] };",
        ),
    )]);
    let tool = project.tool("t.ts").await;
    for _ in 0..3 {
        let text = call(&tool, serde_json::json!({})).await.unwrap().joined_text();
        assert!(text.starts_with("fine\n"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_1_c4_4_copies_of_pi_and_ctx_keep_their_members() {
    let source = "export default (pi) => { const copy = { ...pi }; return { name: \"t\", description: \"d\", parameters: { type: \"object\" },\n\
        async execute(id, params, onUpdate, ctx, signal) {\n\
        const all = { ...ctx };\n\
        const found = [typeof copy.exec, typeof copy.zod.object, copy.cwd === pi.cwd, typeof copy.logger.info, typeof copy.pushPendingAction,\n\
          typeof all.sessionManager.getCwd, typeof all.abort, all.signal === signal, all.nothing === undefined, \"modelRegistry\" in all];\n\
        return { content: [{ type: \"text\", text: JSON.stringify(found) }] }; } }; };";
    let project = Project::new(&[("t.mjs", source)]);
    let tool = project.tool("t.mjs").await;
    let result = call(&tool, serde_json::json!({})).await.unwrap().joined_text();
    let functions =
        "\"function\",\"function\",true,\"function\",\"function\",\"function\",\"function\",true,true,true";
    assert_eq!(result, format!("[{functions}]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c1_4_a_missing_export_is_a_stub_on_pi_too() {
    let source = "export default (pi) => ({ name: \"t\", description: \"d\", parameters: { type: \"object\" }, async execute() {\n\
        const { NoSuchThing } = pi.pi; let thrown; try { new NoSuchThing(); } catch (error) { thrown = error.message; }\n\
        return { content: [{ type: \"text\", text: `${typeof pi.pi.StringEnum} ${thrown}` }] }; } });";
    let project = Project::new(&[("t.mjs", source)]);
    let tool = project.tool("t.mjs").await;
    let result = call(&tool, serde_json::json!({})).await.unwrap().joined_text();
    assert_eq!(result, "function \"NoSuchThing\" of \"pi.pi\" is not available in Toolsmith");
}
