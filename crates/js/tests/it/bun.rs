//! Bun's members, as tools use them.

use serde_json::json;

use crate::project::in_tool;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_have_web_streams_and_an_end() {
    let found = in_tool(
        "",
        r#"
        const proc = Bun.spawn(["sh", "-c", "cat; echo err >&2; exit 3"], { stdin: "pipe", stderr: "pipe", env: { ...process.env, X: "1" } });
        proc.stdin.write("given ");
        proc.stdin.write(new TextEncoder().encode("twice"));
        await proc.stdin.end();
        const text = await new Response(proc.stdout).text();
        const ended = [];
        const second = Bun.spawn({ cmd: ["echo", "{\"a\":1}"], onExit: (proc, code, signal) => ended.push([code, signal]) });
        const json = await second.stdout.json();
        await second.exited;
        const fed = Bun.spawn(["cat"], { stdin: new Blob(["from a blob"]) });
        const killed = Bun.spawn(["sleep", "1000"], { stdout: "ignore" });
        killed.kill();
        const sync = Bun.spawnSync(["sh", "-c", "echo out; echo err >&2; exit 4"]);
        const input = Bun.spawnSync({ cmd: ["cat"], stdin: Buffer.from("bytes") });
        let missing; try { Bun.spawn(["no-such-program-here"]); } catch (error) { missing = [error.message, error.code]; }
        return [text, await proc.stderr.text(), await proc.exited, proc.exitCode, json, ended, await fed.stdout.text(), await killed.exited, killed.signalCode, killed.killed,
          sync.exitCode, sync.success, sync.stdout.toString(), sync.stderr.toString(), input.stdout.toString(), missing, proc.pid > 0];
        "#,
    )
    .await;
    let expected = json!([
        "given twice", "err\n", 3, 3, { "a": 1 }, [[0, null]], "from a blob", 143, "SIGTERM", true, 4, false, "out\n",
        "err\n", "bytes", ["Executable not found in $PATH: \"no-such-program-here\"", "ENOENT"], true
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_read_and_written() {
    let found = in_tool(
        "import { file, write, Glob } from \"bun\";",
        r#"
        process.chdir(pi.cwd);
        const n = await Bun.write("deep/er/a.json", JSON.stringify({ a: [1, 2] }));
        const f = Bun.file("deep/er/a.json");
        const sink = file("log.txt").writer();
        sink.write("one "); sink.flush(); sink.write("two"); await sink.end();
        await write(file("copy.json"), f);
        await write("answer", new Response("body"));
        const list = [];
        for await (const path of new Glob("**/*.json").scan({ cwd: pi.cwd })) list.push(path);
        let missing; try { await Bun.file("nothing").text(); } catch (error) { missing = error.code; }
        const stat = await f.stat();
        await file("answer").delete();
        return [n, await f.json(), await f.text(), await f.exists(), await Bun.file("nope").exists(), f.size, f.type, (await f.arrayBuffer()).byteLength, await f.slice(1, 4).text(), await new Response(f.stream()).text(),
          await file("log.txt").text(), await file("copy.json").text(), list.sort(), [...new Glob("*.txt").scanSync(".")], new Glob("*.{ts,js}").match("a.js"), new Glob("*.ts").match("a/b.ts"), missing, stat.size, await file("answer").exists()];
        "#,
    )
    .await;
    let expected = json!([
        11, { "a": [1, 2] }, "{\"a\":[1,2]}", true, false, 11, "application/json;charset=utf-8", 11, "\"a\"", "{\"a\":[1,2]}", "one two",
        "{\"a\":[1,2]}", ["copy.json", "deep/er/a.json"], ["log.txt"], true, false, "ENOENT", 11, false
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shell_quotes_what_is_put_into_it() {
    let found = in_tool(
        "import { $ } from \"bun\";",
        r#"
        const nasty = "a b; echo $HOME 'x' \"y\" `z`";
        const failed = await $`echo some; echo bad >&2; exit 7`.quiet().catch((error) => [error.name, error.message, error.exitCode, error.stdout.toString(), error.stderr.toString()]);
        const lines = []; for await (const line of $`printf 'one\ntwo\n'`.lines()) lines.push(line);
        return [await $`echo ${nasty}`.text(), await $`printf '%s|' ${["p q", "r"]}`.text(), await $`echo '{"a":1}'`.json(), failed, (await $`exit 3`.nothrow()).exitCode, (await $`pwd`.cwd("/")).text(), (await $`echo $WORD`.env({ WORD: "w", PATH: process.env.PATH })).stdout.toString(),
          lines, await $`echo ${{ raw: "a  b" }}`.text(), await $`cat < ${new Response("in")}`.text(), await $`echo hi | tr h H`.text(), $.escape("it's")];
        "#,
    )
    .await;
    let expected = json!([
        "a b; echo $HOME 'x' \"y\" `z`\n", "p q|r|", { "a": 1 }, ["ShellError", "Failed with exit code 7", 7, "some\n", "bad\n"], 3, "/\n", "w\n",
        ["one", "two"], "a b\n", "in", "Hi\n", "'it'\\''s'"
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn smaller_members_do_what_they_say() {
    // The hashes are the vectors of the library that Bun takes its hash from.
    let found = in_tool(
        "",
        r#"
        const digits = "1234567890".repeat(8);
        const before = performance.now(); Bun.sleepSync(5); await Bun.sleep(1);
        return [Bun.hash("", 0).toString(16), Bun.hash("a", 1).toString(16), Bun.hash("abc", 2).toString(16), Bun.hash("message digest", 3).toString(16), Bun.hash("abcdefghijklmnopqrstuvwxyz", 4).toString(16), Bun.hash("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 5).toString(16), Bun.hash(digits, 6).toString(16),
          new Bun.CryptoHasher("sha256").update("x").digest("hex").slice(0, 8), Bun.CryptoHasher.hash("md5", "x", "hex"), Bun.SHA1.hash("x", "hex").slice(0, 6), Bun.which("sh").endsWith("/sh"), Bun.which("no-such-program-here"), performance.now() - before >= 5,
          Bun.escapeHTML("<a href='x'>&"), Bun.stringWidth("a\u{1b}[31mb\u{4f60}"), typeof Bun.version, typeof Bun.serveNothing, new TextDecoder().decode(Bun.gunzipSync(Bun.gzipSync("zip"))), await Bun.readableStreamToText(new Response("s").body), Bun.env.PATH === process.env.PATH, Bun.fileURLToPath("file:///a%20b"), Bun.randomUUIDv7().length, Bun.hash.crc32("hello")];
        "#,
    )
    .await;
    let expected = json!([
        "409638ee2bde459",
        "a8412d091b5fe0a9",
        "32dd92e4b2915153",
        "8619124089a3a16b",
        "7a43afb61d7f5f40",
        "ff42329b90e50d58",
        "c39cab13b115aad3",
        "2d711642",
        "9dd4e461268c8034f5c8564e155c67a6",
        "11f6ad",
        true,
        null,
        true,
        "&lt;a href=&#x27;x&#x27;&gt;&amp;",
        4,
        "string",
        "undefined",
        "zip",
        "s",
        true,
        "/a b",
        36,
        907_060_870
    ]);
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn yaml_toml_and_semver_are_read_as_bun_reads_them() {
    let found = in_tool(
        "",
        r#"
        const refused = (action) => { try { return action(); } catch (error) { return `${error.name}: ${error.message}`; } };
        const versions = [["1.2.3", "^1.0.0"], ["2.0.0", "^1.0.0"], ["1.2.9", "~1.2.3"], ["1.3.0", "~1.2.3"], ["0.2.5", "^0.2.3"], ["0.3.0", "^0.2.3"], ["1.5.0", "1.x"],
          ["1.0.0-beta.2", "^1.0.0-beta.1"], ["1.1.0-beta", "^1.0.0"], ["3.0.0", "<2 || >=3"], ["1.5.0", "1.2.0 - 1.9.0"], ["1.0.0", "*"], ["x", "*"], ["1.0.0", ">1.0.0"]];
        return [
          Bun.YAML.parse("a: 1\nb: [x, true, null]\nc:\n  - d: 2.5\n"), Bun.YAML.parse("- 1\n- two"), refused(() => Bun.YAML.parse("a: [1")).startsWith("SyntaxError: YAML Parse error"),
          Bun.YAML.parse(Bun.YAML.stringify({ a: [1, { b: "yes", c: [] }], "d e": null, f: "x: y" }, null, 2)),
          Bun.TOML.parse("a = 1\n[b]\nc = \"d\""), refused(() => Bun.TOML.parse("a =")).startsWith("SyntaxError"),
          versions.map(([version, range]) => Bun.semver.satisfies(version, range)), ["2.0.0", "1.0.0", "1.0.0-a", "1.0.0-1"].sort(Bun.semver.order), refused(() => Bun.semver.order("x", "1.0.0")),
          refused(() => Bun.serve({ fetch() {} })), refused(() => Bun.password.hashSync("x")),
        ];
        "#,
    )
    .await;
    assert_eq!(
        found,
        json!([
            { "a": 1, "b": ["x", true, null], "c": [{ "d": 2.5 }] }, [1, "two"], true,
            { "a": [1, { "b": "yes", "c": [] }], "d e": null, "f": "x: y" },
            { "a": 1, "b": { "c": "d" } }, true,
            [true, false, true, false, true, false, true, true, false, true, true, true, false, false],
            ["1.0.0-1", "1.0.0-a", "1.0.0", "2.0.0"], "Error: Invalid SemVer: x",
            "Error: Bun.serve is not available in the embedded engine; set engine = \"bun\" for this tool",
            "Error: Bun.password is not available in the embedded engine; set engine = \"bun\" for this tool",
        ])
    );
}
