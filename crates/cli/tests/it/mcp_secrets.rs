//! Credentials in the configuration of MCP servers are not printed.

use serde_json::json;

use crate::place::Place;

const SECRET: &str = "s3cret";

fn configured(url: &str) -> Place {
    let place = Place::new(&[]);
    let entry = json!({ "mcpServers": {
        "database": {
            "command": "/nonexistent/server",
            "args": ["postgres://app:s3cret@db:5432/app", "--api-key", "s3cret", "--dsn=mysql://root:s3cret@db/x"],
            "env": { "TOKEN": "s3cret" },
        },
        "remote": { "url": url, "headers": { "Authorization": "Bearer s3cret" } },
        "expanded": { "url": "http://127.0.0.1:1/mcp?key=${MCP_TEST_KEY}" },
    } });
    place.write("home/.toolsmith/agent/mcp.json", &entry.to_string());
    place
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_in_arguments_and_addresses_are_masked_in_lists_tests_and_errors() {
    // Nothing listens on this port, so that the error names the address.
    let place = configured("http://me:s3cret@127.0.0.1:1/mcp?token=s3cret");
    for args in [
        ["mcp", "list"].as_slice(),
        &["mcp", "list", "--json"],
        &["mcp", "test", "database"],
        &["mcp", "test", "remote"],
        &["mcp", "test", "remote", "--json"],
        &["mcp", "test", "expanded"],
        &["mcp", "login", "remote"],
        &["list"],
        &["list", "--json"],
        &["doctor"],
    ] {
        let said = place.run_request(&place.request(args).env("MCP_TEST_KEY", SECRET)).await;
        assert!(!said.stdout.contains(SECRET) && !said.stderr.contains(SECRET), "{args:?}: {said:#?}");
    }
    let said = place.run(&["mcp", "list"]).await;
    assert!(
        said.stdout.contains("postgres://***@db:5432/app --api-key *** --dsn=mysql://***@db/x"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("http://***@127.0.0.1:1/mcp?***"), "{}", said.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_of_servers_that_wait_for_trust_are_masked_too() {
    let place = Place::new(&[]);
    let entry = json!({ "mcpServers": { "db": { "command": "server", "args": ["redis://:s3cret@cache"] } } });
    place.write("project/.mcp.json", &entry.to_string());
    for args in [["mcp", "list"].as_slice(), &["list"], &["trust", "--help"], &["mcp", "test", "db"]] {
        let said = place.run(args).await;
        assert!(!said.stdout.contains(SECRET) && !said.stderr.contains(SECRET), "{args:?}: {said:#?}");
    }
}
