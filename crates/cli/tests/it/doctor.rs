//! `toolsmith doctor`.

use toolsmith_host::exec::{Request, run};
use toolsmith_tool::CancelToken;

#[tokio::test]
async fn doctor_names_the_home_that_was_given() {
    let home = tempfile::tempdir().unwrap();
    let mut request = Request::new(env!("CARGO_BIN_EXE_toolsmith")).args(["doctor", "--json"]);
    request.env.insert("TOOLSMITH_HOME".to_owned(), Some(home.path().to_string_lossy().into_owned()));
    let outcome = run(&request, &CancelToken::new(), |_| {}).await.unwrap();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr.text());
    let told: serde_json::Value = serde_json::from_str(&outcome.stdout.text()).unwrap();
    assert_eq!(told["home"], home.path().to_string_lossy().as_ref());
}
