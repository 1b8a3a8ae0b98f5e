//! Packages from the npm registry: each loads and does one real job. They are installed once, into the build folder.

use std::path::{Path, PathBuf};

use serde_json::json;
use tokio::sync::OnceCell;
use toolsmith_js::{EngineKind, EngineOptions, Limits};
use toolsmith_testkit::{has_program, install_packages};

use crate::project::{Project, call};

/// The folder with the packages.
async fn installed() -> PathBuf {
    static DONE: OnceCell<PathBuf> = OnceCell::const_new();
    DONE.get_or_init(|| async {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npm");
        install_packages(&from, &Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm")).await.unwrap()
    })
    .await
    .clone()
}

/// Runs a module's `job` as a tool beside the packages and gives its text.
async fn job(imports: &str, body: &str) -> String {
    let source = format!(
        "{imports}\nexport default (pi) => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
         async execute(id, params, onUpdate, ctx, signal) {{\nconst text = await (async () => {{ {body} }})();\n\
         return {{ content: [{{ type: \"text\", text: String(text) }}] }}; }} }});\n"
    );
    let options = |options: EngineOptions| options.engine(EngineKind::Embedded);
    let project = Project::with_options(Limits::default(), &[("t.mjs", &source)], options);
    std::os::unix::fs::symlink(installed().await, project.path("node_modules")).unwrap();
    let tool = project.tool("t.mjs").await;
    call(&tool, json!({})).await.unwrap_or_else(|error| panic!("{error}")).joined_text()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cheerio_stays_in_the_embedded_engine_and_undici_moves() {
    if !has_program("npm") {
        return;
    }
    let tool = |imports: &str, body: &str| {
        format!(
            "{imports}\nexport default () => ({{ name: \"t\", description: \"d\", parameters: {{ type: \"object\" }},\n\
             async execute() {{ return {{ content: [{{ type: \"text\", text: String({body}) }}] }}; }} }});\n"
        )
    };
    let own = tool("import * as cheerio from 'cheerio';", "cheerio.load('<b>one</b>')('b').text()");
    let other =
        tool("import * as cheerio from 'cheerio'; import { request } from 'undici';", "typeof request");
    let project = Project::new(&[("own.mjs", &own), ("other.mjs", &other)]);
    std::os::unix::fs::symlink(installed().await, project.path("node_modules")).unwrap();
    let loaded = project.load("own.mjs").await;
    assert_eq!((loaded.engine, loaded.errors.len()), (EngineKind::Embedded, 0), "{:?}", loaded.notes);
    assert_eq!(call(&loaded.tools[0].tool, json!({})).await.unwrap().joined_text(), "one");
    let loaded = project.load("other.mjs").await;
    let is_moved = loaded.engine != EngineKind::Embedded || loaded.notes.join("\n").contains("WebAssembly");
    assert!(is_moved, "{:?}", loaded.notes);
}

macro_rules! jobs {
    ($($name:ident: $imports:expr, $body:expr => $expected:expr;)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            if has_program("npm") {
                assert_eq!(job($imports, $body).await, $expected);
            }
        }
    )*};
}

jobs! {
    yaml: "import { parse, stringify } from 'yaml';",
        "return JSON.stringify(parse('a: [1, {b: two}]\\nc: |\\n  x\\n  y\\n')) + stringify({ k: [true, null] });"
        => "{\"a\":[1,{\"b\":\"two\"}],\"c\":\"x\\ny\\n\"}k:\n  - true\n  - null\n";
    picomatch: "import picomatch from 'picomatch';",
        "const is = picomatch('src/**/*.{ts,js}'); return [is('src/a/b.ts'), is('src/a/b.rs'), picomatch.isMatch('x.md', '*.md')];"
        => "true,false,true";
    semver: "import semver, { satisfies } from 'semver';",
        "return [semver.inc('1.2.3', 'minor'), satisfies('2.1.0', '^2'), semver.sort(['2.0.0', '1.10.0', '1.9.0'])];"
        => "1.3.0,true,1.9.0,1.10.0,2.0.0";
    dayjs: "import dayjs from 'dayjs'; import utc from 'dayjs/plugin/utc.js'; dayjs.extend(utc);",
        "return dayjs.utc('2024-02-28T10:00:00Z').add(2, 'day').format('YYYY-MM-DD HH:mm');" => "2024-03-01 10:00";
    lodash: "import _ from 'lodash'; import { chunk, groupBy } from 'lodash'; import debounce from 'lodash/debounce.js';",
        "return JSON.stringify([chunk([1, 2, 3], 2), groupBy(['a', 'bb'], 'length'), _.template('<%= x %>!')({ x: 1 }), typeof debounce, _.merge({ a: { b: 1 } }, { a: { c: 2 } })]);"
        => "[[[1,2],[3]],{\"1\":[\"a\"],\"2\":[\"bb\"]},\"1!\",\"function\",{\"a\":{\"b\":1,\"c\":2}}]";
    chalk: "import { Chalk } from 'chalk';",
        "const chalk = new Chalk({ level: 1 }); return JSON.stringify(chalk.red('r') + chalk.bold.bgBlue('b'));"
        => "\"\\u001b[31mr\\u001b[39m\\u001b[1m\\u001b[44mb\\u001b[49m\\u001b[22m\"";
    marked: "import { marked } from 'marked';",
        "return marked.parse('# T\\n\\n- a\\n- **b**\\n');" => "<h1>T</h1>\n<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>\n";
    csv_parse: "import { parse } from 'csv-parse/sync'; import { stringify } from 'csv-stringify/sync';",
        "return JSON.stringify(parse('a,b\\n1,\"x, y\"\\n', { columns: true })) + stringify([[1, 'a,b']]);"
        => "[{\"a\":\"1\",\"b\":\"x, y\"}]1,\"a,b\"\n";
    csv_parse_as_a_stream: "import { parse } from 'csv-parse';",
        "const parser = parse({ columns: true }); parser.write('a,b\\n1,2\\n'); parser.end('3,4\\n'); const rows = []; for await (const row of parser) rows.push(row); return JSON.stringify(rows);"
        => "[{\"a\":\"1\",\"b\":\"2\"},{\"a\":\"3\",\"b\":\"4\"}]";
    turndown: "import TurndownService from 'turndown';",
        "return new TurndownService({ headingStyle: 'atx' }).turndown('<h1>Hi</h1><p>a <b>b</b> <a href=\"https://x.y/\">l</a></p>');"
        => "# Hi\n\na **b** [l](https://x.y/)";
    diff: "import { createTwoFilesPatch, diffWords, applyPatch } from 'diff';",
        "const patch = createTwoFilesPatch('a', 'b', 'one\\ntwo\\n', 'one\\n2\\n'); return [applyPatch('one\\ntwo\\n', patch), diffWords('a b', 'a c').length, patch.includes('-two\\n+2')].join('|');"
        => "one\n2\n|3|true";
    date_fns: "import { addDays, format, parseISO, differenceInHours } from 'date-fns';",
        "return [format(addDays(parseISO('2024-02-27'), 3), 'yyyy-MM-dd EEEE'), differenceInHours(new Date(7.2e6), new Date(0))];"
        => "2024-03-01 Friday,2";
    ajv: "import Ajv from 'ajv';",
        "const check = new (Ajv.default ?? Ajv)().compile({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }); return [check({ n: 2 }), check({ n: 0 }), check.errors[0].message];"
        => "true,false,must be >= 1";
    zod: "import { z } from 'zod'; import { z as v3 } from 'zod/v3';",
        "const s = z.object({ a: z.coerce.number(), b: z.string().default('x') }); return JSON.stringify([s.parse({ a: '4' }), v3.string().safeParse(1).success, z.toJSONSchema(z.string()).type]);"
        => "[{\"a\":4,\"b\":\"x\"},false,\"string\"]";
    typebox: "import { Type } from '@sinclair/typebox'; import { Value } from '@sinclair/typebox/value'; import { TypeCompiler } from '@sinclair/typebox/compiler';",
        "const T = Type.Object({ a: Type.Number({ default: 3 }) }); return JSON.stringify([Value.Default(T, {}), TypeCompiler.Compile(T).Check({ a: 'x' }), Value.Convert(T, { a: '7' })]);"
        => "[{\"a\":3},false,{\"a\":7}]";
    arktype: "import { type } from 'arktype';",
        "const t = type({ n: 'number.integer > 0', 's?': 'string' }); return [JSON.stringify(t({ n: 2 })), t({ n: -1 }) instanceof type.errors];"
        => "{\"n\":2},true";
    execa: "import { execa, execaSync, $ } from 'execa';",
        "const { stdout } = await execa('echo', ['a b']); const sync = execaSync('printf', ['%s', 'x']).stdout; const piped = await $({ input: 'in' })`cat`; const failed = await execa('false', { reject: false }); return [stdout, sync, piped.stdout, failed.exitCode];"
        => "a b,x,in,1";
    cheerio: "import * as cheerio from 'cheerio';",
        "const $ = cheerio.load('<ul><li class=a>1</li><li>2</li></ul>'); $('li.a').text('one'); return [$('li').map((_, e) => $(e).text()).get().join(), $.html('ul')].join('|');"
        => "one,2|<ul><li class=\"a\">one</li><li>2</li></ul>";
}

/// The built-in arktype makes its keywords on first use, in any order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c3_5_the_keywords_of_arktype_are_those_of_the_package() {
    if !has_program("npm") {
        return;
    }
    let walk = r#"
      const own = pi.arktype, differing = [];
      let count = 0;
      const walk = (one, other, path) => {
        const names = Object.keys(one).sort(), others = Object.keys(other).sort();
        if (String(names) !== String(others)) differing.push(`${path}: ${names} / ${others}`);
        for (const name of others) {
          count++;
          const [a, b, at] = [one[name], other[name], `${path}.${name}`];
          if (typeof b !== "function") walk(a, b, at);
          else if (typeof a.allows !== typeof b.allows) differing.push(`${at}: kind`);
          else if (typeof b.allows === "function") {
            if (a.expression !== b.expression || a.description !== b.description) differing.push(`${at}: ${a.expression} / ${b.expression}`);
            for (const value of ["a@b.cd", "12", 12, {}, null, [1], "2020-01-01", "{}", undefined])
              // The package words one error differently, depending on which of its types were compiled before.
              if (at === "keywords.FormData.value" ? a.allows(value) !== b.allows(value) : String(a(value)) !== String(b(value))) differing.push(`${at}(${JSON.stringify(value)}): ${a(value)} / ${b(value)}`);
          }
        }
      };
      walk(own.keywords, keywords, "keywords");
      for (const def of ["string.email", "number.integer", "string.date.iso.parse", "Record<string, number>", "Partial<object>", "Date", "TypedArray.Uint8", "string.uuid.v4", "object.json", "Array<1>", "FormData", "Key", "string.normalize.NFC", "unknown.any", "Map"]) {
        const said = (t) => { try { return JSON.stringify(t(def).json).replace(/\$ark[^"]*/g, "registered") + String(t(def)(7)); } catch (error) { return String(error); } };
        if (said(own) !== said(type)) differing.push(`${def}: ${said(own)} / ${said(type)}`);
      }
      for (const name of Object.keys(type)) if (typeof own[name] !== typeof type[name]) differing.push(`type.${name}`);
      const scopes = [own.scope, type.scope].map((scope) => { const { a } = scope({ a: "b[]", b: "string.alpha" }).export(); return String(a(["x", "1"])); });
      if (scopes[0] !== scopes[1]) differing.push(String(scopes));
      return differing.join("\n") || (count > 100);"#;
    assert_eq!(job("import { keywords, type } from 'arktype';", walk).await, "true");
    // The first use is of a part of a keyword that needs others.
    let first = "return [pi.arktype('string.date.epoch.parse')('86400000').getTime(), pi.arktype({ 'u?': 'string.url' })({}).u];";
    assert_eq!(job("", first).await, "86400000,");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn axios_asks_a_server_on_this_machine() {
    if !has_program("npm") {
        return;
    }
    let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        loop {
            let (mut stream, _) = server.accept().await.unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            // Head and body: what is sent back says how long the body was.
            let head = loop {
                let count = stream.read(&mut buffer).await.unwrap();
                if count == 0 {
                    break None;
                }
                request.extend_from_slice(&buffer[..count]);
                if let Some(end) = request.windows(4).position(|part| part == b"\r\n\r\n") {
                    break Some(end);
                }
            };
            let Some(end) = head else { continue };
            let text = String::from_utf8_lossy(&request[..end]).to_lowercase();
            let length = text
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.lines().next()?.parse::<usize>().ok());
            while request.len() < end + 4 + length.unwrap_or(0) {
                let count = stream.read(&mut buffer).await.unwrap();
                request.extend_from_slice(&buffer[..count]);
            }
            let line = String::from_utf8_lossy(&request).lines().next().unwrap_or_default().to_owned();
            let body =
                json!({ "line": line, "body": String::from_utf8_lossy(&request[end + 4..]) }).to_string();
            let status = if line.contains("/missing") { "404 Not Found" } else { "200 OK" };
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let body = format!(
        "const base = 'http://{address}'; const got = await axios.get(base + '/a', {{ params: {{ q: 'x y' }} }}); const posted = await axios.post(base + '/b', {{ n: 1 }});\n\
         const missing = await axios.get(base + '/missing').catch((error) => error.response.status); return [got.data.line, posted.data.body, missing].join('|');"
    );
    let text = job("import axios from 'axios';", &body).await;
    assert_eq!(text, "GET /a?q=x+y HTTP/1.1|{\"n\":1}|404");
    serving.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simple_git_works_on_a_real_repository() {
    if !has_program("npm") {
        return;
    }
    let body = "const { mkdirSync, writeFileSync } = await import('node:fs'); const folder = pi.cwd + '/repo'; mkdirSync(folder); writeFileSync(folder + '/a.txt', 'a');\n\
        const git = simpleGit(folder); await git.init(['-b', 'main']); await git.addConfig('user.name', 'N'); await git.addConfig('user.email', 'n@example.org');\n\
        await git.add('a.txt'); await git.commit('first'); writeFileSync(folder + '/b.txt', 'b'); const status = await git.status(); const log = await git.log();\n\
        return [status.current, status.not_added.join(), log.latest.message, log.total].join('|');";
    assert_eq!(job("import { simpleGit } from 'simple-git';", body).await, "main|b.txt|first|1");
}
