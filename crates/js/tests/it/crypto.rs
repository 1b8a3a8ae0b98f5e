//! `node:crypto` and the web's `crypto.subtle`, beside Node's own.

use std::time::Duration;

use serde_json::json;
use toolsmith_js::Limits;
use toolsmith_tool::{CancelToken, Stop, ToolCall, ToolContext, ToolError, UpdateSink};

use crate::{
    beside_node::{in_tool, same},
    project::{Project, tool_source},
};

const CRYPTO: &str = "import crypto, { createHash, createHmac } from \"node:crypto\";";

#[tokio::test(flavor = "multi_thread")]
async fn hashes_are_those_of_node() {
    same(
        CRYPTO,
        r#"
        const names = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha512-224", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b512", "blake2s256", "RSA-SHA256", "SHA256"];
        const out = {};
        for (const name of names) {
          const hash = createHash(name).update("héllo ").update(Buffer.from([0, 1, 2, 255])).update("ff00", "hex");
          const copy = hash.copy().update("more");
          out[name] = [hash.digest("hex"), copy.digest("base64"), createHmac(name, "kéy").update("x".repeat(1000)).digest("base64url"), createHmac(name, Buffer.alloc(300, 7)).digest().toString("hex")];
        }
        return out;
        "#,
    )
    .await;
    same(
        CRYPTO,
        r#"
        const thrown = (run) => { try { run(); } catch (error) { return [error.name, error.code, error.message]; } };
        const used = createHash("md5"); used.digest();
        const mac = createHmac("md5", "k"); mac.digest();
        return [thrown(() => createHash("nope").x)?.[2], thrown(() => createHash("md5").update(7)), thrown(() => used.digest()), thrown(() => used.update("x")),
          mac.digest("hex"), thrown(() => createHmac("nope", "k")), thrown(() => createHash(5)), thrown(() => crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))),
          crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ab")), crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ac"))];
        "#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn derived_keys_are_those_of_node() {
    same(
        "import crypto from \"crypto\";",
        r#"
        const promised = (run) => new Promise((resolve, reject) => run((error, value) => (error ? reject(error) : resolve(value))));
        const thrown = (run) => { try { run(); } catch (error) { return [error.name, error.code]; } };
        return [
          crypto.scryptSync("pässword", "salt", 64).toString("hex"),
          crypto.scryptSync("p", "s", 16, { N: 1024, r: 4, p: 2 }).toString("hex"),
          (await promised((done) => crypto.scrypt("p", Buffer.from("s"), 32, done))).toString("hex"),
          crypto.pbkdf2Sync("p", "s", 1000, 70, "sha512").toString("hex"),
          (await promised((done) => crypto.pbkdf2("p", "s", 7, 20, "sha1", done))).toString("hex"),
          Buffer.from(crypto.hkdfSync("sha256", "key", "salt", "info", 100)).toString("hex"),
          Buffer.from(await promised((done) => crypto.hkdf("sha512", "key", "", "", 10, done))).toString("hex"),
          thrown(() => crypto.scryptSync("p", "s", 64, { N: 2 ** 20 })),
          thrown(() => crypto.scryptSync("p", "s", 64, { N: 3 })),
          thrown(() => crypto.pbkdf2Sync("p", "s", 0, 64, "sha1")),
          thrown(() => crypto.pbkdf2Sync("p", "s", 1, 64, "nope")),
        ];
        "#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ciphers_are_those_of_node() {
    same(
        CRYPTO,
        r#"
        const out = {};
        const thrown = (run) => { try { run(); } catch (error) { return [error.code, error.message]; } };
        for (const bits of [128, 192, 256]) for (const mode of ["gcm", "cbc", "ctr"]) {
          const name = `aes-${bits}-${mode}`;
          const key = Buffer.alloc(bits / 8, 9), iv = Buffer.alloc(mode === "gcm" ? 12 : 16, 250);
          for (const length of [0, 1, 15, 16, 17, 100]) {
            const cipher = crypto.createCipheriv(name, key, iv);
            if (mode === "gcm") cipher.setAAD(Buffer.from("header that is longer than a block"));
            const text = Buffer.alloc(length, "abc");
            const sealed = Buffer.concat([cipher.update(text.subarray(0, 7)), cipher.update(text.subarray(7)), cipher.final()]);
            const tag = mode === "gcm" ? cipher.getAuthTag() : undefined;
            const open = (bytes) => { const d = crypto.createDecipheriv(name, key, iv); if (tag) { d.setAAD(Buffer.from("header that is longer than a block")); d.setAuthTag(tag); } return d.update(bytes, undefined, "utf8") + d.final("utf8"); };
            out[name + length] = [sealed.toString("hex"), tag?.toString("hex"), open(sealed)];
            if (length === 17) out[name + "broken"] = mode === "ctr" ? "" : thrown(() => open(Buffer.from(sealed.map((byte, index) => index === 16 ? byte ^ 1 : byte))))?.[1].replace(/error:.*::/, "");
          }
        }
        const odd = crypto.createCipheriv("aes-256-gcm", Buffer.alloc(32), Buffer.alloc(16, 3));
        out.odd = odd.update("x", "utf8", "hex") + odd.final("hex") + odd.getAuthTag().toString("hex");
        out.errors = [thrown(() => crypto.createCipheriv("aes-256-gcm", Buffer.alloc(5), Buffer.alloc(12))), thrown(() => crypto.createCipheriv("aes-256-cbc", Buffer.alloc(32), Buffer.alloc(12)))];
        return out;
        "#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subtle_is_that_of_node() {
    same(
        "import { webcrypto } from \"node:crypto\"; const { subtle } = globalThis.crypto ?? webcrypto;",
        r#"
        const hex = (buffer) => Buffer.from(buffer).toString("hex");
        const data = new TextEncoder().encode("data");
        const mac = await subtle.importKey("raw", data, { name: "HMAC", hash: "SHA-256" }, true, ["sign", "verify"]);
        const signed = await subtle.sign("HMAC", mac, data);
        const aes = await subtle.importKey("raw", new Uint8Array(32), "AES-GCM", false, ["encrypt", "decrypt"]);
        const sealed = await subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(12), additionalData: data }, aes, data);
        const base = await subtle.importKey("raw", data, "PBKDF2", false, ["deriveBits", "deriveKey"]);
        const failing = async (run) => { try { await run(); } catch (error) { return error.name; } };
        return [hex(await subtle.digest("SHA-256", data)), hex(await subtle.digest({ name: "SHA-1" }, data.buffer)), hex(signed), await subtle.verify("HMAC", mac, signed, data), await subtle.verify("HMAC", mac, data, data),
          hex(sealed), hex(await subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12), additionalData: data }, aes, sealed)),
          hex(await subtle.deriveBits({ name: "PBKDF2", salt: data, iterations: 10, hash: "SHA-512" }, base, 256)),
          await failing(() => subtle.decrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, aes, sealed)), (await failing(() => subtle.exportKey("raw", aes))).replace("Exception", "Error"), await failing(() => subtle.digest("MD5", data)),
          (await subtle.exportKey("jwk", mac)).k];
        "#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_values_have_the_shape_asked_for() {
    let found = in_tool(
        &[],
        CRYPTO,
        r#"
        const filled = await new Promise((resolve) => crypto.randomFill(new Uint8Array(8), 4, (error, bytes) => resolve(bytes)));
        const numbers = Array.from({ length: 200 }, () => crypto.randomInt(3, 6));
        return [crypto.randomBytes(16).length, (await new Promise((resolve) => crypto.randomBytes(5, (error, bytes) => resolve(bytes)))).length, /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(crypto.randomUUID()),
          [...filled.subarray(0, 4)], [...new Set(numbers)].sort(), crypto.getHashes().includes("sha256"), crypto.randomBytes(4) instanceof Buffer];
        "#,
    )
    .await;
    assert_eq!(found, json!([16, 5, true, [0, 0, 0, 0], [3, 4, 5], true, true]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_takes_for_ever_is_stopped() {
    let body = "const { pbkdf2Sync } = await import(\"node:crypto\"); onUpdate({ content: [] }); pbkdf2Sync(\"p\", \"s\", 2147483647, 64, \"sha512\");";
    let limits = Limits::default().grace(Duration::from_millis(10));
    let project = Project::with_limits(limits, &[("t.ts", &tool_source(body))]);
    let tool = project.tool("t.ts").await;
    let cancel = CancelToken::new();
    let stop = cancel.clone();
    let updates = UpdateSink::new(move |_| stop.cancel("enough"));
    let ctx = ToolContext::detached().with_cancel(cancel).with_updates(updates);
    let outcome = tool.execute(ToolCall::new("c", json!({})), ctx).await;
    assert!(matches!(outcome, Err(ToolError::Stopped { stop: Stop::Forced, .. })), "{outcome:?}");
    while project.engine.stats().threads > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(project.engine.stats().abandoned, 0);
}
