//! A place where tools are made: a home and a project, with the system's programs at hand, and how commands in it ended.

use std::path::{Path, PathBuf};

use toolsmith_host::exec::Request;

use crate::place::{Place, Said};

/// Where programs are.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// An empty home and an empty working folder.
pub(crate) struct Workshop {
    place: Place,
    pub(crate) home: PathBuf,
    pub(crate) work: PathBuf,
    programs: String,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        let place = Place::new(&[]);
        let (home, work) = (place.path("home"), place.path("project"));
        Self { place, home, work, programs: SYSTEM_PATH.to_owned() }
    }

    /// Puts a folder before those where programs are.
    pub(crate) fn with_programs(mut self, folder: &Path) -> Self {
        self.programs = format!("{}:{}", folder.display(), self.programs);
        self
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Writes a file of the working folder.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work.join(name);
        self.place.write(&path, &bytes);
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        self.place.read(&self.work.join(name))
    }

    /// The binary with these arguments.
    pub(crate) fn toolsmith(&self, arguments: &[&str]) -> Request {
        self.place.request(arguments).env("PATH", &self.programs)
    }

    /// Another program, in the same surroundings.
    pub(crate) fn request(&self, program: &str) -> Request {
        let mut request = self.toolsmith(&[]);
        program.clone_into(&mut request.program);
        request
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Said {
        self.finish(&self.toolsmith(arguments)).await
    }

    /// Runs a request to its end. Names of this workshop's folders become `[HOME]` and `[WORK]`.
    pub(crate) async fn finish(&self, request: &Request) -> Said {
        let said = self.place.run_request(request).await;
        Said { stdout: self.neutral(&said.stdout), stderr: self.neutral(&said.stderr), ..said }
    }

    pub(crate) fn neutral(&self, text: &str) -> String {
        text.replace(&*self.home.to_string_lossy(), "[HOME]").replace(&*self.work.to_string_lossy(), "[WORK]")
    }
}

impl Said {
    /// Fails with everything there is, unless it ended so.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}
