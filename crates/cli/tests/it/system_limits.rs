//! Limits of the system that are too low end the program with a message, never with a signal or a panic.

use toolsmith_host::exec::Request;

use crate::place::{HELLO, Place};

#[tokio::test]
async fn too_little_memory_or_too_few_files_are_an_error_that_names_the_limit() {
    let place = Place::trusted(&[("project/.toolsmith/tools/hello.ts", HELLO)]);
    let under = |limit: String| {
        let call = place.request(&["call", "hello", "name=x"]);
        let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
        let mut request = Request::new("/bin/sh")
            .args(["-c".to_owned(), script, call.program.clone()])
            .args(call.args.clone());
        (request.cwd, request.env, request.clear_env) = (call.cwd.clone(), call.env.clone(), call.clear_env);
        request
    };
    let files = [4, 5, 6, 7, 8, 12, 20].map(|files| format!("-n {files}"));
    // Less than this, and the system itself cannot load the program.
    let memory = [160, 200, 250, 300].map(|megabytes| format!("-v {}", megabytes * 1024));
    for limit in files.into_iter().chain(memory) {
        let said = place.run_request(&under(limit.clone())).await;
        assert_eq!(said.code, 1, "{limit}: {}", said.stderr);
        assert!(said.stderr.starts_with("error: the limit on "), "{limit}: {}", said.stderr);
        assert!(said.stderr.contains(&format!("(ulimit {})", &limit[..2])), "{limit}: {}", said.stderr);
    }
    for limit in ["-n 32", "-v 1000000"] {
        let said = place.run_request(&under(limit.to_owned())).await;
        assert_eq!(said.code, 0, "{limit}: {}", said.stderr);
    }
}
