//! Credentials and profiles of AWS.

use toolsmith_testkit::Project;

use super::*;

fn environment(pairs: &[(&str, String)]) -> Environment {
    let pairs: BTreeMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Environment::new(move |name| pairs.get(name).cloned())
}

fn at(home: &Project, more: &[(&str, &str)]) -> Environment {
    let mut pairs = vec![("HOME", home.root.display().to_string())];
    pairs.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    environment(&pairs)
}

const CREDENTIALS: &str = "# mine\n[default]\naws_access_key_id = AKDEFAULT\naws_secret_access_key = s1\n\n[ work ]\n\
                           AWS_ACCESS_KEY_ID=AKWORK\naws_secret_access_key = a=b/c+ # note\naws_session_token = t\n";
const CONFIG: &str = "[default]\nregion = eu-central-1\ns3 =\n  region = nested\n[profile work]\nregion=us-west-2\n\
                      [profile sso]\nsso_session = corp\nsso_account_id = 1\n[sso-session corp]\nsso_region = x\n";

#[test]
fn keys_of_the_environment_come_before_files() {
    let home = Project::new(&[(".aws/credentials", CREDENTIALS), (".aws/config", CONFIG)]);
    let environment = at(
        &home,
        &[("AWS_ACCESS_KEY_ID", " AK\n"), ("AWS_SECRET_ACCESS_KEY", "s"), ("AWS_SESSION_TOKEN", "t")],
    );
    let found = load(&environment).unwrap().credentials.unwrap();
    assert_eq!((found.access_key.as_str(), found.secret.expose()), ("AK", "s"));
    assert_eq!(found.session_token.unwrap().expose(), "t");
    assert_eq!(region(&environment).as_deref(), Some("eu-central-1"));
}

#[test]
fn profiles_are_read_from_both_files() {
    let home = Project::new(&[(".aws/credentials", CREDENTIALS), (".aws/config", CONFIG)]);
    let default = load(&at(&home, &[])).unwrap().credentials.unwrap();
    assert_eq!((default.access_key.as_str(), default.session_token), ("AKDEFAULT", None));
    let work = at(&home, &[("AWS_PROFILE", "work")]);
    let found = load(&work).unwrap().credentials.unwrap();
    assert_eq!((found.access_key.as_str(), found.secret.expose()), ("AKWORK", "a=b/c+"));
    assert_eq!(region(&work).as_deref(), Some("us-west-2"));
    assert_eq!(
        region(&at(&home, &[("AWS_PROFILE", "work"), ("AWS_REGION", "ap-south-1")])).as_deref(),
        Some("ap-south-1")
    );
}

#[test]
fn files_elsewhere_are_found() {
    let home = Project::new(&[("own/keys", CREDENTIALS)]);
    let file = home.path("own/keys").display().to_string();
    let environment = environment(&[("AWS_SHARED_CREDENTIALS_FILE", file)]);
    assert_eq!(load(&environment).unwrap().credentials.unwrap().access_key, "AKDEFAULT");
}

#[test]
fn what_is_missing_or_unsupported_is_said_without_secrets() {
    let home = Project::new(&[(".aws/credentials", CREDENTIALS), (".aws/config", CONFIG)]);
    assert!(load(&at(&home, &[("AWS_PROFILE", "none")])).unwrap_err().contains("no AWS profile \"none\""));
    let sso = load(&at(&home, &[("AWS_PROFILE", "sso")])).unwrap_err();
    assert!(sso.contains("aws configure export-credentials --profile sso"), "{sso}");
    assert!(!are_there(&at(&home, &[("AWS_PROFILE", "sso")])));
    assert!(load(&environment(&[])).unwrap().credentials.is_none());
}

#[test]
fn odd_files_are_survived() {
    for text in [
        "",
        "[",
        "]",
        "=",
        "[]\n=\n==\n[a",
        "\u{feff}[default]",
        "[x]\nkey",
        "\0\0",
        "[default]\r\naws_access_key_id = A\r\n",
    ] {
        parse(text);
    }
    let folder = Project::new(&[(".aws/credentials/folder", "")]);
    assert!(load(&at(&folder, &[])).is_err());
}
