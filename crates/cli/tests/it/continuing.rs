//! A session continues with the provider, endpoint and model it was held with, or says why it cannot.

use std::{fs, path::PathBuf};

use toolsmith_testkit::{ModelServer, Reply};

use crate::place::{Place, Said};

const KEY: &str = "sk-secret";

/// A place with a key for a provider everybody knows, and two servers: that provider, and one of the user's own.
struct Bench {
    place: Place,
    public: ModelServer,
    own: ModelServer,
}

impl Bench {
    async fn new() -> Self {
        let public = ModelServer::start().await.unwrap();
        let own = ModelServer::start().await.unwrap();
        for server in [&public, &own] {
            server.otherwise(|_| Reply::new().text("Yes."));
        }
        let config = format!(
            "discovery.local_models = false\n[providers.openai]\nwire = \"openai-completions\"\nbase_url = \"{}\"\n",
            public.url()
        );
        Self { place: Place::trusted(&[("home/.toolsmith/config.toml", &config)]), public, own }
    }

    async fn run(&self, args: &[&str]) -> Said {
        self.place.run_request(&self.place.request(args).env("OPENAI_API_KEY", KEY)).await
    }

    /// Requests to each of the two.
    fn asked(&self) -> (usize, usize) {
        (self.public.requests().len(), self.own.requests().len())
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in
            fs::read_dir(self.place.path("home/.toolsmith/sessions")).into_iter().flatten().flatten()
        {
            let found = fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|file| file.path());
            files.extend(found.filter(|file| file.extension().is_some_and(|end| end == "jsonl")));
        }
        files
    }
}

#[tokio::test]
async fn a_session_at_an_endpoint_continues_there_without_a_key() {
    let bench = Bench::new().await;
    let url = bench.own.url();
    let said = bench.run(&["-p", "first", "--base-url", &url, "--model", "local"]).await;
    assert_eq!((said.code, said.stdout.as_str()), (0, "Yes.\n"), "{said:#?}");
    let said = bench.run(&["-p", "more", "-c"]).await;
    assert_eq!((said.code, bench.asked()), (0, (0, 2)), "{said:#?}");
    let file = bench.files().remove(0);
    let id = file.file_stem().unwrap().to_str().unwrap().rsplit('_').next().unwrap().to_owned();
    let said = bench.run(&["-p", "and more", "--resume", &id]).await;
    assert_eq!((said.code, bench.asked()), (0, (0, 3)), "{said:#?}");
    for request in bench.own.requests() {
        assert!(request.header("authorization").is_none());
        assert_eq!(request.body["model"], "local");
    }
    // What is said on the command line wins.
    let said = bench.run(&["-p", "elsewhere", "-c", "--model", "openai/gpt-5.2"]).await;
    assert_eq!((said.code, bench.asked()), (0, (1, 3)), "{said:#?}");
    let said = bench.run(&["-p", "again", "-c"]).await;
    assert_eq!((said.code, bench.asked()), (0, (2, 3)), "{said:#?}");
}

#[tokio::test]
async fn a_key_is_never_sent_to_an_endpoint_that_only_the_session_names() {
    let bench = Bench::new().await;
    let url = bench.own.url();
    let with_user = url.replace("http://", "http://me:pa55@");
    let said =
        bench.run(&["-p", "first", "--provider", "openai", "--base-url", &with_user, "--model", "m"]).await;
    assert_eq!((said.code, bench.asked()), (0, (0, 1)), "{said:#?}");
    let text = fs::read_to_string(&bench.files()[0]).unwrap();
    assert!(text.contains(&url) && !text.contains("pa55") && !text.contains(KEY), "{text}");
    let said = bench.run(&["-p", "more", "-c"]).await;
    assert_eq!((said.code, bench.asked()), (1, (0, 1)), "{said:#?}");
    assert!(said.stderr.contains(&format!("--provider openai --base-url {url} --model m")), "{said:#?}");
    assert!(said.stderr.contains("is not configured"), "{said:#?}");
    // Given again, it goes on there, with the model of the session.
    let said = bench.run(&["-p", "more", "-c", "--provider", "openai", "--base-url", &url]).await;
    assert_eq!((said.code, bench.asked()), (0, (0, 2)), "{said:#?}");
    assert_eq!(bench.own.last_request().body["model"], "m");
}

#[tokio::test]
async fn a_file_from_elsewhere_does_not_choose_the_endpoint() {
    let bench = Bench::new().await;
    let url = bench.own.url();
    bench.run(&["-p", "first", "--base-url", &url, "--model", "local"]).await;
    let text = fs::read_to_string(&bench.files()[0]).unwrap();
    fs::remove_file(&bench.files()[0]).unwrap();
    bench.place.write("project/forged.jsonl", &text);
    let said = bench.run(&["-p", "more", "--resume", "./forged.jsonl"]).await;
    assert_eq!((said.code, bench.asked()), (1, (0, 1)), "{said:#?}");
    assert!(said.stderr.contains("is not one of your sessions"), "{said:#?}");
    let said = bench.run(&["-p", "more", "--resume", "./forged.jsonl", "--model", "openai/gpt-5.2"]).await;
    assert_eq!((said.code, bench.asked()), (0, (1, 1)), "{said:#?}");
}

#[tokio::test]
async fn a_model_that_is_gone_is_not_replaced_by_another() {
    let bench = Bench::new().await;
    bench.place.write("script.json", "[\"Hello.\"]");
    let model = format!("script:{}", bench.place.path("script.json").display());
    let said = bench.run(&["-p", "first", "--model", &model]).await;
    assert_eq!(said.code, 0, "{said:#?}");
    let said = bench.run(&["-p", "more", "-c"]).await;
    assert_eq!((said.code, bench.asked()), (1, (0, 0)), "{said:#?}");
    assert!(said.stderr.contains("This session was held with script/"), "{said:#?}");
    assert!(said.stderr.contains("--model"), "{said:#?}");
}

#[tokio::test]
async fn a_run_that_fails_for_lack_of_a_key_leaves_no_session() {
    let bench = Bench::new().await;
    let said = bench.place.run(&["-p", "hi", "--model", "anthropic/claude-sonnet-4-5"]).await;
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.stderr.contains("ANTHROPIC_API_KEY"), "{said:#?}");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    // A session that exists keeps what was said.
    bench.run(&["-p", "first", "--model", "openai/gpt-5.2"]).await;
    let said = bench.place.run(&["-p", "second", "-c"]).await;
    assert_eq!((said.code, bench.files().len()), (1, 1), "{said:#?}");
}
