//! CONTRACT 2.8: programs of a project that is not trusted are not found by name.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tempfile::TempDir;
use toolsmith_host::exec::{ExecError, PathRule, Request, guard_programs, run};
use toolsmith_tool::CancelToken;

/// A project with a program in `bin`, which prints `project`, and a directory beside it.
struct Place {
    folder: TempDir,
    trusted: Arc<AtomicBool>,
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), trusted: Arc::default() };
        program(&place.path("project/bin/planted"), "#!/bin/sh\necho project\n");
        fs::create_dir(place.path("own")).unwrap();
        let trusted = Arc::clone(&place.trusted);
        guard_programs(&place.path("project"), move |_| trusted.load(Ordering::Relaxed));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn request(&self, program: &str, entry: &str) -> Request {
        let path = format!("{entry}:{}:/usr/bin:/bin", self.path("own").display());
        Request::new(program).cwd(self.path("project")).env("PATH", path)
    }

    /// Entries that lead into the project.
    fn entries(&self) -> Vec<String> {
        symlink(self.path("project/bin"), self.path("link")).unwrap();
        ["project/bin", "own/../project/bin", "link"]
            .map(|entry| self.path(entry).display().to_string())
            .into_iter()
            .collect()
    }
}

async fn text(request: &Request) -> Result<String, ExecError> {
    let outcome = run(request, &CancelToken::new(), |_| {}).await?;
    Ok(format!("{}{}", outcome.stdout.text(), outcome.stderr.text()))
}

#[tokio::test]
async fn c2_8_a_program_of_an_untrusted_project_is_not_found_by_name() {
    let place = Place::new();
    for entry in place.entries() {
        let request = place.request("planted", &entry);
        let error = text(&request).await.unwrap_err();
        assert!(error.is_not_found(), "{error:?}");
        let message = error.to_string();
        let parts = ["\"planted\"", &entry, "is not trusted", "toolsmith trust"];
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        place.trusted.store(true, Ordering::Relaxed);
        assert_eq!(text(&request).await.unwrap(), "project\n", "{entry}");
        place.trusted.store(false, Ordering::Relaxed);
    }
    // One that exists elsewhere too is taken from there, with the name as its first argument.
    program(&place.path("own/planted"), "#!/bin/sh\necho own\n");
    let entry = place.path("project/bin").display().to_string();
    assert_eq!(text(&place.request("planted", &entry)).await.unwrap(), "own\n");
    // A path says which file is meant.
    assert_eq!(text(&place.request("./bin/planted", &entry)).await.unwrap(), "project\n");
}

#[tokio::test]
async fn c2_8_a_link_to_a_program_of_an_untrusted_project_is_not_followed() {
    let place = Place::new();
    symlink(place.path("project/bin/planted"), place.path("own/planted")).unwrap();
    let error = text(&place.request("planted", "/usr/bin")).await.unwrap_err();
    assert!(matches!(error, ExecError::OnlyInUntrustedProject { .. }), "{error:?}");
}

#[tokio::test]
async fn c2_8_relative_entries_count_only_for_tools_in_a_trusted_project() {
    let place = Place::new();
    for entry in ["bin", "./bin", "../project/bin"] {
        let request = place.request("planted", entry);
        let for_tools = request.clone().path_rule(PathRule::Tool);
        for refused in [&request, &for_tools] {
            let error = text(refused).await.unwrap_err();
            assert!(error.is_not_found() && error.to_string().contains("relative entry"), "{error}");
        }
        place.trusted.store(true, Ordering::Relaxed);
        assert!(text(&request).await.is_err());
        assert_eq!(text(&for_tools).await.unwrap(), "project\n");
        // Elsewhere the same entry leads to files of nobody.
        program(&place.path("other/bin/planted"), "#!/bin/sh\necho other\n");
        let elsewhere = for_tools.clone().cwd(place.path("other"));
        assert!(entry.starts_with("..") || text(&elsewhere).await.is_err(), "{entry}");
        place.trusted.store(false, Ordering::Relaxed);
    }
    // An empty entry is the current directory.
    let request = place.request("planted", "").cwd(place.path("project/bin"));
    assert!(text(&request).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn c2_8_a_process_does_not_get_entries_of_an_untrusted_project() {
    let place = Place::new();
    let own = place.path("own").display().to_string();
    let missing = place.path("own/../project/not yet").display().to_string();
    for entry in place.entries().into_iter().chain(["bin".to_owned(), missing]) {
        let request = place.request("sh", &entry).args(["-c", "echo \"$PATH\"; planted"]);
        for rule in [PathRule::Safe, PathRule::Tool] {
            let printed = text(&request.clone().path_rule(rule)).await.unwrap();
            assert!(printed.starts_with(&format!("{own}:/usr/bin:/bin\n")), "{entry}: {printed}");
            assert!(!printed.contains("project\n"), "{printed}");
        }
        // A command of the user finds what it finds in a terminal.
        let printed = text(&request.clone().path_rule(PathRule::PassedOn)).await.unwrap();
        assert!(printed.starts_with(&format!("{entry}:{own}:")), "{printed}");
    }
    // An empty list would stand for the current directory.
    let only = place.request("/bin/sh", "").env("PATH", "bin").args(["-c", "planted"]);
    let printed = text(&only.cwd(place.path("project/bin"))).await.unwrap();
    assert!(!printed.contains("project\n"), "{printed}");
}
